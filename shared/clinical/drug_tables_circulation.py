"""Drugs of the heart, the vessels and the blood. The columns are those of `drug_tables`."""

ROWS = """
lisinopril | Prinivil, Zestril, Qbrelis | 리시노프릴 | ace inhibitor | 80
enalapril | Vasotec, enalaprilat | 에날라프릴 | ace inhibitor | 40
captopril | Capoten | 캡토프릴 | ace inhibitor | 450
ramipril | Altace | 라미프릴, 트리테이스 | ace inhibitor | 20
benazepril | Lotensin | 베나제프릴 | ace inhibitor | 80
quinapril | Accupril | 퀴나프릴 | ace inhibitor | 80
fosinopril | Monopril | 포시노프릴 | ace inhibitor | 80
perindopril | Aceon | 페린도프릴 | ace inhibitor | 16
trandolapril | Mavik | 트란돌라프릴 | ace inhibitor | 8
moexipril | Univasc | 모엑시프릴 | ace inhibitor | 60
losartan | Cozaar | 로사르탄, 로살탄, 코자 | arb | 100
valsartan | Diovan | 발사르탄, 디오반 | arb | 320
irbesartan | Avapro | 이르베사르탄, 아프로벨 | arb | 300
candesartan | Atacand | 칸데사르탄, 아타칸 | arb | 32
olmesartan | Benicar | 올메사르탄, 올메텍 | arb | 40
telmisartan | Micardis | 텔미사르탄, 미카르디스 | arb | 80
azilsartan | Edarbi | 아질사르탄 | arb | 80
fimasartan | | 피마사르탄, 카나브 | arb |
sacubitril/valsartan | Entresto | 사쿠비트릴, 엔트레스토 | arb | 400
amlodipine | Norvasc | 암로디핀, 노바스크 | dihydropyridine | 10
nifedipine | Procardia, Adalat | 니페디핀, 아달라트 | dihydropyridine | 120
felodipine | Plendil | 펠로디핀 | dihydropyridine | 10
nicardipine | Cardene | 니카르디핀 | dihydropyridine |
nimodipine | Nymalize | 니모디핀 | dihydropyridine | 360
lercanidipine | | 레르카니디핀 | dihydropyridine |
diltiazem | Cardizem, Tiazac, Cartia | 딜티아젬 | nondihydropyridine | 540
verapamil | Calan, Isoptin, Verelan | 베라파밀 | nondihydropyridine | 480
metoprolol | Lopressor, Toprol, Toprol-XL, metop | 메토프롤롤 | beta blocker | 450
atenolol | Tenormin | 아테놀롤 | beta blocker | 200
bisoprolol | Zebeta | 비소프롤롤, 콩코르 | beta blocker | 20
carvedilol | Coreg | 카르베딜롤, 딜라트렌 | beta blocker | 100
propranolol | Inderal | 프로프라놀롤, 인데놀 | beta blocker | 640
nebivolol | Bystolic | 네비볼롤 | beta blocker | 40
nadolol | Corgard | 나돌롤 | beta blocker | 320
labetalol | Trandate, Normodyne | 라베탈롤 | beta blocker | 2400
esmolol | Brevibloc | 에스몰롤 | beta blocker |
sotalol | Betapace | 소탈롤 | beta blocker, qt antiarrhythmic | 640
hydrochlorothiazide | HCTZ, Microzide | 하이드로클로로티아지드, 히드로클로로티아지드 | thiazide | 100
chlorthalidone | Thalitone | 클로르탈리돈 | thiazide | 200
indapamide | Lozol | 인다파미드 | thiazide | 5
metolazone | Zaroxolyn | 메톨라존 | thiazide | 20
furosemide | Lasix, frusemide | 푸로세미드, 라식스 | loop diuretic | 600
torsemide | Demadex, Soaanz, torasemide | 토르세미드, 토라세미드 | loop diuretic | 200
bumetanide | Bumex | 부메타니드 | loop diuretic | 10
spironolactone | Aldactone | 스피로노락톤, 알닥톤 | potassium-sparing diuretic | 400
eplerenone | Inspra | 에플레레논 | potassium-sparing diuretic | 100
amiloride | Midamor | 아밀로라이드 | potassium-sparing diuretic | 20
triamterene | Dyrenium | 트리암테렌 | potassium-sparing diuretic | 300
finerenone | Kerendia | 피네레논, 케렌디아 | potassium-sparing diuretic | 20
acetazolamide | Diamox | 아세타졸아미드 | carbonic anhydrase inhibitor | 1000
hydralazine | Apresoline | 히드랄라진, 하이드랄라진 | vasodilator | 300
minoxidil | Loniten | 미녹시딜 | minoxidil | 100
clonidine | Catapres | 클로니딘 | central alpha agonist | 2.4
methyldopa | Aldomet | 메틸도파 | central alpha agonist | 3000
doxazosin | Cardura | 독사조신, 카두라 | alpha blocker | 16
terazosin | Hytrin | 테라조신, 하이트린 | alpha blocker | 20
prazosin | Minipress | 프라조신 | alpha blocker | 20
isosorbide mononitrate | Imdur, Ismo | 이소소르비드 일질산염 | nitrate | 240
isosorbide dinitrate | Isordil | 이소소르비드 이질산염 | nitrate |
nitroglycerin | Nitrostat, nitroglycerine, NTG | 니트로글리세린 | nitrate |
ranolazine | Ranexa | 라놀라진 | ranolazine | 2000
ivabradine | Corlanor | 이바브라딘 | ivabradine | 15
digoxin | Lanoxin | 디곡신 | digoxin | 0.5
amiodarone | Pacerone, Cordarone | 아미오다론 | amiodarone | 1600
dronedarone | Multaq | 드로네다론 | antiarrhythmic | 800
flecainide | Tambocor | 플레카이니드 | antiarrhythmic | 400
propafenone | Rythmol | 프로파페논 | antiarrhythmic | 900
dofetilide | Tikosyn | 도페틸리드 | qt antiarrhythmic | 1
atorvastatin | Lipitor, atorva | 아토르바스타틴, 리피토 | statin | 80
rosuvastatin | Crestor | 로수바스타틴, 크레스토 | statin | 40
simvastatin | Zocor | 심바스타틴, 조코 | statin | 80
pravastatin | Pravachol | 프라바스타틴 | statin | 80
lovastatin | Mevacor, Altoprev | 로바스타틴 | statin | 80
fluvastatin | Lescol | 플루바스타틴 | statin | 80
pitavastatin | Livalo | 피타바스타틴, 리바로 | statin | 4
ezetimibe | Zetia | 에제티미브, 이지트롤 | ezetimibe | 10
fenofibrate | Tricor, Trilipix, fenofibric acid | 페노피브레이트 | fibrate | 200
gemfibrozil | Lopid | 겜피브로질 | fibrate | 1200
niacin | Niaspan, nicotinic acid | 니아신 | niacin | 6000
evolocumab | Repatha | 에볼로쿠맙 | pcsk9 inhibitor |
alirocumab | Praluent | 알리로쿠맙 | pcsk9 inhibitor |
warfarin | Coumadin, Jantoven | 와파린, 와르파린, 쿠마딘 | vitamin k antagonist |
apixaban | Eliquis | 아픽사반, 엘리퀴스 | direct oral anticoagulant | 20
rivaroxaban | Xarelto | 리바록사반, 자렐토 | direct oral anticoagulant | 30
dabigatran | Pradaxa | 다비가트란, 프라닥사 | direct oral anticoagulant | 300
edoxaban | Savaysa, Lixiana | 에독사반, 릭시아나 | direct oral anticoagulant | 60
heparin | unfractionated heparin | 헤파린 | heparin |
enoxaparin | Lovenox | 에녹사파린, 크렉산 | low molecular weight heparin |
dalteparin | Fragmin | 달테파린 | low molecular weight heparin |
fondaparinux | Arixtra | 폰다파리눅스 | fondaparinux |
argatroban | | 아르가트로반 | direct thrombin inhibitor |
bivalirudin | Angiomax | 비발리루딘 | direct thrombin inhibitor |
alteplase | Activase, tPA | 알테플라제, 액티라제 | thrombolytic |
tenecteplase | TNKase | 테넥테플라제 | thrombolytic |
clopidogrel | Plavix | 클로피도그렐, 플라빅스 | p2y12 inhibitor |
prasugrel | Effient | 프라수그렐, 에피언트 | p2y12 inhibitor |
ticagrelor | Brilinta | 티카그렐러, 브릴린타 | p2y12 inhibitor |
cilostazol | Pletal | 실로스타졸, 프레탈 | cilostazol | 200
dipyridamole | Persantine | 디피리다몰 | dipyridamole |
tranexamic acid | Lysteda, Cyklokapron | 트라넥삼산 | antifibrinolytic |
lisinopril/hydrochlorothiazide | Zestoretic, Prinzide | | ace inhibitor, thiazide |
losartan/hydrochlorothiazide | Hyzaar | | arb, thiazide |
valsartan/hydrochlorothiazide | Diovan HCT | | arb, thiazide |
amlodipine/benazepril | Lotrel | | dihydropyridine, ace inhibitor |
amlodipine/valsartan | Exforge | 엑스포지 | dihydropyridine, arb |
amlodipine/olmesartan | Azor | 세비카 | dihydropyridine, arb |
amlodipine/telmisartan | Twynsta | 트윈스타 | dihydropyridine, arb |
amlodipine/losartan | | 아모잘탄 | dihydropyridine, arb |
amlodipine/atorvastatin | Caduet | 카듀엣 | dihydropyridine, statin |
triamterene/hydrochlorothiazide | Maxzide, Dyazide | | potassium-sparing diuretic, thiazide |
ezetimibe/simvastatin | Vytorin | 바이토린 | ezetimibe, statin |
bisoprolol/hydrochlorothiazide | Ziac | | beta blocker, thiazide |
aspirin/dipyridamole | Aggrenox | | salicylate, dipyridamole |
epinephrine | EpiPen, adrenaline | 에피네프린, 아드레날린 | vasopressor |
norepinephrine | Levophed, noradrenaline | 노르에피네프린 | vasopressor |
vasopressin | | 바소프레신 | vasopressor |
phenylephrine | | 페닐에프린 | vasopressor |
dopamine | | 도파민 | vasopressor |
dobutamine | | 도부타민 | inotrope |
milrinone | | 밀리논 | inotrope |
midodrine | ProAmatine | 미도드린 | midodrine | 40
adenosine | Adenocard | 아데노신 | adenosine |
bosentan | Tracleer | 보센탄 | endothelin antagonist | 250
ambrisentan | Letairis | 암브리센탄 | endothelin antagonist | 10
macitentan | Opsumit | 마시텐탄 | endothelin antagonist | 10
"""

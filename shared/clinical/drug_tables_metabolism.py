"""Drugs of metabolism, hormones, stomach, lungs, bladder, eyes and skin. The columns are those of `drug_tables`."""

ROWS = """
metformin | Glucophage, Glumetza, Fortamet | 메트포르민, 메트포민, 글루코파지, 다이아벡스 | biguanide | 2550
glipizide | Glucotrol | 글리피지드 | sulfonylurea | 40
glyburide | Diabeta, Micronase, glibenclamide | 글리부리드, 글리벤클라미드 | sulfonylurea | 20
glimepiride | Amaryl | 글리메피리드, 아마릴 | sulfonylurea | 8
gliclazide | | 글리클라지드 | sulfonylurea |
repaglinide | Prandin | 레파글리니드 | meglitinide | 16
nateglinide | Starlix | 나테글리니드 | meglitinide | 360
pioglitazone | Actos | 피오글리타존, 액토스 | glitazone | 45
sitagliptin | Januvia | 시타글립틴, 자누비아 | dpp-4 inhibitor | 100
linagliptin | Tradjenta | 리나글립틴, 트라젠타 | dpp-4 inhibitor | 5
saxagliptin | Onglyza | 삭사글립틴, 온글라이자 | dpp-4 inhibitor | 5
alogliptin | Nesina | 알로글립틴 | dpp-4 inhibitor | 25
vildagliptin | Galvus | 빌다글립틴, 가브스 | dpp-4 inhibitor |
gemigliptin | | 제미글립틴, 제미글로 | dpp-4 inhibitor |
empagliflozin | Jardiance | 엠파글리플로진, 자디앙 | sglt2 inhibitor | 25
dapagliflozin | Farxiga | 다파글리플로진, 포시가 | sglt2 inhibitor | 10
canagliflozin | Invokana | 카나글리플로진 | sglt2 inhibitor | 300
ertugliflozin | Steglatro | 에르투글리플로진 | sglt2 inhibitor | 15
semaglutide | Ozempic, Wegovy, Rybelsus | 세마글루타이드, 세마글루티드, 오젬픽, 위고비 | glp-1 agonist |
liraglutide | Victoza, Saxenda | 리라글루티드, 리라글루타이드, 빅토자, 삭센다 | glp-1 agonist | 3
dulaglutide | Trulicity | 둘라글루타이드, 둘라글루티드, 트루리시티 | glp-1 agonist |
exenatide | Byetta, Bydureon | 엑세나타이드 | glp-1 agonist |
tirzepatide | Mounjaro, Zepbound | 티르제파타이드, 마운자로 | glp-1 agonist |
acarbose | Precose | 아카보즈, 아카보스 | alpha-glucosidase inhibitor | 300
insulin glargine | Lantus, Basaglar, Toujeo | 인슐린 글라진, 란투스, 투제오 | basal insulin |
insulin detemir | Levemir | 레버미어 | basal insulin |
insulin degludec | Tresiba | 트레시바 | basal insulin |
insulin lispro | Humalog | 휴마로그 | rapid insulin |
insulin aspart | Novolog, NovoRapid, Fiasp | 노보래피드 | rapid insulin |
insulin | Humulin, Novolin | 인슐린 | insulin |
metformin/sitagliptin | Janumet, sitagliptin/metformin | 자누메트 | biguanide, dpp-4 inhibitor |
metformin/glipizide | Metaglip | | biguanide, sulfonylurea |
metformin/empagliflozin | Synjardy | | biguanide, sglt2 inhibitor |
levothyroxine | Synthroid, Levoxyl, Unithroid, Euthyrox, L-thyroxine |\
    레보티록신, 레보치록신, 씬지로이드, 신지로이드, 씬지록신 | thyroid hormone | 0.3
liothyronine | Cytomel | 리오티로닌 | thyroid hormone |
thyroid extract | Armour Thyroid | | thyroid hormone |
methimazole | Tapazole | 메티마졸 | antithyroid |
propylthiouracil | PTU | 프로필티오우라실 | antithyroid |
carbimazole | | 카르비마졸 | antithyroid |
alendronate | Fosamax, alendronic acid | 알렌드로네이트, 알렌드론산, 포사맥스 | bisphosphonate |
risedronate | Actonel | 리세드로네이트, 악토넬 | bisphosphonate |
ibandronate | Boniva | 이반드로네이트, 본비바 | bisphosphonate |
zoledronic acid | Reclast, Zometa | 졸레드론산 | bisphosphonate |
denosumab | Prolia, Xgeva | 데노수맙, 프롤리아 | denosumab |
raloxifene | Evista | 라록시펜, 에비스타 | serm | 60
tamoxifen | Nolvadex | 타목시펜 | serm | 40
anastrozole | Arimidex | 아나스트로졸, 아리미덱스 | aromatase inhibitor | 1
letrozole | Femara | 레트로졸, 페마라 | aromatase inhibitor | 2.5
exemestane | Aromasin | 엑스메스탄 | aromatase inhibitor | 50
finasteride | Proscar, Propecia | 피나스테리드, 프로스카, 프로페시아 | 5-alpha-reductase inhibitor | 5
dutasteride | Avodart | 두타스테리드, 아보다트 | 5-alpha-reductase inhibitor | 0.5
tamsulosin | Flomax | 탐스로신, 탐술로신, 하루날 | uroselective alpha blocker | 0.8
alfuzosin | Uroxatral | 알푸조신 | uroselective alpha blocker | 10
silodosin | Rapaflo | 실로도신 | uroselective alpha blocker | 8
oxybutynin | Ditropan | 옥시부티닌 | bladder antimuscarinic | 30
tolterodine | Detrol | 톨테로딘 | bladder antimuscarinic | 4
solifenacin | Vesicare | 솔리페나신, 베시케어 | bladder antimuscarinic | 10
mirabegron | Myrbetriq | 미라베그론, 베타미가 | beta-3 agonist | 50
phenazopyridine | Pyridium | 페나조피리딘 | phenazopyridine | 600
sildenafil | Viagra, Revatio | 실데나필, 비아그라 | pde5 inhibitor |
tadalafil | Cialis, Adcirca | 타다라필, 시알리스 | pde5 inhibitor | 40
vardenafil | Levitra | 바데나필 | pde5 inhibitor | 20
medroxyprogesterone | Depo-Provera, Provera | 메드록시프로게스테론 | progestin |
norethindrone | | 노르에티스테론 | progestin |
levonorgestrel | Mirena, Kyleena | 레보노르게스트렐, 미레나 | progestin |
clomiphene | Clomid | 클로미펜 | clomiphene |
omeprazole | Prilosec | 오메프라졸 | ppi | 360
esomeprazole | Nexium | 에소메프라졸, 넥시움 | ppi | 240
pantoprazole | Protonix | 판토프라졸 | ppi | 240
lansoprazole | Prevacid | 란소프라졸 | ppi | 180
rabeprazole | Aciphex | 라베프라졸, 파리에트 | ppi | 120
dexlansoprazole | Dexilant | 덱스란소프라졸 | ppi | 60
famotidine | Pepcid | 파모티딘 | h2 blocker |
ranitidine | Zantac | 라니티딘, 잔탁 | h2 blocker |
cimetidine | Tagamet | 시메티딘 | h2 blocker | 2400
nizatidine | Axid | 니자티딘 | h2 blocker | 300
sucralfate | Carafate | 수크랄페이트 | sucralfate | 4000
misoprostol | Cytotec | 미소프로스톨 | misoprostol | 0.8
ondansetron | Zofran | 온단세트론, 조프란 | 5-ht3 antagonist | 32
metoclopramide | Reglan | 메토클로프라미드, 맥페란 | metoclopramide | 60
prochlorperazine | Compazine | 프로클로르페라진 | phenothiazine antiemetic |
promethazine | Phenergan | 프로메타진 | phenothiazine antiemetic |
domperidone | | 돔페리돈 | domperidone |
loperamide | Imodium | 로페라미드 | loperamide | 16
bismuth subsalicylate | Pepto-Bismol, Pepto Bismol | | salicylate antidiarrheal |
polyethylene glycol | MiraLAX, Miralax | 폴리에틸렌글리콜 | osmotic laxative |
lactulose | | 락툴로오스, 락툴로스, 듀파락 | osmotic laxative |
senna | Senokot | 센나 | stimulant laxative |
bisacodyl | Dulcolax | 비사코딜, 둘코락스 | stimulant laxative | 30
docusate | Colace | 도큐세이트 | stool softener |
psyllium | Metamucil | 차전자피 | bulk laxative |
mesalamine | Asacol, Lialda, Pentasa, mesalazine | 메살라민, 메살라진, 펜타사, 아사콜 | mesalamine | 4800
budesonide | Pulmicort, Entocort | 부데소니드 | inhaled corticosteroid |
fluticasone | Flovent, Flonase | 플루티카손 | inhaled corticosteroid |
mometasone | Nasonex, Asmanex | 모메타손 | inhaled corticosteroid |
beclomethasone | Qvar | 베클로메타손 | inhaled corticosteroid |
fluticasone/salmeterol | Advair | 세레타이드 | inhaled corticosteroid, laba |
budesonide/formoterol | Symbicort | 심비코트 | inhaled corticosteroid, laba |
salmeterol | Serevent | 살메테롤 | laba |
formoterol | | 포르모테롤 | laba |
albuterol | Ventolin, ProAir, Proventil, salbutamol | 알부테롤, 살부타몰, 벤토린 | saba |
levalbuterol | Xopenex | 레브알부테롤 | saba |
ipratropium | Atrovent | 이프라트로피움, 아트로벤트 | sama |
tiotropium | Spiriva | 티오트로피움, 스피리바 | lama |
umeclidinium | Incruse | 우메클리디늄 | lama |
montelukast | Singulair | 몬테루카스트, 싱귤레어 | leukotriene antagonist | 10
theophylline | Theo-24 | 테오필린 | theophylline |
omalizumab | Xolair | 오말리주맙, 졸레어 | omalizumab |
cetirizine | Zyrtec | 세티리진, 지르텍 | antihistamine | 10
levocetirizine | Xyzal | 레보세티리진, 씨잘 | antihistamine | 5
loratadine | Claritin | 로라타딘, 클라리틴 | antihistamine | 10
fexofenadine | Allegra | 펙소페나딘, 알레그라 | antihistamine | 180
diphenhydramine | Benadryl | 디펜히드라민 | sedating antihistamine | 300
hydroxyzine | Vistaril, Atarax | 히드록시진, 하이드록시진 | sedating antihistamine | 400
chlorpheniramine | | 클로르페니라민 | sedating antihistamine | 24
meclizine | Antivert | 메클리진 | meclizine | 100
benzonatate | Tessalon | | benzonatate | 600
dextromethorphan | Delsym | 덱스트로메토르판 | dextromethorphan | 120
guaifenesin | Mucinex | 구아이페네신 | guaifenesin | 2400
pseudoephedrine | Sudafed | 슈도에페드린 | decongestant | 240
acetylcysteine | Mucomyst, N-acetylcysteine | 아세틸시스테인 | acetylcysteine |
latanoprost | Xalatan | 라타노프로스트, 잘라탄 | prostaglandin eye drop |
timolol | Timoptic | 티몰롤 | ophthalmic beta blocker |
brimonidine | Alphagan | 브리모니딘 | ophthalmic alpha agonist |
isotretinoin | Accutane, Claravis, Absorica | 이소트레티노인, 로아큐탄 | isotretinoin |
tretinoin | Retin-A | 트레티노인 | topical retinoid |
benzoyl peroxide | | 벤조일퍼옥사이드 | benzoyl peroxide |
potassium chloride | Klor-Con, K-Dur, KCl | 염화칼륨 | potassium supplement |
ferrous sulfate | ferrous gluconate, iron sulfate | 황산제일철 | iron supplement |
cholecalciferol | ergocalciferol | 콜레칼시페롤 | vitamin d |
cyanocobalamin | | 시아노코발라민 | vitamin b12 |
folic acid | | 엽산 | folic acid |
calcium carbonate | Tums, Os-Cal | 탄산칼슘 | calcium supplement |
sevelamer | Renvela, Renagel | 세벨라머 | phosphate binder |
calcitriol | Rocaltrol | 칼시트리올 | calcitriol |
epoetin alfa | Epogen, Procrit | 에포에틴 | erythropoietin |
phentermine | Adipex | 펜터민 | phentermine | 37.5
varenicline | Chantix | 바레니클린, 챔픽스 | varenicline | 2
nicotine patch | Nicoderm, nicotine gum | 니코틴 패치 | nicotine replacement |
disulfiram | Antabuse | 디설피람 | disulfiram | 500
"""

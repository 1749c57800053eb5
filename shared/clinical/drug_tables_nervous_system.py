"""Drugs of the brain, of pain and of inflammation. The columns are those of `drug_tables`."""

ROWS = """
acetaminophen | Tylenol, paracetamol, APAP | 아세트아미노펜, 타이레놀, 파라세타몰 | acetaminophen | 4000
aspirin | Ecotrin, acetylsalicylic acid, Bufferin, ASA | 아스피린, 아세틸살리실산 | nsaid, salicylate | 4000
ibuprofen | Advil, Motrin | 이부프로펜, 부루펜, 애드빌 | nsaid | 3200
naproxen | Aleve, Naprosyn, Anaprox | 나프록센, 낙센 | nsaid | 1500
diclofenac | Voltaren, Cataflam | 디클로페낙, 볼타렌 | nsaid | 225
meloxicam | Mobic | 멜록시캄, 모빅 | nsaid | 15
celecoxib | Celebrex | 세레콕시브, 쎄레브렉스, 셀레콕시브 | nsaid, sulfonamide nonantibiotic | 800
ketorolac | Toradol | 케토롤락 | nsaid |
indomethacin | Indocin, indometacin | 인도메타신 | nsaid | 200
piroxicam | Feldene | 피록시캄 | nsaid | 20
etodolac | Lodine | 에토돌락 | nsaid | 1200
nabumetone | Relafen | 나부메톤 | nsaid | 2000
ketoprofen | Orudis | 케토프로펜 | nsaid | 300
dexibuprofen | | 덱시부프로펜 | nsaid |
loxoprofen | | 록소프로펜, 록소닌 | nsaid |
aceclofenac | | 아세클로페낙 | nsaid |
sertraline | Zoloft | 설트랄린, 서트랄린, 졸로푸트 | ssri | 200
fluoxetine | Prozac, Sarafem | 플루옥세틴, 프로작 | ssri | 80
paroxetine | Paxil | 파록세틴, 팍실 | ssri | 75
citalopram | Celexa | 시탈로프람 | ssri | 40
escitalopram | Lexapro | 에스시탈로프람, 렉사프로 | ssri | 20
fluvoxamine | Luvox | 플루복사민 | ssri | 300
vortioxetine | Trintellix | 보티옥세틴, 브린텔릭스 | ssri | 20
venlafaxine | Effexor | 벤라팍신, 이팩사 | snri | 375
desvenlafaxine | Pristiq | 데스벤라팍신, 프리스틱 | snri | 400
duloxetine | Cymbalta | 둘록세틴, 심발타 | snri | 120
bupropion | Wellbutrin, Zyban | 부프로피온, 웰부트린 | bupropion | 450
mirtazapine | Remeron | 미르타자핀, 레메론 | mirtazapine | 45
trazodone | Desyrel | 트라조돈 | trazodone | 600
amitriptyline | Elavil | 아미트립틸린, 에나폰 | tricyclic | 300
nortriptyline | Pamelor | 노르트립틸린, 센시발 | tricyclic | 150
imipramine | Tofranil | 이미프라민 | tricyclic | 300
clomipramine | Anafranil | 클로미프라민 | tricyclic | 250
desipramine | Norpramin | 데시프라민 | tricyclic | 300
doxepin | Silenor | 독세핀 | tricyclic | 300
phenelzine | Nardil | 페넬진 | maoi | 90
tranylcypromine | Parnate | 트라닐시프로민 | maoi | 60
selegiline | Eldepryl, Emsam | 셀레길린 | mao-b inhibitor |
rasagiline | Azilect | 라사길린 | mao-b inhibitor | 1
buspirone | Buspar | 부스피론 | buspirone | 60
lithium | Lithobid, lithium carbonate | 리튬, 탄산리튬 | lithium | 1800
quetiapine | Seroquel | 쿠에티아핀, 쎄로켈 | antipsychotic | 800
olanzapine | Zyprexa | 올란자핀, 자이프렉사 | antipsychotic | 20
risperidone | Risperdal | 리스페리돈, 리스페달 | antipsychotic | 16
aripiprazole | Abilify | 아리피프라졸, 아빌리파이 | antipsychotic | 30
ziprasidone | Geodon | 지프라시돈 | antipsychotic | 200
paliperidone | Invega | 팔리페리돈 | antipsychotic | 12
lurasidone | Latuda | 루라시돈 | antipsychotic | 160
haloperidol | Haldol | 할로페리돌 | antipsychotic | 100
chlorpromazine | Thorazine | 클로르프로마진 | antipsychotic | 2000
fluphenazine | Prolixin | 플루페나진 | antipsychotic |
perphenazine | | 페르페나진 | antipsychotic |
clozapine | Clozaril | 클로자핀 | antipsychotic, clozapine | 900
alprazolam | Xanax | 알프라졸람, 자낙스 | benzodiazepine | 10
lorazepam | Ativan | 로라제팜, 아티반 | benzodiazepine | 10
clonazepam | Klonopin | 클로나제팜, 리보트릴 | benzodiazepine | 20
diazepam | Valium | 디아제팜, 바리움 | benzodiazepine |
midazolam | Versed | 미다졸람 | benzodiazepine |
temazepam | Restoril | 테마제팜 | benzodiazepine | 30
chlordiazepoxide | Librium | 클로르디아제폭시드 | benzodiazepine |
triazolam | Halcion | 트리아졸람, 할시온 | benzodiazepine | 0.5
zolpidem | Ambien | 졸피뎀, 스틸녹스 | z-drug | 12.5
eszopiclone | Lunesta | 에스조피클론 | z-drug | 3
zaleplon | Sonata | | z-drug | 20
suvorexant | Belsomra | 수보렉산트 | orexin antagonist | 20
ramelteon | Rozerem | 라멜테온 | melatonin agonist | 8
melatonin | | 멜라토닌 | melatonin agonist |
gabapentin | Neurontin, Gralise | 가바펜틴, 뉴론틴 | gabapentinoid | 3600
pregabalin | Lyrica | 프레가발린, 리리카 | gabapentinoid | 600
lamotrigine | Lamictal | 라모트리진, 라믹탈 | lamotrigine | 700
levetiracetam | Keppra | 레비티라세탐, 레베티라세탐, 케프라 | levetiracetam | 3000
topiramate | Topamax | 토피라메이트, 토파맥스 | topiramate |
carbamazepine | Tegretol, Carbatrol | 카르바마제핀, 테그레톨 | carbamazepine | 1600
oxcarbazepine | Trileptal | 옥스카르바제핀, 트리렙탈 | oxcarbazepine | 2400
phenytoin | Dilantin, fosphenytoin | 페니토인, 딜란틴 | phenytoin | 600
valproate | Depakote, valproic acid, divalproex, Depakene, sodium valproate\
    | 발프로산, 발프로에이트, 데파코트, 데파킨 | valproate |
phenobarbital | Luminal | 페노바르비탈 | phenobarbital |
primidone | Mysoline | 프리미돈 | phenobarbital | 2000
lacosamide | Vimpat | 라코사미드, 빔팻 | lacosamide | 400
zonisamide | Zonegran | 조니사미드 | zonisamide | 600
ethosuximide | Zarontin | 에토숙시미드 | ethosuximide |
levodopa/carbidopa | Sinemet, carbidopa/levodopa, carbidopa-levodopa, levodopa | 레보도파, 시네메트 | levodopa |
pramipexole | Mirapex | 프라미펙솔, 미라펙스 | dopamine agonist | 4.5
ropinirole | Requip | 로피니롤, 리큅 | dopamine agonist | 24
donepezil | Aricept | 도네페질, 아리셉트 | cholinesterase inhibitor | 23
rivastigmine | Exelon | 리바스티그민, 엑셀론 | cholinesterase inhibitor |
galantamine | Razadyne | 갈란타민 | cholinesterase inhibitor | 24
pyridostigmine | Mestinon | 피리도스티그민, 메스티논 | pyridostigmine | 1500
memantine | Namenda | 메만틴 | memantine | 28
sumatriptan | Imitrex | 수마트립탄, 이미그란 | triptan | 200
rizatriptan | Maxalt | 리자트립탄 | triptan | 30
zolmitriptan | Zomig | 졸미트립탄, 조믹 | triptan | 10
methylphenidate | Ritalin, Concerta | 메틸페니데이트, 콘서타 | stimulant | 72
amphetamine | Adderall, dextroamphetamine | 암페타민 | stimulant |
lisdexamfetamine | Vyvanse | 리스덱스암페타민 | stimulant | 70
atomoxetine | Strattera | 아토목세틴, 스트라테라 | atomoxetine | 100
modafinil | Provigil | 모다피닐 | modafinil | 400
oxycodone | OxyContin, Roxicodone | 옥시코돈, 옥시콘틴 | opioid |
hydrocodone | Zohydro | 하이드로코돈 | opioid |
morphine | MS Contin, morphine sulfate | 모르핀 | opioid |
hydromorphone | Dilaudid | 하이드로모르폰 | opioid |
fentanyl | Duragesic | 펜타닐, 듀로제식 | opioid |
codeine | | 코데인 | opioid | 360
methadone | Dolophine | 메타돈 | opioid |
tramadol | Ultram | 트라마돌 | opioid | 400
tapentadol | Nucynta | 타펜타돌 | opioid | 600
meperidine | Demerol, pethidine | 메페리딘, 페티딘 | opioid |
buprenorphine | Subutex | 부프레노르핀 | buprenorphine |
buprenorphine/naloxone | Suboxone | | buprenorphine |
naloxone | Narcan | 날록손 | opioid antagonist |
naltrexone | Vivitrol | 날트렉손 | opioid antagonist |
oxycodone/acetaminophen | Percocet, Endocet, Roxicet | | opioid, acetaminophen |
hydrocodone/acetaminophen | Norco, Vicodin, Lortab | | opioid, acetaminophen |
tramadol/acetaminophen | Ultracet | 울트라셋 | opioid, acetaminophen |
codeine/acetaminophen | Tylenol #3 | | opioid, acetaminophen |
cyclobenzaprine | Flexeril | 사이클로벤자프린 | muscle relaxant | 30
methocarbamol | Robaxin | 메토카르바몰 | muscle relaxant | 8000
tizanidine | Zanaflex | 티자니딘 | muscle relaxant | 36
baclofen | Lioresal | 바클로펜 | baclofen | 80
carisoprodol | Soma | 카리소프로돌 | muscle relaxant | 1400
eperisone | | 에페리손 | muscle relaxant |
prednisone | Deltasone, Rayos | 프레드니손 | systemic corticosteroid |
prednisolone | Orapred | 프레드니솔론, 소론도 | systemic corticosteroid |
methylprednisolone | Medrol, Solu-Medrol | 메틸프레드니솔론, 솔루메드롤 | systemic corticosteroid |
dexamethasone | Decadron | 덱사메타손 | systemic corticosteroid |
hydrocortisone | Cortef, Solu-Cortef | 하이드로코르티손, 히드로코르티손 | corticosteroid |
triamcinolone | Kenalog | 트리암시놀론 | corticosteroid |
betamethasone | Celestone | 베타메타손 | corticosteroid |
methotrexate | Trexall, Rheumatrex, Otrexup, MTX | 메토트렉세이트 | methotrexate |
hydroxychloroquine | Plaquenil | 하이드록시클로로퀸, 히드록시클로로퀸 | hydroxychloroquine | 800
sulfasalazine | Azulfidine | 설파살라진, 살라조피린 | sulfonamide nonantibiotic, sulfasalazine | 4000
leflunomide | Arava | 레플루노미드, 아라바 | leflunomide |
azathioprine | Imuran | 아자티오프린, 이뮤란 | azathioprine |
mycophenolate | CellCept, Myfortic, mycophenolate mofetil | 마이코페놀레이트, 셀셉트 | mycophenolate |
cyclosporine | Neoral, Sandimmune, ciclosporin | 사이클로스포린, 시클로스포린 | calcineurin inhibitor |
tacrolimus | Prograf, Envarsus | 타크로리무스, 프로그랍 | calcineurin inhibitor |
sirolimus | Rapamune | 시롤리무스 | sirolimus |
cyclophosphamide | Cytoxan | 사이클로포스파미드, 시클로포스파미드 | cyclophosphamide |
adalimumab | Humira | 아달리무맙, 휴미라 | tnf inhibitor |
etanercept | Enbrel | 에타너셉트, 엔브렐 | tnf inhibitor |
infliximab | Remicade | 인플릭시맙, 레미케이드 | tnf inhibitor |
tofacitinib | Xeljanz | 토파시티닙, 젤잔즈 | jak inhibitor | 20
rituximab | Rituxan | 리툭시맙 | rituximab |
colchicine | Colcrys | 콜히친, 콜킨 | colchicine | 2.4
allopurinol | Zyloprim | 알로푸리놀, 자이로릭 | xanthine oxidase inhibitor | 800
febuxostat | Uloric | 페북소스타트, 페브릭 | xanthine oxidase inhibitor | 80
probenecid | | 프로베네시드 | probenecid | 3000
"""

"""Drugs against infections and tumours. The columns are those of `drug_tables`."""

ROWS = """
penicillin | penicillin V, penicillin G, Bicillin, benzathine penicillin, penicillin VK | 페니실린 | penicillin |
amoxicillin | Amoxil | 아목시실린 | penicillin | 3000
amoxicillin/clavulanate | Augmentin, amoxicillin-clavulanate, amox-clav | 오구멘틴, 아모크라 | penicillin | 4000
ampicillin | | 암피실린 | penicillin |
ampicillin/sulbactam | Unasyn, ampicillin-sulbactam | 유나신 | penicillin |
piperacillin/tazobactam | Zosyn, piperacillin-tazobactam, Tazocin | 피페라실린, 타조신 | penicillin |
dicloxacillin | | 디클록사실린 | penicillin |
nafcillin | | 나프실린 | penicillin |
oxacillin | | 옥사실린 | penicillin |
cephalexin | Keflex, cefalexin | 세팔렉신, 세파렉신 | cephalosporin | 4000
cefazolin | Ancef, Kefzol | 세파졸린 | cephalosporin |
cefadroxil | Duricef | 세파드록실 | cephalosporin | 2000
cefuroxime | Ceftin, Zinacef | 세푸록심 | cephalosporin |
cefaclor | | 세파클러 | cephalosporin |
cefoxitin | Mefoxin | 세폭시틴 | cephalosporin |
cefdinir | Omnicef | 세프디니르 | cephalosporin | 600
cefixime | Suprax | 세픽심 | cephalosporin | 400
cefpodoxime | Vantin | 세프포독심 | cephalosporin | 800
ceftriaxone | Rocephin | 세프트리악손, 로세핀 | cephalosporin |
cefotaxime | Claforan | 세포탁심 | cephalosporin |
ceftazidime | Fortaz | 세프타지딤 | cephalosporin |
cefepime | Maxipime | 세페핌 | cephalosporin |
ceftaroline | Teflaro | 세프타롤린 | cephalosporin |
meropenem | Merrem | 메로페넴 | carbapenem |
imipenem | Primaxin | 이미페넴 | carbapenem |
ertapenem | Invanz | 에르타페넴 | carbapenem |
aztreonam | Azactam | 아즈트레오남 | monobactam |
azithromycin | Zithromax, Z-Pak | 아지스로마이신, 지스로맥스 | macrolide | 2000
clarithromycin | Biaxin | 클래리스로마이신, 클라리스로마이신 | macrolide | 1500
erythromycin | Ery-Tab | 에리스로마이신 | macrolide | 4000
roxithromycin | | 록시스로마이신 | macrolide |
ciprofloxacin | Cipro | 시프로플록사신, 씨프로플록사신 | fluoroquinolone | 1500
levofloxacin | Levaquin | 레보플록사신, 크라비트 | fluoroquinolone | 1000
moxifloxacin | Avelox | 목시플록사신, 아벨록스 | fluoroquinolone | 400
ofloxacin | Floxin | 오플록사신 | fluoroquinolone | 800
doxycycline | Vibramycin | 독시사이클린 | tetracycline | 300
minocycline | Minocin | 미노사이클린, 미노싸이클린 | tetracycline | 400
tetracycline | | 테트라사이클린 | tetracycline |
tigecycline | Tygacil | 티게사이클린 | tetracycline |
sulfamethoxazole/trimethoprim | Bactrim, Septra, TMP-SMX, TMP/SMX, trimethoprim-sulfamethoxazole,\
    trimethoprim/sulfamethoxazole, trimethoprim sulfamethoxazole, co-trimoxazole, cotrimoxazole,\
    sulfamethoxazole | 설파메톡사졸, 박트림, 코트리목사졸\
    | sulfonamide antibiotic |
sulfadiazine | silver sulfadiazine, Silvadene | 설파디아진 | sulfonamide antibiotic |
trimethoprim | Primsol | 트리메토프림 | trimethoprim |
nitrofurantoin | Macrobid, Macrodantin | 니트로푸란토인 | nitrofurantoin | 400
fosfomycin | Monurol | 포스포마이신 | fosfomycin |
metronidazole | Flagyl | 메트로니다졸 | nitroimidazole | 4000
tinidazole | Tindamax | 티니다졸 | nitroimidazole |
clindamycin | Cleocin | 클린다마이신 | lincosamide |
vancomycin | Vancocin | 반코마이신 | vancomycin |
linezolid | Zyvox | 리네졸리드, 자이복스 | oxazolidinone | 1200
daptomycin | Cubicin | 답토마이신 | daptomycin |
gentamicin | Garamycin | 겐타마이신, 젠타마이신 | aminoglycoside |
tobramycin | | 토브라마이신 | aminoglycoside |
amikacin | | 아미카신 | aminoglycoside |
streptomycin | | 스트렙토마이신 | aminoglycoside |
colistin | | 콜리스틴 | polymyxin |
rifampin | Rifadin, rifampicin | 리팜핀, 리팜피신 | rifamycin |
rifaximin | Xifaxan | 리팍시민 | rifaximin |
isoniazid | Nydrazid | 이소니아지드 | isoniazid |
pyrazinamide | | 피라진아미드, 피라지나마이드 | pyrazinamide |
ethambutol | Myambutol | 에탐부톨 | ethambutol |
dapsone | | 답손 | dapsone |
fluconazole | Diflucan | 플루코나졸, 디푸루칸 | azole antifungal | 800
itraconazole | Sporanox | 이트라코나졸, 스포라녹스 | azole antifungal | 600
voriconazole | Vfend | 보리코나졸 | azole antifungal |
ketoconazole | Nizoral | 케토코나졸 | azole antifungal |
terbinafine | Lamisil | 테르비나핀, 라미실 | terbinafine | 250
nystatin | Mycostatin | 니스타틴 | nystatin |
amphotericin b | amphotericin, AmBisome | 암포테리신 | amphotericin |
caspofungin | Cancidas | 카스포펀진 | echinocandin |
micafungin | Mycamine | 미카펀진 | echinocandin |
acyclovir | Zovirax, aciclovir | 아시클로버 | herpes antiviral | 4000
valacyclovir | Valtrex, valaciclovir | 발라시클로버, 발트렉스 | herpes antiviral | 4000
famciclovir | Famvir | 팜시클로버 | herpes antiviral | 2000
ganciclovir | Cytovene | 간시클로버 | ganciclovir |
valganciclovir | Valcyte | 발간시클로버 | ganciclovir | 1800
oseltamivir | Tamiflu | 오셀타미비르, 타미플루 | neuraminidase inhibitor | 150
nirmatrelvir/ritonavir | Paxlovid | 팍스로비드 | nirmatrelvir |
remdesivir | Veklury | 렘데시비르 | remdesivir |
tenofovir | Viread | 테노포비르, 비리어드 | tenofovir | 300
entecavir | Baraclude | 엔테카비르, 바라크루드 | entecavir | 1
lamivudine | Epivir | 라미부딘 | lamivudine | 300
zidovudine | Retrovir | 지도부딘 | zidovudine | 600
abacavir | Ziagen | 아바카비르 | abacavir | 600
efavirenz | Sustiva | 에파비렌즈 | efavirenz | 800
dolutegravir | Tivicay | 돌루테그라비르, 티비케이 | integrase inhibitor | 100
raltegravir | Isentress | 랄테그라비르 | integrase inhibitor |
ribavirin | Rebetol | 리바비린 | ribavirin |
sofosbuvir | Sovaldi | 소포스부비르 | sofosbuvir | 400
albendazole | Albenza | 알벤다졸 | anthelmintic | 800
mebendazole | Vermox | 메벤다졸 | anthelmintic |
ivermectin | Stromectol | 이버멕틴 | ivermectin |
praziquantel | Biltricide | 프라지콴텔 | praziquantel |
permethrin | | 퍼메트린 | permethrin |
chloroquine | Aralen | 클로로퀸 | chloroquine |
primaquine | | 프리마퀸 | primaquine |
mefloquine | Lariam | 메플로퀸 | mefloquine |
atovaquone/proguanil | Malarone | 말라론 | atovaquone |
doxorubicin | Adriamycin | 독소루비신, 아드리아마이신 | anthracycline |
daunorubicin | | 다우노루비신 | anthracycline |
cisplatin | Platinol | 시스플라틴 | platinum |
carboplatin | Paraplatin | 카보플라틴 | platinum |
oxaliplatin | Eloxatin | 옥살리플라틴 | platinum |
paclitaxel | Taxol | 파클리탁셀, 탁솔 | taxane |
docetaxel | Taxotere | 도세탁셀 | taxane |
vincristine | Oncovin | 빈크리스틴 | vinca alkaloid |
bleomycin | Blenoxane | 블레오마이신 | bleomycin |
fluorouracil | 5-FU, 5-fluorouracil | 플루오로우라실 | fluoropyrimidine |
capecitabine | Xeloda | 카페시타빈, 젤로다 | fluoropyrimidine |
gemcitabine | Gemzar | 젬시타빈 | gemcitabine |
imatinib | Gleevec | 이마티닙, 글리벡 | tyrosine kinase inhibitor |
trastuzumab | Herceptin | 트라스투주맙, 허셉틴 | trastuzumab |
bevacizumab | Avastin | 베바시주맙, 아바스틴 | bevacizumab |
pembrolizumab | Keytruda | 펨브롤리주맙, 키트루다 | checkpoint inhibitor |
nivolumab | Opdivo | 니볼루맙, 옵디보 | checkpoint inhibitor |
hydroxyurea | Hydrea | 히드록시우레아, 하이드록시우레아 | hydroxyurea |
mercaptopurine | Purinethol, 6-mercaptopurine | 메르캅토푸린 | azathioprine |
leuprolide | Lupron | 류프로렐린, 루프론 | gnrh agonist |
bicalutamide | Casodex | 비칼루타미드, 카소덱스 | antiandrogen | 150
"""

"""Problems by their names in English and Korean. The columns are those of `concept_names`.

Names are those of ICD-10 and everyday use, abbreviations those that clinical notes use; one that means several things
without its context (MS, RA as a side of the heart) is left out.
"""

CHRONIC = """
hypertension | HTN; high blood pressure; arterial hypertension; elevated blood pressure | 고혈압
diabetes mellitus | diabetes; diabetic; DM; T2DM; T1DM; DM2; DM1; type 2 diabetes; type 1 diabetes;
    type 2 diabetes mellitus; type 1 diabetes mellitus; type II diabetes; NIDDM; IDDM | 당뇨; 당뇨병;
    제2형 당뇨병; 제1형 당뇨병; 2형 당뇨; 1형 당뇨
hyperlipidemia | HLD; dyslipidemia; hypercholesterolemia; high cholesterol; hypertriglyceridemia |
    고지혈증; 이상지질혈증; 고콜레스테롤혈증
coronary artery disease | CAD; coronary heart disease; ischemic heart disease; IHD | 관상동맥질환;
    관상동맥 질환; 허혈성 심질환; 관상동맥병
heart failure | CHF; HFrEF; HFpEF; congestive heart failure; cardiac failure | 심부전; 울혈성 심부전
atrial fibrillation | AFib; A-fib; a fib; afib; atrial fib; AF | 심방세동; 심방 세동
chronic obstructive pulmonary disease | COPD; emphysema; chronic bronchitis | 만성폐쇄성폐질환;
    만성 폐쇄성 폐질환; 폐기종; 만성기관지염
asthma | reactive airway disease | 천식
chronic kidney disease | CKD; CKD1; CKD2; CKD3; CKD3a; CKD3b; CKD4; CKD5;
    chronic renal insufficiency; chronic renal failure; ESRD;
    end stage renal disease; chronic kidney failure | 만성콩팥병; 만성신부전; 만성 신부전; 만성신질환;
    만성신장병; 만성 신장질환; 말기신부전
hypothyroidism | underactive thyroid; hashimoto thyroiditis; hashimotos | 갑상선기능저하증;
    갑상선 기능 저하증; 갑상샘저하증
hyperthyroidism | graves disease; overactive thyroid; thyrotoxicosis | 갑상선기능항진증;
    갑상선 기능 항진증; 그레이브스병; 갑상선중독증
depression | major depressive disorder; MDD; depressive disorder | 우울증; 우울장애; 주요우울장애
anxiety | anxiety disorder; GAD; generalized anxiety disorder; panic disorder | 불안장애; 공황장애;
    불안증
bipolar disorder | bipolar | 양극성장애; 조울증
schizophrenia | | 조현병
dementia | alzheimer disease; alzheimers; alzheimer's disease; cognitive impairment | 치매;
    알츠하이머; 인지장애
parkinson disease | parkinsons; parkinson's disease; parkinsonism | 파킨슨병
epilepsy | seizure disorder | 간질; 뇌전증
gastroesophageal reflux disease | GERD; acid reflux; reflux esophagitis; gastroesophageal reflux;
    reflux | 위식도역류질환; 역류성식도염; 역류성 식도염; 위식도 역류
osteoarthritis | OA; degenerative joint disease; DJD; degenerative arthritis | 골관절염; 관절염;
    퇴행성관절염; 퇴행성 관절염
rheumatoid arthritis | | 류마티스관절염; 류마티스 관절염
osteoporosis | | 골다공증
gout | gouty arthritis | 통풍
obesity | obese; morbid obesity | 비만
sleep apnea | OSA; obstructive sleep apnea | 수면무호흡증; 수면무호흡
cirrhosis | liver cirrhosis; hepatic cirrhosis | 간경변; 간경화; 간경변증
hepatitis b | HBV; chronic hepatitis b | B형간염; B형 간염
hepatitis c | HCV; chronic hepatitis c | C형간염; C형 간염
human immunodeficiency virus | HIV; AIDS; HIV infection | 인간면역결핍바이러스; 에이즈
benign prostatic hyperplasia | BPH; enlarged prostate; benign prostatic hypertrophy | 전립선비대증;
    전립선 비대증
polycystic ovary syndrome | PCOS; polycystic ovarian syndrome | 다낭성난소증후군; 다낭성 난소 증후군
crohn disease | crohns; crohn's disease | 크론병
ulcerative colitis | | 궤양성대장염; 궤양성 대장염
irritable bowel syndrome | IBS | 과민성대장증후군; 과민성 대장 증후군
multiple sclerosis | | 다발성경화증
systemic lupus erythematosus | SLE; lupus | 루푸스; 전신홍반루푸스
psoriasis | psoriatic arthritis | 건선
fibromyalgia | | 섬유근육통
migraine | migraines; migraine headache | 편두통
sickle cell disease | sickle cell anemia | 겸상적혈구병; 겸상적혈구
peripheral artery disease | PAD; PVD; peripheral vascular disease; peripheral arterial disease |
    말초동맥질환; 말초혈관질환
glaucoma | | 녹내장
cystic fibrosis | | 낭성섬유증
neuropathy | peripheral neuropathy; diabetic neuropathy | 말초신경병증; 신경병증
endometriosis | | 자궁내막증
attention deficit hyperactivity disorder | ADHD; attention deficit disorder | 주의력결핍 과잉행동장애
chronic back pain | chronic low back pain | 만성 요통
aortic stenosis | | 대동맥판협착증; 대동맥판 협착증
cardiomyopathy | dilated cardiomyopathy; hypertrophic cardiomyopathy | 심근병증
alcohol use disorder | alcoholism; alcohol abuse; alcohol dependence | 알코올사용장애;
    알코올중독; 알코올 의존
"""

ACUTE = """
myocardial infarction | MI; STEMI; NSTEMI; heart attack; acute coronary syndrome; ACS | 심근경색;
    급성심근경색; 급성 심근경색; 심근경색증; 급성관상동맥증후군
angina | angina pectoris; unstable angina | 협심증
stroke | CVA; cerebrovascular accident; cerebral infarction; ischemic stroke | 뇌졸중; 뇌경색; 중풍
intracranial hemorrhage | ICH; subarachnoid hemorrhage; subdural hematoma; epidural hematoma;
    intracerebral hemorrhage; SAH | 두개내출혈; 뇌출혈; 지주막하출혈; 경막하출혈; 경막하혈종
transient ischemic attack | TIA | 일과성허혈발작; 일과성 허혈 발작
pulmonary embolism | PE; pulmonary emboli; pulmonary embolus | 폐색전증; 폐색전
deep vein thrombosis | DVT; deep venous thrombosis | 심부정맥혈전증; 심부정맥 혈전증
pneumonia | CAP; PNA; community acquired pneumonia; aspiration pneumonia | 폐렴
bronchitis | acute bronchitis | 기관지염
upper respiratory infection | URI; upper respiratory tract infection; common cold | 상기도감염; 감기
influenza | flu | 인플루엔자; 독감
covid-19 | covid; COVID; coronavirus disease; sars-cov-2 | 코로나; 코로나19
tuberculosis | TB | 결핵; 폐결핵
urinary tract infection | UTI; cystitis | 요로감염; 요로 감염; 방광염
pyelonephritis | | 신우신염
sepsis | septic shock; septicemia; bacteremia | 패혈증; 패혈성 쇼크; 균혈증
meningitis | encephalitis | 뇌수막염; 수막염; 뇌염
cellulitis | skin infection | 연조직염; 봉와직염
abscess | | 농양
osteomyelitis | | 골수염
endocarditis | | 심내막염
appendicitis | | 충수염; 맹장염
cholecystitis | | 담낭염
cholelithiasis | gallstones; gallstone | 담석; 담석증
pancreatitis | | 췌장염
diverticulitis | | 게실염
gastroenteritis | | 위장염
gastritis | | 위염
peptic ulcer disease | peptic ulcer; gastric ulcer; duodenal ulcer | 소화성궤양; 위궤양; 십이지장궤양
gastrointestinal hemorrhage | GI bleed; GIB; gastrointestinal bleeding; gastrointestinal bleed;
    melena; hematemesis; hematochezia; blood in stool; bloody stool;
    blood in the stool | 위장관출혈; 위장관 출혈; 흑변; 흑색변; 토혈; 혈변
bowel obstruction | small bowel obstruction; SBO; ileus; intestinal obstruction | 장폐색; 장폐쇄
hernia | inguinal hernia; hiatal hernia; umbilical hernia | 탈장
kidney stone | kidney stones; nephrolithiasis; renal calculi; urolithiasis; renal stone;
    ureteral stone | 신장결석; 요로결석; 신결석; 요관결석
acute kidney injury | AKI; acute renal failure; ARF | 급성신부전; 급성 신부전; 급성신손상; 급성콩팥손상
hydronephrosis | | 수신증
anemia | iron deficiency anemia; anaemia | 빈혈; 철결핍성빈혈
thrombocytopenia | | 혈소판감소증
neutropenia | | 호중구감소증
leukocytosis | | 백혈구증가증
hyperkalemia | | 고칼륨혈증
hypokalemia | | 저칼륨혈증
hyponatremia | | 저나트륨혈증
hypernatremia | | 고나트륨혈증
hypercalcemia | | 고칼슘혈증
hypoglycemia | | 저혈당; 저혈당증
hyperglycemia | elevated blood sugar | 고혈당
diabetic ketoacidosis | DKA | 당뇨병성 케톤산증; 케톤산증
thyroid nodule | thyroid nodules | 갑상선결절; 갑상선 결절
cancer | carcinoma; malignancy; adenocarcinoma; malignant neoplasm; neoplasm | 악성종양; 악성 종양;
    췌장암; 갑상선암; 자궁경부암; 난소암; 방광암; 식도암
breast cancer | breast ca; breast CA; breast carcinoma | 유방암
lung cancer | lung ca; lung CA | 폐암
colon cancer | colon ca; colon CA; CRC; colorectal cancer | 대장암; 결장암; 직장암
prostate cancer | prostate ca; prostate CA | 전립선암
gastric cancer | stomach cancer | 위암
hepatocellular carcinoma | HCC; liver cancer | 간암; 간세포암
melanoma | | 흑색종
lymphoma | hodgkin lymphoma; non-hodgkin lymphoma | 림프종
leukemia | | 백혈병
metastasis | metastases; metastatic disease | 전이
fracture | fractures; fractured | 골절
dislocation | | 탈구
sprain | strain; ankle sprain | 염좌
contusion | | 타박상
meniscal tear | meniscus tear; medial meniscus tear; lateral meniscus tear | 반월상연골파열;
    반월상 연골 파열
rotator cuff tear | rotator cuff tendinopathy; rotator cuff tendinitis; rotator cuff injury |
    회전근개파열; 회전근개 파열
carpal tunnel syndrome | carpal tunnel | 수근관증후군; 손목터널증후군
tendinitis | tendonitis; tendinopathy; epicondylitis | 건염; 건병증; 상과염
bursitis | trochanteric bursitis | 점액낭염
plantar fasciitis | | 족저근막염
herniated disc | disc herniation; herniated disk; HNP | 추간판탈출증; 디스크탈출; 허리디스크
spinal stenosis | lumbar stenosis; lumbar spinal stenosis | 척추관협착증; 척추관 협착증
radiculopathy | sciatica; lumbar radiculopathy; cervical radiculopathy | 신경근병증; 좌골신경통
concussion | traumatic brain injury; TBI | 뇌진탕; 외상성 뇌손상
pneumothorax | | 기흉
pleural effusion | pleural effusions | 흉수; 흉막삼출
pulmonary edema | | 폐부종
effusion | joint effusion | 삼출액; 관절삼출
pericardial effusion | pericarditis | 심낭삼출; 심낭염
aortic dissection | | 대동맥박리; 대동맥 박리
aortic aneurysm | AAA; abdominal aortic aneurysm | 대동맥류; 복부대동맥류
mitral regurgitation | mitral valve regurgitation; mitral insufficiency | 승모판역류; 승모판 역류;
    승모판폐쇄부전
arrhythmia | atrial flutter; SVT; ventricular tachycardia; ventricular fibrillation;
    supraventricular tachycardia | 부정맥; 심실빈맥; 심실세동; 심방조동
heart murmur | systolic murmur; systolic ejection murmur; diastolic murmur | 심잡음
shock | cardiogenic shock; hypovolemic shock | 쇼크
respiratory failure | ARDS; acute respiratory distress syndrome | 호흡부전; 급성호흡곤란증후군
preeclampsia | eclampsia | 전자간증; 자간증; 임신중독증
pregnancy | pregnant; intrauterine pregnancy; gravid | 임신
ectopic pregnancy | | 자궁외임신
miscarriage | spontaneous abortion | 유산
allergic rhinitis | seasonal allergies; hay fever | 알레르기비염; 알레르기 비염
sinusitis | | 부비동염; 축농증
otitis media | AOM; acute otitis media; ear infection | 중이염
pharyngitis | strep throat; tonsillitis | 인두염; 편도염; 인후염
conjunctivitis | pink eye | 결막염
cataract | cataracts | 백내장
eczema | atopic dermatitis; dermatitis; contact dermatitis | 습진; 아토피; 아토피피부염; 피부염
shingles | herpes zoster | 대상포진
acne | acne vulgaris | 여드름
anaphylaxis | | 아나필락시스
urticaria | hives | 두드러기
delirium | encephalopathy | 섬망; 뇌병증
insomnia | | 불면증; 불면
hypotension | low blood pressure; orthostatic hypotension | 저혈압; 기립성저혈압
hypoxia | hypoxemia | 저산소증; 저산소혈증
fatty liver | hepatic steatosis; NAFLD | 지방간
hepatitis | | 간염
hemorrhoids | hemorrhoid | 치질; 치핵
pressure ulcer | pressure ulcers; decubitus ulcer; bedsore | 욕창
hematoma | | 혈종
peritonitis | | 복막염
perforation | perforated viscus; bowel perforation | 천공
febrile seizure | febrile seizures; febrile convulsion | 열성경련; 열성 경련
bronchiolitis | | 세기관지염; 모세기관지염
croup | | 크룹
hand foot and mouth disease | HFMD | 수족구병
pulmonary nodule | lung nodule; pulmonary nodules | 폐결절; 폐 결절
nodule | nodules | 결절
infiltrate | consolidation; opacity; opacities; airspace disease | 침윤; 경화 음영
atelectasis | | 무기폐
polyp | polyps; colon polyp; colonic polyps; adenoma | 용종; 폴립; 선종
exacerbation | exacerbations; acute exacerbation; AECOPD | 급성악화; 급성 악화
recurrence | local recurrence; relapse | 재발
clostridioides difficile infection | C. diff; C diff; c difficile; clostridium difficile |
    클로스트리듐 디피실; 위막성대장염
liver disease | hepatic disease | 간질환; 간 질환
kidney disease | renal disease | 신질환; 신장질환
heart disease | cardiac disease | 심장질환; 심장 질환
bradyarrhythmia | heart block; AV block; sick sinus syndrome | 방실차단; 동기능부전
rhabdomyolysis | | 횡문근융해증
pericardial tamponade | cardiac tamponade; tamponade | 심장눌림증; 심낭압전
compartment syndrome | | 구획증후군
wound infection | surgical site infection; SSI; wound dehiscence | 창상감염; 창상 감염; 수술부위 감염
hypomagnesemia | | 저마그네슘혈증
hypocalcemia | | 저칼슘혈증
thrombosis | thrombus; clot; blood clot | 혈전
burn | | 화상
"""

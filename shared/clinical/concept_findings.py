"""Symptoms, tests and procedures by their names in English and Korean. The columns are those of `concept_names`."""

SYMPTOMS = """
chest pain | CP; chest discomfort; chest pressure; chest tightness | 흉통; 가슴 통증; 흉부 통증;
    가슴통증; 흉부 불편감; 가슴 답답함
dyspnea | SOB; shortness of breath; short of breath; breathlessness; difficulty breathing;
    trouble breathing; dyspnea on exertion; DOE; exertional dyspnea | 호흡곤란; 호흡 곤란; 숨참;
    숨이 참; 숨찬 증상; 운동시 호흡곤란
cough | coughing; productive cough; dry cough | 기침
sputum | phlegm | 가래; 객담
hemoptysis | coughing up blood | 객혈
wheezing | wheeze; wheezes | 천명음; 천명; 쌕쌕거림
fever | fevers; febrile; pyrexia | 발열; 열감; 고열
chills | chill; rigors | 오한
night sweats | | 야간발한; 식은땀
fatigue | tiredness; malaise; lethargy | 피로; 피로감; 피곤; 무기력; 권태감
weakness | muscle weakness; generalized weakness | 근력저하; 근력 저하; 위약; 위약감; 전신쇠약; 쇠약감
weight loss | losing weight; unintentional weight loss | 체중감소; 체중 감소
weight gain | gaining weight | 체중증가; 체중 증가
loss of appetite | anorexia; decreased appetite; poor appetite | 식욕부진; 식욕저하; 식욕 저하; 식욕감소
nausea | nauseous; nauseated; N/V | 오심; 메스꺼움; 구역; 구역감; 울렁거림
vomiting | emesis; vomited; throwing up | 구토
diarrhea | loose stools; diarrhoea | 설사
constipation | constipated | 변비
abdominal pain | abd pain; belly pain; stomach pain; epigastric pain; stomach ache;
    abdominal discomfort; flank pain | 복통; 복부 통증; 상복부 통증; 심와부 통증; 하복부 통증;
    옆구리 통증; 명치 통증
bloating | abdominal distension; abdominal distention | 복부팽만; 복부 팽만; 더부룩함
heartburn | indigestion; dyspepsia | 속쓰림; 소화불량; 가슴쓰림
dysphagia | difficulty swallowing; trouble swallowing | 연하곤란; 연하 곤란; 삼킴곤란
jaundice | icterus; icteric; scleral icterus | 황달
headache | headaches; HA; cephalgia | 두통
dizziness | dizzy; lightheadedness; lightheaded; vertigo | 어지럼; 어지러움; 현기증; 현훈; 어지럼증
syncope | syncopal; syncopal episode; near-syncope; presyncope; fainting; passed out; loss of consciousness;
    LOC | 실신; 의식소실; 의식 소실
palpitations | palpitation; heart racing | 두근거림; 심계항진
edema | swelling; leg swelling; pitting edema; pedal edema; lower extremity edema; swollen | 부종;
    하지부종; 하지 부종; 붓기; 종창
numbness | | 저림; 무감각; 감각저하; 감각 저하
tingling | paresthesia; paresthesias; pins and needles | 이상감각; 감각이상; 저린감
seizure | seizures; convulsion; convulsions | 경련; 발작
tremor | tremors | 떨림; 진전
confusion | confused; disorientation; disoriented; altered mental status; AMS | 혼돈; 의식저하; 의식 저하;
    지남력 저하
memory loss | forgetfulness; memory problems | 기억력저하; 기억력 저하; 기억력감퇴
blurred vision | blurry vision; vision loss; visual changes; double vision; diplopia;
    vision changes | 시야흐림; 시력저하; 시력 저하; 복시; 시야장애
hearing loss | decreased hearing | 청력저하; 난청
tinnitus | ringing in the ears | 이명
sore throat | throat pain; scratchy throat | 인후통; 목 통증; 목아픔
nasal congestion | stuffy nose; congestion | 코막힘; 비충혈; 비폐색
rhinorrhea | runny nose | 콧물
ear pain | otalgia; earache | 이통; 귀 통증
back pain | backache; low back pain; lower back pain; lumbago | 요통; 허리통증; 허리 통증; 등통증
neck pain | neck stiffness | 경부통; 목통증; 경부 통증
joint pain | arthralgia; arthralgias; joint stiffness | 관절통; 관절 통증
knee pain | | 무릎통증; 무릎 통증; 슬관절 통증
shoulder pain | | 어깨통증; 어깨 통증; 견관절 통증; 견통
hip pain | | 고관절 통증; 고관절통
ankle pain | foot pain | 발목통증; 발목 통증; 발 통증; 족부 통증
elbow pain | | 팔꿈치통증; 팔꿈치 통증; 주관절 통증
wrist pain | hand pain | 손목통증; 손목 통증; 손 통증
leg pain | arm pain; limb pain; calf pain | 다리통증; 다리 통증; 하지 통증; 팔 통증
muscle pain | myalgia; myalgias; muscle aches; body aches | 근육통
pain | | 통증
dysuria | painful urination; burning with urination; burning on urination | 배뇨통; 배뇨시 통증
urinary frequency | frequency of urination; frequent urination; urinary urgency | 빈뇨;
    절박뇨
urinary retention | | 요폐; 배뇨곤란
urinary incontinence | incontinence | 요실금
hematuria | blood in urine; blood in the urine; gross hematuria | 혈뇨
vaginal bleeding | abnormal uterine bleeding; heavy menstrual bleeding; menorrhagia | 질출혈;
    질 출혈; 하혈
vaginal discharge | | 질분비물; 냉대하
bleeding | hemorrhage; haemorrhage | 출혈
bruising | ecchymosis; easy bruising | 멍; 반상출혈
rash | rashes; skin rash; skin lesion; skin lesions | 발진; 피부발진; 피진
itching | pruritus; itchy | 가려움; 소양감; 소양증
erythema | redness | 홍반; 발적; 발적감
tenderness | tender; tenderness to palpation | 압통
lymphadenopathy | swollen lymph nodes; swollen glands | 림프절비대; 림프절 종대
crackles | rales; rhonchi | 수포음; 악설음
suicidal ideation | SI; suicidal thoughts; suicidal or homicidal ideation | 자살사고; 자살 사고; 자살생각
hallucinations | hallucination | 환각; 환청; 환시
polydipsia | excessive thirst | 다음다갈; 다갈증; 다갈
hot flashes | | 안면홍조
snoring | | 코골이
lump | mass; palpable mass | 종괴; 멍울; 혹
accidental fall | mechanical fall; had a fall; falls; fall from | 낙상; 넘어짐
tachycardia | | 빈맥; 빈맥증
bradycardia | | 서맥
tachypnea | | 빈호흡
cyanosis | | 청색증
diaphoresis | sweating; sweats | 발한
dehydration | dehydrated | 탈수
ascites | | 복수
orthopnea | paroxysmal nocturnal dyspnea; PND | 기좌호흡; 야간발작성호흡곤란
nocturia | | 야간뇨
polyuria | | 다뇨
anuria | oliguria | 무뇨; 핍뇨; 소변량 감소
hoarseness | hoarse voice | 쉰 목소리; 애성; 목쉼
mouth sores | mouth ulcers; oral ulcers; stomatitis; mucositis | 구내염; 구강궤양
apnea | apneas; apneic episodes | 무호흡
hemiparesis | hemiplegia; right-sided weakness; left-sided weakness | 편마비; 반신마비
dysarthria | slurred speech | 구음장애; 구음 장애; 발음 어눌
aphasia | | 실어증
facial droop | facial palsy; bell palsy | 안면마비; 안면 마비
ataxia | unsteady gait; gait instability | 운동실조; 보행장애; 보행 장애
photophobia | | 눈부심; 광선공포증
epistaxis | nosebleed; nosebleeds | 비출혈; 코피
petechiae | purpura | 점상출혈; 자반
flank tenderness | CVA tenderness; costovertebral angle tenderness | 늑골척추각 압통
decreased urine output | low urine output | 소변량감소
poor feeding | decreased feeding; decreased oral intake; poor oral intake | 수유량 감소; 경구섭취 저하
irritability | irritable | 보챔
homicidal ideation | | 타살사고
agitation | agitated | 초조
jugular venous distension | JVD; jugular venous distention | 경정맥 확장; 경정맥확장
calf swelling | calf tenderness | 종아리 부종; 종아리 압통
morning sickness | hyperemesis | 입덧
splenomegaly | enlarged spleen | 비장비대; 비장종대
hepatomegaly | enlarged liver | 간비대; 간종대
"""

TESTS = """
complete blood count | CBC; full blood count; blood count; blood counts | 전혈구검사; 일반혈액검사;
    전혈구; 일반 혈액검사
basic metabolic panel | BMP; chem 7; electrolytes; electrolyte panel | 전해질검사; 전해질 검사; 전해질
comprehensive metabolic panel | CMP; metabolic panel | 생화학검사; 일반화학검사
liver function tests | LFT; LFTs; liver function test; liver enzymes; liver panel | 간기능검사;
    간기능 검사; 간수치
renal function | kidney function; renal function tests; renal function panel | 신기능검사;
    신장기능검사; 신기능; 신기능 검사
lipid panel | lipid profile; fasting lipid panel; cholesterol panel | 지질검사; 지질 검사
hemoglobin a1c | HbA1c; A1c; A1C; hgb a1c; hemoglobin A1C | 당화혈색소
thyroid function tests | TSH; TFT; thyroid function; thyroid panel; thyroid stimulating hormone |
    갑상선기능검사; 갑상선 기능 검사; 갑상선자극호르몬
urinalysis | UA; urine analysis; urine test | 소변검사; 소변 검사; 요검사; 뇨검사
urine culture | | 소변배양; 소변 배양검사; 요배양
blood culture | blood cultures | 혈액배양; 혈액 배양; 혈액배양검사
coagulation tests | INR; PT/INR; prothrombin time; PTT | 응고검사; 프로트롬빈
troponin | troponins; cardiac enzymes | 트로포닌; 심근효소
brain natriuretic peptide | BNP; NT-proBNP | 뇌나트륨이뇨펩티드
d-dimer | | 디다이머; D다이머
c-reactive protein | CRP; ESR; inflammatory markers; sed rate |
    C-반응성 단백; 염증수치; 염증 수치
arterial blood gas | ABG; blood gas | 동맥혈가스; 동맥혈 가스분석
electrocardiogram | EKG; ECG; 12-lead | 심전도
echocardiogram | TTE; TEE; echocardiography; transthoracic echocardiogram; cardiac ultrasound |
    심초음파; 심장초음파; 심장 초음파
chest x-ray | CXR; chest xray; chest radiograph; chest x-rays | 흉부 X선; 흉부X선; 흉부엑스레이;
    흉부 엑스레이; 흉부촬영
x-ray | xray; x-rays; radiograph; radiographs; xrays | 엑스레이; X선; X-ray; 단순촬영
computed tomography | CT; CT scan; CAT scan; CTA | 전산화단층촬영; 컴퓨터단층촬영; 복부 CT; 흉부 CT;
    뇌 CT
magnetic resonance imaging | MRI; MRI scan; MRA | 자기공명영상; 뇌 MRI
ultrasound | renal US; abdominal US; RUQ US; ultrasonography; sonogram; ultrasonogram;
    doppler | 초음파; 초음파검사; 복부초음파
positron emission tomography | PET scan; PET CT; PET/CT | 양전자방출단층촬영
mammogram | mammography | 유방촬영술; 유방촬영
bone density | DEXA; DXA; bone density scan; DEXA scan | 골밀도; 골밀도검사
pap smear | pap test | 자궁경부세포검사; 자궁경부 세포검사
pregnancy test | hCG; HCG; hcg; beta hcg | 임신반응검사; 임신검사; 임신테스트
stress test | exercise stress test; nuclear stress test; treadmill test | 운동부하검사; 운동부하 검사
holter monitor | holter; event monitor | 홀터; 홀터검사
pulmonary function tests | PFT; PFTs; spirometry; pulmonary function test | 폐기능검사; 폐기능 검사
sleep study | polysomnography | 수면다원검사
electromyography | EMG; nerve conduction study; NCS; EMG/nerve conduction | 근전도; 신경전도검사
electroencephalogram | EEG | 뇌파; 뇌파검사
stool test | stool studies; fecal occult blood; stool sample; FIT | 대변검사; 분변잠혈검사
biopsy | biopsies; needle biopsy; core biopsy | 조직검사; 생검
blood pressure check | home blood pressure; blood pressure monitoring | 가정혈압; 혈압측정
body mass index | BMI | 체질량지수
blood tests | blood work; bloodwork; lab work; labs; laboratory tests; blood test;
    laboratory studies | 혈액검사; 피검사; 혈액 검사
"""

PROCEDURES = """
colonoscopy | | 대장내시경; 대장 내시경
upper endoscopy | EGD; esophagogastroduodenoscopy; endoscopy; gastroscopy | 위내시경;
    상부위장관내시경; 위 내시경
appendectomy | lap appy; laparoscopic appendectomy; appy | 충수절제술; 맹장수술
cholecystectomy | lap chole; laparoscopic cholecystectomy; gallbladder removal; gallbladder surgery | 담낭절제술
hysterectomy | TAH; TAH-BSO; TAH/BSO; TVH; total hysterectomy | 자궁절제술; 자궁적출술; 전자궁적출술
cesarean section | c-section; cesarean; caesarean section | 제왕절개; 제왕절개술
mastectomy | lumpectomy; partial mastectomy | 유방절제술; 부분절제술; 유방보존술
gastrectomy | | 위절제술
colectomy | hemicolectomy; bowel resection | 대장절제술; 결장절제술
nephrectomy | | 신장절제술; 신절제술
fine needle aspiration | FNA; fine-needle aspiration | 세침흡인검사; 세침흡인
thoracotomy | lobectomy; chest tube | 흉관삽입; 폐엽절제술; 흉관
prostatectomy | TURP | 전립선절제술
thyroidectomy | total thyroidectomy | 갑상선절제술; 갑상선전절제술; 갑상선 전절제술
tonsillectomy | | 편도절제술
splenectomy | | 비장절제술
coronary artery bypass | CABG; bypass surgery; coronary artery bypass graft | 관상동맥우회술;
    관상동맥 우회술
percutaneous coronary intervention | PCI; stent; stent placement; angioplasty; coronary stent;
    cardiac stent | 관상동맥중재술; 스텐트; 스텐트삽입술; 관상동맥 중재술
cardiac catheterization | cardiac cath; coronary angiography; coronary angiogram;
    left heart catheterization | 심도자술; 관상동맥조영술; 심장조영술
pacemaker | ICD implantation; pacemaker implantation | 심박동기; 심박조율기; 인공심박동기
cardioversion | | 심율동전환
valve replacement | aortic valve replacement; mitral valve replacement; mitral valve repair; TAVR |
    판막치환술; 판막 치환술
joint replacement | TKR; THR; knee replacement; hip replacement; ORIF; hip ORIF; total knee arthroplasty; TKA;
    total hip arthroplasty; THA; knee arthroplasty | 인공관절치환술; 인공관절; 슬관절치환술;
    고관절치환술; 인공관절 치환술
arthroscopy | arthroscopic surgery | 관절경; 관절경수술
spinal fusion | laminectomy; discectomy | 척추유합술; 추간판절제술
kidney transplant | renal transplant; liver transplant; transplant; transplantation | 신장이식;
    간이식; 이식수술
dialysis | hemodialysis; peritoneal dialysis | 투석; 혈액투석; 복막투석
chemotherapy | chemo | 항암치료; 항암화학요법; 항암제
radiation therapy | XRT; radiotherapy | 방사선치료; 방사선 치료
physical therapy | PT referral; physiotherapy; occupational therapy | 물리치료; 재활치료; 작업치료
psychotherapy | cognitive behavioral therapy; CBT; therapy sessions | 상담치료; 인지행동치료; 정신치료
blood transfusion | transfusion | 수혈
intubation | mechanical ventilation; intubated; endotracheal intubation | 기관삽관; 기계환기;
    인공호흡기; 기관내삽관
oxygen therapy | supplemental oxygen; home oxygen; nasal cannula | 산소치료; 산소요법; 산소공급;
    비강캐뉼라
thoracentesis | | 흉수천자; 흉강천자
paracentesis | | 복수천자
lumbar puncture | spinal tap | 요추천자
incision and drainage | I&D | 절개배농; 배농술
injection | steroid injection; cortisone injection; corticosteroid injection; epidural injection |
    주사치료; 스테로이드주사
surgery | surgical repair; operation; surgical intervention | 수술
splint | cast; brace; immobilization; sling | 부목; 석고고정; 보조기; 깁스
cpap | continuous positive airway pressure; CPAP; BiPAP | 양압기
vaccination | immunization; vaccine; flu shot | 예방접종; 백신
"""

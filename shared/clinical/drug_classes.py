"""The Korean words for classes of drugs and for groups of allergens, as Korean labels and textbooks have them.

A class of one drug that bears its name has the drug's word.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

_WORDS = """
5-alpha-reductase inhibitor | 5알파환원효소 억제제
ace inhibitor | ACE 억제제
alpha blocker | 알파차단제
aminoglycoside | 아미노글리코사이드계 항생제
anthelmintic | 구충제
anthracycline | 안트라사이클린계 항암제
antiarrhythmic | 항부정맥제
antihistamine | 항히스타민제
antipsychotic | 항정신병약
antithyroid | 항갑상선제
arb | 안지오텐신 수용체 차단제
aromatase inhibitor | 방향화효소 억제제
azole antifungal | 아졸계 항진균제
basal insulin | 기저 인슐린
benzodiazepine | 벤조디아제핀
beta blocker | 베타차단제
biguanide | 비구아나이드
bisphosphonate | 비스포스포네이트
bladder antimuscarinic | 방광 항무스카린제
calcineurin inhibitor | 칼시뉴린 억제제
carbapenem | 카바페넴계 항생제
central alpha agonist | 중추성 알파작용제
cephalosporin | 세팔로스포린계 항생제
checkpoint inhibitor | 면역관문억제제
cholinesterase inhibitor | 콜린에스테라제 억제제
contrast medium | 조영제
corticosteroid | 코르티코스테로이드
dihydropyridine | 디히드로피리딘계 칼슘차단제
direct oral anticoagulant | 직접 경구 항응고제
direct thrombin inhibitor | 직접 트롬빈 억제제
dopamine agonist | 도파민 작용제
dpp-4 inhibitor | DPP-4 억제제
echinocandin | 에키노칸딘계 항진균제
endothelin antagonist | 엔도텔린 수용체 길항제
fibrate | 피브레이트
fluoropyrimidine | 플루오로피리미딘계 항암제
fluoroquinolone | 플루오로퀴놀론계 항생제
food | 음식
gabapentinoid | 가바펜티노이드
glp-1 agonist | GLP-1 작용제
h2 blocker | H2 차단제
herpes antiviral | 헤르페스 항바이러스제
inhaled corticosteroid | 흡입 코르티코스테로이드
inotrope | 강심제
insect venom | 곤충 독
insulin | 인슐린
integrase inhibitor | 통합효소 억제제
laba | 지속성 베타작용제
lama | 지속성 항무스카린제
latex | 라텍스
leukotriene antagonist | 류코트리엔 길항제
levodopa | 레보도파 제제
loop diuretic | 루프이뇨제
low molecular weight heparin | 저분자량 헤파린
macrolide | 마크로라이드계 항생제
mao-b inhibitor | MAO-B 억제제
maoi | MAO 억제제
meglitinide | 메글리티나이드
muscle relaxant | 근이완제
neuraminidase inhibitor | 뉴라미니다제 억제제
nitrate | 질산염 제제
nitroimidazole | 니트로이미다졸계 항생제
no known allergies | 알려진 알레르기 없음
nondihydropyridine | 비디히드로피리딘계 칼슘차단제
nsaid | 비스테로이드 소염진통제
opioid | 오피오이드
opioid antagonist | 오피오이드 길항제
osmotic laxative | 삼투성 하제
p2y12 inhibitor | P2Y12 억제제
pcsk9 inhibitor | PCSK9 억제제
pde5 inhibitor | PDE5 억제제
penicillin | 페니실린계 항생제
phenothiazine antiemetic | 페노티아진계 항구토제
platinum | 백금계 항암제
potassium-sparing diuretic | 칼륨보존이뇨제
ppi | 양성자펌프억제제
progestin | 프로게스틴
qt antiarrhythmic | QT를 늘리는 항부정맥제
rapid insulin | 속효성 인슐린
saba | 속효성 베타작용제
salicylate | 살리실산염
sedating antihistamine | 진정 항히스타민제
serm | 선택적 에스트로겐 수용체 조절제
sglt2 inhibitor | SGLT2 억제제
snri | 세로토닌-노르에피네프린 재흡수 억제제
ssri | 선택적 세로토닌 재흡수 억제제
statin | 스타틴
stimulant | 중추신경 자극제
stimulant laxative | 자극성 하제
sulfonamide antibiotic | 설폰아미드계 항생제
sulfonamide nonantibiotic | 항생제가 아닌 설폰아미드
sulfonylurea | 설포닐우레아
systemic corticosteroid | 전신 코르티코스테로이드
taxane | 탁산계 항암제
tetracycline | 테트라사이클린계 항생제
thiazide | 티아지드 이뇨제
thrombolytic | 혈전용해제
thyroid hormone | 갑상선호르몬제
tnf inhibitor | TNF 억제제
tricyclic | 삼환계 항우울제
triptan | 트립탄
uroselective alpha blocker | 전립선 알파차단제
vasopressor | 승압제
vitamin k antagonist | 비타민 K 길항제
xanthine oxidase inhibitor | 크산틴산화효소 억제제
z-drug | Z계 수면제
"""


@cache
def class_words() -> Mapping[str, str]:
    """The Korean word by the name of the class."""
    rows = (row.split("|") for row in _WORDS.strip().splitlines())
    return {name.strip(): word.strip() for name, word in rows}

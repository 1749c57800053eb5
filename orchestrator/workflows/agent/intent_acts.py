"""What somebody wants done, by mode: weights and patterns as `intent_cues` reads them."""

from __future__ import annotations

from collections.abc import Mapping

CueRow = tuple[float, *tuple[str, ...]]
"""A weight and its patterns."""

# Verbs that other rows need beside their own words.
_CHANGE = r"""swap(?:ping)? | renam(?:e|ing) | replac(?:e|ing) | chang(?:e|ing) | updat(?:e|ing) |
            convert(?:ing)? | mov(?:e|ing) | add(?:ing)? | remov(?:e|ing) | switch(?:ing)? | 바꾸 | 바꿔 |
            바꿀 | 변경 | 교체 | 수정 | 옮겨 | 옮기 | 치환 | 고쳐 | 적용 | 갱신 | 제거 | 통일 | needs? | put |
            insert | 넣어 | 넣자 | 추가 | 붙여 | 달아 | 쓰게 | 필요"""
_WRITE = r"""writ(?:e|ing) | add(?:ing)? | updat(?:e|ing) | creat(?:e|ing) | improve | complete | fix | 작성 |
    추가 | 써 | 쓰 | 달아 | 갱신 | 업데이트 | 만들 | 보강 | 정리 | 적어 | 넣어"""
_CHECK = r"""check(?:ing)? | audit(?:ing)? | inspect | look(?:ing)? (?:at|over|into) | verify | scan | validate |
    점검 | 확인 | 검사 | 봐 | 살펴 | 검증 | 감사"""

ACTS: Mapping[str, tuple[CueRow, ...]] = {
    "context_navigation": (
        (2.5, r"find | locate | search(?: for)? | show(?: me)? | list | 찾아 | 찾을 | 보여 | 검색"),
        (2.5, r"explain | walk me through | describe | tell me | 설명 | 알려 | 이해"),
        (2, r"look for | 볼 수 | 알고\s?싶"),
    ),
    "implementation": (
        (3.5,
         r"""implement | 구현(?!을|이|은|체|과|의|돼|됐|되|된|부|\s?시간) | integrate | hook (?:\w+ ){0,3}up |
            wire (?:\w+ ){0,3}up | 연동"""),
        (2.5,
         r"""add | build | create | write | make | introduce | support | allow | let | enable | 추가 | 만들 | 넣어 |
            작성 | 개발 | 지원 | 붙여 | give (?!me|us) | expose .{1,60} (?:under|at|as) | cache | lock | plug |
            connect | 연결 | 노출 | 열어\s?(?:줘|주)"""),
        (4, r"(?<!떻)(?:게|도록)\s?(?:해|만들어|바꿔)\s?(?:줘|주|달|봐)"),
        (2,
         r"""extend | provide | accept | store | return | send | show | change | use | set | 바꿔 | 변경 | 수정 |
             확장 | 처리해 | 되게 | 저장해"""),
    ),
    "debug": (
        (3.5, r"fix | debug | diagnose | troubleshoot | 고쳐 | 고치 | 디버깅 | 디버그 | 잡아"),
        (4,
         r"""(?:find|figure|work) out (?:why|what goes wrong) | get to the bottom |
            (?:원인|이유)\S*\s?(?:\S+\s)?(?:찾|알아|파악|분석)"""),
        (1.5, r"solve | resolve | repair | 해결"),
        (3.5,
         r"""(?:^|\s)안\s?(?:돼|되|됩|됨|떠|뜨|뜹|맞|보|나와|나오|먹|열|눌|가|켜|된|나옵|들어|와|저장|바뀌) |
             지\s?않(?:아|습|는|네)(?:요|니다|데|$)? | 못\s?(?:하|해|찾|읽|불) | (?:반응|응답|소식)\S*\s?없"""),
    ),
    "test": (
        (4.5, r"test | 테스트\s?(?:돌려|실행|해|수행|작성|추가|짜)"),
        (3, r"(?:re)?run | execute | 돌려 | 실행", r"tests? | test suite | suite | 테스트"),
        (3, _WRITE, r"(?:unit|regression|integration|e2e|end-to-end)? ?tests? | test cases? | 테스트"),
    ),
    "documentation": (
        (5, r"(?<!requirements )(?<!design )(?<!spec )document | 문서화"),
        (4,
         r"explain | describe | 설명(?:해|하)? | 채워 | 최신\S*",
         r"""in the (?:docs?|documentation|readme|guide|manual)\b | (?:docs|readme|comments) | 문서에 | readme에 |
            주석 | 가이드"""),
        (2.5,
         _WRITE,
         r"""docs? | documentation | readme | changelog | docstrings? | guide | manual | tutorial | release notes |
             문서 | 주석 | 설명서 | 가이드 | 변경\s?이력"""),
    ),
    "design": (
        (5, r"design | architect | sketch | model (?:the|our|a|an|this|these|how) | 설계 | 모델링"),
        (2,
         r"""propose | suggest | outline | come up with | lay (?:\w+ ){0,3}out | draft | 제안 | 잡아 | 구상 |
            그려 | 그리"""),
    ),
    "qa": (
        (5, r"(?:code )?review | critique | 리뷰 | 코드\s?리뷰"),
        (2.5, r"검토 | proofread | look over"),
    ),
    "refactor": (
        (5, r"refactor(?:ing)? | restructure | 리팩토링 | 리팩터링 | 리팩터 | 리팩토"),
        (4,
         r"""clean(?:ing)? up | simplify | tidy(?: up)? | deduplicate | dedupe | extract | split(?: up)? |
            inline | decompose | break (?:\w+ ){0,3}up | untangle | shorten | condense | decouple |
            modulari[sz]e | 단순화 | 간소화 | 쪼개 | 쪼갤 | 다듬 | 분리 | 추출 | 모듈화 | 나눠"""),
        (2.5, r"정리 | reorgani[sz]e | shorten | 묶어 | 깔끔"),
        (5,
         r"""(?:클래스|함수|메서드|모듈|서비스)(?:으)?로\s?(?:빼|뽑|옮|분리|나누|나눠|추출|묶|모아) |
             (?:계층|레이어|헬퍼|훅|컴포넌트)(?:으)?로\s?(?:빼|뽑|옮|분리|나누|나눠|추출|묶|모아) |
            (?:기반|상위|부모|베이스|공통)\s?\S*로\s?(?:올려|올리|빼|옮|모아) |
            (?:이|저|그|함수|메서드|클래스|코드)\S*\s.{0,12}줄여 |
            (?<!커밋\s두\s개\s)하나로\s?(?:합쳐|합치|합칠|묶|통합) | merge (?:these|those|the two|two|both) |
            (?:in)?to (?:a |an |one |the )?(?:single|common|shared|base class|superclass|parent class|mixin|helper) |
            rewrite .{1,40} (?:clean|clear|simpl|short)\w* | flatten | pull .{1,60} (?:into|out|up)"""),
        (4.5,
         r"""replac(?:e|ing) | turn | chang(?:e|ing) | convert(?:ing)? | get rid of | remov(?:e|ing) | 바꿔 | 바꾸 |
            교체 | 없애 | 제거 | 대체""",
         r"""(?:nested|deep(?:ly nested)?|long|chained) (?:ifs?|loops?|conditionals?|if.statements?) |
            if.?(?:else )?(?:chains?|ladder) | (?:big |giant |huge )?switch(?: statements?)? | polymorphism |
            globals? | global variables? | singletons? | inheritance | lookup table | magic numbers? | 중첩 |
            if\s?문 | switch\s?문 | 다형성 | 전역\s?변수 | 싱글톤 | 상속"""),
    ),
    "multi_file_editing": (
        (6.5,
         r"""everywhere | across (?:the |our |all |every )?(?:whole |entire )?\w+ | throughout | project-wide |
            (?:all|every|each) (?:the |of the )?(?:\w+ )?(?:files?|modules?) |
            (?:all|every|each) (?:the |of the )?(?:\w+ )?(?:call ?sites?|usages?|occurrences?) |
            (?:all|every|each) (?:the |of the )?(?:\w+ )?(?:places?|references?|packages|imports|callers) |
            (?:all|every|each) (?:\w+ ){0,2}imports? | whole (?:code ?base|project|repo(?:sitory)?) |
            entire (?:code ?base|project|repo(?:sitory)?) |
            (?:프로젝트|코드|저장소|레포|전역|코드베이스)\s?(?:전체|전반) | 전체에서 |
            모든\s?(?:파일|모듈|곳|코드|호출|클래스|함수|컴포넌트|import) | 여러\s?(?:파일|모듈|곳|군데) |
            일괄 | (?:전|전체|온)\s?(?:파일|모듈|소스) |
            (?:import|파일|모듈|호출|참조|클래스)\s?\S*\s?(?:전부|모두|싹) | 한꺼번에 | 한\s?번에 |
            호출부\S*\s?(?:전부|모두|다) | 전부\s?다""",
         _CHANGE),
    ),
    "git_workflow": (
        (4.5,
         r"""commit | squash | rebase | cherry-pick | stash |
            커밋(?:해|하|할|으로|\s?좀|\s?(?:취소|합쳐|되돌)|(?=\W*$)) | 스쿼시 | 리베이스 | 체리픽 | 스태시"""),
        (4,
         r"""(?:create|open|switch|check ?out|make|delete) (?:a |the |to |new )*branch | stage | push | tag |
            revert | merge (?!conflict|these|those|the two|two|both|this (?:function|class|method)) |
            브랜치\S*\s?(?:\S+\s)?(?:따|만들|생성|파|전환|올려|지워|삭제) | 스테이징 | 푸시(?:해|하자|하고) |
            되돌려 | 머지해(?!도) | 병합해(?!도) | 태그"""),
    ),
    "agent_planning": (
        (5,
         r"""plan | break (?:\w+ ){0,4}down | divide (?:\w+ ){0,4}into (?:\w+ )?(?:tasks|steps) | prioriti[sz]e |
             계획\S*\s?(?:세워|짜|작성|수립|만들|잡) | 로드맵"""),
        (5,
         r"""(?:작업|할\s?일|일감|태스크|티켓|단계|이슈)\s?(?:단위|목록|별)?\S*\s?(?:나눠|나누|나눌|쪼개|쪼갤|분해) |
            순서\S*\s?(?:진행|정리|정해|짜) |
            (?:split|cut|break|turn) (?:\w+ ){0,5}into (?:\w+ ){0,2}(?:tasks|steps|tickets|stories)"""),
    ),
    "migration": (
        (5, r"migrate | port (?:\w+ )*to | moderni[sz]e | 마이그레이션 | 이전해 | 이관 | 포팅"),
        (4.5, r"upgrade | bump | 업그레이드 | (?:버전|으로|로)\S*\s?(?:올리|올려|올릴)(?!\s?코드) | 넘어가"),
        (5,
         r"""(?:switch|move|convert|change|go|replace) (?:\w+ ){0,4}from \S+ (?:\S+ )?to |
            from \S+ (?:\d\S* )?(?:to|onto) \S+$"""),
        (5, r"에서\s\S+\s?\S*(?:으)?로\s?(?:바꾸|바꿔|옮|이전|전환|갈아|변경|넘어|올려|올리|가자)"),
        (4,
         r"""(?:으로|로)\s?(?:옮겨|옮기|옮길|전환|갈아) | get (?:us|off|away)(?: off)? | move (?:us|off|away|over) |
            switch over"""),
    ),
    "dependency_intelligence": (
        (1.5, _CHECK, r"dependenc(?:y|ies) | packages? | librar(?:y|ies) | 의존성 | 패키지 | 라이브러리"),
    ),
    "verification": (
        (4, r"verify | type-?check | lint | 검증"),
        (2, _CHECK, r"types | lint | static(?:ally)? | 타입 | 린트 | 정적"),
    ),
    "performance_profiling": (
        (5.5, r"profile | profiling | optimi[sz]e | speed (?:\w+ )?up | 프로파일링 | 프로파일 | 최적화"),
    ),
    "environment_reproduction": (
        (4, r"reproduce | recreate | set ?up | 재현 | 세팅 | 셋업 | 셋팅"),
    ),
    "benchmark": (
        (5.5, r"benchmark | 벤치마크 | 벤치마킹"),
        (3,
         r"""measure | time (?:the|it|this|how|both) | against each other | 측정 | 재봐 | 재줘 | 재서 | 재보 |
            시간\S*\s?재"""),
    ),
    "exploratory_research": (
        (5,
         r"""research | explore | investigate (?:options|alternatives|whether) | evaluate | survey | 조사 |
             리서치 | 알아봐 | 알아보 | 탐색해"""),
        (2.5, r"compare | 비교"),
    ),
}  # fmt: skip

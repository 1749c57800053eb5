"""What a request is about, by mode: weights and patterns as `intent_cues` reads them."""

from __future__ import annotations

from collections.abc import Mapping

from orchestrator.workflows.agent.intent_acts import CueRow

_IF_CHANGED = r"""if (?:i|we|you|somebody|someone) (?:\w+ )?(?:chang|remov|delet|renam|drop)\w* |
    if (?:i|we|you|somebody|someone) (?:\w+ )?(?:modif|touch|edit|alter|mov)\w* | chang(?:e|es|ing) (?:to|in|of) |
    (?:바꾸|지우|수정하|변경하|제거하|고치|삭제하|없애|건드리|옮기)면 |
    (?:수정|변경|삭제|제거)\s?(?:시|할\s?때|했을\s?때)"""

SUBJECTS: Mapping[str, tuple[CueRow, ...]] = {
    "context_navigation": (
        (4, r"where(?:'s| is| are| does| do| did| can| in)? | 어디 | 어느\s?(?:파일|모듈|부분|곳) | 위치"),
        (4.5,
         r"""(?:anyone|anybody|anything|something|who|what|which \w+) (?:call|use|import|invoke|read|write|set)s? |
            who (?:calls|uses|imports|invokes|depends) | callers? | callees? | called (?:by|from) |
            call (?:chain|graph|tree|path)s? | 호출하는 | 호출되는 | 호출\s?경로 | 불리는 | 불러지 |
            부르는\s?곳 | 쓰이는 | 사용하는 곳 | is there (?:already|anything|something|a \w+ that) |
            (?:누가|누구)\S*\s?(?:쓰|써|호출|부르) | 코드\S*\s?(?:이미\s)?있(?:나|어|니|는지)"""),
        (3.5,
         r"""how (?:does|do|is|are) (?:the |our |this )?.* (?:work|handled|processed) |
            how (?:does|do|is|are) (?:the |our |this )?.* (?:stored|done|implemented|computed) |
            how (?:does|do) | what happens (?:when|after|once) |
            (?:무슨\s?일|어떤\s?일)\S*\s?(?:일어|벌어|생기) |
            어떻게\s?(?:동작|작동|처리|되|돌아|구현되|흘러|하고\s?있|이뤄|진행되) | 순서로\s?처리되 |
            코드\s?흐름 | 동작\s?(?:방식|원리)"""),
        (3,
         r"""which (?:part|file|module|class|function|code)s? | what (?:does|imports|uses) | defined | definition |
             정의 | 뭐\s?하는 | 무슨\s?역할"""),
        (2, r"(?:what|which|who|\w+) imports | importers | imported by | depends? on | 의존하는 | 임포트"),
    ),
    "implementation": (
        (2.5,
         r"""(?<!떻)(?:게|도록)\s?(?:해|만들|바꿔|하고|부탁) | we (?:need|want) (?:a|an|the|some)? |
             (?:i|users?) (?:need|want) | 필요(?:해|합|하|함) | 있으면\s?좋 | (?:으면|면) 좋겠"""),
        (2, r"should(?: also)?(?! we| i) | must | needs? (?:to|an?|the)"),
        (2, r"properties | property | attribute | getter"),
        (1.5, r"option | flag | feature | endpoint | 기능 | 옵션 | 메서드 | 버튼 | 엔드포인트"),
        (1, r"methods? | functions? | parameter | argument | button | page | field | 함수 | 필드"),
    ),
    "debug": (
        (5,
         r"""traceback | stack ?trace | segfault | segmentation fault | core dump | panicked at | 스택\s?트레이스 |
             스택\s?추적"""),
        (4.5, r"[a-z]+(?:error|exception) | 500 | 404 | 403 | 502"),
        (3.5,
         r"""error | exception | bugs? | crash(?:es|ed|ing)? | broken | hangs? | freezes? | deadlocks? |
            off by (?:one|an?\b.*) | does nothing | nothing happens | any ?more | 에러 | 오류 | 버그 | 예외 |
            죽어 | 죽는 | 죽습 | 터져 | 터지 | 크래시 | 먹통 | 멈춰 | 멈춥 | 뻗"""),
        (3,
         r"""fails? | failed | failing | failure | wrong(?:ly)? | incorrect(?:ly)? | unexpected(?:ly)? |
            stopped working | flickers? | blinks? | disappears? | vanish(?:es)? | stuck | garbled |
            corrupt(?:s|ed)? | ignores? | never (?:ends|returns|finishes|arrives|comes) |
            (?:is|are|stays?|remains?|goes) (?:blank|empty|black|white) | even though | although |
            every time i | whenever i | time[sd] out |
            (?:does|do|is|did|are|was|can|wo|have|has)(?:n't| ?not|'t) \w+ | no longer | 실패해 | 실패하 |
            실패합 | 실패함 | 실패했 | 타임\s?아웃(?:으로|이|\s?나) | 깜빡 | 깜박 | 튕겨 | 튕기 | 끊겨 | 끊기 |
            겹쳐 | 무한\s?루프 | 빈\s?화면 | 안\s?보[여이] | (?:가|이)\s?나(?:와|와요|요|네|네요|서|고)?\W*$ |
            에러\S*\s?(?:나|뜨|떠|뜹) | 잘못 | 이상(?:해|하|한) | 틀려 | 틀린 | 엉뚱"""),
        (2.5, r"why (?:is|are|does|do|did|am)(?: .*)? | 왜 | 원인"),
        (3,
         r"""^\W*◇\S*(?:\([^)]*\))? (?:returns|gives|yields|prints|shows|hangs)(?! (?:what|to)) |
             ^\W*◇\S*(?:\([^)]*\))? (?:raises|throws|ignores|forgets) |
            (?:connection|permission|access) (?:refused|denied) | timed? ?out | upside down |
            (?:since|after) the (?:last )?(?:deploy|release|update|upgrade)\w* |
            (?:대신|아니라)\s?\S+\s?(?:나와|나옴|나온|나옵|떠|돌려) | (?:거꾸로|두\s?번씩|중복으로)\s?\S* |
            \)\s?하면 | (?:가|이) 아니라 \S+ (?:나와|나옴|나온|나옵|돼|됨) |
            (?:이라고|라고)\s?(?:떠|뜨|뜹|나와|나옵)"""),
        (2,
         r"""returns (?:an? )?(?:empty|null|none|nothing|wrong) | missing | lost | twice |
             이\s?(?:나요|나는|납니다|난다|나네|나서)(?:\W|$) | 사라 | 갑자기"""),
    ),
    "test": (
        (3.5,
         r"""unit tests? | regression tests? | integration tests? | test cases? | test suite | coverage | flaky |
             단위\s?테스트 | 커버리지 | 테스트\s?(?:코드|케이스) | 회귀\s?테스트 | 통합\s?테스트"""),
        (2.5, r"tests? | pytest | jest | vitest | 테스트"),
        (3.5,
         r"""(?:failing|broken|red|which|what|flaky) tests? | tests? (?:fail|are failing|still|pass) |
            (?:깨지는|깨진|실패하는|실패한)\s?테스트"""),
    ),
    "documentation": (
        (4,
         r"""readme | changelog | docstrings? | jsdoc | release notes | 독스트링 | 변경\s?이력 | 릴리스\s?노트 |
             주석 | 문서화"""),
        (3,
         r"""docs | documentation | comments in | guides? (?:for|to|on) |
            (?:api|user|admin\w*|style|how-to) guide | in the docs | tutorial | user guide | api reference |
            문서(?!\s?함) | 설명서 | 튜토리얼"""),
    ),
    "design": (
        (4,
         r"""architectur(?:e|al) | data model | class (?:diagram|structure|hierarchy) | design (?:of|for|doc) |
             설계 | 아키텍처 | 아키텍쳐 | 데이터\s?모델 | 클래스\s?구조 | 다이어그램"""),
        (3,
         r"""how should (?:we|i) (?:\w+ )?(?:structure|organi[sz]e|model|lay out|split|build|design) |
             interfaces? (?:before|first|between) | abstractions? | 어떻게\s?(?:가져가|나누|구성|짜는|잡) |
             구조를? | 구조로"""),
        (1.5, r"how should (?:we|i) | what would | interfaces? | schema | 스키마 | 인터페이스"),
        (3.5,
         r"""what would .* look like |
            how would you (?:\w+ )?(?:structure|organi[sz]e|model|lay out|split|build|design|arrange) |
            (?:class|module|package|folder|directory|table|database|db) (?:layout|structure|schema|hierarchy|design) |
            before (?:we|i) (?:write|code|start coding) | 코드\s?(?:짜|작성하)기\s?전 |
            (?:모듈|클래스|폴더|패키지|테이블|화면)\s?(?:구성|배치) | db\s?스키마 | 어떻게\s?(?:구성|배치)"""),
    ),
    "qa": (
        (4,
         r"""code reviews? | reviews? | pull request | merge request | 풀\s?리퀘\S* | 머지\s?리퀘\S* |
            second opinion | this (?:pr|mr|diff) | (?:good enough|safe|ready|ok(?:ay)?) to merge | 코드\s?품질 |
            (?:머지|병합)해도 | 합쳐도\s?(?:되|괜찮) | before (?:i|we) (?:push|merge|ship) |
            (?:푸시|머지|병합|배포)\S*\s?전에 | (?:anything|something) (?:wrong|off|fishy) with |
            (?:내가|제가|방금)\s?(?:\S+\s)?(?:고친|바꾼|짠|수정한|한|만든|작성한)\s?(?:거|것|코드|부분|커밋)"""),
        (3,
         r"""(?:my|these|the|last|latest|recent) (?:changes|diff|commit) | code smells? | smells | 변경\s?사항\w* |
             pr | 보안\s?(?:관점|취약|문제)""",
         r"""review | look | check | judge | opinion | feedback | good | smells | bugs | 리뷰 | 검토 | 봐 | 괜찮 |
             어때 | 확인 | 문제"""),
        (2, r"security (?:problems?|issues?|holes?) | vulnerabilit(?:y|ies) | quality | 품질 | 취약점"),
    ),
    "refactor": (
        (2.5,
         r"""duplicated? | duplication | without changing (?:the )?behaviou?r | readab(?:le|ility) | messy |
            spaghetti | too long | lines long | god (?:class|object) | hard to (?:read|follow|understand) |
            (?:nearly|almost) identical | nobody understands |
            (?:too|so|overly) (?:complex|complicated|convoluted) | unreadable | common parts? | dead code |
            읽기\s?(?:힘들|어려|불편) | 너무\s?복잡 | 이해하기\s?(?:힘들|어려) | 공통\s?(?:부분|코드|로직) |
            죽은\s?코드 | 똑같은\s?(?:함수|코드|클래스) | 비슷한\s?(?:함수|코드|클래스) | 중복 | 가독성 |
            지저분 | 동작은\s?그대로 | 너무\s?길 | 복잡한"""),
    ),
    "git_workflow": (
        (4,
         r"""merge conflicts? | git (?:\w+) | commit message | rebase |
             충돌\w*\s?\S*\s?(?:리베이스|해결|머지|병합) | 깃 | 커밋\s?메시지"""),
        (2, r"branch(?:es)? | commits? | 브랜치 | 커밋 | 합쳐"),
    ),
    "agent_planning": (
        (4.5,
         r"""plan (?:for|of|to) | (?:a|the|make|migration|project|release) plan | roadmap | milestones? |
            into (?:small(?:er)? )?(?:tasks|steps|tickets|pieces of work) | (?:what|which) (?:are the )?steps |
            to-?do list | (?:order|breakdown|sequence) of (?:work|steps|tasks) | work breakdown |
            before we (?:start|begin) | (?:뭐|무엇|어디|어느\s?것)(?:부터|을\s?먼저)\s? | (?:어떤|무슨)\s?순서 |
            로드맵 | 작업\s?(?:계획|단위|순서|목록) | 마일스톤 | 할\s?일 | 단계별 | 우선순위"""),
        (2.5, r"계획 | 순서 | epic | 일정"),
    ),
    "impact_analysis": (
        (5, r"impact | blast radius | affected | affects? | ripple | side effects? | knock-on | 영향 | 파급 | 여파"),
        (5,
         _IF_CHANGED,
         r"""break(?:s)? | fail | affect(?:s|ed)? | happen(?:s)? | reach | need to | consequences? | have to |
            tests? | notices? | suffers? | 깨지 | 깨져 | 깨질 | 망가 | 문제 | 생기 | 어디까지 | 뭐가 | 다시 |
            고쳐야 | 테스트"""),
        (3, _IF_CHANGED),
        (5,
         r"""(?:is it )?safe to (?:chang|remov|delet|renam|drop|touch|modif|mov|edit)\w* | without breaking |
            (?:바꿔|지워|없애|고쳐|삭제해|제거해|변경해|수정해|건드려|옮겨)도\s?(?:\S+\s)?(?:안전|괜찮|되|돼|될|문제)"""),
        (5.5,
         r"""(?:who|what|anything|anyone|which \w+) (?:else )?depends? on |
            에\s?의존하(?:는|고)\s?\S*\s?(?:뭐|무엇|게|거|것|곳|데|있) |
            (?:어디|무엇|뭐|뭐가|누가)\S*\s(?:\S+\s)?의존"""),
        (3, r"how far | what (?:else )?(?:breaks|would break|will break) | 어디까지 | 뭐가\s?깨"),
    ),
    "migration": (
        (4.5,
         r"""migrat(?:e|ion|ing) | deprecat(?:ed|ions?) | upgrad(?:e|ing) (?:to|from|the|our) | 마이그레이션 |
             업그레이드 | 지원\s?(?:중단|종료)\S* | end of life | 폐기\s?예정"""),
        (3.5,
         r"""(?:to|going to|from|onto) (?:\w+ )?(?:v?\d+(?:\.\d+)*|python 3|es modules|typescript) |
             v?\d+(?:\.[\dx]+)*\s?(?:style\s)?(?:에서|으로|로|to|->|→) | 버전\S*\s?(?:올)"""),
    ),
    "dependency_intelligence": (
        (4,
         r"""dependencies | third-party | lock ?files? | requirements(?:[-.\w]*)?\.txt | package\.json |
             package-lock\.json | pipfile | poetry\.lock | go\.mod | cargo\.toml | licen[sc]es(?! headers?) | 의존성 |
             서드\s?파티 | 종속성 | 락\s?파일 | 라이선스(?!\s?헤더) | cves? | (?:two|several|different) versions of |
             pull(?:s|ed|ing)? in | 버전\S*\s?(?:왜\s)?(?:두|여러|세)\s?(?:개|가지)"""),
        (5.5,
         r"""requirements\b.{0,30}\b(?:import(?:ed|s)?|used|unused|installed|pinned|outdated|missing) |
             (?:still|really) need \S+ | requirements\S*\s?.{0,12}(?:쓰|사용|설치|빠|import)"""),
        (3.5,
         r"""(?:unused|undeclared|outdated|unpinned) (?:packages?|dependenc\w+|librar\w+|imports?|modules?) |
            (?:vulnerable|duplicate|transitive|pinned) (?:packages?|dependenc\w+) |
            (?:packages?|librar\w+) (?:\w+ ){0,6}(?:not|never|no longer) (?:\w+ )?(?:used?|needed|imported) |
             modules? (?:\w+ ){0,6}(?:not|never|no longer) (?:\w+ )?(?:used?|needed|imported) |
            (?:packages?|librar\w+) (?:we|i) (?:\w+ )?(?:declare|list|install|use|ship)\w* |
            (?:vulnerable|duplicate|transitive|pinned) (?:librar\w+|imports?|modules?) |
            (?:안\s?쓰는|쓰지\s?않는|사용하지\s?않는)\s?\S*\s?(?:패키지|라이브러리|의존성|모듈) |
            (?:미사용|고정\S*\s?안|오래된|취약한)\s?\S*\s?(?:패키지|라이브러리|의존성|모듈) | pinned versions? |
            버전\s?고정"""),
        (2.5, r"packages | librar(?:y|ies) | package | 패키지 | 라이브러리"),
        (4.5, r"아직\s?(?:필요해|필요한가|쓰나|쓰여|쓰고) | (?:is|are) \S+ still (?:needed|used|necessary)"),
        (2, r"still (?:need|use) | drop(?:ped)? from | 아직\s?(?:필요|쓰) | 빼도"),
    ),
    "spec_compliance": (
        (5,
         r"""(?:the |our )?spec(?:ification)?s? | acceptance criteria | requirements?(?!\.| ?\.txt|s\.txt) |
             compl(?:y|ies|iant|iance) | conform(?:s|ance|ing)? | checklist | rfc ?\d+ | 요구\s?사항 | 명세\w* |
             스펙 | 인수\s?(?:조건|기준) | 체크리스트 | 준수 | 기획서"""),
        (4.5,
         r"""(?:do|match|follow|implement) (?:what )?.{0,40}(?:demands?|says|requires?|promises) |
             (?:do|match|follow|implement) (?:what )?.{0,40}(?:prescribes|asks for) |
             (?:match|follow|implement) .{0,40}(?:openapi|swagger|contract|schema) |
            (?:unmet|unfulfilled|open) (?:criteria|requirements?|items?) | tick(?:ed)? off |
            (?:match(?:es)?|consistent with|in line with) (?:the )?\S*(?:openapi|swagger|spec|schema|contract)\S* |
             (?:agrees? with|against) (?:the )?\S*(?:openapi|swagger|spec|schema|contract)\S* |
            인수\s?(?:조건|기준)\S*\s?.{0,10}(?:안\s?된|남은|빠진|못) |
            (?:openapi|swagger|스펙|명세)\S*\s?(?:이랑|와|과|하고|대로)\S* | 준수하 | 제대로\s?따르"""),
        (2,
         r"""fulfil(?:l|s|ls|led)? | satisf(?:y|ies|ied) | meets? | according to | 만족 | 충족 |
             대로\s?(?:구현|되) | 빠진"""),
    ),
    "verification": (
        (4,
         r"""mypy | pyright | ruff | eslint | tsc | pylint | flake8 | clippy | go vet | golangci-lint |
            property tests? | hypothesis | type ?checks?(?:ing|er)? | lint(?:s|er|ers|ing)? |
            static (?:checks?|analysis) | (?:all|every) (?:of )?(?:the |our )?checks? | pre-commit |
            (?:모든|전체|설정된)\s?(?:\S+\s)?검사 | 검사\S*\s?(?:전부|모두|다)?\s?돌려 | formal(?:ly)? | invariants? |
            타입\s?(?:체크|검사|오류) | 린트 | 린터 | 정적\s?(?:분석|검사) | 속성\s?테스트"""),
    ),
    "performance_profiling": (
        (5,
         r"""slow(?:er|ly|ness)? | memory (?:usage|leaks?|consumption|footprint) | cpu (?:usage|time) |
             takes (?:ages|forever|too long|\d+ ?(?:s|sec|seconds|minutes|ms)) | latency | 느려 | 느린 | 느립 |
             느림 | 메모리\s?(?:사용|누수|릭) | 오래\s?걸 | 초나\s?걸 | cpu\s?사용"""),
        (5, r"bottlenecks? | hot ?spots? | 병목 | 핫\s?스팟"),
        (7,
         r"""(?:the )?time (?:go(?:es)?|(?:is )?(?:being )?spent|is lost) |
            (?:eats?|us(?:es|ing)|takes?|taking) (?:up )?(?:all |so |the |this |much |most )*(?:memory|ram|cpu|time) |
             (?:eating|consum(?:es|ing)|hogs?) (?:up )?(?:all |so |the |this |much |most )*(?:memory|ram|cpu|time) |
            takes? (?:forever|ages|too long|so long|very long) | most (?:cpu|memory|ram|time) |
            시간\S*\s?(?:제일\s?|가장\s?|많이\s?|다\s?)*(?:잡아|걸리|먹|쓰|들) |
            (?:메모리|cpu|램)\S*\s?(?:제일\s?|가장\s?|많이\s?|다\s?)*(?:잡아|먹|쓰|사용하) |
            왜\s?(?:이렇게\s?)?(?:느|오래)"""),
        (3.5, r"performance | faster | 성능 | 속도 | 빠르게"),
    ),
    "ops_infra": (
        (4.5,
         r"""docker(?:file|-compose(?:\.ya?ml)?| compose| image)?s? | compose\.ya?ml | kubernetes | k8s | helm |
            terraform | github actions | gitlab ci | ci/cd | (?:ci|deployment|deploy|release|build) pipelines? |
            ansible | nginx | manifests? | infra(?:structure)? | ingress | 도커(?:파일)? | 쿠버네티스 | 테라폼 |
            헬름 | compose files? | (?:our|the) ci | ci (?:config\w*|setup|settings) | 컴포즈 |
            ci\s?(?:설정|구성|파일) | 깃허브\s?액션\w* | 파이프라인 | 인프라 | 매니페스트 | 컨테이너"""),
        (3,
         r"""deploy(?:s|ing|ment|ments)? | containers? | production (?:settings|config\w*|ready) | for production |
             workflows? files? | resource limits | cluster | 배포\s?(?:설정|스크립트|자동화|환경) | 리소스\s?제한 |
             열린\s?포트 | 운영\s?환경 | 클러스터"""),
    ),
    "environment_reproduction": (
        (5,
         r"""(?:works|runs|passes|fine) (?:on|in) my (?:machine|laptop|computer) |
            (?:dev(?:elopment)?|ci|local|clean|same|build) environment | from scratch |
            virtual ?env(?:ironment)?s? | venv | 깨끗한\s?\S*환경 | 가상\s?환경 | 개발\s?환경 |
            환경\s?(?:변수|재현|구성|설정|구축|세팅) | (?:내|제)\s?(?:컴퓨터|pc|노트북|로컬)\S*\s?(?:되|돼|잘) |
            로컬\S*\s?(?:되는데|돌아가는데)"""),
        (4,
         r"""set(?:ting)? (?:\w+ ){0,3}up |
             (?:new|another|fresh|clean) (?:laptop|machine|computer|checkout|clone|vm) |
             새\s?(?:노트북|컴퓨터|pc|장비|맥|머신) | 처음부터"""),
        (3.5,
         r"""environment variables? | env vars? | project installs | install(?:s|ed)? cleanly |
            (?:runs|works) for me | on-?boarding | sort out the (?:setup|environment) |
            동료\s?(?:컴퓨터|pc|노트북|자리)\S* | 환경\S*\s?맞춰 | 나는\s?되는데 | 설치되는지 | 빌드되는지"""),
        (2,
         r"""only in ci | services? (?:does|are|do|is) (?:\w+ )*(?:need|required) |
             to (?:start|run) (?:it|the app|this) | 실행하려면 | 띄우려면 | 돌리려면 | ci\s?에서만"""),
    ),
    "benchmark": (
        (4,
         r"""benchmarks? | bench | throughput | baseline | load test | requests per second | 벤치마크 | 벤치 |
             처리량 | 기준선 | 부하\s?테스트"""),
        (3,
         r"""(?:mean|average|median) (?:and|or) | standard deviation | deviation | (?:ten|five|three|\d+) times |
             \d+\s?(?:번|회)\s?\S*\s?(?:돌려|실행|측정) | 평균 | 편차 | 대비 | 실행\s?시간"""),
    ),
    "ml_integration": (
        (4.5,
         r"""hugging ?face |
            (?:trained|pre-?trained|language|sentiment|classification) (?:models?|classifiers?) |
            (?:ml|ai|embedding|machine learning|vision|speech) (?:models?|classifiers?) | machine learning |
            embeddings? | inference | training (?:code|script|loop|data|run) | data leak(?:age)? | pytorch |
            tensorflow | scikit-learn | sklearn | 파이토치 | 텐서플로우? | 사이킷런 | 허깅\s?페이스 |
            fine-?tun\w+ | llm | gpu | 머신\s?러닝 | 딥\s?러닝 | 임베딩 | 추론 | 학습(?!\s?자료|\s?곡선) |
            데이터\s?누수 | 파인\s?튜닝 | (?:감성|이미지|음성|텍스트|언어|분류|예측|추천|분석)\s?모델"""),
        (5,
         r"""모델(?:로|을)\s.{0,20}(?:점수|예측|분류|추천|순위) |
            models? (?:should|to) (?:score|predict|classify|rank)"""),
        (4, r"분류기 | (?:serve|serving) (?:\w+ ){0,4}(?:models?|classifiers?) | 서빙"),
        (2, r"classifiers? | seeds? | random seed | reproducib(?:le|ility) | trained | checkpoint | 시드 | 모델을"),
    ),
    "exploratory_research": (
        (4.5,
         r"""alternatives? | pros and cons | trade-?offs? |
            (?:is|are|would) \S+ or \S+ (?:\w+ )*(?:better|faster|right) | better (?:for us|choice|fit) |
            other projects | best practices? | what are (?:the |our )?options |
            (?:which|what) would you (?:pick|choose|recommend|use) |
            do (?:people|others|teams|you) (?:use|do|recommend) |
            (?:which|what) (?:\w+ )?(?:library|tool|framework|engine|database|service) (?:is|should|would) |
            (?:어떤|어느|뭐가|무엇이|뭘|무엇을)\s?(?:게|것이|쪽이)?\s?(?:나을|나은|좋을|써야|쓰는\s?게|쓸까|골라) |
            다들\s?(?:뭐|어떤) | (?:나을까|나을지) | 추천 state of the art | 장단점 | 대안 |
            대신\s?(?:쓸|쓰|할|사용) | 다른\s?(?:프로젝트|회사|팀|오픈\s?소스) |
            중에\s?(?:뭐|뭘|어느|어떤|무엇) | 뭐가\s?(?:나아|좋|더) | 도입 | 모범\s?사례"""),
        (6,
         r"""should (?:we|i) (?:use|choose|pick|go with|switch to|adopt|buy|prefer) |
            compare \S+ (?:and|with|to|versus|vs) \S+ for"""),
        (3,
         r"""whether (?:\w+ )*(?:could|can|should|would|makes sense) | (?:worth|feasible|feasibility) |
             맞을지 | 괜찮을지 | 가능한지 | 쓸\s?만한"""),
    ),
}  # fmt: skip

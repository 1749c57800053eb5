"""Words of programming in Korean and in English: what one is called in the other, in both directions.

A row's words mean about the same to whoever looks for code; each is searched for when one of them was asked for.
"""

from __future__ import annotations

_TABLE = """
로그인 | login signin sign_in logon log_in
로그아웃 | logout signout sign_out logoff log_out
회원가입 가입 | signup sign_up register registration join
인증 | auth authenticate authentication authenticator verify
인가 권한 | authorize authorization permission role access
사용자 유저 이용자 회원 | user member account
계정 | account user
비밀번호 암호 패스워드 | password passwd pwd
토큰 | token jwt
세션 | session
결제 지불 페이 | payment pay billing checkout charge
청구 과금 | billing invoice charge
환불 | refund
주문 | order
장바구니 카트 | cart basket
상품 제품 | product item goods
재고 | stock inventory
가격 금액 | price amount cost
할인 쿠폰 | discount coupon promotion
배송 배달 | shipping delivery shipment
구독 | subscription subscribe
알림 통지 | notification notify alert
메일 이메일 | email mail smtp
문자 메시지 | message sms
댓글 | comment reply
게시글 게시물 포스트 | post article
게시판 | board forum
검색 | search query find lookup
조회 | get fetch query find select read
목록 리스트 | list index
등록 | register create add
추가 | add append insert create
생성 | create make generate build new
수정 편집 | update edit modify change
삭제 제거 | delete remove drop destroy
저장 | save store persist write
불러오기 로드 | load read import
읽기 | read load
쓰기 | write save
업로드 | upload
다운로드 | download
내보내기 | export dump
가져오기 | import fetch get
파일 | file
폴더 디렉토리 디렉터리 | folder directory dir
경로 | path route
이미지 사진 그림 | image picture photo
데이터베이스 디비 | database db
연결 접속 | connection connect
트랜잭션 | transaction
쿼리 | query
테이블 | table
스키마 | schema
마이그레이션 | migration migrate
모델 | model
캐시 | cache caching
대기열 큐 | queue
작업 태스크 | task job
스케줄 예약 일정 | schedule scheduler cron
배치 | batch
서버 | server
클라이언트 | client
요청 | request req
응답 | response reply resp
라우팅 라우트 라우터 | route router routing url
미들웨어 | middleware
컨트롤러 | controller
뷰 화면 | view screen page
페이지 | page pagination
템플릿 | template
폼 양식 | form
버튼 | button
서비스 | service
저장소 리포지토리 | repository repo storage
설정 환경설정 | config configuration settings setting options
환경 | environment env
로그 로깅 | log logger logging
오류 에러 예외 | error exception fault
검증 유효성 확인 | validate validation validator check verify
파싱 파서 해석 | parse parser parsing
변환 | convert transform converter
직렬화 | serialize serializer serialization
역직렬화 | deserialize
암호화 | encrypt encryption cipher
복호화 | decrypt
해시 | hash
압축 | compress zip
정렬 | sort order
필터 필터링 | filter
계산 | calculate compute calc
통계 | statistics stats
집계 | aggregate
보고서 리포트 | report
차트 그래프 | chart graph
테스트 | test tests spec
모의 목 | mock fake stub
이벤트 | event
구독자 | subscriber
발행 | publish publisher
핸들러 처리기 | handler
처리 | handle handler process
콜백 | callback
비동기 | async asynchronous
동기화 | sync synchronize
스레드 | thread
프로세스 | process
잠금 락 | lock mutex
재시도 | retry backoff
제한 한도 | limit throttle quota
타임아웃 시간초과 | timeout deadline
시간 | time
날짜 | date
초기화 | init initialize reset setup
시작 실행 | start run main launch execute
종료 중지 정지 | stop exit shutdown close
진입점 | main entry
연산 | operation
함수 | function
변수 | variable
인터페이스 | interface
상속 | inherit
의존성 | dependency dependencies
패키지 | package
플러그인 | plugin
확장 | extension
명령 명령어 커맨드 | command cmd cli
옵션 | option flag
인자 매개변수 | argument parameter arg param
관리자 어드민 | admin administrator manager
관리 | manage manager management
대시보드 | dashboard
프로필 | profile
주소 | address
전화 | phone
번호 | number
이름 | name
좋아요 | like
팔로우 | follow
채팅 | chat
친구 | friend
추천 | recommend recommendation
평점 리뷰 후기 | rating review
지도 | map
위치 | location position
언어 번역 | language translation translate i18n locale
보안 | security secure
쿠키 | cookie
웹훅 | webhook
소켓 | socket websocket
배포 | deploy deployment
빌드 | build
모니터링 | monitor monitoring
백업 | backup
복원 복구 | restore recover recovery
그룹 | group team
팀 | team
카테고리 분류 | category classify classification
태그 | tag
링크 | link
점수 | score
순위 랭킹 | rank ranking leaderboard
포인트 적립금 | point points
은행 | bank
송금 이체 | transfer remit
잔액 | balance
입금 | deposit
출금 | withdraw withdrawal
거래 | transaction trade deal
지갑 | wallet
세금 | tax
이자 | interest
대출 | loan
고객 손님 | customer client
직원 사원 | employee staff
부서 | department
회사 | company organization
학생 | student
강의 수업 과목 | course lecture class
성적 | grade score
환자 | patient
의사 | doctor
영화 | movie film
책 도서 | book
음악 노래 | music song
영상 비디오 동영상 | video
회의 | meeting
예매 부킹 | booking reservation book reserve
좌석 | seat
날씨 | weather
지역 | region area
발송 전송 보내기 | send dispatch transmit
수신 받기 | receive
출력 인쇄 | print output
입력 | input
색상 색깔 색 | color colour
크기 | size
길이 | length
개수 횟수 | count number
합계 총합 | total sum
평균 | average mean
최대 최댓값 | max maximum
최소 최솟값 | min minimum
문자열 | string str text
배열 | array list
객체 오브젝트 | object
사전 딕셔너리 | dict dictionary map
키 | key
값 | value
노드 | node
트리 | tree
행렬 | matrix
데이터 자료 | data
학습 훈련 | train training learn
예측 | predict prediction forecast
추론 | infer inference
전처리 | preprocess preprocessing
손실 | loss
최적화 | optimize optimizer optimization
가중치 | weight
레이어 계층 층 | layer
평가 | evaluate evaluation
비교 | compare comparison diff
복사 | copy clone
이동 | move
병합 합치기 | merge
분할 나누기 | split divide
교체 바꾸기 대체 | replace swap
반복 | loop repeat iterate
조건 | condition
상태 | state status
단계 | step stage phase
순서 | order sequence
버전 | version
라이선스 | license
도움말 | help
"""


def _rows() -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    rows = [line.split("|") for line in _TABLE.strip().splitlines()]
    return [(tuple(korean.split()), tuple(english.split())) for korean, english in rows]


def _meanings() -> dict[str, tuple[str, ...]]:
    """What else is looked for, by word; what stands in several rows has the others of all of them."""
    meanings: dict[str, tuple[str, ...]] = {}
    for korean, english in _rows():
        for word in korean:
            others = (*english, *(other for other in korean if other != word))
            meanings[word] = tuple(dict.fromkeys((*meanings.get(word, ()), *others)))
    for korean, english in _rows():
        for word in english:
            # Not every word of an English row means the others: of those, only what is Korean and spelling variants.
            spelled = (other for other in english if other.replace("_", "") == word)
            meanings[word] = tuple(dict.fromkeys((*meanings.get(word, ()), *spelled, *korean)))
    return meanings


MEANINGS = _meanings()
KOREAN = tuple(
    sorted((word for word in MEANINGS if "가" <= word[0] <= "힣"), key=len, reverse=True)
)

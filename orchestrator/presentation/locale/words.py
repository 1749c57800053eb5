"""Our own sentences in English and Korean; findings and syntheses are in whatever language they were written."""

from __future__ import annotations

from orchestrator.presentation.locale.coverage_words import COVERAGE
from orchestrator.presentation.locale.deliberation_words import DELIBERATION
from orchestrator.presentation.locale.whatif_words import WHAT_IF

LANGUAGES = ("en", "ko")

_WORDS: dict[str, tuple[str, str]] = {
    "convergence": ("Convergence", "수렴도"),
    "no_convergence": ("not assessed yet", "아직 평가 전"),
    "running": ("still running", "진행 중"),
    "rounds": ("{n} rounds", "{n}라운드"),
    "rounds_1": ("1 round", "1라운드"),
    "more": ("and {n} more findings: --all shows them", "그 외 {n}건: --all 옵션으로 모두 표시"),
    "more_1": ("and 1 more finding: --all shows it", "그 외 1건: --all 옵션으로 모두 표시"),
    "no_findings": ("no findings", "지적 사항 없음"),
    "rejected": ("{n} raised and rejected by the panel", "패널이 기각한 지적 {n}건"),
    "suggestion": ("Suggestion", "제안"),
    "finding_accepted": ("accepted", "인정"),
    "finding_rejected": ("rejected", "기각"),
    "finding_contested": ("contested", "이견 있음"),
    "finding_undecided": ("undecided", "미결"),
    "finding_fixed": ("fixed", "수정됨"),
    "finding_weak": ("weak", "근거 약함"),
    "finding_like": ("like {other}", "{other} 유사"),
    "synthesis": ("Synthesis", "종합"),
    "consensus": ("agreed", "합의"),
    "resolved": ("resolved", "해결됨"),
    "concerns": ("still open", "남은 우려"),
    "decision": ("Decision", "결정"),
    "decision_about": ("Decision about version {n}", "버전 {n}에 대한 결정"),
    "answer_with": ("answer with", "답하려면"),
    "until": ("until {when}, then: {choice}", "{when}까지, 그 뒤에는: {choice}"),
    "decided": ("{choice}, by {actor} ({channel})", "{choice}, {actor} ({channel})"),
    "decided_by_itself": ("{choice}, by {actor}", "{choice}, {actor}"),
    "also_in_rounds": (" (also in rounds {n})", " ({n}라운드에도)"),
    "also_in_rounds_1": (" (also in round {n})", " ({n}라운드에도)"),
    "applied_branch": (
        "Applied on branch {branch} ({commit}): {files}",
        "브랜치 {branch} ({commit})에 적용됨: {files}",
    ),
    "applied_files": ("Applied to your files: {files}", "작업 파일에 적용됨: {files}"),
    "undo_with": ("undo with", "되돌리려면"),
    "stood_in": (
        "{who} could not be used: {other} spoke in its place",
        "{who} 사용 불가: {other}이(가) 대신 발언",
    ),
    "shortened": (
        "{who}'s answer {key} was too long for a panel: {what}",
        "{who}의 답변 {key}이(가) 너무 길어 일부 제외됨: {what}",
    ),
    "scripted": (
        "scripted, no model was asked: {names}",
        "대본 (모델에게 묻지 않음): {names}",
    ),
    "spent": ("Used", "사용량"),
    "spent_calls": ("{n} calls", "호출 {n}회"),
    "spent_calls_1": ("1 call", "호출 1회"),
    "spent_tokens": ("{read} tokens in, {written} out", "입력 {read}토큰, 출력 {written}토큰"),
    "cost_unknown": ("cost unknown", "비용 알 수 없음"),
    "calls_unpriced": ("and {n} calls of unknown price", "가격을 모르는 호출 {n}회 별도"),
    "calls_unpriced_1": ("and 1 call of unknown price", "가격을 모르는 호출 1회 별도"),
    "estimate": (
        "Estimate for {title}; nothing was started",
        "{title} 예상 사용량 (아무것도 시작하지 않음)",
    ),
    "estimate_none": ("nobody can foresee this workflow", "이 워크플로는 예측할 수 없음"),
    "estimate_calls": ("calls: {low} to {high}", "호출: {low} ~ {high}회"),
    "estimate_tokens": ("tokens {way}: {low} to {high}", "토큰 {way}: {low} ~ {high}"),
    "way_in": ("in", "입력"),
    "way_out": ("out", "출력"),
    "estimate_cost": ("cost: {low} to {high}", "비용: {low} ~ {high}"),
    "estimate_unknown": ("cost: unknown", "비용: 알 수 없음"),
    "estimate_unpriced": (
        "unknown price, not in the cost: {names}",
        "가격을 알 수 없어 비용에서 제외: {names}",
    ),
    "estimate_refused": (
        "with a limit in dollars, whoever has no known price is not asked: {names}",
        "금액 한도가 있으면 가격을 모르는 참가자는 호출되지 않음: {names}",
    ),
    "estimate_over": (
        "the upper end is over the limit of {limit}: what does not fit is not asked",
        "예상 최대치가 한도({limit})를 넘음: 한도를 넘는 호출은 하지 않음",
    ),
    "estimate_reuse": (
        "answers that are reused make it less",
        "재사용되는 응답만큼 줄어듦",
    ),
    "details": ("Details", "자세히"),
    "status_cancelled": ("The run was cancelled.", "실행이 취소되었습니다."),
    "status_failed": ("The run failed.", "실행이 실패했습니다."),
    "status_expired": ("The run's time ran out.", "실행 시간이 초과되었습니다."),
    "status_blocked": ("The run is blocked: {reason}", "실행이 멈춰 있습니다: {reason}"),
    "gate_passed": ("Gate passed", "게이트 통과"),
    "gate_tripped": ("Gate tripped", "게이트 실패"),
    "gate_inconclusive": ("Gate inconclusive", "게이트 판단 불가"),
    "abstained": (
        "{who} abstained in round {round} ({answered}/{asked} answered): {why}",
        "{who} 기권, {round}라운드 (응답 {answered}/{asked}): {why}",
    ),
    "step_failed": ("{key} failed: {why}", "{key} 실패: {why}"),
    "round_starts": ("round {n}: {role} by {who}", "{n}라운드: {role} — {who}"),
    "starts": ("{role} by {who}", "{role} — {who}"),
    "answered": ("{who} answered{what} after {s:.1f} s", "{who} 응답{what} ({s:.1f}초)"),
    "with_findings": (" with {n} findings", ", 지적 {n}건"),
    "with_findings_1": (" with 1 finding", ", 지적 1건"),
    "assessed": (
        "round {n}: convergence {score:.2f}, {recommendation}",
        "{n}라운드: 수렴도 {score:.2f}, {recommendation}",
    ),
    "phase": ("now: {phase}", "현재: {phase}"),
    "held_up": ("⏳ {why}", "⏳ 대기: {why}"),
    "waiting_for": ("still waiting for {who} ({s:.0f} s)", "대기 중: {who} ({s:.0f}초)"),
    "no_worker": (
        "no worker takes {kind} steps: start one with `quorate-worker {kind}`",
        "{kind} 작업을 처리할 워커가 없습니다: `quorate-worker {kind}` 명령으로 시작하세요",
    ),
    "no_orchestrator": (
        "no orchestrator is running: start one with `quorate orchestrator`",
        "실행 중인 오케스트레이터가 없습니다: `quorate orchestrator` 명령으로 시작하세요",
    ),
    "nothing_runs": (
        "no process of this instance is running: `quorate up` starts them",
        "이 인스턴스의 프로세스가 실행되고 있지 않습니다: `quorate up` 명령으로 시작하세요",
    ),
    "starts_again": (
        "the process {kind} does not answer at the moment; it is started again by itself (`quorate logs {kind}`)",
        "{kind} 프로세스가 지금 응답하지 않습니다. 자동으로 다시 시작됩니다 (`quorate logs {kind}`)",
    ),
    "revived": (
        "the background processes had been killed and are started again; the run goes on",
        "백그라운드 프로세스가 강제 종료되어 다시 시작했습니다. 실행은 계속됩니다",
    ),
    "supervisor_stopped": (
        "the supervisor had been stopped by a signal: it is ended and started again with its processes",
        "감독 프로세스가 신호로 멈춰 있어 종료하고 하위 프로세스와 함께 다시 시작합니다",
    ),
    "other_keys": (
        "the workers were started without the present {names}: `quorate down`, then start the run again",
        "워커가 현재 설정된 {names} 없이 시작되었습니다: `quorate down` 뒤에 다시 실행하세요",
    ),
    "workers_renewed": (
        "the workers were started without the present {names}: they are started anew",
        "워커가 현재 설정된 {names} 없이 시작되어 다시 시작합니다",
    ),
    "before_start": (
        "Nothing was started: a call could not be made.",
        "시작하지 않았습니다: 수행할 수 없는 호출이 있습니다.",
    ),
    "before_money": (
        "one call of {name} may cost {cost} ({answer} tokens of answer are reserved), more than the limit of {limit}: "
        "raise the limit, or lower max_output_tokens of {name}.",
        "{name}의 호출 하나가 최대 {cost}(답변 {answer}토큰 예약)로 한도 {limit}를 넘을 수 있습니다: "
        "한도를 올리거나 {name}의 max_output_tokens를 낮추십시오.",
    ),
    "before_price": (
        "the price of {model} is not known, so a limit in dollars cannot be kept: give {name} "
        "`price: {{in: 3.0, out: 15.0}}` (dollars per million tokens), or leave it out.",
        "{model}의 가격을 알 수 없어 달러 한도를 지킬 수 없습니다: {name}에 "
        "`price: {{in: 3.0, out: 15.0}}`(백만 토큰당 달러)을 지정하거나 제외하십시오.",
    ),
    "before_tokens": (
        "one call of {name} may use {need} tokens, more than the limit of {limit}: raise the limit, lower "
        "max_output_tokens of {name}, or review less at once.",
        "{name}의 호출 하나가 최대 {need}토큰으로 한도 {limit}를 넘을 수 있습니다: 한도를 올리거나 "
        "{name}의 max_output_tokens를 낮추거나 대상을 줄이십시오.",
    ),
    "before_context": (
        "{name} reads and writes {limit} tokens in one call, and this would take about {need}: leave files out, lower "
        "max_output_tokens, or choose a model that holds more (`context_tokens` corrects what is known of one).",
        "{name}은(는) 한 번에 {limit}토큰을 다루는데 약 {need}토큰이 필요합니다: "
        "파일을 줄이거나 max_output_tokens를 낮추거나 "
        "더 큰 모델을 고르십시오 (`context_tokens`로 값을 바로잡을 수 있음).",
    ),
    "before_together": (
        "The first calls may cost {cost} together, more than the limit: somebody may not speak.",
        "첫 호출들의 비용 합계가 최대 {cost}로 한도를 넘을 수 있어 일부는 발언하지 못할 수 있습니다.",
    ),
    "before_calls": (
        "This takes {needed} calls at least, and the limit is {limit}: somebody will not speak.",
        "호출이 적어도 {needed}번 필요한데 한도는 {limit}번이라 일부는 발언하지 못합니다.",
    ),
    "estimate_forbidden": (
        "it would not be started: {reason}",
        "시작되지 않습니다: {reason}",
    ),
    "large_subject": (
        "This is large: about {tokens} tokens.",
        "대상이 큽니다: 약 {tokens}토큰.",
    ),
    "large_portions": (
        "Read in portions, a turn each: {names}",
        "나누어 읽음(부분마다 한 차례): {names}",
    ),
    "large_takes": (
        "Expected: {calls} calls, {tokens} tokens in{cost}",
        "예상: 호출 {calls}회, 입력 {tokens}토큰{cost}",
    ),
    "stdin_silent": (
        "standard input is open and brought nothing: the question goes without it (`-` waits for it)",
        "표준 입력이 열려 있지만 내용이 없어 제외하고 질문합니다 (`-`를 쓰면 끝까지 기다림)",
    ),
    "stdin_empty": (
        "standard input was empty: the question goes without it",
        "표준 입력이 비어 있어 제외하고 질문합니다",
    ),
    "secrets_seen": (
        "{n} secrets were seen and are masked for everybody who is not on this machine",
        "비밀 정보 {n}건이 발견되어 외부 참가자에게는 가려집니다",
    ),
    "secrets_seen_1": (
        "1 secret was seen and is masked for everybody who is not on this machine",
        "비밀 정보 1건이 발견되어 외부 참가자에게는 가려집니다",
    ),
    "submitted": ("run {run}: {title}", "실행 {run}: {title}"),
    "patch_of": ("This patch would be applied:", "다음 패치가 적용됩니다:"),
    "fix_by": ("Mends {findings}, written by {author}", "{findings} 수정, 작성: {author}"),
    "also_called": ("{name} calls it: {title}", "{name}의 표현: {title}"),
    "unfixable": ("{findings} cannot be fixed: {why}", "{findings} 수정 불가: {why}"),
    "detached": (
        "The run goes on in the background: `quorate watch {run}` shows it, `quorate cancel {run}` ends it.",
        "실행은 백그라운드에서 계속됩니다: 보려면 `quorate watch {run}`, 취소하려면 `quorate cancel {run}`.",
    ),
    "timed_out": (
        "Not finished after {s:g} s; the run goes on: `quorate watch {run}`.",
        "{s:g}초 안에 끝나지 않았습니다. 실행은 계속됩니다: `quorate watch {run}`.",
    ),
}


def say(word: str, language: str, **values: object) -> str:
    """The sentence `word` in `language` (English where a language is unknown)."""
    english, korean = next(
        words[word] for words in (_WORDS, DELIBERATION, COVERAGE, WHAT_IF) if word in words
    )
    return (korean if language == "ko" else english).format(**values)


def role_word(role: str, language: str) -> str:
    """What somebody does in a role; the role's own name where there is no word for it."""
    word = f"role_{role}"
    return say(word, language) if word in DELIBERATION else role


def count(word: str, language: str, n: int) -> str:
    """The sentence `word` for a number of things."""
    return say(f"{word}_1" if n == 1 else word, language, n=n)

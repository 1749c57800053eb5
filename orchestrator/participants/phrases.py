"""What a panel's report says, in English and Korean. Errors are in English, as everywhere."""

from __future__ import annotations

_PHRASES: dict[str, tuple[str, str]] = {
    "participants": ("Participants: {names}.", "참가자: {names}."),
    "warning": ("Warning: {text}", "경고: {text}"),
    "rule_based": ("rule-based", "규칙 기반"),
    "person": ("person", "사람"),
    "scripted": ("scripted", "대본"),
    "external": ("external", "외부"),
    "critic": ("critic", "검토자"),
    "author": ("author's side", "작성자 측"),
    "chair": ("chair", "의장"),
    "answers": ("answers", "답변"),
    "merges": ("merges", "종합"),
    "participant": ("participant", "참가자"),
    "orchestrator": ("orchestrator", "진행자"),
    "planner": ("planner", "계획자"),
    "challenger": ("challenger", "반론자"),
    "debater": ("debater", "토론자"),
    "judge": ("judge", "심판"),
    "moderator": ("moderator", "사회자"),
    "one_family": (
        "all models are of one family ({family}); copies of one model agree with each other easily.",
        "모든 모델이 한 계열({family})입니다. 같은 모델의 복제는 서로 쉽게 동의합니다.",
    ),
    "few_votes": (
        "The {voices} voices count as {votes} independent votes: some are of one family, and err alike.",
        "{voices}명의 의견은 독립된 {votes}표로 셉니다. 일부는 한 계열이라 비슷하게 틀립니다.",
    ),
    "both_sides": (
        "{name} speaks for both sides: there is no other model.",
        "다른 모델이 없어 {name}이(가) 양쪽 모두를 말합니다.",
    ),
    "alike_judge": (
        "the judge {name} is of one family with {others}.",
        "심판 {name}은(는) {others}와(과) 한 계열입니다.",
    ),
    "rules_only": (
        "this panel is rule-based only: it finds what its rules know, and no model reads the change "
        "(`quorate participants list` says how to have one).",
        "이 패널은 규칙만 따릅니다. 규칙이 아는 것만 찾으며, 변경을 읽는 모델이 없습니다"
        "(모델을 더하는 방법은 `quorate participants list`에 있습니다).",
    ),
    "rules_merged": (
        "the critics of this panel are rule-based only: they find what their rules know. {name} is a model that merges "
        "what they find, and is sent their findings with the lines that they quote.",
        "이 패널의 비평가는 규칙만 따르며, 규칙이 아는 것만 찾습니다. 모델인 {name}은(는) 그 결과를 정리하며, "
        "지적 사항과 인용된 줄을 받습니다.",
    ),
    "silent": (
        "{names}: not taking part, because rule-based participants do not answer questions.",
        "{names}: 규칙을 따르는 참가자는 질문에 답하지 않으므로 여기에는 참가하지 않습니다.",
    ),
    "impatience": (
        "{names} must answer within {hours} h, when the run ends: budget.per_run_time gives more.",
        "{names}은(는) 실행이 끝나는 {hours}시간 안에 답해야 합니다. budget.per_run_time으로 늘릴 수 있습니다.",
    ),
    "open_key": (
        "the key of {name} goes to {url} unencrypted: anybody on the way can read it. Use https://, or a tunnel.",
        "{name}의 키가 암호화되지 않은 채 {url}(으)로 갑니다. 도중에 누구나 읽을 수 있으니 https://나 터널을 쓰세요.",
    ),
    "no_time_left": (
        "the discussion may take {forum} s, and the run ends after {run} s (budget.per_run_time): the conclusion and "
        "the vote need a few minutes more.",
        "토론은 {forum}초까지 이어질 수 있는데 실행은 {run}초 뒤에 끝납니다(budget.per_run_time). 결론과 투표에는 "
        "몇 분이 더 필요합니다.",
    ),
    "idle": (
        "Left out: {names} (this change has nothing that they read).",
        "제외: {names} (이 변경에 읽을 파일이 없음).",
    ),
    "left_out": ("{reason}; it does not take part.", "{reason} (참가하지 않음)."),
    "model_alone": (
        "{model} is set: set {key} too, or {url} for another endpoint.",
        "{model}이(가) 설정되어 있습니다. {key}도, 다른 주소라면 {url}을(를) 설정하세요.",
    ),
    "endpoint_alone": (
        "An endpoint was found, and no model: set {model} to the model to ask.",
        "주소는 있으나 모델이 없습니다. {model}에 물어볼 모델을 설정하세요.",
    ),
    "add_models": (
        "To add models do one of these (`quorate participants list` says what is missing):\n"
        "  set {keys};\n"
        "  install {programs}, or start {servers};\n"
        "  set {url} and {model} for any OpenAI-compatible server;\n"
        "  describe several under `providers:` in {file}.",
        "모델을 더하려면 다음 중 하나를 하세요(무엇이 빠졌는지는 `quorate participants list`가 알려 줍니다).\n"
        "  {keys} 중 하나를 설정\n"
        "  {programs} 중 하나를 설치하거나 {servers}를 시작\n"
        "  OpenAI 호환 서버라면 {url}과 {model}을 설정\n"
        "  여럿이면 {file}의 `providers:`에 작성",
    ),
}


def phrase(key: str, language: str, /, **values: object) -> str:
    """One phrase in a language; English where the language has none."""
    english, korean = _PHRASES[key]
    return (korean if language == "ko" else english).format(**values)

"""The words of a run's notices, in English and Korean."""

from __future__ import annotations

from orchestrator.presentation.lines import clean
from shared.models.notices import Notice

_WORDS: dict[str, tuple[str, str]] = {
    "project_edited": (
        "the change edits {files}: the new version is not used. What counts is the version before the change ({base}).",
        "변경이 {files}을(를) 고칩니다. 새 버전은 쓰지 않으며 변경 전 버전({base})이 적용됩니다.",
    ),
    "project_uncommitted": (
        "{files} here differs from the version that counts ({base}) and is not used: commit it, or name it with "
        "--config.",
        "여기 있는 {files}은(는) 적용되는 버전({base})과 달라 쓰지 않습니다. 커밋하거나 --config로 지정하세요.",
    ),
    "project_unread": (
        "{files} is not used: {why}",
        "{files}을(를) 쓰지 않습니다: {why}",
    ),
    "project_kept_out": (
        "{where}: '{key}' of the repository's own file is not used: {why}",
        "{where}: 저장소 자체 파일의 '{key}'은(는) 쓰지 않습니다: {why}",
    ),
    "project_joins": (
        "the repository's own file ({where}) adds {names} to the panel.",
        "저장소 자체 파일({where})이 {names}을(를) 패널에 더합니다.",
    ),
    "project_leads": (
        "the repository's own file ({where}) names {name} to lead.",
        "저장소 자체 파일({where})이 {name}을(를) 진행자로 지명합니다.",
    ),
    "project_passed_over": (
        "the participants that the repository's own file ({where}) names do not join: you named the panel.",
        "패널을 직접 지정했으므로 저장소 자체 파일({where})이 지명한 참가자는 참가하지 않습니다.",
    ),
    "project_limits": (
        "the repository's own file limits this run more than you do: {keys} ({where}).",
        "저장소 자체 파일이 이 실행을 더 제한합니다: {keys} ({where}).",
    ),
    "typed_wins": (
        "{typed} stands above every file: {keys} not used.",
        "{typed}이(가) 모든 파일보다 우선합니다. 쓰지 않음: {keys}.",
    ),
}
_REASONS: dict[str, tuple[str, str]] = {
    "hurries": (
        "it would leave less time, fewer rounds or fewer tries.",
        "시간, 라운드, 기회를 줄입니다.",
    ),
    "roles": ("who has which part is yours to say.", "누가 무엇을 맡는지는 사용자가 정합니다."),
    "course": (
        "how a discussion is held is yours to say.",
        "토론 방식은 사용자가 정합니다.",
    ),
    "decides": ("it would decide in your place.", "사용자를 대신해 결정합니다."),
    "link": ("it is no ordinary file of the repository.", "저장소의 일반 파일이 아닙니다."),
    "no_commit": (
        "the repository has no commit from before the change.",
        "변경 이전의 커밋이 없습니다.",
    ),
    "no_git": (
        "git cannot say what was committed before the change.",
        "변경 이전에 무엇이 커밋되었는지 git이 알려 주지 않습니다.",
    ),
}
CODES = frozenset(_WORDS)
REASONS = frozenset(_REASONS)


def tell(notice: Notice, language: str) -> str:
    """A notice as one sentence; a code that this version does not know is told as it is."""
    index = 1 if language == "ko" else 0
    values = {name: clean(value) for name, value in notice.values.items()}
    if "why" in values and values["why"] in _REASONS:
        values["why"] = _REASONS[values["why"]][index]
    words = _WORDS.get(notice.code)
    if words is None:
        return f"{clean(notice.code)}: {', '.join(f'{k}={v}' for k, v in values.items())}"
    return words[index].format(**values)

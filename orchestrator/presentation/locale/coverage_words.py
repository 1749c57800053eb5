"""What nobody read, in English and Korean: the reasons by code, and the lines that name files and analysers."""

from __future__ import annotations

from shared.models.coverage import UnreadReason

REASONS: dict[UnreadReason, tuple[str, str]] = {
    UnreadReason.BINARY: ("it is binary", "바이너리 파일"),
    UnreadReason.CRASHED: ("the analysis crashed", "분석이 비정상 종료됨"),
    UnreadReason.CUT: ("it was cut", "일부가 잘림"),
    UnreadReason.EXCLUDED: ("it is excluded by the configuration", "설정에 따라 제외됨"),
    UnreadReason.FAILED: ("the analysis failed", "분석 실패"),
    UnreadReason.GONE: (
        "it is no plain file or cannot be read",
        "일반 파일이 아니거나 읽을 수 없음",
    ),
    UnreadReason.LFS_POINTER: (
        "its content is stored elsewhere (Git LFS)",
        "내용이 다른 곳에 저장됨 (Git LFS)",
    ),
    UnreadReason.LONG_LINES: (
        "its lines are too long to be checked",
        "줄이 너무 길어 검사할 수 없음",
    ),
    UnreadReason.NEVER_SENT: (
        "it may hold secrets and is never sent",
        "비밀 정보가 있을 수 있어 보내지 않음",
    ),
    UnreadReason.NO_CONTENT: ("its content is not known", "내용을 알 수 없음"),
    UnreadReason.NOT_PARSED: ("it could not be parsed", "구문 분석 불가"),
    UnreadReason.NOT_SHOWN: ("nobody was shown it", "아무에게도 보여 주지 않음"),
    UnreadReason.REPOSITORY: ("it is a repository of its own", "별도의 저장소"),
    UnreadReason.STOPPED: ("the analysis took too long", "분석 시간 초과"),
    UnreadReason.SUBMODULE: ("it is a submodule", "서브모듈"),
    UnreadReason.SUPPRESSED: (
        "a comment of this change suppresses a rule",
        "이 변경의 주석이 규칙을 억제함",
    ),
    UnreadReason.SYMLINK: ("it is a symbolic link", "심볼릭 링크"),
    UnreadReason.TOO_LARGE: ("it is too large", "너무 큼"),
    UnreadReason.UNDECODABLE: ("its text cannot be decoded", "문자 인코딩을 해석할 수 없음"),
    UnreadReason.UNUSABLE_NAME: ("its name cannot be used", "사용할 수 없는 이름"),
}

COVERAGE: dict[str, tuple[str, str]] = {
    "nobody_read": ("Nobody read {path}: {why}", "아무도 읽지 않음: {path} ({why})"),
    "absent_for": ("{who} did not analyse {path}: {why}", "{who} 분석하지 못함: {path} ({why})"),
    "absent": ("{who} analysed nothing: {why}", "{who} 아무것도 분석하지 못함: {why}"),
    "more_unread": ("and {n} more: --json names them", "그 외 {n}건: --json 옵션으로 모두 표시"),
}

"""Tokens of further services by the forms that these publish; all are reported as one kind, `service-token`."""

from __future__ import annotations

import re
from importlib.resources import files

from shared.text.masking.checks import looks_random
from shared.text.masking.rules import EDGE, MaskingRule, rule, token
from shared.text.masking.runs import IN_RUN

KIND = "service-token"
_UUID = r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}"
_END = r"(?![\w-])"
_AFTER = r"[\"']?[ \t]{0,8}+(?:=>|[=:])[ \t]{0,8}+[\"']?"

_IN_RUN = re.compile(f"{IN_RUN}+", re.ASCII)


def _prefixed() -> tuple[MaskingRule, ...]:
    """One rule for all tokens that begin alike."""
    rests: dict[str, list[str]] = {}
    for line in (files(__package__) / "services.forms").read_text(encoding="utf-8").splitlines():
        *prefixes, rest = line.split(" ")
        for prefix in () if line.startswith("#") else prefixes:
            rests.setdefault(prefix, []).append(_UUID if rest == "UUID" else rest)
    return tuple(
        (token if _IN_RUN.fullmatch(prefix) else rule)(
            KIND,
            prefix.lower(),
            rf"{EDGE}{_escaped(prefix)}(?:{'|'.join(all_rests)}){_END}",
            looks_random,
        )
        for prefix, all_rests in rests.items()
    )


def _escaped(prefix: str) -> str:
    return "".join(rf"\{letter}" if letter in ".+$" else letter for letter in prefix)


SERVICES: tuple[MaskingRule, ...] = (
    *_prefixed(),
    token(KIND, "azdo", r"(?<=[A-Za-z0-9]{76})AZDO[A-Za-z0-9]{4}\b"),
    rule(KIND, ".", rf"(?<=[MNO][\w-]{{23}})\.([\w-]{{6}}\.[\w-]{{27,38}}){_END}"),
    token(KIND, "-us", r"(?<=[0-9a-fA-F]{32})-us\d{1,2}\b"),
    rule(KIND, "s.", r"(?<![\w.$-])s\.([A-Za-z0-9]{24})(?![\w-])", looks_random),
    token(KIND, "nral", r"(?<=[0-9a-fA-F]{36})NRAL\b"),
    token(KIND, "a3-", r"\bA3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}\b"),
    rule(KIND, "pat. sat.", rf"{EDGE}[ps]at\.[\w-]{{22}}\.[0-9a-fA-F]{{24}}\.[A-Za-z0-9]{{20}}{_END}"),
    rule(KIND, "_gitlab_session=", r"_gitlab_session=([0-9a-z]{32})"),
    rule(KIND, "webhook.office.com", r"webhook\.office\.com/webhookb2/([\w@/-]{40,300}+)"),
    rule(KIND, "hooks.zapier.com", r"hooks\.zapier\.com/hooks/catch/(\d+/[\w-]+)"),
    rule(KIND, "/bot/v2/hook/", rf"/bot/v2/hook/({_UUID})"),
    rule(KIND, "webhook/send?key=", rf"webhook/send\?key=({_UUID})"),
    rule(KIND, "robot/send?access_token=", r"robot/send\?access_token=([0-9a-fA-F]{64})"),
    rule(KIND, "maker.ifttt.com", r"maker\.ifttt\.com/(?:use/|trigger/[\w-]{1,60}/with/key/)([\w-]{20,64})"),
    rule(KIND, "ssws", r"SSWS\s{1,4}(00[\w-]{40})"),
    rule(KIND, "private_key_id", rf"private_key_id{_AFTER}([0-9a-fA-F]{{40}})\b"),
    rule(KIND, "//registry _authtoken", rf"_authToken{_AFTER}([\w+/=-]{{16,}}+)", looks_random),
    rule("azure-storage-key", "sharedaccesskey=", r"(?i:SharedAccessKey)=([A-Za-z0-9+/]{32,86}={0,2})"),
)  # fmt: skip

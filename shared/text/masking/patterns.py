"""The table of secrets: what each kind looks like. Every pattern is linear in the length of the text.

A pattern is tried where one of its `words` (lower case) stands and nowhere else, which is what makes
a long table cheap. It begins at the edge of a run of its characters, so that a run is read once.
The forms are those that the services publish.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib.resources import files

from shared.patterns import regex
from shared.text.masking.checks import (
    is_basic,
    is_connection_password,
    is_typed_password,
    looks_random,
)
from shared.text.masking.runs import IN_RUN


@dataclass(frozen=True, slots=True)
class MaskingRule:
    """One kind of secret: `pattern` is matched where a word of `words` begins.

    Group 1 is what is hidden, the whole match without one.
    """

    kind: str
    words: tuple[str, ...]
    pattern: re.Pattern[str]
    accepts: Callable[[str], bool] | None = None
    in_run: bool = False
    """The word is in a run of at least `runs.SHORTEST` characters wherever the pattern matches."""


def rule(
    kind: str, words: str, pattern: str, accepts: Callable[[str], bool] | None = None
) -> MaskingRule:
    # ASCII: a Korean particle may follow a token directly and ends it.
    return MaskingRule(kind, tuple(words.split()), regex(pattern, re.ASCII), accepts)


def token(
    kind: str, words: str, pattern: str, accepts: Callable[[str], bool] | None = None
) -> MaskingRule:
    """A rule that is only tried within runs of characters that tokens are made of: most of a text has none."""
    return replace(rule(kind, words, pattern, accepts), in_run=True)


# The edge of a run of letters, digits, underscores and hyphens.
EDGE = r"(?<![\w-])"

# ---- services -----------------------------------------------------------------------------------

SERVICE = "service-token"
"""Tokens of further services by the forms that these publish: one kind for all of them."""
_UUID = r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}"
_END = r"(?![\w-])"
_AFTER = r"[\"']?[ \t]{0,8}+(?:=>|[=:])[ \t]{0,8}+[\"']?"

_IN_RUN = regex(f"{IN_RUN}+", re.ASCII)


def _prefixed() -> tuple[MaskingRule, ...]:
    """One rule for all tokens that begin alike."""
    rests: dict[str, list[str]] = {}
    for line in (files(__package__) / "services.forms").read_text(encoding="utf-8").splitlines():
        *prefixes, rest = line.split(" ")
        for prefix in () if line.startswith("#") else prefixes:
            rests.setdefault(prefix, []).append(_UUID if rest == "UUID" else rest)
    return tuple(
        (token if _IN_RUN.fullmatch(prefix) else rule)(
            SERVICE,
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
    token(SERVICE, "azdo", r"(?<=[A-Za-z0-9]{76})AZDO[A-Za-z0-9]{4}\b"),
    rule(SERVICE, ".", rf"(?<=[MNO][\w-]{{23}})\.([\w-]{{6}}\.[\w-]{{27,38}}){_END}"),
    token(SERVICE, "-us", r"(?<=[0-9a-fA-F]{32})-us\d{1,2}\b"),
    rule(SERVICE, "s.", r"(?<![\w.$-])s\.([A-Za-z0-9]{24})(?![\w-])", looks_random),
    token(SERVICE, "nral", r"(?<=[0-9a-fA-F]{36})NRAL\b"),
    token(SERVICE, "a3-", r"\bA3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}\b"),
    rule(SERVICE, "pat. sat.", rf"{EDGE}[ps]at\.[\w-]{{22}}\.[0-9a-fA-F]{{24}}\.[A-Za-z0-9]{{20}}{_END}"),
    rule(SERVICE, "_gitlab_session=", r"_gitlab_session=([0-9a-z]{32})"),
    rule(SERVICE, "webhook.office.com", r"webhook\.office\.com/webhookb2/([\w@/-]{40,300}+)"),
    rule(SERVICE, "hooks.zapier.com", r"hooks\.zapier\.com/hooks/catch/(\d+/[\w-]+)"),
    rule(SERVICE, "/bot/v2/hook/", rf"/bot/v2/hook/({_UUID})"),
    rule(SERVICE, "webhook/send?key=", rf"webhook/send\?key=({_UUID})"),
    rule(SERVICE, "robot/send?access_token=", r"robot/send\?access_token=([0-9a-fA-F]{64})"),
    rule(SERVICE, "maker.ifttt.com", r"maker\.ifttt\.com/(?:use/|trigger/[\w-]{1,60}/with/key/)([\w-]{20,64})"),
    rule(SERVICE, "ssws", r"SSWS\s{1,4}(00[\w-]{40})"),
    rule(SERVICE, "private_key_id", rf"private_key_id{_AFTER}([0-9a-fA-F]{{40}})\b"),
    rule(SERVICE, "//registry _authtoken", rf"_authToken{_AFTER}([\w+/=-]{{16,}}+)", looks_random),
    rule("azure-storage-key", "sharedaccesskey=", r"(?i:SharedAccessKey)=([A-Za-z0-9+/]{32,86}={0,2})"),
)  # fmt: skip

# ---- all ----------------------------------------------------------------------------------------

RULES: tuple[MaskingRule, ...] = (
    # clouds
    token("aws-key", "akia asia abia acca", r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b"),
    rule(
        "aws-secret",
        "secret_access_key secretaccesskey",
        r"(?i:secret_?access_?key)[\"']?\s{0,4}+(?:=>|[=:])\s{0,4}+[\"']?"
        r"([A-Za-z0-9/+]{40})(?![\w/+=])",
    ),
    token("google-api-key", "aiza", rf"{EDGE}AIza[\w-]{{35}}(?![\w-])"),
    rule("google-oauth-token", "ya29.", rf"{EDGE}ya29\.[\w-]{{20,}}+"),
    token("google-oauth-secret", "gocspx-", rf"{EDGE}GOCSPX-[\w-]{{28}}"),
    rule("azure-storage-key", "accountkey=", r"(?i:AccountKey)=([A-Za-z0-9+/]{86}==)"),
    rule("azure-sas", "sig=", r"(?<=[?&;])sig=([A-Za-z0-9%+/]{40,100}+={0,2})"),
    rule("azure-client-secret", "q~", r"(?<=[\w~.-]{3}\d)Q~[\w~.-]{31,34}(?![\w~.-])"),
    token("digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", r"\bdo[opr]_v1_[0-9a-f]{64}\b"),
    rule("cloudflare-ca-key", "v1.0-", rf"{EDGE}v1\.0-[0-9a-f]{{24}}-[0-9a-f]{{146}}"),
    token("databricks-token", "dapi", r"\bdapi[0-9a-f]{32}(?:-\d)?\b"),
    rule("vault-token", "hvs. hvb.", rf"{EDGE}hv[sb]\.[\w-]{{24,}}+"),
    rule("terraform-token", ".atlasv1.", r"(?<=[A-Za-z0-9]{14})\.atlasv1\.[\w-]{60,}+"),
    # code hosts and package registries
    token("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", r"\bgh[pousr]_[A-Za-z0-9]{36,255}\b"),
    token("github-pat", "github_pat_", r"\bgithub_pat_\w{22,255}\b"),
    token(
        "gitlab-token",
        "glpat- gldt- glrt- glrtr- glft- glcbt- glptt- glsoat- glagent- glimt- glffct- gloas- glwt-",
        rf"{EDGE}gl(?:pat|dt|rt|rtr|ft|cbt|ptt|soat|agent|imt|ffct|oas|wt)-[\w-]{{20,}}+(?:\.[\w.]{{9,}})?",
    ),
    token("npm-token", "npm_", r"\bnpm_[A-Za-z0-9]{36}\b"),
    token("pypi-token", "pypi-ageichlwas5vcmc", rf"{EDGE}pypi-AgEIcHlwaS5vcmc[\w-]{{50,}}+"),
    token("rubygems-key", "rubygems_", r"\brubygems_[0-9a-f]{48}\b"),
    token("docker-token", "dckr_pat_ dckr_oat_", rf"{EDGE}dckr_[po]at_[\w-]{{27,}}+"),
    # models
    token("anthropic-key", "sk-ant-", rf"{EDGE}sk-ant-[a-z]{{3,6}}\d\d-[\w-]{{80,}}+(?<=AA)"),
    token("openrouter-key", "sk-or-", rf"{EDGE}sk-or-v1-[0-9a-f]{{64}}"),
    token("openai-key", "sk-", rf"{EDGE}sk-(?!ant-)[\w-]{{20,}}+", looks_random),
    token("huggingface-token", "hf_ api_org_", r"\b(?:hf|api_org)_[A-Za-z0-9]{34,40}\b"),
    token("groq-key", "gsk_", r"\bgsk_[A-Za-z0-9]{40,}+\b"),
    token("xai-key", "xai-", rf"{EDGE}xai-[A-Za-z0-9]{{60,}}+"),
    token("perplexity-key", "pplx-", rf"{EDGE}pplx-[A-Za-z0-9]{{40,}}+"),
    token("replicate-token", "r8_", r"\br8_[A-Za-z0-9]{37}\b"),
    # messages, mail, payment, operations
    rule(
        "slack-token",
        "xox xapp-",
        rf"{EDGE}(?:xoxe\.xox[bp]|xox[abcdeoprs]|xapp)-(?=[A-Za-z-]{{0,20}}\d)[A-Za-z0-9%-]{{16,}}+",
    ),
    rule(
        "slack-webhook",
        "hooks.slack.com",
        r"hooks\.slack\.com/(?:services|workflows|triggers)/([\w/]{24,200}+)",
    ),
    rule("discord-webhook", "/api/webhooks/", r"/api/webhooks/(\d{15,22}/[\w-]{50,}+)"),
    rule("telegram-token", ":aa", r"(?<=\d{8}):(AA[\w-]{33})(?![\w-])"),
    rule("sendgrid-key", "sg.", rf"{EDGE}SG\.[\w-]{{22}}\.[\w-]{{43}}"),
    token("mailgun-key", "key-", rf"{EDGE}key-[0-9a-f]{{32}}\b"),
    token("twilio-key", "sk ac", r"\b(?:SK|AC)[0-9a-f]{32}\b"),
    token(
        "stripe-key",
        "sk_live_ sk_test_ rk_live_ rk_test_",
        r"\b[sr]k_(?:live|test)_[A-Za-z0-9]{16,}+",
    ),
    token("webhook-secret", "whsec_", r"\bwhsec_[A-Za-z0-9+/=]{24,}+"),
    token(
        "shopify-token", "shpat_ shpca_ shppa_ shpss_", r"\bshp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}\b"
    ),
    token(
        "newrelic-key",
        "nrak- nrii- nraa- nriq- nrra-",
        rf"{EDGE}NR(?:AK|II|AA|IQ|RA)-[\w-]{{27,45}}(?![\w-])",
    ),
    token("grafana-token", "glsa_", r"\bglsa_[A-Za-z0-9]{32}_[0-9a-fA-F]{8}\b"),
    token("linear-key", "lin_api_", r"\blin_api_[A-Za-z0-9]{40}\b"),
    token("age-key", "age-secret-key-1", r"\bAGE-SECRET-KEY-1[0-9A-Z]{58}\b"),
    token(
        "sentry-token",
        "sntrys_ sntryu_",
        r"\bsntry(?:s_eyJ[\w+/=]{40,400}_[\w+/]{43}|u_[0-9a-f]{64})(?![\w+/-])",
        looks_random,
    ),
    token(
        "atlassian-token",
        "atatt3xffgf0 atbb",
        rf"{EDGE}(?:ATATT3xFfGF0[\w=-]{{40,}}+|ATBB[A-Za-z0-9]{{32}}\b)",
    ),
    token("figma-token", "figd_", rf"{EDGE}figd_[\w-]{{36,}}+"),
    token(
        "notion-token",
        "ntn_ secret_",
        r"\b(?:ntn_\d{11}[A-Za-z0-9]{35}|secret_[A-Za-z0-9]{43})\b",
        looks_random,
    ),
    token("postman-key", "pmak-", rf"{EDGE}PMAK-[0-9a-f]{{24}}-[0-9a-f]{{34}}"),
    token("planetscale-token", "pscale_", rf"{EDGE}pscale_(?:tkn|pw|oauth)_[\w=.-]{{32,}}+"),
    rule("doppler-token", "dp.", rf"{EDGE}dp\.(?:pt|st|ct|sa|scim|audit)\.[\w.-]{{40,}}+"),
    token("pulumi-token", "pul-", rf"{EDGE}pul-[0-9a-f]{{40}}\b"),
    token("airtable-token", "pat", r"\bpat[A-Za-z0-9]{14}\.[0-9a-f]{64}\b"),
    token(
        "square-token",
        "sq0 eaaa",
        rf"{EDGE}(?:sq0[a-z]{{3}}-[\w-]{{22,43}}|EAAA[\w-]{{60}})(?![\w-])",
    ),
    rule("mapbox-token", "sk.eyj", rf"{EDGE}sk\.eyJ[\w-]{{20,}}+\.[\w-]{{20,}}+"),
    token("flutterwave-key", "flwseck", rf"{EDGE}FLWSECK(?:_TEST)?-[0-9a-zA-Z]{{32}}-X"),
    token("easypost-key", "ezak eztk", r"\bEZ[AT]K[A-Za-z0-9]{54}\b"),
    token("duffel-token", "duffel_", rf"{EDGE}duffel_(?:test|live)_[\w=-]{{43}}"),
    rule("dynatrace-token", "dt0c01. dt0s", rf"{EDGE}dt0[a-z]\d\d\.[A-Z0-9]{{24}}\.[A-Z0-9]{{64}}"),
    rule("gemini-key", "aq.", rf"{EDGE}AQ\.[\w-]{{40,}}+", looks_random),
    token("supabase-token", "sbp_", r"\bsbp_[0-9a-f]{40}\b"),
    token(
        "facebook-token",
        "eaa",
        rf"{EDGE}EAA(?:CEdEose0cBA|[MC])[A-Za-z0-9]{{40,}}+(?![\w-])",
        looks_random,
    ),
    token("nuget-key", "oy2", r"\boy2[a-z0-9]{43}\b"),
    token("langsmith-key", "lsv2_", r"\blsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}\b"),
    *SERVICES,
    # forms that many services share
    rule("jwt", "eyj", rf"{EDGE}eyJ[\w-]{{8,}}+\.eyJ[\w-]{{8,}}+\.[\w-]{{8,}}+"),
    rule(
        "authorization",
        "authorization",
        r"(?i:authorization)[\"']?\s{0,4}+[:=,]\s{0,4}+[\"'`]?(?i:bearer|basic|token)\s{1,4}+"
        r"([\w.~+/=-]{16,}+)",
    ),
    rule(
        "authorization",
        "authorization",
        r"(?i:authorization)[\"']?\s{0,4}+[:=,]\s{0,4}+[\"'`]?(?:[\w-]{3,20}\s{1,4})?([\w.~+/=-]{16,}+)",
        looks_random,
    ),
    rule(
        "connection-password",
        "://",
        r"://[^\s:/@\"'<>]{0,100}+:([^\s/@\"'<>]{1,200}+)@",
        is_connection_password,
    ),
    rule(
        "connection-password",
        "password= pwd=",
        r"(?<=[;?&\"' ])(?<![^;] )(?i:password|pwd)=([^;\s\"'&]{3,100}+)(?=[;&\"'\s]|$)",
        is_connection_password,
    ),
    rule(
        "command-password",
        "-pass --token",
        r"-(?:-?(?i:password|passwd|passphrase)|-token)[= ][\"']?([^\s\"'`<>{}\[\]()|,;]{4,200}+)",
        is_typed_password,
    ),
    rule(
        "command-password",
        "curl wget",
        r"(?:curl|wget)\b(?:[^\n]|\\\n){0,200}?\s(?:-u|--user)[= ]{0,2}+[\"']?[\w.@-]{0,60}+:"
        r"([^\s\"'`<>{}\[\]()|,;]{4,200}+)",
        is_typed_password,
    ),
    rule(
        "command-password",
        "login",
        r"login[ \t]+\S{1,60}+\s{1,4}+password[ \t]+(\S{4,100}+)",
        is_typed_password,
    ),
    rule(
        "authorization",
        "auth",
        r"auth[\"']?\s{0,4}+[:=]\s{0,4}+[\"']?([A-Za-z0-9+/]{8,200}+={0,2})(?![\w+/=])",
        is_basic,
    ),
    rule("password-hash", "$2a$ $2b$ $2y$", r"\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}"),
    rule("password-hash", "$1$ $5$ $6$ $y$ $apr1$", r"\$(?:[156y]|apr1)\$[./$=A-Za-z0-9]{20,150}+"),
    token("private-key-body", "mii", r"(?<![\w+/=])MII[A-Za-z0-9+/]{3}IBA[A-Za-z0-9+/=\\]{40,}+"),
)

"""The table of secrets: what each kind looks like. Every pattern is linear in the length of the text.

A pattern is tried where one of its `words` (lower case) stands and nowhere else, which is what makes
a long table cheap. It begins at the edge of a run of its characters, so that a run is read once.
The forms are those that the services publish.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from shared.masking.checks import (
    is_basic,
    is_connection_password,
    is_typed_password,
    looks_random,
)


@dataclass(frozen=True, slots=True)
class Rule:
    """One kind of secret: `pattern` is matched where a word of `words` begins.

    Group 1 is what is hidden, the whole match without one.
    """

    kind: str
    words: tuple[str, ...]
    pattern: re.Pattern[str]
    accepts: Callable[[str], bool] | None = None


def _rule(
    kind: str, words: str, pattern: str, accepts: Callable[[str], bool] | None = None
) -> Rule:
    # ASCII: a Korean particle may follow a token directly and ends it.
    return Rule(kind, tuple(words.split()), re.compile(pattern, re.ASCII), accepts)


# The edge of a run of letters, digits, underscores and hyphens.
_EDGE = r"(?<![\w-])"

RULES: tuple[Rule, ...] = (
    # clouds
    _rule("aws-key", "akia asia abia acca", r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b"),
    _rule(
        "aws-secret",
        "secret_access_key secretaccesskey",
        r"(?i:secret_?access_?key)[\"']?\s{0,4}+(?:=>|[=:])\s{0,4}+[\"']?"
        r"([A-Za-z0-9/+]{40})(?![\w/+=])",
    ),
    _rule("google-api-key", "aiza", rf"{_EDGE}AIza[\w-]{{35}}(?![\w-])"),
    _rule("google-oauth-token", "ya29.", rf"{_EDGE}ya29\.[\w-]{{20,}}+"),
    _rule("google-oauth-secret", "gocspx-", rf"{_EDGE}GOCSPX-[\w-]{{28}}"),
    _rule("azure-storage-key", "accountkey=", r"(?i:AccountKey)=([A-Za-z0-9+/]{86}==)"),
    _rule("azure-sas", "sig=", r"(?<=[?&;])sig=([A-Za-z0-9%+/]{40,100}+={0,2})"),
    _rule("azure-client-secret", "q~", r"(?<=[\w~.-]{3}\d)Q~[\w~.-]{31,34}(?![\w~.-])"),
    _rule("digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", r"\bdo[opr]_v1_[0-9a-f]{64}\b"),
    _rule("cloudflare-ca-key", "v1.0-", rf"{_EDGE}v1\.0-[0-9a-f]{{24}}-[0-9a-f]{{146}}"),
    _rule("databricks-token", "dapi", r"\bdapi[0-9a-f]{32}\b"),
    _rule("vault-token", "hvs. hvb.", rf"{_EDGE}hv[sb]\.[\w-]{{24,}}+"),
    _rule("terraform-token", ".atlasv1.", r"(?<=[A-Za-z0-9]{14})\.atlasv1\.[\w-]{60,}+"),
    # code hosts and package registries
    _rule("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", r"\bgh[pousr]_[A-Za-z0-9]{36,255}\b"),
    _rule("github-pat", "github_pat_", r"\bgithub_pat_\w{22,255}\b"),
    _rule(
        "gitlab-token",
        "glpat- gldt- glrt- glft- glcbt- glptt- glsoat- glagent-",
        rf"{_EDGE}gl(?:pat|dt|rt|ft|cbt|ptt|soat|agent)-[\w-]{{20,}}+",
    ),
    _rule("npm-token", "npm_", r"\bnpm_[A-Za-z0-9]{36}\b"),
    _rule("pypi-token", "pypi-ageichlwas5vcmc", rf"{_EDGE}pypi-AgEIcHlwaS5vcmc[\w-]{{50,}}+"),
    _rule("rubygems-key", "rubygems_", r"\brubygems_[0-9a-f]{48}\b"),
    _rule("docker-token", "dckr_pat_", rf"{_EDGE}dckr_pat_[\w-]{{27,}}+"),
    # models
    _rule("anthropic-key", "sk-ant-", rf"{_EDGE}sk-ant-[\w-]{{20,}}+"),
    _rule("openrouter-key", "sk-or-", rf"{_EDGE}sk-or-v1-[0-9a-f]{{64}}"),
    _rule("openai-key", "sk-", rf"{_EDGE}sk-[\w-]{{20,}}+", looks_random),
    _rule("huggingface-token", "hf_", r"\bhf_[A-Za-z]{34}\b"),
    _rule("groq-key", "gsk_", r"\bgsk_[A-Za-z0-9]{40,}+\b"),
    _rule("xai-key", "xai-", rf"{_EDGE}xai-[A-Za-z0-9]{{60,}}+"),
    _rule("perplexity-key", "pplx-", rf"{_EDGE}pplx-[A-Za-z0-9]{{40,}}+"),
    _rule("replicate-token", "r8_", r"\br8_[A-Za-z0-9]{37}\b"),
    # messages, mail, payment, operations
    _rule(
        "slack-token",
        "xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs- xapp-",
        rf"{_EDGE}(?:xox[abeoprs]|xapp)-[A-Za-z0-9-]{{16,}}+",
    ),
    _rule(
        "slack-webhook",
        "hooks.slack.com",
        r"hooks\.slack\.com/(?:services|workflows)/([\w/]{24,200}+)",
    ),
    _rule("discord-webhook", "/api/webhooks/", r"/api/webhooks/(\d{15,22}/[\w-]{50,}+)"),
    _rule("telegram-token", ":aa", r"(?<=\d{8}):(AA[\w-]{33})(?![\w-])"),
    _rule("sendgrid-key", "sg.", rf"{_EDGE}SG\.[\w-]{{22}}\.[\w-]{{43}}"),
    _rule("mailgun-key", "key-", rf"{_EDGE}key-[0-9a-f]{{32}}\b"),
    _rule("twilio-key", "sk", r"\bSK[0-9a-f]{32}\b"),
    _rule(
        "stripe-key",
        "sk_live_ sk_test_ rk_live_ rk_test_",
        r"\b[sr]k_(?:live|test)_[A-Za-z0-9]{16,}+",
    ),
    _rule("webhook-secret", "whsec_", r"\bwhsec_[A-Za-z0-9+/=]{24,}+"),
    _rule(
        "shopify-token", "shpat_ shpca_ shppa_ shpss_", r"\bshp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}\b"
    ),
    _rule("newrelic-key", "nrak-", rf"{_EDGE}NRAK-[A-Z0-9]{{27}}\b"),
    _rule("grafana-token", "glsa_", r"\bglsa_[A-Za-z0-9]{32}_[0-9a-fA-F]{8}\b"),
    _rule("linear-key", "lin_api_", r"\blin_api_[A-Za-z0-9]{40}\b"),
    _rule("age-key", "age-secret-key-1", r"\bAGE-SECRET-KEY-1[0-9A-Z]{58}\b"),
    _rule("sentry-token", "sntrys_ sntryu_", r"\bsntry[su]_[\w+/=-]{40,}+"),
    _rule(
        "atlassian-token",
        "atatt3xffgf0 atbb",
        rf"{_EDGE}(?:ATATT3xFfGF0[\w=-]{{40,}}+|ATBB[A-Za-z0-9]{{32}}\b)",
    ),
    _rule("figma-token", "figd_", rf"{_EDGE}figd_[\w-]{{36,}}+"),
    _rule(
        "notion-token",
        "ntn_ secret_",
        r"\b(?:ntn_\d{11}[A-Za-z0-9]{35}|secret_[A-Za-z0-9]{43})\b",
        looks_random,
    ),
    _rule("postman-key", "pmak-", rf"{_EDGE}PMAK-[0-9a-f]{{24}}-[0-9a-f]{{34}}"),
    _rule("planetscale-token", "pscale_", rf"{_EDGE}pscale_(?:tkn|pw|oauth)_[\w=.-]{{32,}}+"),
    _rule(
        "doppler-token",
        "dp.pt. dp.st. dp.ct. dp.sa.",
        rf"{_EDGE}dp\.(?:pt|st|ct|sa)\.[\w.-]{{40,}}+",
    ),
    _rule("pulumi-token", "pul-", rf"{_EDGE}pul-[0-9a-f]{{40}}\b"),
    _rule("airtable-token", "pat", r"\bpat[A-Za-z0-9]{14}\.[0-9a-f]{64}\b"),
    _rule(
        "square-token",
        "sq0 eaaa",
        rf"{_EDGE}(?:sq0[a-z]{{3}}-[\w-]{{22,43}}|EAAA[\w-]{{60}})(?![\w-])",
    ),
    _rule("mapbox-token", "sk.eyj", rf"{_EDGE}sk\.eyJ[\w-]{{20,}}+\.[\w-]{{20,}}+"),
    _rule("flutterwave-key", "flwseck", rf"{_EDGE}FLWSECK(?:_TEST)?-[0-9a-zA-Z]{{32}}-X"),
    _rule("easypost-key", "ezak eztk", r"\bEZ[AT]K[A-Za-z0-9]{54}\b"),
    _rule("duffel-token", "duffel_", rf"{_EDGE}duffel_(?:test|live)_[\w=-]{{43}}"),
    _rule(
        "dynatrace-token", "dt0c01. dt0s", rf"{_EDGE}dt0[a-z]\d\d\.[A-Z0-9]{{24}}\.[A-Z0-9]{{64}}"
    ),
    _rule("gemini-key", "aq.", rf"{_EDGE}AQ\.[\w-]{{40,}}+", looks_random),
    _rule("supabase-token", "sbp_", r"\bsbp_[0-9a-f]{40}\b"),
    _rule(
        "facebook-token",
        "eaa",
        rf"{_EDGE}EAA(?:CEdEose0cBA|[MC])[A-Za-z0-9]{{40,}}+(?![\w-])",
        looks_random,
    ),
    _rule("nuget-key", "oy2", r"\boy2[a-z0-9]{43}\b"),
    _rule("langsmith-key", "lsv2_", r"\blsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}\b"),
    # forms that many services share
    _rule("jwt", "eyj", rf"{_EDGE}eyJ[\w-]{{8,}}+\.eyJ[\w-]{{8,}}+\.[\w-]{{8,}}+"),
    _rule(
        "authorization",
        "authorization",
        r"(?i:authorization)[\"']?\s{0,4}+[:=,]\s{0,4}+[\"'`]?(?i:bearer|basic|token)\s{1,4}+"
        r"([\w.~+/=-]{16,}+)",
    ),
    _rule(
        "connection-password",
        "://",
        r"://[^\s:/@\"'<>]{0,100}+:([^\s/@\"'<>]{1,200}+)@",
        is_connection_password,
    ),
    _rule(
        "connection-password",
        "password= pwd=",
        r"(?<=[;?&\"' ])(?<![^;] )(?i:password|pwd)=([^;\s\"'&]{3,100}+)(?=[;&\"'\s]|$)",
        is_connection_password,
    ),
    _rule(
        "command-password",
        "--password --passwd --passphrase --token",
        r"--(?:password|passwd|passphrase|token)[= ][\"']?([^\s\"'`<>{}\[\]()|,;]{4,200}+)",
        is_typed_password,
    ),
    _rule(
        "command-password",
        "curl wget",
        r"(?:curl|wget)\b[^\n]{0,200}?\s(?:-u|--user)[= ]{0,2}+[\"']?[\w.@-]{1,60}+:([^\s\"'`<>{}\[\]()|,;]{4,200}+)",
        is_typed_password,
    ),
    _rule(
        "command-password",
        "login",
        r"login[ \t]+\S{1,60}+\s{1,4}+password[ \t]+(\S{4,100}+)",
        is_typed_password,
    ),
    _rule(
        "authorization",
        "auth= auth: auth\" auth'",
        r"auth[\"']?\s{0,4}+[:=]\s{0,4}+[\"']?([A-Za-z0-9+/]{8,200}+={0,2})(?![\w+/=])",
        is_basic,
    ),
    _rule("password-hash", "$2a$ $2b$ $2y$", r"\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}"),
    _rule(
        "password-hash", "$1$ $5$ $6$ $y$ $apr1$", r"\$(?:[156y]|apr1)\$[./$=A-Za-z0-9]{20,150}+"
    ),
    _rule("private-key-body", "mii", r"(?<![\w+/=])MII[A-Za-z0-9+/]{3}IBA[A-Za-z0-9+/=\\]{40,}+"),
)

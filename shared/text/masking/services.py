"""Tokens of further services by the forms that these publish; all are reported as one kind, `service-token`."""

from __future__ import annotations

import re

from shared.text.masking.checks import looks_random
from shared.text.masking.rules import EDGE, MaskingRule, rule, token
from shared.text.masking.runs import IN_RUN

KIND = "service-token"
_UUID = r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}"
_END = r"(?![\w-])"
_AFTER = r"[\"']?[ \t]{0,8}+(?:=>|[=:])[ \t]{0,8}+[\"']?"

# What a token begins with, and what follows. `_` and `-` belong to the beginning.
_PREFIXED: tuple[tuple[str, str], ...] = (
    # models and their tools
    ("nvapi-", r"[\w-]{60,70}"),
    ("fw_", r"[A-Za-z0-9]{22,24}"),
    ("jina_", r"[\w-]{50,65}"),
    ("tgp_v1_", r"[\w-]{40,50}"),
    ("csk-", r"[a-z0-9]{40,50}"),
    ("tvly-", r"[\w-]{20,60}"),
    ("pcsk_", r"\w{40,80}"),
    ("pa-", r"[\w-]{43}"),
    ("sk-lf-", _UUID),
    ("rpa_", r"[A-Z0-9]{40,50}"),
    ("wandb_v1_", r"\w{40,100}"),
    ("fal_", r"[A-Za-z0-9]{32,64}"),
    ("apify_api_", r"[A-Za-z0-9-]{30,40}"),
    ("fc-", r"[0-9a-fA-F]{32}"),
    ("e2b_", r"[0-9a-fA-F]{40}"),
    ("exa_", r"[\w-]{32,40}"),
    # clouds and hosting
    ("LTAI", r"[A-Za-z0-9]{12,26}"),
    ("AKID", r"[A-Za-z0-9]{32,40}"),
    ("AQVN", r"[\w-]{34,40}"),
    ("YC", r"[A-Za-z0-9_-]{38}"),
    ("y0_", r"[\w-]{50,70}"),
    ("y0__", r"[\w-]{50,70}"),
    ("t1.", r"[\w-]{20,400}={0,2}\.[\w-]{86}={0,2}"),
    ("1//0", r"[\w-]{40,120}"),
    ("GOOG", r"[A-Z0-9]{20,60}"),
    ("HRKU-", r"[\w-]{36,70}"),
    ("SCW", r"[A-Z0-9]{17}"),
    ("fo1_", r"[\w-]{43}"),
    ("fm1r_", r"[\w+/=,-]{100,}+"),
    ("fm1a_", r"[\w+/=,-]{100,}+"),
    ("fm2_", r"[\w+/=,-]{100,}+"),
    ("rnd_", r"[A-Za-z0-9]{28,36}"),
    ("nfp_", r"\w{36,40}"),
    ("nfc_", r"\w{36,40}"),
    ("nfo_", r"\w{36,40}"),
    ("nfu_", r"\w{36,40}"),
    ("vck_", r"[A-Za-z0-9]{50,60}"),
    ("vcp_", r"[A-Za-z0-9]{50,60}"),
    ("vercel_", r"[A-Za-z0-9]{24,60}"),
    ("sb_secret_", r"[\w-]{28,50}"),
    ("napi_", r"[a-z0-9]{48,70}"),
    ("CCDB1_", r"\w{20,24}_\w{36,44}"),
    ("mdb_sa_sk_", r"[\w-]{36,50}"),
    ("cfut_", r"\w{40,60}"),
    ("cfat_", r"\w{40,60}"),
    ("cfk_", r"\w{40,60}"),
    ("ops_eyJ", r"[\w=-]{100,}+"),
    ("tskey-", r"[a-z]{3,10}-[A-Za-z0-9]{8,20}-[A-Za-z0-9]{20,40}"),
    ("hvr.", r"[\w-]{24,}+"),
    ("b.AAAAA", r"[\w-]{50,}+"),
    ("ABSK", r"[A-Za-z0-9+/]{109,269}={0,2}"),
    ("bedrock-api-key-", r"[\w+/=-]{40,}+"),
    # code, builds, registries, quality
    ("sgp_", r"(?:[0-9a-fA-F]{16}_|local_)?[0-9a-fA-F]{40}"),
    ("sgp_", r"[A-Za-z0-9]{64}"),
    ("sgd_", r"[0-9a-fA-F]{64}"),
    ("slk_", r"[0-9a-fA-F]{64}"),
    ("GR1348941", r"[\w-]{20}"),
    ("ATCTT3xFfG", r"[\w=-]{60,}+"),
    ("ATSTT3xFf", r"[\w=-]{60,}+"),
    ("bkua_", r"[a-z0-9]{40}"),
    ("CCIPAT_", r"[A-Za-z0-9]{22}_[0-9a-fA-F]{40}"),
    ("CCIPRJ_", r"[A-Za-z0-9]{22}_[0-9a-fA-F]{40}"),
    ("sqp_", r"[0-9a-fA-F]{40}"),
    ("squ_", r"[0-9a-fA-F]{40}"),
    ("sqa_", r"[0-9a-fA-F]{40}"),
    ("AKC", r"[A-Za-z0-9]{55,80}"),
    ("AKCp", r"[A-Za-z0-9]{55,80}"),
    ("cmVmd", r"[A-Za-z0-9]{55,64}"),
    ("AP", r"[0-9A-F][A-Za-z0-9]{30,80}"),
    ("CLOJARS_", r"[a-z0-9]{60}"),
    ("cio", r"[A-Za-z0-9]{32}"),
    ("packagist_", r"[a-z]{3,4}_[a-z]{4,8}_[0-9a-fA-F]{60,70}"),
    ("pypi-AgENdGVzdC5weXBp", r"[\w-]{50,}+"),
    ("dpf_", r"[a-z]{3}_[A-Za-z0-9]{40,60}"),
    ("pnu_", r"[A-Za-z0-9]{36}"),
    ("pnb_", r"[A-Za-z0-9]{36}"),
    ("rdme_", r"[a-z0-9]{70}"),
    ("bkpt_", r"[0-9a-fA-F]{40}"),
    ("dt.", r"[\w-]{40,60}\.[\w-]{20,60}"),
    ("cfp_", r"[\w-]{40,60}"),
    ("CFPAT-", r"[\w-]{43}"),
    ("figdr_", r"[\w-]{36,60}"),
    ("PMAT-", r"[A-Z0-9]{26}"),
    ("dnkey-", r"[\w=-]{26}-[\w=-]{52}"),
    ("aio_", r"[A-Za-z0-9]{28}"),
    ("p8e-", r"[A-Za-z0-9]{32}"),
    ("sm_pat_", r"[A-Za-z0-9]{16}"),
    ("sm_aat_", r"[A-Za-z0-9]{16}"),
    ("sm_sat_", r"[A-Za-z0-9]{16}"),
    ("lin_oauth_", r"[A-Za-z0-9]{40,64}"),
    ("ddp_", r"[A-Za-z0-9]{32,40}"),
    ("gho_", r"[A-Za-z0-9]{36}"),
    ("sha256~", r"[\w-]{43}"),
    ("kaggle_", r"[0-9a-fA-F]{32}"),
    ("KGAT_", r"[0-9a-fA-F]{32}"),
    # watching
    ("glc_", r"[A-Za-z0-9+/]{32,400}={0,3}"),
    ("eyJrIjoi", r"[A-Za-z0-9]{50,400}={0,3}"),
    ("NRJS-", r"[0-9a-fA-F]{19}"),
    ("pdus+", r"[\w+-]{20,40}"),
    ("u+", r"[\w+-]{18}"),
    ("hcaik_", r"[a-z0-9]{58}"),
    ("hcbik_", r"[a-z0-9]{58}"),
    ("hcaic_", r"[a-z0-9]{58}"),
    ("essu_", r"[\w+/-]{40,200}={0,3}"),
    ("phx_", r"[A-Za-z0-9]{40,60}"),
    ("phs_", r"[A-Za-z0-9]{40,60}"),
    ("dsk_", r"[A-Za-z0-9]{32,60}"),
    ("xaat-", _UUID),
    ("xapt-", _UUID),
    # messages, mail, work
    ("xkeysib-", r"[0-9a-fA-F]{64}-[A-Za-z0-9]{16}"),
    ("xsmtpsib-", r"[0-9a-fA-F]{64}-[A-Za-z0-9]{16}"),
    ("re_", r"[A-Za-z0-9]{8}_[A-Za-z0-9]{24}"),
    ("md-", r"[\w-]{22}"),
    ("KEY", r"[0-9A-F]{32}_\w{22}"),
    ("pat-na1-", _UUID),
    ("pat-na2-", _UUID),
    ("pat-eu1-", _UUID),
    ("tfp_", r"[\w.=-]{40,70}"),
    ("sl.", r"[\w-]{130,200}"),
    ("sl.u.", r"[\w-]{130,400}"),
    ("fio-u-", r"[\w=-]{64}"),
    ("oauth:", r"[a-z0-9]{30}"),
    ("AAAAAAAAAAAAAAAAAAAA", r"[A-Za-z0-9%]{40,100}"),
    ("IGQV", r"[\w-]{100,}+"),
    ("WPL_AP", r"\d\.[\w+/=.]{16,60}"),
    ("b_", r"[A-Za-z0-9=_-]{44}"),
    ("secret-", r"[A-Za-z0-9]{40,50}"),
    ("dop_", r"[0-9a-fA-F]{64}"),
    ("api-", _UUID),
    ("sdk-", _UUID),
    ("mob-", _UUID),
    ("BBFF-", r"[A-Za-z0-9]{30}"),
    ("s-s4t2ud-", r"[0-9a-fA-F]{64}"),
    ("s-s4t2af-", r"[0-9a-fA-F]{64}"),
    ("tk-us-", r"[\w-]{48}"),
    # payment and shops
    ("sk_prod_", r"[A-Za-z0-9]{10,120}"),
    ("rk_prod_", r"[A-Za-z0-9]{10,120}"),
    ("sk_org_", r"[A-Za-z0-9_]{16,120}"),
    ("sk_sbox_", r"[a-z0-9]{26,}+[*:$#=]?"),
    ("sk_", r"[0-9a-fA-F]{48}"),
    ("rzp_live_", r"[A-Za-z0-9]{14}"),
    ("rzp_test_", r"[A-Za-z0-9]{14}"),
    ("Mid-server-", r"[\w-]{24}"),
    ("xnd_production_", r"[A-Za-z0-9]{40,}+"),
    ("xnd_development_", r"[A-Za-z0-9]{40,}+"),
    ("shippo_live_", r"[0-9a-fA-F]{40}"),
    ("shippo_test_", r"[0-9a-fA-F]{40}"),
    ("live_", r"[0-9a-fA-F]{35}"),
    ("test_", r"[0-9a-fA-F]{35}"),
    ("live_", r"[\w=-]{40}"),
    ("test_", r"[0-9a-fA-F]{35}"),
    ("access-sandbox-", _UUID),
    ("access-development-", _UUID),
    ("access-production-", _UUID),
    ("access_token$production$", r"[0-9a-z]{16}\$[0-9a-fA-F]{32}"),
    ("access_token$sandbox$", r"[0-9a-z]{16}\$[0-9a-fA-F]{32}"),
    ("FLWPUBK_TEST-", r"[0-9a-h]{32}-X"),
    ("pscale_", r"[a-z]{2,5}_[\w=.-]{32,64}"),
)  # fmt: skip


_IN_RUN = re.compile(f"{IN_RUN}+", re.ASCII)


def _prefixed() -> tuple[MaskingRule, ...]:
    """One rule for all tokens that begin alike."""
    rests: dict[str, list[str]] = {}
    for prefix, rest in _PREFIXED:
        rests.setdefault(prefix, []).append(rest)
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

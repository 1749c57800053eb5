"""Words that change what a mention means, and how far they reach: NegEx and ConText in English and "
"Korean.

Sources: Chapman WW et al., J Biomed Inform 2001;
34:301 (NegEx: negations, pseudo-negations, terminations); Harkema H et
al., J Biomed Inform 2009;
42:839 (ConText: experiencer, history, hypothetical). In English most of these words stand before
what they change; in Korean, whose predicate comes last, after it.
"""

from __future__ import annotations

import re
from enum import StrEnum

from shared.patterns import regex


class ContextKind(StrEnum):
    """What such a word says of a mention."""

    NEGATED = "negated"
    UNCERTAIN = "uncertain"
    FAMILY = "family"
    PAST = "past"
    PLANNED = "planned"
    NOW = "now"


_PSEUDO = (
    r"no (?:significant |interval |appreciable )?(?:change|increase|decrease|improvement|worsening)"
    r"|not (?:only|certain|sure|necessarily)"
    r"|no (?:further|longer)? ?(?:evaluation|treatment|workup|work-up)|without (?:difficulty|incident"
    r"|further delay)|gram negative"
    r"|not (?:improv\w{0,4}|resolv\w{0,4}|controlled|well[- ]controlled|optimally controlled|better"
    r"|at goal|relieved|responding|tolerat\w{0,4})"
    r"|(?:does|did|do|has|have|had|is|was) not (?:help|improv\w{0,4}|resolv\w{0,4}|taken?|taking|follow"
    r"|chang\w{0,4}|get|got|seen?|affect|interfere|prevent|worsen\w{0,2}|smoke)"
    r"|no (?:relief|response|effect|compliance|doubt)|not compliant|noncompliant|없어지|없이도|아니라 "
)
_BEFORE = {
    ContextKind.NEGATED: (
        r"\b(?:no(?! \d)|not|nor|denie[sd]|denying|deny|without|w/o|negative(?: for)?|neg for|absent"
        r"|absence of|free of|rules? out"
        r"(?= by| with)|ruled out|never(?: had)?|none|neither|lacks?|lack of|unremarkable for"
        r"|fails? to reveal|resolution of"
        r"|no (?:evidence|signs?|symptoms?|history|complaints?|known) ?(?:of|for)?|resolved|didn't"
        r"|doesn't|hasn't|haven't|isn't"
        r"|wasn't|cannot|can't)\b|\bnon[- ]?\Z|\((?:-|−|–)\)\s?$"
    ),
    ContextKind.UNCERTAIN: (
        r"\b(?:possibl[ey]|probabl[ey]|(?:un|not )?likely|suspect(?:ed|s)?|suspicio(?:n|us)(?: for| of)?|suspicion"
        r"|concern(?:ing|ed)? (?:for|about)"
        r"|question(?:able)?(?: of)?|presumed|presumptive|may (?:be|have|represent)|might (?:be|have"
        r"|represent)|could (?:be|have|represent)"
        r"|rule out|r/o|rule-out|to exclude|versus|vs\.?|differential(?: diagnosis)?(?: includes?)?"
        r"|consistent with a possible|cannot exclude"
        r"|can't exclude|worrisome for|if (?:she|he|they|there|the patient|you|any"
        r"|your|symptoms)|should (?:she|he|they|you)"
        r"|in case of|at risk (?:for|of)|risk (?:for|of)|risks? (?:include|of|and)|to prevent"
        r"|prevention of|screen(?:ing|ed)? for|monitor(?:ing)? for"
        r"|watch for|return if|call if|unless|perhaps|evaluat(?:e|ion) for|look(?:ing)? for"
        r"|side effects?|complications?)\b"
        r"|\bif (?:\w{2,12} ){0,2}\Z|(?<!\w)\?\s?(?:\w{1,12} ){0,2}\Z"
        r"|의심되는|의심성|추정되는|감별|배제하기|위험 ?요인|합병증|(?:혹은|또는)\s?$"
    ),
    ContextKind.FAMILY: (
        r"\b(?:mother|father|mom|dad|brothers?|sisters?|siblings?|parents?|(?:grand)(?:mother|father"
        r"|parents?)|aunts?|uncles?|cousins?|"
        r"(?:his|her|whose|patient's|pt's) (?:son|daughter|wife|husband|brother|sister|child|children|spouse"
        r"|partner|family|friend|roommate"
        r"|coworker)|family (?:history|hx)|fhx?|fmh|"
        r"(?:maternal|paternal)(?: (?:side|family|history))?|relatives?|family members?)\b"
        r"|가족력|어머니|아버지|모친|부친|형제|자매|남매|누나|언니|오빠|형님|남동생|여동생|할머니"
        r"|할아버지|조모|조부|외조모|외조부|이모|고모|삼촌|사촌|배우자|(?<![가-힣])(?:모|부|남편|아내"
        r"|아들|딸)(?=[:：은는이가의 ])"
    ),
    ContextKind.PAST: (
        r"\b(?:(?<!hour )(?<!day )(?<!week )(?<!month )(?<!year )(?<!hr )(?<!yr )history of|hx of"
        r"|h/o|hx|past (?:medical )?history|prior|previous(?:ly)?|formerly|former"
        r"|remote|in the past|s/p|status[- ]post|childhood"
        r"|(?:treated|hospitali[sz]ed|admitted|operated)(?: \w{1,12}){0,2} for|(?:months?|years?"
        r"|decades?) ago|in (?:19|20)\d\d|resolved|recovered from|as a child|used to)\b|\bP[MS]Hx? ?[:=]"
        r"|과거력|과거에?|기왕력|병력|이전에?|예전에?|\d{1,2}\s?(?:년|개월|달) ?전|(?:19|20)\d\d년"
    ),
    ContextKind.PLANNED: (
        r"\b(?:will|plan(?:s|ned|ning)?(?: to| for)?|order(?:ed|ing|s)?|recommend(?:ed|s|ing|ations?)?"
        r"|schedul(?:e|ed|ing)|consider(?:ing|ed|ation)?|refer(?:red|ral)?|arrange(?:d)?"
        r"|would (?:like|recommend|consider|benefit)|should|advis(?:e|ed)|going to|pending|to be"
        r"|proceed with|obtain|request(?:ed)?|start|initiate|prescrib(?:e|ing)|begin|follow up with"
        r"|repeat|candidate for|discuss(?:ed)?|encourag(?:e|ed)|need(?:s)?(?: to| a| an)?)\b"
    ),
    ContextKind.NOW: (
        r"\b(?:now|today|currently|presents?(?: with| for)?|presenting|presented|complain(?:s|ing"
        r"|ed)?(?: of)?|came in|comes|reports?|endorses?|this (?:morning|visit|time)|new onset"
        r"|persistent|ongoing|residual|c/o|p/w)\b"
        r"|현재|금일|내원"
    ),
}
_AFTER = {
    ContextKind.NEGATED: (
        r"^[ :=]{0,3}\((?:-|−|–|neg(?:ative)?|없음)\)|^[-−–](?=\s|,|/|$)"
        r"|^[ :=]{1,3}[-−–](?=\s|,|/|$)(?! [A-Za-z가-힣](?![^\n]{0,60}? [-−–+](?:\s|,|$)))"
        r"|^[^.;]{0,40}?\b(?:(?:is|was|are|were|has been|have been) (?:not|ruled out|negative|absent"
        r"|denied|excluded|resolved)|ruled out|unlikely|not (?:seen|present|noted|identified"
        r"|appreciated|demonstrated|found|detected|observed|likely)|negative|absent|denied|none|free)\b"
        r"|^[^.;!?\n]{0,60}?(?:없(?:음|다|고|으|이|었|는|습)|부인|배제됨|배제되|아님|아니|음성"
        r"|관찰되지 ?않|보이지 ?않|확인되지 ?않|호소하지 ?않|동반하지 ?않|동반되지 ?않|지 ?않음|지 ?않)"
    ),
    ContextKind.UNCERTAIN: (
        r"^[ ]?\(?\?\)?|^[^.;]{0,40}?\b(?:is (?:suspected|possible|likely|questionable|a concern)"
        r"|(?:was|were) suspected|suspected|cannot be (?:excluded|ruled out)|can not be ruled out"
        r"|not excluded|is being considered|versus|vs\.?|as a possibility|needs to be ruled out)\b"
        r"|^[가-힣 ]{0,6}시(?:에는|엔|에)? ?(?:즉시 |바로 |다시 )?(?:내원|재내원|방문|연락|응급실|복용|투여|중단)"
        r"|^[^.;!?\n]{0,30}?(?:의심|의증|가능성|추정|감별|배제 ?(?:위해|필요|할 수 없|못)|고려|r/o|위험)"
    ),
    ContextKind.FAMILY: (
        r"^[^.;]{0,40}?\b(?:in (?:his|her|the|their)? ?(?:mother|father|family|brother|sister|parents?"
        r"|siblings?|grandmother|grandfather|aunt|uncle|son|daughter)|runs in (?:his|her|the"
        r"|their) family|\((?:mother|father|brother|sister)\))\b|^\s?(?:의|에 대한)?\s?가족력"
    ),
    ContextKind.PAST: (
        r"^,? ?\(?(?:in )?(?:19|20)\d\d\b(?![-/.]\d)"
        r"|^[^.;,]{0,40}?\b(?:(?:months?|years?|decades?) ago|in (?:19|20)\d\d|in the past|as a child"
        r"|has resolved|have resolved|resolved|previously|in (?:his|her) (?:childhood|youth|twenties"
        r"|thirties|teens))\b"
        r"|^[^.;!?\n]{0,25}?(?:과거력|기왕력|병력|완치|받은 적|앓았|수술함|수술 ?받|시행 ?받았"
        r"|진단받(?:은|았)|\d{1,2}\s?년 ?전)"
    ),
    ContextKind.PLANNED: (
        r"^[^.;]{0,30}?\b(?:(?:is|was|are|were|has been|will be) (?:ordered|scheduled|planned"
        r"|recommended|pending|advised)|(?:ordered|scheduled|planned|recommended|pending) (?:for|today"
        r"|next|tomorrow))\b"
        r"|^[^.;!?\n]{0,30}?(?:예정|계획|권유|권고|권함|의뢰|시행하기로|하기로|처방함|처방하|고려|필요"
        r"|할 것|추적)"
    ),
    ContextKind.NOW: r"(?!)",
}
_TERMINATION = (
    r"\b(?:but|however|although|though|except(?: for)?|aside from|apart from|besides|other than"
    r"|nevertheless|yet|still|which|who|secondary to|due to|because|since|as well as (?:a|an|new)"
    r"|(?:and|,) (?:(?:she|he|they|the patient|patient|it|there|i|we) )?(?:has|have|had|reports?"
    r"|endorses?|complains?|admits?|notes?|is|was|does|did|presents?|states?|describes?|developed"
    r"|experienc\w{1,4}|feels?|positive)"
    r"|positive for|admits? to|presents? with)\b"
    r"|(?<![\w+)])\+ ?(?=[A-Za-z가-힣]|\Z)|, now (?:has|presents?|with)\b"
    r"|;|:(?!\))|지만|하나[, ]|으나[, ]|나,|이고[, ]|있고"
    r"|있으며|있음|이며[, ]|는데[, ]|\((?:\+)\)"
)

_RELATIVE = (
    r"(?:mother|father|mom|dad|parents?|brothers?|sisters?|grand(?:mother|father|parents?)|aunt"
    r"|uncle|son|daughter|wife"
    r"|husband|spouse|partner|friend|roommate|coworker|family|caregiver|children|relatives?)"
)
_COMPANY = (
    rf"\b(?:by|with|from) (?:his|her|their|the|both|concerned|adoptive|foster|biological"
    rf"|\d\d-year-old| ){{1,5}}{_RELATIVE}\b(?!,? who (?:also |recently )?(?:has|had|is|was|suffers|takes))"
    r"|, now (?:has|have|presents?|with)\b|(?:환자 ?)?본인[은의에]|환자[는의] "
    rf"|\b{_RELATIVE},? (?:also |now |then |has |had |have |is |are |was |were "
    rf"|who ){{0,2}}(?:says?|said|reports?|reported|states?"
    r"|stated|notes?|noted|noticed|concerned|worried|describes?|tells?|told|denie[sd]|deny|adds?"
    r"|explains?|thinks?|believes?"
    r"|found|brought|brings?|called|observed|mentions?|endorses?|gave|gives?|tried|confirms?"
    r"|recalls?|asks?)\b"
    r"|\b(?:the patient|patient|s?he) (?:also )?(?:has|had|is|was|reports?|denie[sd]|presents?"
    r"|feels?|complains?|developed)\b"
    r"|(?:어머니|아버지|모친|부친|배우자|남편|아내|아들|딸)(?:와|과|에 의해|가 발견|이 발견"
    r"|가 데리고|이 데리고)"
)

COMPANY = regex(_COMPANY, re.I)
"""A relative who came along or speaks, or the patient after a relative: what follows is said of "
"the patient."""
REPORTED = regex(
    r" ?(?:\([A-Za-z ]{1,20}\) ?)?(?:=|:|of|is|was|at)? ?\d"
    r"|[^.;\n]{0,40}?\b(?:shows?|showed|shown|reveal(?:s|ed)|demonstrate[sd]|confirm(?:s|ed)"
    r"|indicate[sd]|came back)\b",
    re.I,
)
"""What follows a test that was done: its value, or what it showed."""
NOT_EXCLUDED = regex(
    r"^[^.;]{0,40}?\b(?:can ?not|can't|could not) be (?:excluded|ruled out)|^[^.;]{0,30}?배제(?:할 수 없|되지 않)",
    re.I,
)
"""After a mention: it is possible, whatever was denied before it."""
PSEUDO_NEGATION = regex(_PSEUDO, re.I)
TERMINATION = regex(_TERMINATION, re.I)
BEFORE = {kind: regex(pattern, re.I) for kind, pattern in _BEFORE.items()}
AFTER = {kind: regex(pattern, re.I) for kind, pattern in _AFTER.items()}

_SIDE = r"left|right|bilateral(?:ly)?|both|양측|양쪽|좌측|우측|왼쪽|오른쪽|왼|오른|좌|우"
SIDE_BEFORE = regex(
    rf"(?<![A-Za-z가-힣])(?P<side>{_SIDE})(?:[- ]?sided)?(?![A-Za-z])(?:(?<=[가-힣])[가-힣]{{0,6}})?"
    r"(?:[ -](?!and\b|or\b|but\b|with\b|without\b|no\b)[A-Za-z가-힣]{1,14}){0,3}[ -]?\Z",
    re.I,
)
SIDE_AFTER = regex(
    r"(?: (?!and\b|or\b|but\b|with\b|without\b|no\b)[a-z]{1,14}){0,4}?,? (?:in|of|on|to|at|over"
    r"|along|affecting)"
    rf"(?: the| his| her| your| my){{0,2}} (?P<side>{_SIDE})\b",
    re.I,
)
SIDES = {
    **dict.fromkeys(("left", "좌측", "왼쪽", "왼", "좌"), "left"),
    **dict.fromkeys(("right", "우측", "오른쪽", "오른", "우"), "right"),
    **dict.fromkeys(("bilateral", "bilaterally", "both", "양측", "양쪽"), "bilateral"),
}

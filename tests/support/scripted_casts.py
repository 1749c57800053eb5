"""What scripted participants say in real workers: one cast for each workflow and each way to behave.

An entry is a script's (docs/design/providers.md); the first one that fits answers, so what is special comes first.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Entry = dict[str, Any]
Cast = tuple[Entry, ...]

SILENT_S = 1.0  # how long a silent participant is waited for
NONSENSE = "garbage"
SILENCE = "hang"


def says(
    role: str, reply: Any, who: str | Sequence[str] | None = None, number: Any = None
) -> Entry:
    """An entry for a role: its reply, of somebody and in a round if they are given."""
    when = {"role": role, "participant": who, "round": number}
    return {
        "when": {key: value for key, value in when.items() if value is not None},
        "reply": reply,
    }


def does(fault: str, who: str | Sequence[str] | None = None, role: str | None = None) -> Entry:
    """An entry with a fault instead of a reply."""
    when = {"participant": who, "role": role}
    return {
        "when": {key: value for key, value in when.items() if value is not None},
        "fault": fault,
    }


def on(position: str, *findings: str, reason: str = "as was said", quote: str | None = None) -> Any:
    """Stances on findings."""
    said = {"position": position, "reason": reason, "quote": quote}
    return [{"finding": one, **said} for one in findings]


# ---- forum: claude and gemini ask for the floor, codex passes ----------------------------------------

TALK = (
    "A monolith is the simplest thing that can work for three people.",
    "Queues between the parts would let billing fail without taking the shop down.",
    "Whoever splits a database early pays for it with every report that joins two tables.",
    "Nobody here has operated a service mesh, and nobody wants to be woken by one.",
)


def forum(*speeches: Entry, ballots: Sequence[Entry] = (), end: int | None = None) -> Cast:
    """By turns; the orchestrator ends in round `end` or never manages to say anything."""
    orchestrator = (
        [does(NONSENSE, role="selection")]
        if end is None
        else [
            says("selection", "All is said.\n\nEND: One process, several modules.", number=end),
            says("selection", "SELECT: claude", number=[1, 3, 5]),
            says("selection", "SELECT: gemini", number=[2, 4, 6]),
        ]
    )
    return (
        says("ballot", {"position": "Microservices."}, "codex", 0),
        says("ballot", {"position": "One process."}, number=0),
        says("bid", "PASS - nothing to add", "codex"),
        *([says("bid", "PASS - all is said", number=end)] if end is not None else []),
        says("bid", "REQUEST"),
        *orchestrator,
        *speeches,
        *(says("speech", text, number=number) for number, text in enumerate(TALK, 1)),
        says("synthesis", "One process, several modules."),
        *ballots,
        says("ballot", "AGREE"),
    )


PERSUADED = {
    "position": "agree",
    "before": "disagree",
    "changed_because": "nobody could run it",
    "quote": "queues between the parts",
}
UNMOVED = {"position": "agree", "before": "agree", "confidence": 0.9}
FORUM: dict[str, Cast] = {
    "agree": forum(end=3, ballots=[says("ballot", PERSUADED, "codex"), says("ballot", UNMOVED)]),
    "disagree": forum(
        end=3, ballots=[says("ballot", "DISAGREE: billing must stand alone", ["claude", "gemini"])]
    ),
    "repeat": forum(
        says("speech", TALK[0], "claude"),
        says("speech", TALK[1], "gemini"),
        ballots=[says("ballot", "DISAGREE", "claude")],
    ),
    "oscillate": forum(
        says("speech", TALK[0], "claude", [1, 5]),
        says("speech", TALK[1], "claude", 3),
        says("speech", TALK[2], "gemini", [2, 6]),
        says("speech", TALK[3], "gemini", 4),
        ballots=[says("ballot", "DISAGREE", "claude")],
    ),
    "silent": (does(SILENCE, "codex"), *forum(end=2)),
    "all silent": (does(SILENCE),),
    "nonsense": (does(NONSENSE),),
}

# What the design leaves to code: who may speak when the orchestrator cannot be followed, and when it is over.
FAIRNESS: dict[str, Cast] = {
    "dead orchestrator": (does("unknown_model", "chair"), *forum()),
    "unknown name": (says("selection", "SELECT: Mistral", number=[1, 2]), *forum(end=3)),
    "a favourite": (says("selection", "SELECT: claude", number=[1, 2, 3, 4]), *forum(end=5)),
    "all pass": (says("bid", "PASS", number=[2, 3]), *forum()),
    "no end": forum(),
    "slow": tuple({**one, "latency_s": 0.9} for one in forum()),
}

# An orchestrator that knows letters only, and participants who all ask.
LETTERS: Cast = (
    says("bid", "REQUEST"),
    says("selection", "SELECT: participant A", number=1),
    says("selection", "SELECT: C", number=2),
    *forum(end=3),
)

# ---- plan: ada and bob challenge, eve plans, fay merges ----------------------------------------------

STEPS = "# Move the shop\n1. stop the shop\n2. copy the data\n3. start the shop"
OBJECTION = {
    "title": "No way back is described",
    "detail": "when the copy fails half way, nobody knows what to do",
    "severity": "MAJOR",
    "quote": "2. copy the data",
}


def plan(*later: Entry, conceded: bool = False, objection: Any = OBJECTION) -> Cast:
    """All raise one objection; what they say later is given."""
    answers = (
        says("defense", {"stances": on("agree", "F1", reason="right")})
        if conceded
        else does(NONSENSE, role="defense")
    )
    return (
        says("plan", {"plan": STEPS}),
        says("challenge", {"verdict": "REVISE", "findings": [objection]}, number=1),
        *later,
        answers,
        says("synthesis", {"summary": "A way back is missing."}),
    )


def challenges(*positions: str) -> Cast:
    """Positions in rounds 3, 5, ..., each time for another reason, and a planner who defends for another one."""
    reasons = ("the disks are old", "orders come at night", "backups were never tried")
    defences = ("the shop is closed", "a copy is quick", "two people watch", "it was rehearsed")
    later = [
        says(
            "challenge",
            {"verdict": "REVISE", "stances": on(position, "F1", reason=reasons[index])},
            number=2 * index + 3,
        )
        for index, position in enumerate(positions)
    ]
    answers = [
        says("defense", {"stances": on("disagree", "F1", reason=text)}, number=2 * index + 2)
        for index, text in enumerate(defences)
    ]
    return plan(*later, *answers)


AGAIN = {"title": "Nobody is told when the shop closes", "severity": "MINOR"}
AGREEING = says("challenge", {"verdict": "REVISE", "stances": on("agree", "F1")})
PLAN: dict[str, Cast] = {
    "agree": plan(AGREEING, conceded=True),
    "disagree": challenges("agree", "agree"),
    "repeat": plan(
        says(
            "challenge",
            {"verdict": "REVISE", "findings": [AGAIN], "stances": on("abstain", "F1")},
        ),
        says("defense", {"defended_points": [{"point": "F1", "reason": "it is closed"}]}),
        objection=AGAIN,
    ),
    "oscillate": challenges("disagree", "agree"),
    "silent": (does(SILENCE, "bob"), *plan(AGREEING, conceded=True)),
    "all silent": (says("plan", {"plan": STEPS}), does(SILENCE)),
    "nonsense": (says("plan", {"plan": STEPS}), does(NONSENSE)),
}

# ---- panel: ada, bob and cyd debate, jay judges ------------------------------------------------------


def argues(text: str, reason: str, who: Any = None, number: Any = None, said: Any = ()) -> Entry:
    """A debater's argument."""
    fields = {"position": text, "argument": reason, "confidence": 0.8, "stances": list(said)}
    return says("argument", fields, who, number)


def panel(*arguments: Entry, ballots: Sequence[Entry] = ()) -> Cast:
    """Arguments, then ballots for P1 and a judge who follows."""
    return (
        *arguments,
        *ballots,
        says("ballot", {"choice": "P1", "confidence": 0.9}),
        says("judgement", {"verdict": "Yes, it should.", "choice": "P1", "confidence": 0.8}),
    )


REASONS = ("copying takes hours", "downtime costs orders", "backups exist", "disks are old")
OTHERS = ("bob", "cyd")
FOR_NO = says("ballot", {"choice": "P2", "confidence": 0.9}, OTHERS)
SIDES = [
    argues(
        text,
        f"{reason}, {own}",
        who,
        number,
        [*on("agree", own, reason=reason), *on("disagree", other, reason=reason)]
        if number > 1
        else (),
    )
    for number, reason in enumerate(REASONS, 1)
    for text, who, own, other in (("Yes", "ada", "P1", "P2"), ("No", OTHERS, "P2", "P1"))
]
PANEL: dict[str, Cast] = {
    "agree": panel(*(argues("Yes", text, number=number) for number, text in enumerate(REASONS, 1))),
    "disagree": panel(*SIDES, ballots=[FOR_NO]),
    "repeat": panel(
        argues("Yes", "as was said before by all who know it", "ada"),
        argues("No", "as was said before by all who know it"),
        ballots=[FOR_NO],
    ),
    "oscillate": panel(
        *(
            argues("Yes" if number % 2 else "No", text, number=number, who=OTHERS)
            for number, text in enumerate(REASONS, 1)
        ),
        *(argues("Yes", text, number=number) for number, text in enumerate(REASONS, 1)),
    ),
    "silent": (
        does(SILENCE, "cyd"),
        *panel(*(argues("Yes", text, number=number) for number, text in enumerate(REASONS, 1))),
    ),
    "all silent": (does(SILENCE),),
    "nonsense": (does(NONSENSE),),
}

# One cast for every strategy: all say yes from the start, the moderator sees it, everybody votes for it.
DEBATE: Cast = (
    says("ballot", {"position": "Yes", "confidence": 0.7}, number=0),
    says("moderation", {"consensus_score": 0.4, "feedback": "all say yes, for different reasons"}),
    *PANEL["agree"],
)

# Two lenses and what each says of the other.
LENSES: Cast = (
    says("plan", {"plan": STEPS}),
    says("risk-analysis", {"verdict": "REVISE", "findings": [OBJECTION]}),
    says("innovation-analysis", {"verdict": "ACCEPT", "opportunities": ["move shop by shop"]}),
    says("cross-review", {"verdict": "REVISE", "stances": on("agree", "F1")}),
    says("synthesis", {"summary": "A way back is missing."}),
)

# ---- ask: answers, rankings, a synthesis -------------------------------------------------------------

ASK: dict[str, Cast] = {
    "agree": (
        says("answer", {"answer": "A monolith.", "confidence": 0.8}),
        says("ranking", {"ranking": ["A", "B"]}),
        says("synthesis", {"summary": "All say: a monolith."}),
    ),
    "disagree": (
        says("answer", "Microservices.", "codex"),
        says("answer", "A monolith."),
        says("ranking", "FINAL RANKING:\n1. B\n2. A"),
        says("synthesis", {"summary": "Two say a monolith, one does not."}),
    ),
    "silent": (
        does(SILENCE, "codex"),
        says("answer", "A monolith."),
        says("ranking", {"ranking": ["A", "B"]}),
        says("synthesis", {"summary": "A monolith."}),
    ),
    "all silent": (does(SILENCE),),
    "nonsense": (
        says("answer", "A monolith."),
        does(NONSENSE, role="ranking"),
        does(NONSENSE, role="synthesis"),
    ),
}

# ---- review: two critics, an author, a chair; nobody writes a patch ------------------------------------

DEFECT = {
    "title": "eval of input",
    "detail": "anybody can run code here, because the text is not checked",
    "severity": "MAJOR",
    "place": {"path": "app.py", "line": 2},
    "quote": "return eval(x)",
}
CODE = "return eval(x)"


def review(*later: Entry, findings: Any = (DEFECT,)) -> Cast:
    """Both critics find the same; what is said later is given."""
    return (
        says("critique", {"verdict": "NEEDS_FIX", "findings": list(findings)}, number=1),
        *later,
        says("synthesis", {"summary": "eval runs what it is given."}),
        says("fix", {"fixes": []}),
    )


def critiques(*positions: str) -> Cast:
    """Positions in rounds 3, 5, ..., each time for another reason, and an author who defends for another one."""
    reasons = ("callers are not checked", "the text comes from outside", "nobody tests it")
    defences = ("callers are trusted", "it is fast", "it was always so", "it is short")
    later = [
        says(
            "critique",
            {
                "verdict": "NEEDS_FIX",
                "stances": on(position, "F1", reason=reasons[index], quote=CODE),
            },
            number=2 * index + 3,
        )
        for index, position in enumerate(positions)
    ]
    answers = [
        says(
            "rebuttal",
            {"stances": on("disagree", "F1", reason=text, quote=CODE)},
            number=2 * index + 2,
        )
        for index, text in enumerate(defences)
    ]
    return review(*later, *answers)


CONCEDED = (
    says("critique", {"verdict": "NEEDS_FIX", "stances": on("agree", "F1", quote=CODE)}),
    says("rebuttal", {"stances": on("agree", "F1", quote=CODE), "conceded_points": ["F1"]}),
)
REVIEW: dict[str, Cast] = {
    "agree": review(*CONCEDED),
    "disagree": critiques("agree", "agree"),
    "repeat": (
        says("critique", {"verdict": "APPROVED", "summary": "whoever calls it checks"}, "critic2"),
        says("critique", {"verdict": "NEEDS_FIX", "findings": [DEFECT]}),
        *review(),
        says("rebuttal", {"defended_points": [{"point": "F1", "reason": "callers check"}]}),
    ),
    "oscillate": critiques("disagree", "agree"),
    "silent": (does(SILENCE, "critic2"), *review(*CONCEDED)),
    "all silent": (does(SILENCE),),
    "nonsense": (does(NONSENSE),),
}

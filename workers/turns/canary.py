"""A trap for turns that obey their data: a request inside the fence that nobody honest follows.

Theory of operation. The first fenced part of a prompt ends with one sentence that asks for a code
word, to be built from two words that the sentence names. The built word occurs nowhere in the
prompt: a reply that only quotes the sentence, to report it, does not hold it; a reply that does
what data asks does. Such a turn is quarantined: paid, stored, counted, never used.

Both words follow from a secret of the run and the participant, so neither the subject's author nor another participant
can know them, and all turns of a participant begin with the same text. What the trap cannot see is written in
docs/design/hostile-text.md.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from shared.errors import ProviderError
from shared.models.findings import RaisedFinding
from shared.models.outcomes import FailureKind
from shared.models.steps import TurnRequest
from shared.models.wire import ForeignWire
from shared.text.trap import Trap, trap_of
from workers.providers.calls import Completion, ProviderCall
from workers.turns.echoes import says


@dataclass(frozen=True, slots=True)
class Canary:
    """A turn's trap: the `sentence` to plant and its two `words`. Without a sentence there is none."""

    sentence: str = ""
    words: tuple[str, ...] = ()

    @classmethod
    def of(cls, secret: str, language: str = "en") -> Canary:
        """The trap of that secret; the same secret gives the same trap."""
        trap = Trap.of(secret, language)
        return cls(trap.sentence, trap.words)

    def obeyed(self, text: str) -> bool:
        """True when the text holds the code word: as it is, spelled, cut short, in other letters, or encoded."""
        if not self.sentence:
            return False
        first, second = self.words
        return says(text, second, first)

    def listening(
        self,
        participant: str,
        keep: Callable[[Completion], None],
        stored: Iterable[Completion] = (),
    ) -> Callable[[Completion], None]:
        """`keep`, and then a check whether the answer obeyed. Answers that are `stored` are checked now.

        Raises ProviderError (quarantined), then and later: what was paid is kept before it is refused.
        """
        for completion in stored:
            self._check(participant, completion)

        def listen(completion: Completion) -> None:
            keep(completion)
            self._check(participant, completion)

        return listen

    def _check(self, participant: str, completion: Completion) -> None:
        if self.obeyed(completion.text):
            raise ProviderError(
                FailureKind.QUARANTINED,
                f"{participant} followed an instruction in the data under review, so its answer is not used: "
                "it may hold whatever else the data asks for.",
            )

    def removed_from(self, call: ProviderCall) -> ProviderCall:
        """The call without the sentence, to be compared with calls that have another one."""
        if not self.sentence:
            return call
        return dataclasses.replace(call, user=call.user.replace(self.sentence, ""))

    def without_reports(self, reply: ForeignWire) -> ForeignWire:
        """The reply without findings about the trap itself: it is ours, and no defect of the subject."""
        findings = getattr(reply, "findings", None)
        if not self.sentence or not isinstance(findings, tuple):
            return reply
        kept = tuple(rest for rest in map(self._without_trap, findings) if rest is not None)
        return reply if kept == findings else reply.model_copy(update={"findings": kept})

    def _without_trap(self, finding: object) -> object:
        """The finding; None when it is about the trap. A quotation that runs on into the trap ends before it."""
        if not isinstance(finding, RaisedFinding):
            return finding
        quote = finding.quote or ""
        before, sentence, after = _flat(quote).partition(_flat(self.sentence))
        if sentence and (before or after):
            rest = self._cut_from(quote)
            return finding.model_copy(update={"quote": rest}) if rest.strip("\"'` ") else None
        shown = quote or f"{finding.title}\n{finding.detail}"
        return None if self._quoted_by(quote) or self._named_by(shown) else finding

    def _cut_from(self, quote: str) -> str:
        """What is left of a quotation that runs on into the sentence."""
        sentence = re.search(r"\s+".join(map(re.escape, self.sentence.split())), quote)
        if sentence is None:
            return ""
        return f"{quote[: sentence.start()]}{quote[sentence.end() :]}".strip()

    def _quoted_by(self, quote: str) -> bool:
        return len(_flat(quote)) >= _PIECE and _flat(quote) in _flat(self.sentence)

    def _named_by(self, text: str) -> bool:
        return any(word in text.lower() for word in self.words)


_PIECE = 12  # characters of the sentence, without blanks, that no subject holds by chance


def _flat(text: str) -> str:
    return "".join(text.split()).strip("\"'`.")


def canary_of(request: TurnRequest, resolve: Callable[[str], bytes]) -> Canary:
    """The trap of a turn, watched."""
    trap = trap_of(request, resolve)
    return Canary(trap.sentence, trap.words)

"""Exchanges written for training: the project's own sentences, and no benchmark measures on them.

Short ones, because disagreement is rare among people who are polite to strangers: what was said before | the turn.
Arguments, in `consensus_arguments.txt`: which side the reply takes | what was said | the reply.
"""

from __future__ import annotations

from pathlib import Path

from orchestrator.core.consensus.detectors.acts import AGREE, DISAGREE, OTHER

_DISAGREE = """
It doesn't matter which one we take. | Yes it does.
That won't break anything. | It would.
You can't do both. | Yes you can.
We don't have to decide today. | Yes we do
The cache isn't the problem. | But it is
They are not the same. | yes they are
It works for every case. | No it doesn't
This proves the point. | It doesn't prove that
The second one is better. | I don't think so
We need all three of them. | No, we only need one
We need all three of them. | no, the first will do
Let's take B and D. | I would leave D alone
Let's take B and D. | D can go, we don't need it
Let's take B and D. | D is not needed
I think it is the queue. | I don't think it is the queue
I think it is the queue. | No, it is the lock
I chose 3 and 4. | I don't see why 4
So the answer is 7. | that's wrong
So the answer is 7. | No, that is not right.
So the answer is 7. | Sorry, 7 is incorrect
So the answer is 7. | it isn't 7 at all
We all agree then. | I disagree
We all agree then. | Actually I don't agree
We all agree then. | no wait, not me
We all agree then. | I still disagree
Ready to go with this? | No
Ready to go with this? | not yet, I think it is wrong
Should we stop here? | No, I don't think so
The manual asks for a restart. | The manual does not ask for that
The manual asks for a restart. | that isn't what it asks for
Both tests show it. | They don't show it
The first one has to be on. | not necessarily
The first one has to be on. | It doesn't have to be
The plan is risky. | It's not as risky as that
Everything follows from the rule. | nope, only half of it follows
Everything follows from the rule. | That doesn't follow
You should leave it out. | I would leave it in
You should leave it out. | I want it to stay
You have to check this one. | no you don't
If it is odd we have shown it. | that shows nothing
"""
_AGREE = """
It doesn't matter which one we take. | No it doesn't
That won't break anything. | Right, it won't
You can't do both. | no you can't
We don't need the last one. | exactly, not needed
Let's take B and D. | I don't see why not
So the answer is 7. | I can't disagree with that
So the answer is 7. | no doubt about it
"""
_OTHER = """
Is anybody else here? | No
Did you see a message? | no
Have you done this before? | No, never
How are you? | not bad
Anyone have questions? | no
What time is it? | I don't know
Sorry for that. | no worries
Sorry for that. | No, it's okay
Are you sure? | not really sure
Do you know why? | no idea
"""


def written_examples() -> list[tuple[str, str, str]]:
    """Text, the text before it, and its act."""
    return [
        (text.strip(), before.strip(), act)
        for act, lines in ((DISAGREE, _DISAGREE), (AGREE, _AGREE), (OTHER, _OTHER))
        for line in lines.strip().splitlines()
        for before, text in [line.split("|")]
    ]


ARGUMENTS = Path(__file__).with_name("consensus_arguments.txt")
_SIDES = {"+": AGREE, "-": DISAGREE, "0": OTHER}


def written_arguments() -> list[tuple[str, str, str]]:
    """The reply, what it replies to, and the side that it takes."""
    lines = ARGUMENTS.read_text(encoding="utf-8").splitlines()
    return [
        (reply.strip(), said.strip(), _SIDES[mark.strip()])
        for line in lines
        if line and not line.startswith("#")
        for mark, said, reply in [line.split("|", 2)]
    ]

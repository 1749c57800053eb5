"""The cues of `arguments`: groups of function words and set phrases. None belongs to a subject."""

from __future__ import annotations

from shared.patterns import regex


def _group(words: str) -> frozenset[str]:
    return frozenset(words.split())


# Groups of words that are counted in a reply, and some of them in what it replies to.
GROUPS = {
    "you": _group("you your you're you've you'll you'd yours yourself u ur yourselves"),
    "they": _group(
        "they them their they're they've they'll they'd these those theirs themselves folks"
    ),
    "third": _group("he she him her his he's she's hers himself herself guy lady woman man"),
    "me": _group("i my me i'm i've i'd i'll mine myself im ive"),
    "us": _group("we us our we're we've we'll ours"),
    "negation": _group(
        "not no never none nobody nothing don't doesn't didn't isn't aren't wasn't weren't won't can't cannot"
        " couldn't"
        " wouldn't shouldn't haven't hasn't ain't neither nor dont doesnt didnt isnt cant wont without"
    ),
    "contrast": _group(
        "but however although though except unless yet nevertheless whereas instead"
    ),
    "correction": _group(
        "actually wrong false incorrect untrue misleading nonsense literally fact facts evidence proof source"
        " sources"
        " claim claims myth logic logical argument fallacy lie lies lying liar ridiculous absurd bullshit bs"
    ),
    "insult": _group(
        "idiot idiots stupid moron morons dumb dumbass fool fools foolish ignorant ignorance clown clowns pathetic"
        " selfish troll crybaby snowflake coward cowards sheep delusional clueless brainless childish hypocrite"
    ),
    "assent": _group(
        "agree agreed agrees exactly absolutely definitely indeed totally precisely yup yep yeah yes yea true right"
        " amen same ditto preach bingo ikr seconded"
    ),
    "adding": _group("also too plus another especially even moreover and both either again always"),
    "regret": _group("sadly unfortunately sad scary hopefully wish hate tired sick crazy insane"),
    "pleased": _group(
        "love great good awesome glad nice funny hilarious beautiful perfect best proud"
    ),
    "laughter": _group("lol lmao haha hahaha rofl lmfao ha heh"),
    "thanks": _group("thanks thank ty thx cheers appreciate appreciated welcome"),
    "sorry": _group("sorry apologies apologize condolences"),
    "hedge": _group(
        "maybe perhaps possibly probably guess suppose might idk unsure depends somewhat seems hmm wonder curious"
    ),
    "must": _group("should must need needs ought shouldn't"),
    "because": _group("because since so therefore hence means mean thus"),
    "if": _group("if when would could"),
    "quantity": _group("all every everyone everybody most many people some only just"),
    "asking": _group("what why how who where which when whose"),
}

# Set phrases anywhere in a reply.
_PHRASES = {
    "agrees": r"\b(?:i|we|totally|completely|fully|strongly|have to|would|wholeheartedly) agree\b"
    r"|\bagree with (?:you|this|that)"
    r"|\bagree (?:on|that)\b|\bin agreement\b|\bcouldn'?t agree more\b|\b(?:well|perfectly) (?:said|put)\b"
    r"|\bspot on\b"
    r"|\b(?:good|great|fair|excellent|valid) (?:point|call|idea|catch)\b|\bnailed it\b|\bmakes (?:\w+ )?sense\b"
    r"|\b(?:you're|you are|that's|thats|that is|is|so) (?:so |absolutely |completely |totally |quite |very "
    r"|exactly )?"
    r"(?:right|correct|true|fair)\b|\b(?:same here|me too|me neither|so do i|neither do i|my thoughts"
    r"|what i thought"
    r"|what i was thinking|i second|count me in|i support)\b",
    "disagrees": r"\bdisagree|\b(?:do not|don'?t|can'?t|cannot|couldn'?t) (?:\w+ )?agree\b|\bi (?:would"
    r"|must) (?:argue|object)\b"
    r"|\b(?:that's|thats|that is|it's|this is|you're|you are) (?:just |simply |completely |not |a )*"
    r"(?:wrong|false|incorrect|nonsense|absurd|ridiculous|untrue|not true|not right|not how|not what|not the)\b"
    r"|\bnot (?:really|quite|necessarily|true|exactly|convinced|at all)\b|\bi (?:don't|do not) (?:think|believe"
    r"|see|buy)\b",
    "never_said": r"\b(?:never|didn'?t|did not|no ?one|nobody|where did i|who) (?:\w+ )?(?:said|say|saying|says"
    r"|claimed|claim|mentioned)\b"
    r"|\bi (?:never|didn'?t|did not)\b|\bmy point\b|\bputting words\b|\bnot what i\b",
    "challenges": r"\b(?:by (?:that|your) logic|what about|how about|how is (?:that|it|this)|how does (?:that"
    r"|it)|so (?:you|because you)"
    r"|care to (?:explain|share)|explain (?:how|why|to|your)|prove (?:it|that|me)|show me|do you (?:even|really"
    r"|actually|think|know|have)"
    r"|did you (?:even|read|actually)|are you|have you|you (?:do )?(?:realize|realise|know that|think|seem"
    r"|clearly|just|obviously|need)"
    r"|your (?:own|logic|argument|point|claim|opinion)|google (?:it|is)|read (?:the|it|a|up|again)"
    r"|according to whom|says who)\b",
    "orders": r"(?:^|[.!?] +)(?:please |just |then |so )?(?:go|stop|try|learn|get|read|look|show|explain|tell"
    r"|prove|enjoy|keep|give"
    r"|take|leave|grow|shut|stay|mind|wake|come|imagine|let|do|don't|think|check)\b",
    "corrects": r"\b(?:doesn'?t|does not|don'?t|isn'?t|is not|aren'?t|are not|didn'?t"
    r"|wasn'?t) (?:\w+ ){0,2}(?:mean|make|work|prove"
    r"|change|matter|help|follow|justify|have|need|even|how|what|why|the same|about)\b|\bnot about\b"
    r"|\bhas nothing to do\b"
    r"|\bin fact\b|\bthe (?:fact|problem|issue|difference|point|truth|reality) (?:is|with)\b|\bno,|\bnot (?:a"
    r"|the) same\b",
    "carries_on": r"\b(?:this is (?:why|what|exactly)|that's (?:why|what|the)|and then|and they|they (?:also"
    r"|just|all|will|don'?t|are|think"
    r"|want|always|never|even|would|should)|reminds me|not to mention|on top of|at least|the (?:same|worst"
    r"|funny|sad|best) (?:people|ones|part|thing)"
    r"|people (?:who|like|are|that)|as if|imagine|i know|for real|no kidding|no wonder|the irony|it'?s (?:so"
    r"|crazy|sad|insane|amazing))\b",
    "anecdote": r"\bmy (?:\w+ )?(?:mom|dad|wife|husband|friend|boss|job|work|family|kids?|sister|brother"
    r"|neighbou?r|team|company|school|town)\b"
    r"|\bi(?:'ve| have) (?:been|had|seen|heard|never|always|worked|got)\b|\bi (?:was|had|saw|heard|work|live"
    r"|used to|always|just|feel|wear|went|got)\b"
    r"|\bwhere i (?:live|work|am)\b",
    "asks_more": r"\b(?:what (?:do|did) you mean|where (?:are|do|did) you|which one|is (?:it|there|this)"
    r"|can (?:i|you|someone)|does (?:it|anyone)"
    r"|any (?:idea|chance|link)|just curious|genuinely|wondering|not sure|don'?t know|no idea|i think it(?:'s"
    r"| was| is)|looks like"
    r"|it depends|could be|might be)\b",
    "wishes": r"\b(?:i hope|hope (?:you|it|they|she|he)|sorry (?:to|for|about|that)|good luck|stay (?:safe"
    r"|strong)|take care|thank you|feel better"
    r"|no (?:worries|problem)|you're welcome|congrat)",
    "sarcasm": r"/s\b|\b(?:oh (?:please|really|wow|no|sure)|yeah right|sure thing|nice try|cry (?:me|about"
    r"|harder)|ok boomer|wow)\b|\.\.\.",
    "holds_out": r"\bstill (?:believe|think|maintain|stand|hold|prefer|feel|consider|argue|see)\b"
    r"|\bmaintain (?:my|that)\b|\bstand by\b"
    r"|\bmy (?:original|initial|own) (?:\w+ )?(?:position|proposal|answer|view|version|choice)\b"
    r"|\bremain (?:\w+ )?(?:convinced|unconvinced|skeptical|sceptical|opposed)\b"
    r"|\brespectfully\b|\bi reject\b|\bcannot (?:accept|support|endorse)\b|\b(?:overlooks|ignores|misses"
    r"|neglects|understates|overstates|underestimates|assumes)\b",
    "gives_way": r"\bi (?:concede|accept|withdraw|stand corrected|retract|was wrong|am convinced|support"
    r"|endorse)\b|\bconvinced me\b|\bi(?:'m| am) convinced\b"
    r"|\bchanged my mind\b|\b(?:let's|let us) (?:go|adopt|do)\b|\b(?:builds?|building) on\b|\bto add\b|\bi(?:'d"
    r"| would) (?:also )?add\b|\bi share\b|\breinforces?\b|\bechoe?s?\b",
    "concession": r"\b(?:while|although|though|even if|granted|admittedly|i (?:see|understand|get|appreciate"
    r"|acknowledge|recognize)|to be fair|fair enough)\b[^.!?]{3,200}"
    r"(?:,|\bbut\b|\bhowever\b|\byet\b)",
}
# Phrases of a group that works at a choice, looked for in both texts.
_WORKS = {
    "choosing": r"\b(?:pick(?:ed|ing|s)?|cho(?:ose|se|sen|osing|ice)|select(?:ed|ing|ion)?|submit(?:ted|ting)?"
    r"|answers?|vot(?:e|ed|ing)"
    r"|options?|solutions?|decid(?:e|ed)|decision|final)\b",
    "together": r"\b(?:everyone|everybody|anyone|guys|we all|we both|all of us|(?:shall|should|do|can|could|are"
    r"|did|would) we"
    r"|we (?:should|need|have to|could|can|only|just|want|would|agree)|let'?s|us)\b",
    "reasons": r"\b(?:i think|i thought|i was thinking|i believe|in my opinion|my (?:thinking|reasoning"
    r"|thought)|it says"
    r"|the (?:question|instructions?|statement|rule|task)|(?:to|we|i) (?:check|test|prove|verify|confirm"
    r"|make sure|see if)|only need"
    r"|if (?:it|there|the|we|you)|because if)\b",
    "goes_with": r"\b(?:go|going|went|stick|sticking|gone) with\b|\bi (?:had|put|got|went|said|did)\b",
}

# How a reply begins; the first that fits.
_OPENINGS = {
    "yes": r"(?:oh |ah |well |and |haha |lol |ok |okay |i mean |omg )?(?:yes+|yeah+|yea|yep|yup|ya|exactly"
    r"|agreed?|absolutely|definitely|indeed|totally"
    r"|precisely|correct|true|right|same|amen|ikr|this\b|of course|for real|fr\b|i know|i agree|no kidding"
    r"|no doubt|bingo|well said|so true|facts"
    r"|preach|couldn'?t agree|good point|great point|great idea|thats? true|that'?s true|that's right"
    r"|you'?re right|you are right|me too|me neither)",
    "no": r"(?:oh |ah |well |and |haha |lol |um |uh |yeah )?(?:no|nope|nah|not|wrong|false|incorrect|bullshit"
    r"|nonsense|disagree|i disagree|hard disagree"
    r"|untrue|that'?s not|it'?s not|that is not|i don'?t think|i never|i didn'?t|never said|doubt)",
    "but": r"(?:but|however|actually|except|well|still|yet|although|though|while|even so|ah|oh|so|then|ok|okay"
    r"|sure|um|uh|lol|wow)",
    "ask": r"(?:what|why|how|who|where|when|which|do|does|did|is|are|can|could|would|will|have|has|wait)",
    "thanks": r"(?:thanks?|ty|sorry|i'?m (?:so |very |really )?sorry|welcome|no problem|no worries"
    r"|you'?re welcome|i hope|good luck|glad)",
    "and": r"(?:and|also|or|plus|especially|because|even|not only|as well|another|like|which|until|then again)",
    "hedge": r"(?:maybe|perhaps|i think|i guess|probably|idk|i don'?t know|not sure|i believe|might|could be"
    r"|depends|it depends|hmm+|i wonder|apparently)",
    "you": r"(?:you|your|you'?re|u|ur|yourself)",
    "they": r"(?:they|these|those|people|some people|he|she|most|everyone|nobody)",
    "me": r"(?:i|my|i'?m|i'?ve|we|our|in my|as a|as someone)",
    "it": r"(?:it|it'?s|that|that'?s|there|this|the|a)",
}

PHRASES = {name: regex(pattern) for name, pattern in _PHRASES.items()}
WORKS = {name: regex(pattern) for name, pattern in _WORKS.items()}
OPENINGS = {name: regex(rf"\W*{pattern}(?![a-z'])") for name, pattern in _OPENINGS.items()}

"""Who trained a model, guessed from its name: copies of one model agree with each other easily."""

from __future__ import annotations

import re

# By the beginning of a model's name, after an organisation's prefix.
FAMILIES: tuple[tuple[str, str], ...] = (
    (r"gpt|chatgpt|codex|o\d", "openai"),
    (r"claude", "anthropic"),
    (r"gemini|gemma", "google"),
    (r"llama|codellama", "meta"),
    (r"mistral|mixtral|codestral|devstral|magistral|ministral", "mistral"),
    (r"qwen|qwq", "qwen"),
    (r"deepseek", "deepseek"),
    (r"phi", "microsoft"),
    (r"grok", "xai"),
    (r"command", "cohere"),
    (r"exaone", "lg"),
    (r"solar", "upstage"),
    (r"glm|chatglm", "zhipu"),
    (r"kimi|moonshot", "moonshot"),
    (r"granite", "ibm"),
)


def family_of(model: str) -> str:
    """Who trained a model; the first word of its name when nobody knows."""
    name = model.lower().rpartition("/")[2]
    for pattern, family in FAMILIES:
        if re.match(pattern, name):
            return family
    return re.split(r"[^\w]|\d", name)[0] or "unknown"


def plain_name(name: str) -> str:
    """A name that a participant may have, nearest to the given one."""
    # Python's \w takes signs like ¹ and ½ for letters, the pattern of a participant's name does not.
    kept = (sign if sign.isalpha() or sign.isdecimal() or sign in "_.@/-" else "-" for sign in name)
    return "".join(kept)[:64] or "participant"

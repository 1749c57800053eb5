"""Agreement from plain turns: what a turn does, which answer it states, and whether all hold the same."""

from enum import StrEnum


class Detector(StrEnum):
    """Which figures decide."""

    STANCE = "stance"
    TEXT = "text"
    LEXICAL = "lexical"
    LEXICAL_PUBLISHED = "lexical-published"

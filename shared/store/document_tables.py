"""Texts and files by their content, and what is derived from them: passages to search, facts and graphs of code."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import ARRAY, REAL, TSVECTOR

from shared.store.columns import document, metadata, moment

documents = sa.Table(
    "documents",
    metadata,
    sa.Column("sha256", sa.Text, primary_key=True),
    sa.Column("content", sa.LargeBinary, nullable=False),
    moment("created_at", nullable=False, now=True),
)

# `version` is that of the rules by which terms were made (shared/text/search_terms.py).
passages = sa.Table(
    "passages",
    metadata,
    document(),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("number", sa.Integer, nullable=False),
    sa.Column("start", sa.Integer, nullable=False),
    sa.Column("stop", sa.Integer, nullable=False),
    sa.Column("terms", TSVECTOR, nullable=False),
    sa.PrimaryKeyConstraint("document", "version", "number"),
)
sa.Index("ix_passages_terms", passages.c.terms, postgresql_using="gin")

# `space` is the model that made them. An array of any length: models differ, and pgvector casts it.
passage_vectors = sa.Table(
    "passage_vectors",
    metadata,
    document(),
    sa.Column("space", sa.Text, nullable=False),
    sa.Column("start", sa.Integer, nullable=False),
    sa.Column("stop", sa.Integer, nullable=False),
    sa.Column("vector", ARRAY(REAL), nullable=False),
    sa.PrimaryKeyConstraint("document", "space", "start", "stop"),
)

code_facts = sa.Table(
    "code_facts",
    metadata,
    sa.Column("key", sa.Text, primary_key=True),
    sa.Column("facts", sa.LargeBinary, nullable=False),
    moment("created_at", nullable=False, now=True),
)

code_graphs = sa.Table(
    "code_graphs",
    metadata,
    sa.Column("key", sa.Text, primary_key=True),
    document(),
)

"""What the tables of the schema have in common: their names' rules, and columns that many of them have."""

from __future__ import annotations

import sqlalchemy as sa

metadata = sa.MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(referred_table_name)s",
        "ix": "ix_%(table_name)s_%(column_0_name)s",
        "uq": "uq_%(table_name)s_%(column_0_name)s",
    }
)


def texts(*names: str) -> list[sa.Column[str]]:
    """Texts that are never NULL."""
    return [sa.Column(name, sa.Text, nullable=False) for name in names]


def moment(name: str, *, nullable: bool = True, now: bool = False) -> sa.Column[object]:
    """A moment; `now`: that of its row unless one is given."""
    return sa.Column(
        name,
        sa.TIMESTAMP(timezone=True),
        nullable=nullable,
        server_default=sa.text("now()") if now else None,
    )


def document() -> sa.Column[str]:
    """The stored text that a row was derived from, and goes with."""
    return sa.Column(
        "document", sa.Text, sa.ForeignKey("documents.sha256", ondelete="CASCADE"), nullable=False
    )


def run_id() -> sa.Column[str]:
    """The run that a row belongs to, and goes with."""
    return sa.Column(
        "run_id", sa.Text, sa.ForeignKey("runs.id", ondelete="CASCADE"), nullable=False
    )

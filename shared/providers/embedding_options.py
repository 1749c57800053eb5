"""What an embedding model may be told."""

from __future__ import annotations

from shared.providers.options import HttpOptions


class EmbeddingOptions(HttpOptions):
    """`passage_prefix` and `query_prefix` are put before the texts: many models were trained with them."""

    passage_prefix: str = ""
    query_prefix: str = ""

    harmless = HttpOptions.harmless | {"passage_prefix", "query_prefix"}

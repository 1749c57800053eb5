"""Answers that were paid for once, found by the prompt that they answer."""

from __future__ import annotations

from shared.store.database import Connection

_FIND = """
SELECT d.content
  FROM usage u
  JOIN steps s ON s.run_id = u.run_id AND s.key = u.step AND s.status = 'done'
  JOIN LATERAL (SELECT l.response FROM usage l
                 WHERE l.run_id = u.run_id AND l.step = u.step AND l.request_sha = u.request_sha
                   AND l.response IS NOT NULL
                 ORDER BY l.id DESC LIMIT 1) last ON true
  JOIN documents d ON d.sha256 = last.response
 WHERE u.request_sha = %s AND u.response IS NOT NULL
   AND NOT EXISTS (SELECT FROM imports i WHERE i.run_id = u.run_id)
 ORDER BY u.id DESC LIMIT 1
"""


def find_answer(connection: Connection, request_sha: str) -> bytes | None:
    """The newest stored answer to exactly that prompt whose step ended well; None if there is none.

    The last answer of such a step is the one that its reply was read from.
    """
    row = connection.execute(_FIND, (request_sha,)).fetchone()
    return None if row is None else bytes(row.content)

"""Requests to a service: sent again where it was away for a moment, and never trusted with more than they asked for.

An answer has a limit in size and in time, a redirect is told and not followed (the token is for one host), and a
certificate that nobody vouches for ends the command.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import httpx

from orchestrator.client.refusals import AWAY, ServiceAway, raise_for, unanswered
from shared.errors import EnvironmentFault

TRIES = 4
PAUSE_S = 0.5
CONNECT_S = 10.0
SILENCE_S = 60.0
"""How long nothing may come."""
LONGEST_S = 300.0
"""How long a whole answer may take."""
MOST_BYTES = 512 * 1024 * 1024


class ServiceRequests:
    """A service and a token. Everything raises QuorateError."""

    def __init__(self, url: str, token: str, *, transport: httpx.BaseTransport | None = None):
        """`url` is the service's address, without a path."""
        self.longest_s, self.most_bytes = LONGEST_S, MOST_BYTES
        self._http = httpx.Client(
            base_url=f"{url.rstrip('/')}/api/v1",
            headers={"Authorization": f"Bearer {token}"},
            timeout=httpx.Timeout(SILENCE_S, connect=CONNECT_S),
            transport=transport,
            follow_redirects=False,
        )

    def close(self) -> None:
        """Drop the connections."""
        self._http.close()

    def send(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        content: bytes = b"",
        headers: Mapping[str, str] | None = None,
        tries: int = TRIES,
    ) -> httpx.Response:
        """One request, again where the service was away for a moment."""
        stated = {name: value for name, value in (query or {}).items() if value is not None}
        request = self._http.build_request(
            method, path, params=stated, content=content or None, headers=headers
        )
        for tried in range(1, tries):
            answer = self._answer(request)
            if isinstance(answer, httpx.Response) and answer.status_code not in AWAY:
                return _settled(answer, again=tried > 1)
            time.sleep(PAUSE_S * tried)
        return _settled(self._answer(request), again=tries > 1)

    @contextmanager
    def lines(
        self,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Iterator[Iterator[str]]:
        """The lines of an answer that comes as it is made."""
        stated = {name: value for name, value in (query or {}).items() if value is not None}
        try:
            with self._http.stream("GET", path, params=stated, headers=headers) as response:
                if not response.is_success:
                    self._read(response)
                raise_for(response)
                yield response.iter_lines()
        except httpx.TransportError as error:
            raise unanswered(error) from error
        except (RuntimeError, ValueError, OSError) as error:
            if self._http.is_closed:  # by another thread, while this one was reading
                raise ServiceAway("the connection was closed", for_good=True) from error
            raise

    def _answer(self, request: httpx.Request) -> httpx.Response | httpx.TransportError:
        """What came of a request. Raises EnvironmentFault where asking again is of no use."""
        try:
            response = self._http.send(request, stream=True)
            try:
                self._read(response)
            finally:
                response.close()
        except httpx.TransportError as error:
            if (fault := unanswered(error)).for_good:
                raise fault from error
            return error
        return response

    def _read(self, response: httpx.Response) -> None:
        """Take the body, as far as it is not too large and not too slow."""
        host, ends_at = response.url.host, time.monotonic() + self.longest_s
        body = bytearray()
        try:
            for piece in response.iter_bytes():
                body += piece
                if len(body) > self.most_bytes:
                    raise EnvironmentFault(
                        "{host} sends more than {kibibytes:,} KiB: that is no answer of Quorate",
                        host=host,
                        kibibytes=self.most_bytes // 1024,
                    )
                if time.monotonic() > ends_at:
                    raise EnvironmentFault(
                        "{host} has not answered in full within {longest_s:g} s",
                        host=host,
                        longest_s=self.longest_s,
                    )
        except httpx.DecodingError as error:
            raise EnvironmentFault(
                "the answer of {host} cannot be read: {error}", host=host, error=error
            ) from error
        response._content = bytes(body)


def _settled(answer: httpx.Response | httpx.TransportError, *, again: bool) -> httpx.Response:
    """The answer of a request that was done; `again`: it was sent before, and that may have been heard."""
    gone = isinstance(answer, httpx.Response) and answer.status_code == httpx.codes.NOT_FOUND
    if isinstance(answer, httpx.Response) and again and gone and answer.request.method == "DELETE":
        return answer
    raise_for(answer)
    assert isinstance(answer, httpx.Response)
    return answer

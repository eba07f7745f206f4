"""
What a request can come to besides an answer.

    Problem
    ├── NotHere      there is no such thing (404)
    ├── BadRequest   a parameter is wrong (400)
    ├── NoToken      a bot's token is needed, and this is none (401)
    ├── NotYours     the token is another bot's (403)
    └── Unavailable  not now (503)
        ├── StoreAway    Redis does not answer
        ├── Unreadable   a file of the archive cannot be read
        └── Crowded      there are too many live streams
"""

from __future__ import annotations

RETRY_SECONDS = 2


class Problem(Exception):
    """Told as problem+json (RFC 9457) or as a page: `title` the kind, the text what to do."""

    status = 500
    title = "Our fault"

    def __init__(self, detail: str) -> None:
        super().__init__(detail)
        self.detail = detail

    @property
    def headers(self) -> dict[str, str]:
        return {}


class NotHere(Problem):
    status = 404
    title = "There is no such thing"


class BadRequest(Problem):
    status = 400
    title = "A parameter is wrong"


class NoToken(Problem):
    status = 401
    title = "A bot's token is needed"

    @property
    def headers(self) -> dict[str, str]:
        return {"WWW-Authenticate": 'Bearer realm="warladder"'}


class NotYours(Problem):
    status = 403
    title = "Another bot's"


class Unavailable(Problem):
    status = 503
    title = "Not now"

    @property
    def headers(self) -> dict[str, str]:
        return {"Retry-After": str(RETRY_SECONDS)}


class StoreAway(Unavailable):
    """Redis does not answer."""


class Unreadable(Unavailable):
    """A file of the archive cannot be read."""


class Crowded(Unavailable):
    """There are too many live streams: nothing is wrong."""

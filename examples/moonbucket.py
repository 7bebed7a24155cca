"""Moonbucket from Python: run Lua scripts, work with files, follow a run.

One file without dependencies, for Python 3.9 and newer: copy it next to your program.

    from moonbucket import Moonbucket

    client = Moonbucket("https://moonbucket.example", token="...")
    run = client.run("return args.a + args.b", {"a": 1, "b": 2})
    print(run.result)
"""

import json
import os
import shutil
import tempfile
import time
from dataclasses import dataclass, field
from http.client import HTTPException
from typing import Any, BinaryIO, Dict, Iterator, List, NamedTuple, Optional, Union
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import HTTPRedirectHandler, Request, build_opener

# A run may take 30 seconds, and 10 more to store its files.
DEFAULT_TIMEOUT_S = 60.0
DEFAULT_RETRIES = 3
# Whatever the service asks for, nobody waits longer than this between two tries.
MAX_PAUSE_S = 60.0


class MoonbucketError(Exception):
    """Anything that fails here; the subclasses say what."""


class ConnectionFailed(MoonbucketError):
    """The service did not answer, or not in time. The request may have had an effect."""


class RequestRefused(MoonbucketError):
    """The service answered with an error status."""

    def __init__(self, status: int, code: str, message: str, request_id: Optional[str] = None):
        super().__init__(f"{status} {code}: {message}")
        self.status = status
        self.code = code
        self.message = message
        self.request_id = request_id


class InvalidRequest(RequestRefused):
    """400, 422: a field or a path is not valid; the message names it."""


class Unauthenticated(RequestRefused):
    """401: no token, or one that is not valid or has expired."""


class Forbidden(RequestRefused):
    """403: the token lacks a scope, or may not open the path."""


class NotFound(RequestRefused):
    """404: there is no such file, folder or run."""


class Conflict(RequestRefused):
    """409, 412: it exists already, has changed, or goes on."""


class TooLarge(RequestRefused):
    """413: send or read it in parts."""


class RateLimited(RequestRefused):
    """429, after the retries: too many requests, or the quota of the day is used up."""


class Unavailable(RequestRefused):
    """503, after the retries: the service is busy, or its store does not respond."""


class QuotaExceeded(RequestRefused):
    """507: the files of the tenant take all the room they may."""


class ScriptError(MoonbucketError):
    """The script failed. `run` has its logs, and the files that it wrote nevertheless."""

    def __init__(self, run: "Run"):
        error = run.error or {}
        super().__init__(f"{error.get('kind')}: {error.get('message')}")
        self.kind = error.get("kind")
        self.line = error.get("line")
        self.run = run


_BY_STATUS = {
    400: InvalidRequest,
    401: Unauthenticated,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    412: Conflict,
    413: TooLarge,
    422: InvalidRequest,
    429: RateLimited,
    503: Unavailable,
    507: QuotaExceeded,
}


@dataclass
class Run:
    """The outcome of a script."""

    result: Any
    logs: List[str]
    files: List[Dict[str, Any]]
    """Rows with `name`, `op` and `bytes`, and with `link` where the file can be opened."""
    error: Optional[Dict[str, Any]] = None
    result_file: Optional[str] = None
    """Set if the result was so large that it became a file; `result` is its beginning."""
    raw: Dict[str, Any] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, answer: Dict[str, Any]) -> "Run":
        return cls(
            result=answer.get("result"),
            logs=answer["logs"],
            files=answer["files_touched"],
            error=answer.get("error"),
            result_file=answer.get("result_file"),
            raw=answer,
        )


class Event(NamedTuple):
    """`log` with `{line}`, `file` with a row, then `result` with the answer, and `stats`."""

    name: str
    data: Dict[str, Any]


class Moonbucket:
    """A connection-less client: it can be shared by threads."""

    def __init__(
        self,
        url: Optional[str] = None,
        token: Optional[str] = None,
        *,
        timeout: float = DEFAULT_TIMEOUT_S,
        retries: int = DEFAULT_RETRIES,
    ):
        """
        url, token: by default the environment variables MOONBUCKET_URL and MOONBUCKET_TOKEN.
        timeout: seconds without a byte from the service, after which a request has failed.
        retries: further tries of requests that can be repeated without harm.
        """
        url = url or os.environ.get("MOONBUCKET_URL")
        token = token or os.environ.get("MOONBUCKET_TOKEN")
        if not url or not token:
            raise ValueError("pass url and token, or set MOONBUCKET_URL and MOONBUCKET_TOKEN")
        self._url = url.rstrip("/")
        self._token = token
        self._timeout = timeout
        self._retries = retries
        self.files = Files(self)

    def run(
        self,
        script: str,
        args: Any = None,
        *,
        key: Optional[str] = None,
        check: bool = True,
        **options: Any,
    ) -> Run:
        """Runs a script. Raises ScriptError if it fails, unless check is False.

        key: an Idempotency-Key, such as uuid.uuid4().hex. With it a broken connection is tried
        again, and the script runs once; the service keeps the answer for 24 hours. Without it
        only requests that the service refused before running anything are tried again.
        options: limits, commit, link_ttl_s, auth.
        """
        headers = {"Idempotency-Key": key} if key is not None else {}
        body = {"script": script, "args": args, **options}
        run = Run.of(self.request("POST", "/execute", body, headers=headers, safe=key is not None))
        if check and run.error is not None:
            raise ScriptError(run)
        return run

    def stream(self, script: str, args: Any = None, **options: Any) -> Iterator[Event]:
        """Runs a script, and yields its events while it runs. Never tried again.

        A generator that is closed early ends the run. A script that fails raises nothing: look at
        `error` in the data of `result`.
        """
        body = _encode({"script": script, "args": args, **options})
        headers = {"Content-Type": "application/json", "Accept": "text/event-stream"}
        with self._send("POST", "/execute/events", body, headers) as response:
            try:
                yield from _events(response)
            except (OSError, HTTPException) as error:
                raise ConnectionFailed(f"the events broke off: {error}") from error

    def request(
        self,
        method: str,
        path: str,
        body: Optional[Dict[str, Any]] = None,
        *,
        headers: Optional[Dict[str, str]] = None,
        safe: bool = False,
    ) -> Any:
        """Any other request with JSON, such as request("GET", "/usage").

        safe: whether it may be repeated although the first one may have had an effect.
        """
        data = None if body is None else _encode(body)
        sent = {"Content-Type": "application/json"} if data is not None else {}
        sent.update(headers or {})

        def attempt() -> Any:
            with self._send(method, path, data, sent) as response:
                return json.loads(response.read())

        return self._try(attempt, safe or method == "GET")

    def _try(self, attempt: Any, safe: bool) -> Any:
        """Repeats after 429 and 503, and after broken connections if that is safe."""
        for left in range(self._retries, -1, -1):
            try:
                return attempt()
            except RequestRefused as refusal:
                pause = getattr(refusal, "retry_after", None)
                if left == 0 or pause is None or pause > MAX_PAUSE_S:
                    raise
            except (OSError, HTTPException, ConnectionFailed) as error:
                if left == 0 or not safe:
                    if isinstance(error, ConnectionFailed):
                        raise
                    raise ConnectionFailed(str(error) or type(error).__name__) from error
                pause = 0.5 * 2 ** (self._retries - left)
            time.sleep(pause)

    def _send(self, method: str, path: str, body: Any, headers: Dict[str, str]) -> Any:
        request = Request(self._url + path, data=body, method=method, headers=headers)
        request.add_unredirected_header("Authorization", f"Bearer {self._token}")
        try:
            return _OPENER.open(request, timeout=self._timeout)
        except HTTPError as error:
            with error:
                raise _refusal(error) from None
        except (OSError, HTTPException) as error:
            raise ConnectionFailed(str(error) or type(error).__name__) from error


class Files:
    """The caller's files: `client.files`. Paths are relative, such as `output/rows.csv`."""

    def __init__(self, client: Moonbucket):
        self._client = client

    def read(self, path: str) -> bytes:
        """The whole content. For text, decode it; for large files, use download."""

        def attempt() -> bytes:
            with self._get(path) as response:
                return response.read()

        return self._client._try(attempt, True)

    def read_text(self, path: str) -> str:
        return self.read(path).decode("utf-8")

    def write(self, path: str, content: Union[str, bytes]) -> Dict[str, Any]:
        """Creates or replaces a file. Returns its path and size."""
        data = content.encode("utf-8") if isinstance(content, str) else bytes(content)
        return self._client._try(lambda: self._put(path, data, len(data)), True)

    def list(self, path: str = ".", *, recursive: bool = False) -> Iterator[Dict[str, Any]]:
        """Files and folders in a folder, page by page."""
        cursor = None
        while True:
            body = {"path": path, "recursive": recursive}
            if cursor is not None:
                body["cursor"] = cursor
            page = self._client.request("POST", "/fs/list", body, safe=True)["data"]
            yield from page["entries"]
            cursor = page["cursor"]
            if cursor is None:
                return

    def upload(self, source: Union[str, "os.PathLike[str]"], path: str) -> Dict[str, Any]:
        """Sends a file of this machine, a piece at a time. Returns its path and size."""

        def attempt() -> Dict[str, Any]:
            with open(source, "rb") as file:
                return self._put(path, file, os.fstat(file.fileno()).st_size)

        return self._client._try(attempt, True)

    def download(self, path: str, target: Union[str, "os.PathLike[str]"]) -> int:
        """Stores a file on this machine, a piece at a time; complete, or not at all."""

        def attempt() -> int:
            folder = os.path.dirname(os.path.abspath(target))
            handle, temporary = tempfile.mkstemp(dir=folder, prefix=".moonbucket-")
            try:
                with os.fdopen(handle, "wb") as file, self._get(path) as response:
                    shutil.copyfileobj(response, file)
                    size = file.tell()
                    announced = response.headers.get("Content-Length")
                    if announced is not None and size != int(announced):
                        raise ConnectionFailed(f"only {size} of {announced} bytes arrived")
                os.replace(temporary, target)
                return size
            except BaseException:
                os.unlink(temporary)
                raise

        return self._client._try(attempt, True)

    def link(
        self, path: str, *, ttl_s: Optional[int] = None, download: bool = False
    ) -> Dict[str, Any]:
        """`link` opens the file or folder in a browser until `expires_at`, without a token."""
        body: Dict[str, Any] = {"path": path, "download": download}
        if ttl_s is not None:
            body["ttl_s"] = ttl_s
        return self._client.request("POST", "/links", body, safe=True)

    def delete(self, path: str, *, recursive: bool = False) -> Dict[str, Any]:
        """Deletes a file, or with recursive a folder; what is gone already is no error."""
        body = {"path": path, "recursive": recursive, "force": True}
        return self._client.request("POST", "/fs/delete", body, safe=True)["data"]

    def _get(self, path: str) -> Any:
        return self._client._send("GET", _content(path), None, {})

    def _put(self, path: str, body: Union[bytes, BinaryIO], size: int) -> Dict[str, Any]:
        headers = {"Content-Type": "application/octet-stream", "Content-Length": str(size)}
        with self._client._send("PUT", _content(path), body, headers) as response:
            return json.loads(response.read())["data"]


class _NoRedirects(HTTPRedirectHandler):
    """The token is for one address only."""

    def redirect_request(self, *_: Any) -> None:
        return None


_OPENER = build_opener(_NoRedirects)


def _content(path: str) -> str:
    return f"/fs/content?path={quote(path, safe='/')}"


def _encode(body: Dict[str, Any]) -> bytes:
    return json.dumps(body, allow_nan=False).encode("utf-8")


def _refusal(error: HTTPError) -> RequestRefused:
    status, code, message, request_id = error.code, "unknown", error.reason, None
    try:
        body = json.loads(error.read())
        told = body["error"]
        # Under /fs, the message is beside its code.
        details = told if isinstance(told, dict) else {**body, "message": told}
        code, message = details["code"], details["message"]
        request_id = error.headers.get("X-Request-Id")
    except (ValueError, KeyError, TypeError, OSError, HTTPException):
        pass  # A proxy answered, not the service.
    refusal = _BY_STATUS.get(status, RequestRefused)(status, code, message, request_id)
    after = error.headers.get("Retry-After", "")
    if status in (409, 429, 503) and after.isdigit():
        refusal.retry_after = float(after)  # type: ignore[attr-defined]
    return refusal


def _events(response: Any) -> Iterator[Event]:
    """One line of JSON per event, as the service sends them."""
    name = ""
    for line in response:
        text = line.decode("utf-8").rstrip("\r\n")
        if text.startswith("event:"):
            name = text[len("event:") :].strip()
        elif text.startswith("data:"):
            data = json.loads(text[len("data:") :])
            if name == "error":
                error = data["error"]
                raise RequestRefused(500, error["code"], error["message"], error.get("request_id"))
            yield Event(name, data)
            if name == "stats":
                return
    raise ConnectionFailed("the events broke off before the result")

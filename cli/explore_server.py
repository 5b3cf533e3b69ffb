"""Serves the live page on this machine alone: the page's files, and answers to what it asks.

The page must not become a way into this process for other pages that are open in the same browser. So a request is
refused unless it names this server (against rebinding of names) and comes from a page of this server.
"""

from __future__ import annotations

import json
import signal
import socket
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from werkzeug.exceptions import BadRequest, Forbidden, HTTPException, MethodNotAllowed, NotFound, UnsupportedMediaType
from werkzeug.serving import BaseWSGIServer, WSGIRequestHandler, make_server
from werkzeug.wrappers import Request, Response

from podproof.checker.core.printer import visible
from podproof.checker.core.system import CheckerError
from podproof.checker.explain.stepping import SEPARATOR
from podproof.checker.reading import Format
from podproof.cli.errors import internal
from podproof.cli.streams import lines_of
from podproof.queries.exploring import LiveSession
from podproof.reports.page.build import page_json
from podproof.reports.page.explore import explore_files, explore_page

HOST = "127.0.0.1"
USUAL_PORT = 80
"""Of addresses that begin with http."""
MOST_BYTES = 8 << 20
"""Of a request's body: a saved walk as a text in JSON, where every quotation mark and every new line takes two."""
QUESTION_SECONDS = 30
"""How long a connection may be silent."""
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}
Answer = Callable[[Mapping[str, Any]], str]
"""From what the page asks, a JSON object, to JSON. Raises CheckerError where the question makes no sense."""


@dataclass(frozen=True)
class Endpoint:
    """What the page may ask at one path."""

    form: Format
    answer: Answer


def question(answer: Answer, **parts: Mapping[str, Any]) -> Endpoint:
    """A question of these parts, each with its schema."""
    schema = json.dumps({"type": "object", "properties": parts, "required": list(parts)})
    return Endpoint(Format(lambda: schema, "this is what the page of this server asks", MOST_BYTES), answer)


class Application:
    """The page, made anew each time, its `files` (path -> content and media type) and the questions of one server."""

    def __init__(
        self,
        page: Callable[[], str],
        files: Mapping[str, tuple[str, str]],
        questions: Mapping[str, Endpoint],
        port: int,
    ) -> None:
        self.page, self.files, self.questions = page, files, questions
        # A browser leaves out the port that is usual.
        self.hosts = frozenset(f"{name}{end}" for name in (HOST, "localhost") for end in _ports(port))

    def __call__(self, environ: Any, start_response: Any) -> Any:
        request = Request(environ)
        request.max_content_length = MOST_BYTES
        try:
            response = self.respond(request)
        except HTTPException as error:
            response = _tell(error.description, error.code)
        except Exception as error:
            internal(error)
            response = _tell("this is a fault of podproof; the terminal says what to report", 500)
        response.headers.extend(HEADERS)
        return response(environ, start_response)

    def respond(self, request: Request) -> Response:
        """The answer to a request. Raises HTTPException for one that is refused."""
        self._refuse_strangers(request)
        if request.path == "/" or request.path in self.files:
            if request.method not in ("GET", "HEAD"):
                raise MethodNotAllowed(["GET"], "this is a file; GET it")
            content, kind = (self.page(), "text/html") if request.path == "/" else self.files[request.path]
            return Response(_bytes(content), mimetype=kind)
        if request.path not in self.questions:
            raise NotFound(f"there is nothing at {request.path}; the page is at /")
        if request.method != "POST":
            raise MethodNotAllowed(["POST"], "this answers questions; POST them")
        if request.mimetype != "application/json":
            raise UnsupportedMediaType("a question is JSON; send it as application/json")
        asked = self.questions[request.path]
        try:
            answer = asked.answer(asked.form.parse(request.get_data(), "the question"))
            return Response(_bytes(answer), mimetype="application/json")
        except CheckerError as error:
            raise BadRequest(str(error)) from error

    def _refuse_strangers(self, request: Request) -> None:
        host = request.environ.get("HTTP_HOST", "")
        if host not in self.hosts:
            raise Forbidden(f"the host {host!r} is not this server; open http://{HOST}, with its port, instead")
        origin = request.headers.get("Origin")
        if origin is not None and origin not in {f"http://{name}" for name in self.hosts}:
            raise Forbidden(f"a page of {origin!r} may not ask this server; open its own page instead")


def _tell(error: str | None, code: int | None) -> Response:
    text = "\n".join(map(visible, lines_of(error or "")))
    return Response(json.dumps({"error": text}), code, mimetype="application/json")


def _ports(port: int) -> Sequence[str]:
    """How a port is written behind a host's name."""
    return (f":{port}", "") if port == USUAL_PORT else (f":{port}",)


def _bytes(text: str) -> bytes:
    """A file's name may have bytes that are no letters; Python has signs for them that UTF-8 does not."""
    return text.encode("utf-8", "backslashreplace")


class _Quiet(WSGIRequestHandler):
    """Says nothing of requests that went well, and hangs up on who says nothing."""

    timeout = QUESTION_SECONDS

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        pass


def listen(port: int) -> socket.socket:
    """A socket on this machine's own address; port 0 is any free one. Raises CheckerError where it is taken."""
    made = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((HOST, port))
        made.listen()
    except OSError as error:
        made.close()
        raise CheckerError(
            f"--port {port}: it cannot be listened at ({error.strerror}); name another one, or 0 for any that is free"
        ) from error
    return made


def server_of(listening: socket.socket, application: Application) -> BaseWSGIServer:
    """The server at a socket, to be run by `serve_forever`, which Ctrl-C ends."""
    port = listening.getsockname()[1]
    return make_server(HOST, port, application, threaded=True, request_handler=_Quiet, fd=listening.fileno())


def application(live: LiveSession, port: int) -> Application:
    """What answers the page of a session."""
    moves, number, text = {"type": "array", "items": {"type": "string"}}, {"type": "integer"}, {"type": "string"}
    questions = {
        "/view": question(
            lambda asked: page_json(live.session.view(asked["moves"], asked["at"])), moves=moves, at=number
        ),
        "/picture": question(
            lambda asked: page_json(live.session.picture(asked["moves"], asked["at"])), moves=moves, at=number
        ),
        "/starts": question(lambda _: page_json(live.session.starts())),
        "/maps": question(lambda _: page_json(live.session.maps())),
        "/latest": question(lambda _: page_json(live.latest())),
        "/trace": question(lambda asked: live.session.saved(asked["moves"]), moves=moves),
        "/open": question(
            lambda asked: page_json(live.session.opened(asked["text"], asked["name"])), text=text, name=text
        ),
    }
    return Application(lambda: explore_page(live.fixed()), explore_files(), questions, port)


def serve(listening: socket.socket, live: LiveSession) -> None:
    """Answer the page at a socket until Ctrl-C."""
    if hasattr(signal, "SIGPIPE"):
        # Other commands end when nobody reads on; a server does not when a page is closed halfway.
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    port = listening.getsockname()[1]
    with listening:
        server_of(listening, application(live, port)).serve_forever()


def fragment(moves: list[str]) -> str:
    """A walk as the end of the page's address, where its script finds it."""
    return f"#walk={SEPARATOR.join(quote(move, safe='(),') for move in moves)}&at={len(moves)}" if moves else ""

"""`podproof explore`: a page where a person chooses what happens, and the model says what comes of it."""

from __future__ import annotations

import os
import signal
import sys
import webbrowser
from pathlib import Path

import click

from podproof.checker.core.system import CheckerError
from podproof.cli import terminal
from podproof.cli.explore_server import HOST, application, fragment, listen, server_of
from podproof.cli.options import asked_subject, model_options, scenario_option
from podproof.cli.streams import say, show
from podproof.queries import exploring
from podproof.queries.exploring import LiveSession, Session
from podproof.queries.versions import VERSIONS
from podproof.queries.walks import moves_in, refuse_length

PORT = 8151


@terminal.command(
    examples=[
        ("podproof explore", "the newest kubelet with one pod, in the browser"),
        ("podproof explore --model my_change.py --scenario uid-reuse", "a change, in another scenario"),
        ("podproof explore --version v1.29 --against v1.32", "two versions side by side"),
        ("podproof explore --no-browser --port 0", "only print the address, at any free port"),
    ]
)
@model_options
@scenario_option("The scenario: which pods there are, and what may happen.")
@click.option("--against", default="", metavar="OTHER", help="Step another version, or a Python or Go file, beside it.")
@click.option("--walk", default="", metavar="MOVES", help="Start with this walk, as copied from the page.")
@click.option("--port", type=click.IntRange(0, 65535), default=PORT, show_default=True, help="0: any free port.")
@click.option("--no-browser", is_flag=True, help="Do not open the page in a browser.")
def explore(
    version: str,
    model: Path | None,
    go: Path | None,
    assumed: tuple[str, ...],
    claim_files: tuple[Path, ...],
    scenario: str,
    against: str,
    walk: str,
    port: int,
    no_browser: bool,
) -> int:
    """Play the environment of the pod worker in the browser: choose what happens, see what comes of it, undo.

    The page is served on this machine's own address only, until Ctrl-C. It follows the files that are given, at each
    save.
    """
    context = click.get_current_context()

    def make() -> Session:
        with context.scope(cleanup=False):  # The threads of a server have none of their own.
            subject = asked_subject(version, model, go, assumed, claim_files)
            return exploring.explore(subject, scenario, against or None)

    compared = None if against in ("", *VERSIONS) else Path(against)
    live = LiveSession(make, [file for file in (model, go, *claim_files, compared) if file is not None])
    session = live.session
    moves = moves_in(walk)
    refuse_length(len(moves), "--walk: ")
    try:
        session.stepper.walk(moves)
    except CheckerError as error:
        if session.against is None:  # Of two versions it is shown how far each takes it.
            raise CheckerError(f"--walk: {error}") from error
    listening = listen(port)
    port = listening.getsockname()[1]
    server = server_of(listening, application(live, port))
    address = f"http://{HOST}:{port}/{fragment(moves)}"
    names = " and ".join(side.subject.name for side in session.sessions)
    show(f"{names}, scenario {scenario}: {address}")
    say("Ctrl-C ends it.")
    if not no_browser and _has_browser():
        webbrowser.open(address)
    if hasattr(signal, "SIGPIPE"):
        # Other commands end when nobody reads on; a server does not when a page is closed halfway.
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    with listening:
        server.serve_forever()
    return 0


def _has_browser() -> bool:
    """Is there a desktop to open a browser on? One in the terminal would take the terminal away."""
    return sys.platform in ("darwin", "win32") or any(os.environ.get(n) for n in ("DISPLAY", "WAYLAND_DISPLAY"))

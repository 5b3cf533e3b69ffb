"""`podproof explore`: a page where a person chooses what happens, and the model says what comes of it."""

from __future__ import annotations

import os
import sys
import webbrowser
from pathlib import Path

import click

from podproof.cli import terminal
from podproof.cli.explore_server import HOST, fragment, listen, serve
from podproof.cli.options import AskedModel, asked_model_options, scenario_option
from podproof.cli.streams import say, show
from podproof.queries import exploring
from podproof.queries.exploring import DEFAULT_SCENARIO, LiveSession, Session
from podproof.queries.versions import VERSIONS
from podproof.queries.walks import moves_in

PORT = 8151


@terminal.command(
    examples=[
        ("podproof explore", "the newest kubelet with one pod, in the browser"),
        ("podproof explore --trace 69", "how a claim is violated, by the number that check gives it"),
        ("podproof explore --model my_change.py --scenario uid-reuse", "a change, in another scenario"),
        ("podproof explore --version v1.29 --against v1.32", "two versions side by side"),
        ("podproof explore --no-browser --port 0", "only print the address, at any free port"),
    ]
)
@asked_model_options
@scenario_option(
    "The scenario: which pods there are, and what may happen.",
    default=None,
    show_default=f"{DEFAULT_SCENARIO}, or where --trace is shortest",
)
@click.option("--against", default="", metavar="OTHER", help="Step another version, or a Python or Go file, beside it.")
@click.option("--walk", default="", metavar="MOVES", help="Start with this walk, as copied from the page.")
@click.option("--trace", metavar="CLAIM", help="Start with the shortest counterexample of a claim, or its witness.")
@click.option("--port", type=click.IntRange(0, 65535), default=PORT, show_default=True, help="0: any free port.")
@click.option("--no-browser", is_flag=True, help="Do not open the page in a browser.")
def explore(
    asked: AskedModel, scenario: str | None, against: str, walk: str, trace: str | None, port: int, no_browser: bool
) -> int:
    """Play the environment of the pod worker in the browser: choose what happens, see what comes of it, undo.

    The page is served on this machine's own address only, until Ctrl-C. It follows the files that are given, at each
    save.
    """
    context, moves = click.get_current_context(), moves_in(walk)
    if trace is not None:
        if walk:
            raise click.UsageError("--walk and --trace: each says how to start; give one of them")
        scenario, moves = exploring.shortest_walk(asked.subject(), trace, scenario)
    where = scenario or DEFAULT_SCENARIO

    def make() -> Session:
        with context.scope(cleanup=False):  # The threads of a server have none of their own.
            return exploring.explore(asked.subject(), where, against or None)

    live = LiveSession(make, [*asked.files, *(() if against in ("", *VERSIONS) else (Path(against),))])
    live.session.refuse_impossible(moves)
    listening = listen(port)
    address = f"http://{HOST}:{listening.getsockname()[1]}/{fragment(moves)}"
    names = " and ".join(side.subject.name for side in live.session.sessions)
    show(f"{names}, scenario {where}: {address}")
    say("Ctrl-C ends it.")
    if not no_browser and _has_browser():
        webbrowser.open(address)
    serve(listening, live)
    return 0


def _has_browser() -> bool:
    """Is there a desktop to open a browser on? One in the terminal would take the terminal away."""
    return sys.platform in ("darwin", "win32") or any(os.environ.get(n) for n in ("DISPLAY", "WAYLAND_DISPLAY"))

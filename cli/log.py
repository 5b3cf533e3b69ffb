"""`podproof log`: what a kubelet's log proves about each pod's worker."""

from __future__ import annotations

from pathlib import Path

import click

from podproof.cli import terminal
from podproof.cli.outputs import Content, Outputs, output_options
from podproof.queries.logs import judge
from podproof.reports.content.log import log_parts
from podproof.reports.render.json import answer_data


@terminal.command(
    examples=[
        ("podproof log kubelet.log", "what the log of a kubelet at --v=4 proves about each pod"),
        ("journalctl -u kubelet -o cat | podproof log -", "from standard input"),
        ("podproof log kubelet.log.1.gz kubelet.log --version v1.29", "rotated files, the oldest first, of 1.29"),
        (
            "podproof log kubelet.log --pod default/web -v",
            "one pod: all its lines, and all that was possible where one does not fit",
        ),
    ]
)
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path, allow_dash=True))
@click.option("--version", metavar="VERSION", help="Whose model to use. Default: what the log says, or looks like.")
@click.option("--pod", metavar="POD", help="Only this pod, by its UID or as namespace/name, and its lines.")
@output_options("log", forms=("text", "json"))
def log(files: tuple[Path, ...], version: str | None, pod: str | None, outputs: Outputs) -> int:
    """Say of each pod whether its worker wrote what the model of the release allows, and what it waits for.

    FILES are logs of one kubelet, in the order of time: klog's text with any prefix, or its JSON; .gz, or `-` for
    standard input. A verdict needs --v=4; n/m says that at n of m lines another line would have been rejected. Exit
    code 1 for a violation, 4 where a pod is neither that nor conformant. docs/logs.md says what each word means.
    """
    answer = judge(files, version, pod)
    outputs.write(
        Content(parts=lambda detail: log_parts(answer, detail), data=lambda: answer_data(answer)),
    )
    return answer.exit_code

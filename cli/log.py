"""`podproof log`: what a kubelet's log proves about each pod's worker."""

from __future__ import annotations

from pathlib import Path

import click

from podproof.cli import terminal
from podproof.cli.outputs import Content, Outputs, output_options
from podproof.queries.log_lines import explain_line
from podproof.queries.logs import judge
from podproof.reports.content.log import line_parts, log_parts
from podproof.reports.render.json import answer_data


@terminal.command(
    examples=[
        ("podproof log kubelet.log", "what the log of a kubelet at --v=4 proves about each pod"),
        ("journalctl -u kubelet -o cat | podproof log -", "from standard input"),
        ("podproof log kubelet.log.1.gz kubelet.log --version v1.29", "rotated files, of 1.29"),
        (
            "podproof log kubelet.log --pod default/web -v",
            "one pod: all its lines, and all that was possible where one does not fit",
        ),
        (
            """podproof log --explain-line '"Pod is terminal" podUID="1"'""",
            "which step of the worker writes a line, and what holds then",
        ),
    ]
)
@click.argument("files", nargs=-1, type=click.Path(path_type=Path, allow_dash=True))
@click.option("--version", metavar="VERSION", help="Whose model to use. Default: what the log says, or looks like.")
@click.option("--pod", metavar="POD", help="Only this pod, by its UID or as namespace/name, and its lines.")
@click.option("--explain-line", "text", metavar="LINE", help="In place of FILES: say what writes this line, and when.")
@output_options("log", forms=("text", "json"))
def log(files: tuple[Path, ...], version: str | None, pod: str | None, text: str | None, outputs: Outputs) -> int:
    """Say of each pod whether its worker wrote what the model of the release allows, and what it waits for.

    FILES are logs of one kubelet, read in the order of their first times: klog's text with any prefix, or its JSON;
    .gz, or `-` for standard input. A verdict needs --v=4; n/m says that at n of m lines another line would have been
    rejected. Exit code 1 for a violation or a broken claim, 4 where a pod is neither that nor conformant. docs/logs.md
    says what each word means.
    """
    if text is not None:
        if files or pod is not None:
            raise click.UsageError("--explain-line is about one line alone; leave out the files and --pod")
        explained = explain_line(text, version)
        outputs.write(
            Content(parts=lambda detail: line_parts(explained, detail), data=lambda: answer_data(explained)),
        )
        return explained.exit_code
    if not files:
        raise click.UsageError("give the files of a log, or `-` for standard input; or --explain-line 'LINE'")
    answer = judge(files, version, pod)
    outputs.write(
        Content(parts=lambda detail: log_parts(answer, detail), data=lambda: answer_data(answer)),
    )
    return answer.exit_code

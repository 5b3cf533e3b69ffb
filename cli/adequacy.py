"""`podproof adequacy`: would the claims notice a wrong worker?"""

from __future__ import annotations

from pathlib import Path

import click

from podproof.cli import terminal
from podproof.cli.options import ray_option, scenarios_option, subject_options
from podproof.cli.outputs import Content, Outputs, output_options
from podproof.queries.build import Subject
from podproof.queries.mutating import AdequacyQuery
from podproof.reports.content.adequacy import adequacy_page, adequacy_parts
from podproof.reports.render.json import answer_data


@terminal.command(
    examples=[
        ("podproof adequacy --mutants 100", "a sample of the mutants of the newest kubelet, in the default scenarios"),
        ("podproof adequacy --function calculateEffectiveGracePeriod", "all mutants of one function"),
        ("podproof adequacy --model my_change.py --min-score 95", "in CI: exit code 1 below that percentage"),
        ("podproof adequacy --resume found.jsonl", "saves finished mutants in this file, and continues from there"),
    ]
)
@subject_options
@scenarios_option()
@click.option("--function", "functions", multiple=True, help="Only of this function, by its Go name or the model's.")
@click.option("--mutants", "sample", type=click.IntRange(min=1), help="The size of a random sample. Default: all.")
@click.option("--seed", default=0, show_default=True, help="Of the sample.")
@click.option("--min-score", type=click.FloatRange(0, 100), metavar="PERCENT", help="Exit code 1 below this score.")
@click.option(
    "--recorded",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Also replay the traces (.jsonl, .jsonl.gz) in this folder on mutants that no claim kills.",
)
@click.option("--thorough", is_flag=True, help="Search to the end, to find every claim that kills a mutant.")
@ray_option
@click.option("--resume", type=click.Path(dir_okay=False, path_type=Path), help="Keep finished mutants in this file.")
@output_options("adequacy", forms=("text", "json", "markdown", "html"))
def adequacy(
    subject: Subject,
    scenarios: tuple[str, ...],
    functions: tuple[str, ...],
    sample: int | None,
    seed: int,
    min_score: float | None,
    recorded: Path | None,
    thorough: bool,
    ray: str | None,
    resume: Path | None,
    outputs: Outputs,
) -> int:
    """Mutate the model, one place at a time, and report which claims notice.

    A mutant is killed when a claim that holds is violated, or a witness is lost; a known violation that is gone kills
    nothing. Equivalent is decided, not sampled. The score is the percentage of the others that claims kill.
    """
    query = AdequacyQuery(subject, scenarios, functions, sample, seed, min_score, recorded, thorough)
    answer = query.answer(ray, resume)
    outputs.write(
        Content(
            parts=lambda detail: adequacy_parts(answer, detail),
            data=lambda: answer_data(answer),
            page=lambda: adequacy_page(answer),
        )
    )
    return answer.exit_code

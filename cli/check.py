"""`podproof check`: explore the scenarios and say which claims hold."""

from __future__ import annotations

from podproof.cli import terminal
from podproof.cli.options import Selection, Subjects, search_options, search_selection_options, subjects_options
from podproof.cli.outputs import Outputs, output_options
from podproof.cli.policy import Policy, policy_options
from podproof.cli.report_folder import REPORT_DIR
from podproof.cli.running import Running, running_options
from podproof.cli.verdict_content import Checked
from podproof.cli.watching import watchable
from podproof.queries.checking import CheckQuery
from podproof.queries.search import SearchOptions


@terminal.command(
    examples=[
        ("podproof check", "all claims about the newest kubelet, in the default scenarios"),
        ("podproof check --model my_change.py", "the same about a change"),
        ("podproof check --scenario one-pod --property grace_period_only_decreases", "one claim, in one scenario"),
        ("podproof check --report-dir report/", "also write a page and pictures"),
        ("podproof check -o go-test --output-file claims_test.go", "a Go test of each claim that is violated"),
        ("podproof check -q", "only what does not hold"),
        ("podproof check --version all --model 'proposals/*.py'", "every release and proposal"),
        ("podproof check --go pkg/kubelet", "a kubelet's Go: what of it is read, and what it does"),
        ("podproof check --strict", "what is known to be violated fails, too"),
    ]
)
@watchable
@subjects_options
@search_selection_options
@search_options
@running_options
@policy_options
@output_options("check", more=("go-test",))
def check(
    subjects: Subjects,
    selection: Selection,
    search: SearchOptions,
    running: Running,
    policy: Policy,
    outputs: Outputs,
) -> int:
    """Explore the scenarios and say which claims hold, with a shortest counterexample for each that does not."""
    query = CheckQuery(
        subjects.every,
        selection.scenarios,
        selection.properties,
        selection.part,
        search,
        selection.liveness,
        selection.without,
        policy.listed,
        policy.strictness,
        subjects.beside,
        subjects.assumed,
    )
    if running.report.path is not None:
        subjects.refuse_several(REPORT_DIR, "a page is about one version or model; name one, or take -o markdown")
    if "go-test" in outputs.forms:
        subjects.refuse_several("-o go-test", "a Go test is of the code of one version or model; name one")
    running.report.make()
    found = query.answers(anew=running.anew, alone=running.stats, ray=running.ray)
    if query.is_cached:
        terminal.note("nothing has changed: this is the cached answer; --no-cache explores again")
    checked = Checked(found, query, subjects.options, running.stats)
    outputs.write(checked.content)
    running.report.write(found[0].explorations, checked.contexts[0])
    return checked.judgement.code

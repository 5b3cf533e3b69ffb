"""Every reduction, by itself and with all others, against the unreduced run: each release in each scenario.

    pytest -n auto -m reductions

The verdict of every claim has to be the same, and so has the length of its trace, what bounds cut off and which actions
are never taken. What is left out, and why, stands at `ENDLESS` and `LARGE`.
"""

from __future__ import annotations

import pytest

from podproof.checker.core.system import Exploration
from podproof.checker.engines.compiled import Compiled
from podproof.checker.lowering.claims import lower_properties
from podproof.checker.reductions import REDUCTIONS, plan
from podproof.model.scenarios import SCENARIOS
from podproof.queries.build import properties_of, subject_of, system_of
from podproof.queries.versions import DEFAULT_VERSION, VERSIONS

pytestmark = pytest.mark.reductions

ENDLESS = ("three-pods", "open-pod")
"""Their unreduced runs do not end in reasonable time."""
LARGE = ("static-pair", "two-pods", "rejected-pod")
"""Up to three million states each, so one release has to do."""
RELEASES = tuple(version for version in VERSIONS if version.startswith("v"))
CASES = [
    (version, scenario)
    for scenario in SCENARIOS
    for version in RELEASES
    if scenario not in ENDLESS and (scenario not in LARGE or version == DEFAULT_VERSION)
    if SCENARIOS[scenario].is_for(VERSIONS[version].cls)
]


def found_out(found: Exploration) -> object:
    """What must not depend on reductions."""
    verdicts = [(v.property.id, v.status, v.depth) for v in found.verdicts]
    return verdicts, set(found.bounds_hit), found.actions_never_taken


@pytest.mark.parametrize("version, scenario", CASES)
def test_verdicts_are_the_same_whatever_is_reduced(version: str, scenario: str) -> None:
    subject, world = subject_of(version, None), SCENARIOS[scenario]
    system = system_of(subject, world)
    lowered = lower_properties(system, properties_of(subject, world))

    def run(*names: str) -> Exploration:
        made = plan(system, lowered, names, world.interchangeable)
        return made.report(Compiled().run(made.system, made.properties, made.keep))

    whole = run()
    assert whole.complete and whole.verdicts
    alone = [(name,) for name in REDUCTIONS if name != "symmetry" or world.interchangeable]
    for names in (*alone, tuple(REDUCTIONS)):
        found = run(*names)
        assert found_out(found) == found_out(whole), names
        assert found.states <= whole.states, names

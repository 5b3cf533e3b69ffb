"""A proposal is a whole design in one file: state, events, surroundings, claims and scenarios of its own."""

from __future__ import annotations

import ast
import inspect
import json
import re
from pathlib import Path

import pytest
from tests.command_line import run, run_or_export

from podproof.checker.core.system import NO_LIMITS, Status
from podproof.checker.reductions import REDUCTIONS
from podproof.model.scenarios import SCENARIOS
from podproof.queries.build import subject_of
from podproof.queries.search import explore
from podproof.queries.versions import VERSIONS

PAGE = (Path(__file__).parents[1] / "docs" / "proposals.md").read_text(encoding="utf-8")
PAUSING = PAGE.partition("```python\n")[2].partition("```")[0]
FINISHED = "paused_kubelets_finish_no_pods"
OWN = ("--scenario", "paused-pod", "--property", FINISHED)


@pytest.fixture
def pausing(tmp_path: Path) -> str:
    file = tmp_path / "pausing.py"
    file.write_text(PAUSING)
    return str(file)


def test_its_event_breaks_its_claim_in_its_scenario(pausing: str) -> None:
    result = run("check", "--model", pausing, *OWN, "--property", "a_pause_is_seen", "-o", "json")
    assert result.exit_code == 1, result.output
    (found,) = json.loads(result.stdout)["results"]
    status = {p["id"]: p["status"] for p in found["properties"]}
    assert status == {FINISHED: "VIOLATED", "a_pause_is_seen": "HOLDS"}
    (violated,) = (p for p in found["properties"] if p["id"] == FINISHED)
    assert "pause the pod workers" in {step["event"] for step in violated["trace"]}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "code", "words"),
    [
        (("check", *OWN, "--engine", "diagrams", "--max-depth", "2"), 4, FINISHED),
        (("check", *OWN, "-o", "sarif"), 1, "the proposal"),
        (("check", "--scenario", "orphan", "--property", FINISHED), 1, "pause the pod workers"),
        (("prove", "--scenario", "paused-pod", "--property", "a_paused_kubelet_stays_paused"), 0, "PROVED"),
        (("export", "promela", *OWN), 0, "pause"),
        (("diagram", "--trace", FINISHED, "--scenario", "paused-pod", "-o", "mermaid"), 0, "pause the pod workers"),
        (("diagram", "--by", "paused", "--scenario", "paused-pod", "-o", "mermaid"), 0, "paused"),
        (("explain", "pause"), 0, "pause   function of Pausing"),
        (("explain", "paused"), 0, "Did somebody ask for it?"),
        (("explain", "allowPodStart"), 0, "return False, True"),
        (("prove", "--pods", "--scenario", "lone-pod", "--property", FINISHED), 0, "paused: read by operator, worker"),
    ],
    ids=lambda value: "-".join(value[:2]) if isinstance(value, tuple) else "",
)
def test_every_command_follows_it(pausing: str, command: tuple[str, ...], code: int, words: str) -> None:
    result = run_or_export(*command, "--model", pausing)
    assert result.exit_code == code, result.output
    assert words in result.stdout


@pytest.mark.slow
def test_a_comparison_claims_of_both_what_is_claimed_of_one(pausing: str) -> None:
    result = run("review", "v1.35", pausing, "--scenario", "paused-pod", "-o", "json", "--exit-on", "difference")
    assert result.exit_code == 1, result.output
    assert FINISHED in result.stdout and "paused" in result.stdout


def test_state_of_each_pod_is_an_array(tmp_path: Path) -> None:
    file = tmp_path / "each.py"
    file.write_text(
        PAUSING.replace("paused: bool", 'paused: Annotated[Array[bool], Size("uids")]')
        .replace("import dataclass, replace", "import dataclass, replace\nfrom typing import Annotated")
        .replace("import action, require", "import Array, Size, action, require")
        .replace("self.paused", "self.paused[0]")
        .replace("s.paused", "s.paused[0]")
        .replace("before.paused", "before.paused[0]")
        .replace("after.paused", "after.paused[0]")
    )
    result = run("check", "--model", str(file), *OWN)
    assert result.exit_code == 1 and "paused \u2190 true" in result.stdout, result.output


HEAD = """\
from dataclasses import dataclass, replace
from typing import ClassVar

from podproof.model.kubelet import Kubelet
from podproof.model.open import Open
from podproof.model.releases import V1_29
from podproof.model.scenario import PodDescription
from podproof.model.scenarios import SCENARIOS
from podproof.specs.claim import claim
"""
CHANGE = "class Change(V1_29):\n    pass\n"
CLAIM = '@claim("{kind}", source="a test")\ndef {name}(s: {cls}) -> bool:\n    """It is."""\n    return True\n'


def own(bounds: str) -> str:
    """A scenario with these bounds."""
    return f'OWN = replace(SCENARIOS["orphan"], name="own", {bounds})\n'


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            CHANGE + CLAIM.format(kind="always", name="terminated_pods_never_restart", cls="V1_29"),
            "one of podproof's own, too",
        ),
        (CHANGE + CLAIM.format(kind="always", name="mine", cls="SCENARIOS"), "does not say what it is about"),
        (
            CHANGE + CLAIM.format(kind="always", name="mine", cls="'Node'"),
            "mine: an annotation cannot be read (name 'Node' is not defined); import or mend what it names",
        ),
        (CHANGE + CLAIM.format(kind="never", name="mine", cls="Change"), "is of kind 'never'; a claim of a file is of"),
        (
            CHANGE + CLAIM.format(kind="always", name="mine", cls="int"),
            "is about no scenario: its first parameter must be a Change",
        ),
        (CHANGE + 'MINE = replace(SCENARIOS["orphan"], kills=2)\n', "called 'orphan'; give it a name of its own"),
        (CHANGE + 'MINE = [replace(SCENARIOS["orphan"], name="My World")]\n', "called 'My World'"),
        (
            CHANGE + own("kills=-1"),
            "ValueError: kills of scenario 'own' is -1; write whole numbers from 0",
        ),
        (
            CHANGE + own("spec_seconds=2**64"),
            "spec_seconds of scenario 'own' is 18446744073709551616; write whole numbers",
        ),
        (CHANGE + own("deletion_seconds=[5]"), "deletion_seconds of scenario 'own' is [5]; it takes a tuple of int"),
        (CHANGE + own("kills=1.5"), "kills of scenario 'own' is 1.5; it takes int"),
        (CHANGE + own("pods=()"), "the pods of scenario 'own' are []; write at least one"),
        (
            CHANGE + own("sandbox_losses=1"),
            "sandbox_losses of scenario own has no effect; take it out",
        ),
        (CHANGE + own("pods=(PodDescription('a;b', 'a'),)"), "a pod is called 'a;b'; write small letters, digits and"),
        (
            "class Mine(Kubelet):\n    pass\n"
            + CHANGE
            + 'M = replace(SCENARIOS["orphan"], name="m", environment=Mine)',
            "Mine has no effect, Change does not name it",
        ),
        (
            "class Mine(Open):\n    pass\nclass Change(V1_29):\n    kubelet: ClassVar = Mine\n",
            "does not derive from Kubelet",
        ),
        ("class Change(V1_29):\n    more: bool\n", "Change.more is no state as it stands; write `@dataclass`"),
        ("@dataclass\nclass Change(V1_29):\n    more: bool\n", "is a field that nothing uses"),
        ("class Change(V1_29):\n    more = False\n", "Change.more is no method; new state is a field"),
    ],
)
def test_what_would_have_no_effect_is_refused(tmp_path: Path, text: str, words: str) -> None:
    file = tmp_path / "change.py"
    file.write_text(HEAD + text)
    result = run("check", "--model", str(file), "--scenario", "orphan")
    assert result.exit_code == 2 and words in result.stderr, result.output
    assert "Traceback" not in result.stderr


UNUSED = {"clamp_backoff", "resync_seconds"}
"""Of 1.35, what nothing in the model calls; of a file it is refused."""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("release", "changed"), [("v1.32", "v1.29"), ("v1.36", "v1.36.3"), ("v1.27.0", "v1.27.2"), ("v1.22.5", "v1.26")]
)
def test_a_file_can_say_all_that_changed_from_release_to_release(tmp_path: Path, release: str, changed: str) -> None:
    """A release's own text, outside the package: it has no help that a user's file lacks."""
    cls, file = VERSIONS[release].cls, tmp_path / "mine.py"
    tree = ast.parse(Path(inspect.getfile(cls)).read_text(encoding="utf-8"))
    for part in (node for node in tree.body if isinstance(node, ast.ClassDef)):
        part.body = [node for node in part.body if not UNUSED & set(re.findall(r"\w+", ast.unparse(node)))]
    file.write_text(ast.unparse(tree))
    mine, own = subject_of("", file), subject_of(release, None)
    assert mine.cls is not cls and mine.base is not None and mine.base.name == changed
    scenario = SCENARIOS["killed-pod"]
    found = [explore(one, scenario, (), "compiled", NO_LIMITS, tuple(REDUCTIONS)) for one in (mine, own)]
    told = [(one.states, one.transitions, one.depth) for one in found if one is not None]
    verdicts = [[(v.property.id, v.status, v.depth) for v in one.verdicts] for one in found if one is not None]
    assert len(told) == 2 and told[0] == told[1] and verdicts[0] == verdicts[1]
    assert {status for _, status, _ in verdicts[0]} == {Status.HOLDS, Status.VIOLATED}


FAIR = """
from typing import ClassVar

from podproof.model.kubelet import Kubelet
from podproof.model.language import action, require, weakly
from podproof.model.releases import V1_29
from podproof.model.state import Uid


class Forgiving(Kubelet):
    def is_wanted(self, uid: int) -> bool:
        return self.rejected[uid]

    {other}@action("sync loop", "FORGIVE {{uid}}", weakly("forgiveness", "a pod is forgiven", when={when}))
    def forgive(self, uid: Uid) -> None:
        require(self.rejected[uid])
        self.rejected[uid] = False


class Mine(V1_29):
    kubelet: ClassVar[type[Kubelet]] = Forgiving
"""


@pytest.mark.slow
def test_a_method_may_say_only_when_a_step_is_owed(tmp_path: Path) -> None:
    file = tmp_path / "fair.py"
    file.write_text(FAIR.format(when="is_wanted", other=""))
    result = run("check", "--model", str(file), "--liveness", "--scenario", "lone-pod")
    assert result.exit_code == 0 and "forgiveness" in result.output
    assert run("check", "--model", str(file), "--scenario", "lone-pod").exit_code == 0


def test_a_method_that_no_promise_names_is_still_refused(tmp_path: Path) -> None:
    file = tmp_path / "fair.py"
    other = "def is_asked(self, uid: int) -> bool:\n        return True\n\n    "
    file.write_text(FAIR.format(when="is_asked", other=other))
    result = run("check", "--model", str(file), "--liveness", "--scenario", "lone-pod")
    assert result.exit_code == 2 and "Forgiving.is_wanted overrides nothing and nothing uses it" in result.output

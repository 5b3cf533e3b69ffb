"""A declared answer: one place says what is in a document, in its schema and in what is read of it."""

from __future__ import annotations

import json
import random
from functools import partial
from typing import Any

import jsonschema
import pytest
from msgspec import UNSET
from tests.miniature import two_scenarios
from tests.texts_everywhere import conformed

from podproof.checker.adequacy.result import Detection, Fate, Mended, MutantResult, Objection
from podproof.checker.core.answer import AnswerPart, Count, decoded, encoded, schema_of
from podproof.checker.core.baseline import BaselineState
from podproof.checker.core.system import ActionCount, CheckerError, Status
from podproof.checker.difference.result import Worse
from podproof.checker.reading import Format
from podproof.reports.content.adequacy import AdequacyAnswer, KillCount
from podproof.reports.content.conform import Replay
from podproof.reports.content.listing import Listed, Listing
from podproof.reports.content.log import (
    Interval,
    Judged,
    LineAnswer,
    LineStep,
    LogAnswer,
    LogClaim,
    Rejected,
    RunLine,
    StepOfRun,
    Told,
    WaitingPod,
    Waits,
)
from podproof.reports.content.pods import PodsAnswer, PodsVerdict
from podproof.reports.content.review.answer import (
    ChangedAction,
    ChangedMethod,
    ComparedClaim,
    ComparedScenario,
    ComparedStep,
    Evidence,
    FunctionEquality,
    OnlyStep,
    OnlyWait,
    Otherwise,
    Parting,
    PhaseStep,
    ReviewAnswer,
    ShownSide,
    TracesApart,
)
from podproof.reports.content.verdicts import (
    AnswerBaseline,
    AnswerCounterexample,
    AnswerLasso,
    AnswerStep,
    ClaimResult,
    FalseConjunct,
    Need,
    ScenarioResult,
    SecondOpinion,
    StuckStep,
    Unconfirmed,
    Verdicts,
    check_answer,
)
from podproof.reports.render.json import answer_data, answers, schema_text

MUTANT = MutantResult(
    *("f@1", "f", "model/f.py:1", "negated condition", "a < b", "a >= b", Fate.KILLED, "a claim objects"),
    kills=(
        Detection("claim", "one-pod", Objection.VIOLATED, 4),
        Detection("claim", "two-pods", Objection.WITNESS_LOST, None),
    ),
    events=("UpdatePod(create)",),
    mended=(Mended("other", "one-pod"),),
    searched=("one-pod",),
    seconds=1.5,
)
ADEQUACY = AdequacyAnswer(
    *("podproof adequacy", 0, "v1.29", 9, 1, None, 1.5, {"f": 50.0, "g": None}, {"claim": KillCount(1, 1)}),
    scenarios={"one-pod": KillCount(1, 0)},
    mutants=(MUTANT,),
)
WAITS = Waits(
    *("a container to exit", "the runtime's", "Killing container", "0316 04:31:01.000000", "a.log:2", 3),
    counts_on=["sync-calls"],
    bugs=["B12: Nobody retries"],
)
LOG_LINE = RunLine("a.log:3", '"Pod is terminal" sync')
LOG = LogAnswer(
    command="podproof log a.log",
    exit_code=1,
    pods=(
        Judged(
            *("u", "default/a", "violation", "so", "v1.29", "the log says 1.29.6", "a.log:1", "a.log:9", 8, 9),
            stands=("sync",),
            waits=(WAITS,),
            rejected=(Rejected("a.log:3", '"Pod is terminal" sync', ('"Processing pod event" sync',)),),
            claims=(LogClaim("claim", "It ends.", True, "a.log:3", ("#1",)),),
            run=(StepOfRun("UpdatePod", "a", (LOG_LINE,), (LOG_LINE, LOG_LINE), ("claim",)),),
        ),
    ),
    waiting=(WaitingPod("", "default/b", ("u1", "u2"), "a.log:2", "a.log:4", (WAITS,)),),
    life=(Told("a.log:3", "0316 04:31:01.000000", "kubelet.go:1] x"),),
    intervals=(Interval(2.5, "a.log:3", "a.log:9"),),
    unread=1,
    left_out=2,
)
LINE_STEP = LineStep("UpdatePod", "update_pod", "a caller", "under podLock", ("finished",), (), ("sync",), ("sync",))
LINE = LineAnswer(
    *("podproof log --explain-line x", 0, "x", "sync", ("UpdatePod",), "V(4)", "v1.29", "so", "", (LINE_STEP,)),
    waits=("an image",),
    ends=("a container",),
    known=("y",),
)
STEP = AnswerStep("delete", "sync loop", "DELETE web", {"uid": "web"}, {"a": (1, True)}, {"a": "f.py:1"}, "f.py:1")
PART = FalseConjunct("a < b", "f.py:1", {"a": 1}, ("c",), (), "a < b (1 < 0)")
LASSO = AnswerLasso(0, 1, {"uid": "web"}, ("nobody waits",), 1)
VIOLATED = ClaimResult(
    id="claim",
    kind="leads_to",
    status=Status.VIOLATED,
    reason="after 1 step",
    meaning="It ends.",
    exercised=True,
    baseline=AnswerBaseline(
        version="v1.29", state=BaselineState.CHANGED, reason="so", listed=True, initial={"a": 0}, trace=(STEP,)
    ),
    wrong="it never ends",
    false_conjunct=PART,
    initial={"a": 1},
    trace=(STEP,),
    lasso=LASSO,
    other_counterexamples=(
        AnswerCounterexample(action="add", wrong="so", false_conjunct=PART, initial={"a": 1}, trace=()),
    ),
    other_counterexamples_note="",
    replay="podproof check",
    needs=(Need("somebody acts", (), "after 1 step", {"a": 1}, (STEP,), LASSO),),
    harm="data",
    effect="it is lost",
    known="#1",
    rests_on=("A1",),
    on_real_code="",
    invariant=("a > 0",),
    stuck=StuckStep({"a": 1}, "delete", {"uid": "web"}),
)
RESULT = ScenarioResult(
    version="v1.29",
    environment="kubelet",
    scenario="one-pod",
    bounds="1 pod",
    engine="compiled",
    complete=True,
    interrupted=False,
    reason="",
    states=3,
    transitions=4,
    depth=None,
    explore_seconds=0.5,
    solver_seconds=0.25,
    peak_bytes=9,
    bounds_hit={"restarts": 1},
    reductions=("order",),
    actions={"delete": ActionCount(1, None)},
    actions_never_taken=("add",),
    assumptions={"somebody acts": "always"},
    properties=(VIOLATED, ClaimResult(id="b", kind="always", status=Status.HOLDS, reason="", meaning="b")),
    recheck=SecondOpinion("Yices", 3, (Unconfirmed("claim", "init", "unknown"),)),
)
COMPARED = ComparedStep("delete", "API server", "DELETE web", {"uid": "web"}, {"a": (1, True)}, "f.py:1")
SIDE = ShownSide(3, 4, 2, None, 1, 0, 0, None, 0)
EVIDENCE = Evidence(
    scenario="one-pod",
    wrong="so",
    false_conjunct=PART,
    initial={"a": 1},
    trace=(COMPARED,),
    lasso=LASSO,
    other_takes=1,
    other_violates=None,
)
COMPARED_CLAIM = ComparedClaim(
    id="claim",
    kind="step",
    meaning="It ends.",
    statuses=(Status.HOLDS, None),
    changes=False,
    scenarios={"one-pod": (Status.HOLDS, None)},
    texts=("a", "b"),
    baselines={"one-pod": BaselineState.NEW},
    otherwise={"one-pod": Otherwise(BaselineState.CHANGED, "by step 1", True)},
    evidence=(EVIDENCE, None),
)
COMPARED_SCENARIO = ComparedScenario(
    scenario="one-pod",
    environment="kubelet",
    bounds="1 pod",
    decision="DIFFERENT",
    reason="so",
    fields=("a",),
    only_variables=(("b",), ()),
    changed_actions=("delete",),
    actions=(ChangedAction("delete", 1, True, ("a",), ("its label",), (("f.py:1",), ())),),
    partings=(Parting("DELETE web", "delete", {"a": 1}, (COMPARED,), (COMPARED, None)),),
    unaffected_events=(),
    sizes=(SIDE, SIDE),
    only_steps=(OnlyStep("v1.29", "delete", 1, 0, None, {"a": 1}, (COMPARED,)),),
    only_waits=(OnlyWait("v1.29", {"a": "nil"}, False, {"a": 1}, ()),),
    experiment=TracesApart(({"a": 1}, {"a": 2}), ((COMPARED,), ()), None, None),
    phases=(PhaseStep("a", "b", "delete", "both"),),
)
REVIEW = ReviewAnswer(
    command="podproof review a b",
    versions=("a", "b"),
    verdict="DIFFERENT",
    judgement=Worse.YES,
    decision="DIFFERENT",
    functions={"f": FunctionEquality("EQUAL", "")},
    changed_functions={"f": "changed"},
    besides=("labels",),
    unreached=("f.py:2",),
    reaching="two-pods",
    claims=(COMPARED_CLAIM,),
    methods=(ChangedMethod("f", ("f.py:1", None), False, ()),),
    scenarios=(COMPARED_SCENARIO,),
)
ANSWERS: tuple[AnswerPart, ...] = (
    ADEQUACY,
    LOG,
    LINE,
    REVIEW,
    Verdicts("prove", 1, {"claim": Status.VIOLATED}, (RESULT,)),
    check_answer(two_scenarios()),
    conformed("a"),
    Listing("properties", (Listed("a", {"claim": "a", "meaning": "b"}),)),
    PodsAnswer(
        4, (PodsVerdict("v1.29", "a", "a and b", {"a": 1, "b": 1}, 2, 9, False, ("it",), (), ("c",), {"d": "so"}),)
    ),
)


def reader(answer: type[AnswerPart]) -> Format:
    return Format(partial(schema_of, answer), "make it anew", 1 << 20)


@pytest.mark.quick(3)
@pytest.mark.parametrize("answer", ANSWERS, ids=lambda answer: type(answer).__name__)
def test_what_is_written_follows_the_schema_and_is_read_as_it_was(answer: AnswerPart) -> None:
    document = json.loads(json.dumps(answer_data(answer)))
    jsonschema.Draft202012Validator(json.loads(schema_text())).validate(document)
    assert json.loads(json.dumps(answer_data(decoded(document, type(answer))))) == document
    reader(type(answer)).check(document, "here")


def test_every_kind_of_document_is_tried_here() -> None:
    assert {type(answer) for answer in ANSWERS} == set(answers())


def test_the_fullest_answers_leave_nothing_out() -> None:
    for part in (VIOLATED, RESULT, EVIDENCE, COMPARED_CLAIM, COMPARED_SCENARIO, REVIEW):
        assert UNSET not in [getattr(part, name) for name in part.__struct_fields__]


class Wider(Listed, frozen=True):
    """What a test adds a field to."""

    seen_in: Count
    """How many scenarios have it."""


def test_a_field_that_is_added_is_in_the_document_the_schema_and_the_reader() -> None:
    document = encoded(Wider("a", {}, 3))
    assert document == {"name": "a", "columns": {}, "seenIn": 3}
    schema = json.loads(schema_of(Wider))["$defs"]["wider"]
    assert schema["properties"]["seenIn"] == {
        "type": "integer",
        "minimum": 0,
        "description": "How many scenarios have it.",
    }
    assert schema["properties"]["columns"]["description"] == "What the table says of it, by column."
    assert "seenIn" in schema["required"] and decoded(document, Wider).seen_in == 3
    with pytest.raises(CheckerError, match=r"^here: seenIn is -1, but has to be 0 or more; make it anew$"):
        reader(Wider).check(document | {"seenIn": -1}, "here")


def test_what_may_be_left_out_is_not_required_and_what_a_value_may_be_is_told() -> None:
    schema = json.loads(schema_of(Verdicts))["$defs"]
    assert schema["claimResult"]["required"] == ["id", "kind", "status", "reason", "meaning"]
    assert schema["scenarioResult"]["properties"]["depth"]["anyOf"][1] == {"type": "null"}
    step = encoded(STEP) | {"changed": {"a": [1, None]}}
    with pytest.raises(
        CheckerError, match=r"^here: changed\.a\[1\] is null, but has to be of type string or integer or bool"
    ):
        reader(AnswerStep).check(step, "here")
    with pytest.raises(CheckerError, match=r"^here: changed\.a is \[1\], but has to be of length 2 or more"):
        reader(AnswerStep).check(step | {"changed": {"a": [1]}}, "here")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"kills": 1}, "kills is 1, but has to be of type array"),
        ({"kills": [{"claim": "a", "scenario": "b", "steps": 1}]}, r"kills\[0\].objection is missing"),
        ({"fate": "dead"}, 'fate is "dead", but has to be one of "different" or .* or "survived"'),
        ({"seconds": -1}, "seconds is -1, but has to be 0 or more"),
        ({"mended": [["a", "b"]]}, r'mended\[0\] is \["a", "b"\], but has to be of type object'),
        ({"events": [None]}, r"events\[0\] is null, but has to be of type string"),
    ],
)
def test_what_is_no_answer_is_refused_with_its_place(change: dict[str, Any], said: str) -> None:
    with pytest.raises(CheckerError, match=f"^here: {said}; make it anew$"):
        reader(MutantResult).check(encoded(MUTANT) | change, "here")


def mutated(text: bytes, chance: random.Random) -> bytes:
    """A document with a few bytes or values that are others."""
    if chance.random() < 0.5:
        found = bytearray(text)
        for _ in range(chance.randint(1, 4)):
            found[chance.randrange(len(found))] = chance.choice(b'0129-.eE"{}[],:nullTrue\\\x00\xff ')
        return bytes(found)
    document = json.loads(text)
    owner: Any = document
    while inner := [value for value in (owner.values() if isinstance(owner, dict) else owner) if value]:
        deeper = chance.choice(inner)
        if not isinstance(deeper, dict | list) or chance.random() < 0.3:
            break
        owner = deeper
    if not owner:
        return text
    key = chance.choice(list(owner) if isinstance(owner, dict) else range(len(owner)))
    if chance.random() < 0.3:
        del owner[key]
    else:
        owner[key] = chance.choice([None, True, -1, 1 << 62, 1e300, "", "killed", [], {}, [[]], {"a": 1}, [None]])
    return json.dumps(document).encode()


def hunt(number: int, seed: int) -> int:
    """Read so many mutated documents; what the schema lets through is read whole. The number of those."""
    chance, read = random.Random(seed), 0
    texts = [(type(a), reader(type(a)), json.dumps(answer_data(a)).encode()) for a in (*ANSWERS,)]
    for _ in range(number):
        answer, form, text = chance.choice(texts)
        try:
            document = form.parse(mutated(text, chance), "here")
        except CheckerError as error:
            assert str(error).startswith("here: ") and str(error).endswith("; make it anew")
        else:
            again = encoded(decoded(document, answer))
            form.check(again, "here")
            read += 1
    return read


def test_mutated_documents_are_read_or_refused_with_a_sentence() -> None:
    assert 0 < hunt(2_000, 1) < 2_000


@pytest.mark.hunt
def test_a_hundred_thousand_mutated_documents() -> None:
    assert 0 < hunt(100_000, 2) < 100_000


def test_an_answer_of_another_kind_is_refused() -> None:
    with pytest.raises(CheckerError, match=r"^here: kind is .*; make it anew$"):
        reader(Replay).check(answer_data(conformed("a")) | {"kind": "list"}, "here")

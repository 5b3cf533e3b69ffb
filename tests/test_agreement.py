"""CPython, the graph and both engines give the same answers about the real model; leaving variables out changes none."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

import pytest
from tests.agreement import GraphFunctions, Outcome, compare_everywhere, describe, run

from podproof.checker import compiled, reference
from podproof.checker.claims import LoweredProperty, lower_properties
from podproof.checker.compiled import machine
from podproof.checker.graph import evaluate
from podproof.checker.reference import as_mapping
from podproof.checker.slicing import relevant_variables
from podproof.checker.system import Exploration, Property, State, System
from podproof.commands.build import properties_of, subject_of, system_of
from podproof.model.kubelet import Kubelet
from podproof.model.open import Open
from podproof.model.scenarios import PodDescription, Scenario

SUBJECT = subject_of("v1.29", None)
WEB = PodDescription("web", "web_default")
REUSED = PodDescription("static", "static_kube-system", static=True, adds=2)
PAIR = tuple(PodDescription(name, "static_kube-system", static=True, removes=0) for name in ("old", "new"))

SMALL = {
    scenario.name: scenario
    for scenario in (
        Scenario("deletion", "", Kubelet, (PodDescription("web", "web_default", removes=0),), deletion_seconds=(5,)),
        Scenario("kill", "", Kubelet, (PodDescription("web", "web_default", removes=0),), kills=1),
        Scenario("phase", "", Kubelet, (PodDescription("web", "web_default", removes=0),), phase_changes=1),
        Scenario("rejection", "", Kubelet, (PodDescription("web", "web_default", removes=0),), rejections=1),
        Scenario("restart", "", Kubelet, (WEB,), restarts=1),
        Scenario("reuse", "", Kubelet, (REUSED,)),
        Scenario("two-goroutines", "", Kubelet, (REUSED,), generations=2),
        Scenario("pair", "", Kubelet, PAIR),
        Scenario("orphan", "", Kubelet, (PodDescription("web", "web_default", adds=0, removes=0, running=True),)),
        Scenario("open", "", Open, (PodDescription("static", "static_kube-system", static=True),), kills=1)
    )
}
"""Every kind of event once, each in a world that is explored to its end."""


def system(name: str) -> System:
    return system_of(SUBJECT, SMALL[name])


def claims(name: str) -> tuple[Property, ...]:
    return properties_of(SUBJECT, SMALL[name])

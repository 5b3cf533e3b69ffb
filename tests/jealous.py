"""Model files whose pods look at each other: what goes wrong, or is cut off, only where there are several."""

from __future__ import annotations

HEAD = """\
from typing import ClassVar

from podproof.model.crowd import crowd
from podproof.model.kubelet import Kubelet
from podproof.model.language import action, out_of_bounds, require
from podproof.model.releases import V1_29
from podproof.model.scenarios import SCENARIOS
from podproof.model.state import Uid


def another(state: Kubelet, uid: int) -> bool:
    for other in range(len(state.pod_sync_statuses)):
        if other != uid and state.pod_sync_statuses[other].started_at:
            return True
    return False


def started(state: Kubelet) -> int:
    number = 0
    for uid in range(len(state.pod_sync_statuses)):
        if state.pod_sync_statuses[uid].started_at:
            number += 1
    return number


def look(state: Kubelet, uid: int) -> None:
    assert not another(state, uid)


class Jealous(Kubelet):
"""
TAIL = """

class Mine(V1_29):
    kubelet: ClassVar[type[Kubelet]] = Jealous


PAIR = crowd(SCENARIOS["lone-pod"], SCENARIOS["{other}"], name="pair")
"""
WRONG = {
    "an assertion where another pod has started": """
        require(self.config[uid].exists and another(self, uid))
        assert False
    """,
    "an assertion in a called method": """
        require(self.config[uid].exists and another(self, uid))
        look(self, uid)
    """,
    "an assertion under a condition, where the step does something alone": """
        require(self.config[uid].exists and not self.rejected[uid])
        if another(self, uid):
            assert self.rejected[uid]
        self.rejected[uid] = True
    """,
    "an index in a guard": """
        place = uid
        if another(self, uid):
            place = len(self.config)
        require(self.config[place].exists and self.config[uid].exists)
    """,
    "an assertion before a guard": """
        look(self, uid)
        require(self.config[uid].exists and self.rejected[uid])
    """,
    "a value out of its range": """
        require(self.config[uid].exists and another(self, uid))
        self.budget.adds[uid] -= 7
    """,
    "a value out of its range under a condition": """
        require(self.config[uid].exists and not self.rejected[uid])
        if another(self, uid):
            self.budget.removes[uid] = 40
        self.rejected[uid] = True
    """,
}
"""Bodies of an action of a pod that go wrong, but for no pod alone."""
TOGETHER = {
    "an assertion in a step of two pods": (
        "uid: Uid, other: Uid",
        """
        require(uid != other and self.config[uid].exists and self.config[other].exists)
        assert False
    """,
    ),
    "an assertion in a step of no pod": (
        "",
        """
        require(started(self) == 2)
        assert False
    """,
    ),
}
"""Parameters and bodies of an action of more than one pod, or of none, that go wrong."""
ONE_KIND = """
        require(self.config[uid].exists and self.is_static_pod(uid) and another(self, uid))
        assert False
    """
"""Goes wrong for static pods alone."""


def model_file(body: str, parameters: str = "uid: Uid", other: str = "lone-pod") -> str:
    """The text of a model file with one action more and a scenario `pair` of two pods."""
    names = "".join(f" {{{part.partition(':')[0].strip()}}}" for part in parameters.split(",") if part)
    given = f", {parameters}" if parameters else ""
    method = f'    @action("sync loop", "looks{names}")\n    def glance(self{given}) -> None:{body.rstrip()}\n'
    return HEAD + method + TAIL.format(other=other)


def cut_off(body: str) -> str:
    """The same step, cut off where it would fail its assertion."""
    return body.replace("assert False", 'out_of_bounds("not with two")')

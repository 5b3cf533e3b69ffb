"""A subject of several files, one thing of which changes at a time; each time the answer is that of --no-cache.

A file changes, or what it imports or reads, or where it is; or something else is asked.
"""

from __future__ import annotations

import functools
import importlib
import os
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from tests.test_baseline import IGNORES_UPDATES

from podproof.checker.core.system import Exploration, Limits
from podproof.checker.reductions import REDUCTIONS
from podproof.queries.build import scenarios_of, subject_of, with_claims
from podproof.queries.cache import Cache, CachedQuery
from podproof.queries.search import explore

CHANGE = IGNORES_UPDATES.replace("V1_35", "V1_29")
CLAIMS = """from podproof.model.kubelet import Kubelet
from podproof.specs.claim import claim
{imports}

@claim("always", source="the team")
def at_most_so_many_terminate(s: Kubelet) -> bool:
    \"\"\"A pod of the team's terminates only if it may.\"\"\"
    return {sign}s.pod_sync_statuses[0].terminating_at or {limit} > 0
"""
OWN = "at_most_so_many_terminate"
ASKED = ("updates_are_left_for_the_worker", "evictions_are_recorded", OWN)
LIMITS = {
    "none": ("", "0"),
    "helper": ("from helper import LIMIT", "LIMIT"),
    "package": ("from helpers.laws import LIMIT", "LIMIT"),
    "through": ("from helpers.through import LIMIT", "LIMIT"),
    "read": ("from pathlib import Path\nLIMIT = int(Path(__file__).with_name('limit.txt').read_text())", "LIMIT"),
    "opened": ("LIMIT = int(open(__file__.replace('team.py', 'limit.txt')).read())", "LIMIT"),
    "got": ("LIMIT = int(__loader__.get_data(__file__.replace('team.py', 'limit.txt')))", "LIMIT"),
    "out of a module": ("import enum\nLIMIT = int(enum.sys.modules['os'].environ['HUNTED'])", "LIMIT"),
    "environment": ("import os\nLIMIT = int(os.environ['HUNTED'])", "LIMIT"),
    "imported": ("import importlib\nLIMIT = importlib.import_module('helper').LIMIT", "LIMIT"),
}


class World:
    """The files, two folders that Python imports from, and what is asked."""

    def __init__(self, folder: Path, random: Random) -> None:
        self.random, self.folders = random, [folder / "first", folder / "second"]
        self.kept = folder / "kept"
        self.kept.mkdir()
        for place in self.folders:
            (place / "helpers").mkdir(parents=True)
            (place / "helpers" / "__init__.py").write_text("")
            (place / "helpers" / "through.py").write_text("from .laws import LIMIT\n")
        self.limits = dict.fromkeys(("first/helper.py", "second/helper.py", "first/helpers", "second/helpers"), 1)
        self.text, self.limit = 0, "none"
        self.file, self.sign, self.ignores, self.base = 0, "not ", True, False
        self.scenario, self.asked, self.engine, self.reductions = "lone-pod", ASKED, "compiled", tuple(REDUCTIONS)
        self.counterexamples, self.is_linked = 1, False

    def change(self) -> str:
        """Change one thing; its name."""
        pick = self.random.choice
        changes: dict[str, Callable[[], Any]] = {
            "limit": lambda: setattr(self, "limit", pick(list(LIMITS))),
            "imported": lambda: self._flip(pick(list(self.limits))),
            "text": lambda: setattr(self, "text", 1 - self.text),
            "sign": lambda: setattr(self, "sign", "" if self.sign else "not "),
            "model": lambda: setattr(self, "ignores", not self.ignores),
            "base": lambda: setattr(self, "base", not self.base),
            "place": lambda: setattr(self, "file", 1 - self.file),
            "link": lambda: setattr(self, "is_linked", not self.is_linked),
            "scenario": lambda: setattr(self, "scenario", pick(["lone-pod", "killed-pod"])),
            "claims": lambda: setattr(self, "asked", tuple(self.random.sample(ASKED, self.random.randint(1, 3)))),
            "engine": lambda: setattr(self, "engine", pick(["compiled", "diagrams"])),
            "reductions": lambda: setattr(self, "reductions", pick([(), tuple(REDUCTIONS)])),
            "counterexamples": lambda: setattr(self, "counterexamples", pick([1, 2])),
        }
        name = pick(list(changes))
        changes[name]()
        return name

    def _flip(self, name: str) -> None:
        """Gone, 0 or 1; where the first folder's is gone, the second one's is found."""
        self.limits[name] = self.random.choice([-1, 0, 1] if name.startswith("first") else [0, 1])

    def write(self) -> tuple[Path | None, Path]:
        """The files as they are now: of the model, if it is no release, and of the claims."""
        for name, limit in self.limits.items():
            path = self.folders[0].parent / (name if name.endswith(".py") else f"{name}/laws.py")
            if limit < 0:
                path.unlink(missing_ok=True)
            else:
                path.write_text(f"LIMIT = {limit}\n")
                os.utime(path, (1e9, 1e9))  # The bytecode of before would be taken for its own.
        here = self.folders[self.file]
        os.environ["HUNTED"] = str(self.text)
        (here / "limit.txt").write_text(str(self.text))
        imports, limit_text = LIMITS[self.limit]
        (here / "team.py").write_text(CLAIMS.format(imports=imports, sign=self.sign, limit=limit_text))
        model = here / "change.py"
        model.unlink(missing_ok=True)
        written = here / "real.py" if self.is_linked else model
        written.write_text(CHANGE if self.ignores else CHANGE.replace("            return\n", "            pass\n"))
        if self.is_linked:
            model.symlink_to(written)
        return None if self.base else model, here / "team.py"

    def answers(self) -> tuple[str, str]:
        """What is said with the store, and what without."""
        model, claims = self.write()
        found = []
        for folder in (self.kept, None):
            for name in [name for name in sys.modules if name.partition(".")[0] in ("helper", "helpers")]:
                del sys.modules[name]  # Each is a process of its own.
            importlib.invalidate_caches()
            try:
                subject = with_claims(subject_of("v1.29" if model is None else "", model), [claims])
            except Exception as error:
                found.append(f"refused: {error}")
                continue
            (scenario,) = scenarios_of([self.scenario], subject)
            asked = (scenario, self.asked, self.engine, Limits(), self.reductions)
            find = functools.partial(explore, subject, *asked, None, self.counterexamples)
            cache = Cache(folder)
            answer = cache.answer(CachedQuery(find, subject, ("explore", *asked, self.counterexamples)))
            self.taken = cache.taken if folder is not None else self.taken
            found.append(told(answer))
        return found[0], found[1]

    taken = 0


def told(found: Exploration | None) -> str:
    """All of an answer but its time."""
    if found is None:
        return "nothing to decide"
    lines = [f"{found.system.version} {found.system.scenario} {found.states} states"]
    for verdict in found.verdicts:
        lines.append(f"{verdict.property.id} {verdict.status} {verdict.reason} {verdict.is_vacuous} {verdict.failure}")
        for trace in filter(None, (verdict.trace, *(other.trace for other in verdict.others))):
            lines += [
                f"{step.move} {step.parameters} {step.changes} {step.line.file}:{step.line}" for step in trace.steps
            ]
    return "\n".join(lines)

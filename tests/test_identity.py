"""What an answer depends on: a file that may depend on more than it says is never answered from what was kept."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest
from tests.command_line import run
from tests.test_baseline import IGNORES_UPDATES
from tests.test_check_again import answer, watching

from podproof.queries import identity
from podproof.queries.build import Subject, subject_of, with_claims
from podproof.queries.model_file import load

__all__ = ["watching"]
CHANGE = IGNORES_UPDATES.replace("V1_35", "V1_29")
MENDED = CHANGE.replace("            return\n", "            pass\n")
EVICTED = """
from podproof.model.releases import V1_29


class Change(V1_29):
    def begin_termination(self, uid, options, is_runtime_pod):
        began = super().begin_termination(uid, options, is_runtime_pod)
        self.pod_sync_statuses[uid].evicted = True
        return began
"""
QUICK = ("--scenario", "lone-pod", "--property", "updates_are_left_for_the_worker")


@pytest.fixture(autouse=True)
def importable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of the test's files, from which Python imports."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("PODPROOF_CACHE", str(tmp_path / "kept"))
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        if name.startswith(("helper", "podproof_model_")):
            del sys.modules[name]


def digest(folder: Path, text: str, name: str = "change.py") -> str | None:
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text(text)
    return load(folder / name).own.dependencies.digest


# -- a file by itself --------------------------------------------------------------------------------------------------

OPEN = {
    "a library": "import json",
    "the clock": "from time import time",
    "the environment": "import os",
    "open": "LIMIT = len(open(__file__).read())",
    "its loader": "LIMIT = len(__loader__.get_data(__file__))",
    "its spec": "LIMIT = __spec__",
    "builtins": "LIMIT = __builtins__",
    "a module out of a module": "import enum\nLIMIT = enum.sys.modules",
    "a module out of a module by another name": "from dataclasses import sys as s",
    "a module out of a module of podproof": "from podproof.model import language\nLIMIT = language.sys",
    "a private module": "from collections import _sys",
    "the built-ins of a module of podproof": "from podproof.model.state import __builtins__ as b\nLIMIT = len(b)",
    "another part of podproof": "from podproof.queries.cache import own_folder",
    "a path out of podproof": "from podproof.checker.core.printer import Path",
    "importlib": "import importlib",
    "getattr": "LIMIT = getattr(int, 'real')",
    "globals": "LIMIT = globals()",
    "vars": "LIMIT = vars(int)",
    "eval": "LIMIT = eval('1')",
    "a built-in under another name": "o = open",
    "a parameter called like it": "def f(open=None):\n    return open\n",
    "the globals of a function": "LIMIT = (lambda: 0).__globals__",
    "the globals of a method": "def f() -> None: ...\nLIMIT = f.__globals__['__builtins__']",
    "a frame": "LIMIT = (x for x in ()).gi_frame",
    "a subclass": "LIMIT = object.__subclasses__()",
    "a format": "LIMIT = '{0.real}'.format(1)",
    "a pattern": "match len:\n    case object(__self__=module):\n        LIMIT = module",
    "an annotation that is text": "def f(x: \"open('x')\") -> None: ...",
    "an annotation that becomes text": "T = 'op' + \"en('x')\"\ndef f(x: T) -> None: ...",
    "an annotation that is a call": "def g() -> str: return 'int'\ndef f(x: g()) -> None: ...",
    "an address": "LIMIT = id(1)",
    "a hash": "LIMIT = hash('x')",
    "a star": "from enum import *",
    "a dotted import": "import podproof.model.state",
    "what is never imported": "if False:\n    from nowhere import LIMIT",
    "a change of the release": "from podproof.model.pod_workers import PodWorkers\nPodWorkers.limit = 1",
    "a change of the scenarios": "from podproof.model.scenarios import SCENARIOS\nSCENARIOS.update({})",
    "a change by a function": "from podproof.model.scenarios import SCENARIOS\ndef f() -> None: SCENARIOS.clear\nf()",
    "a change by a metaclass": "class M(type):\n    def __init__(c, *a):\n        c.limit = 1\n",
    "a licence": "LIMIT = license",
    "the order of a set": "LIMIT = next(iter({'a', 'b'}))",
    "the order of a frozenset": "LIMIT = next(iter(frozenset(('a', 'b'))))",
    "the order of a frozenset of podproof": "from podproof.model.scenario import SECONDS\nLIMIT = next(iter(SECONDS))",
    "the order of a module's frozenset": "from podproof.model import scenario\nLIMIT = next(iter(scenario.SECONDS))",
    "where an object is": "LIMIT = str(object())",
    "a change that is passed on": "LIMIT = list(map(dict.clear, [{}]))",
    "a decorator of its own": "class D:\n    @staticmethod\n    def d(f): return f\n@D.d\ndef g() -> None: ...",
}


@pytest.mark.parametrize("line", OPEN.values(), ids=OPEN)
def test_a_file_that_may_depend_on_more_has_no_identity(importable: Path, line: str) -> None:
    future, rest = "from __future__ import annotations\n", CHANGE.replace("from __future__ import annotations\n", "")
    assert digest(importable, CHANGE) is not None
    assert digest(importable, f"{future}{line}\n{rest}") is None


CLOSED = {
    "what it makes": "LIMIT = max(1, 2) + sum(range(3))",
    "collections": "from collections import Counter\nfrom itertools import chain",
    "a module by its name": "import itertools\nLIMIT = itertools.chain",
    "a module of the model": "from podproof.model import state\nLIMIT = state.Phase.FAILED",
    "a class": "class Kind:\n    limit = 1\nLIMIT = Kind.limit",
    "a method that sets its own": "class Kind:\n    def put(self) -> None:\n        self.limit = 1",
    "an annotation in quotes": "def f(x: 'int') -> \"None\": ...",
    "a text": 'LIMIT = "open(x)"',
    "a set that is only asked": "def f(x: int) -> bool:\n    return x in {1, 2}",
}


@pytest.mark.parametrize("line", CLOSED.values(), ids=CLOSED)
def test_what_only_says_what_it_is_has_one(importable: Path, line: str) -> None:
    future, rest = "from __future__ import annotations\n", CHANGE.replace("from __future__ import annotations\n", "")
    assert digest(importable, f"{future}{line}\n{rest}") is not None


def test_an_equal_file_elsewhere_is_another_one(importable: Path) -> None:
    found = [digest(importable, CHANGE, name) for name in ("change.py", "a/change.py", "b/change.py", "change.py")]
    assert len(set(found)) == 3 and found[0] == found[3]


def test_an_equal_file_elsewhere_is_quoted_by_its_own_place(importable: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(importable)
    for name in ("a", "b"):
        digest(importable, CHANGE, f"{name}/change.py")
        found = run("check", "--model", f"{name}/change.py", *QUICK, "-o", "sarif")
        assert f'"uri": "{name}/change.py"' in found.stdout and "nothing has changed" not in found.stderr


@pytest.mark.slow
def test_a_file_is_quoted_by_its_place_seen_from_here(importable: Path) -> None:
    digest(importable, EVICTED, "a/change.py")
    asked = ("--scenario", "lone-pod", "--property", "evictions_are_marked_evicted", "-o", "json")
    command = [
        sys.executable,
        "-m",
        "podproof.cli.main",
        "check",
        "--model",
        str(importable / "a" / "change.py"),
        *asked,
    ]
    for here, place in ((".", "a/change.py"), ("a", "change.py")):
        found = subprocess.run(command, cwd=importable / here, capture_output=True, text=True)
        assert found.returncode == 1, found.stderr
        assert f'pod_sync_statuses[0].evicted": "{place}:' in found.stdout


def test_a_link_is_what_it_leads_to(importable: Path) -> None:
    link, found = importable / "link.py", []
    for name in ("a/change.py", "b/change.py"):
        digest(importable, CHANGE, name)
        link.unlink(missing_ok=True)
        link.symlink_to(importable / name)
        found.append(load(link).own.dependencies.digest)
    assert len(set(found)) == 2


def test_what_is_read_while_a_file_is_loaded_belongs_to_it(importable: Path) -> None:
    (own := importable / "change.py").write_text("LIMIT = 1\n")
    (other := importable / "limit.txt").write_text("1\n")
    module = ModuleType("podproof_model_change")
    module.__loader__ = loader = identity.SourceLoader(module.__name__, str(own))
    with identity.following() as opened:
        loader.exec_module(module)
        other.read_text()
    assert opened == [own, other]
    assert identity.dependencies_of(module, [own]).digest is not None
    assert identity.dependencies_of(module, opened) == identity.Dependencies((own, other), None)


# -- what a file imports -----------------------------------------------------------------------------------------------

IMPORTS: dict[str, tuple[str, str]] = {
    "a module": ("from helper import LIMIT", "helper.py"),
    "by its name": ("import helper\nLIMIT = helper.LIMIT", "helper.py"),
    "a package": ("from helpers import LIMIT", "helpers/__init__.py"),
    "a module of a package": ("from helpers.laws import LIMIT", "helpers/laws.py"),
    "by the package's name": ("from helpers import laws\nLIMIT = laws.LIMIT", "helpers/laws.py"),
}


@pytest.mark.parametrize(("line", "file"), IMPORTS.values(), ids=IMPORTS)
def test_what_a_file_imports_belongs_to_it(importable: Path, line: str, file: str) -> None:
    helper = importable / file
    helper.parent.mkdir(exist_ok=True)
    (helper.parent / "__init__.py").write_text("")
    found = []
    for limit in (1, 2, 1):
        helper.write_text(f"LIMIT = {limit}\n")
        os.utime(helper, (1e9, 1e9))  # Python would take the bytecode of before.
        found.append(digest(importable, f"{CHANGE}\n{line}\nassert LIMIT == {limit}\n".replace(f"== {limit}", "> 0")))
    assert None not in found and found[0] != found[1] and found[0] == found[2]
    helper.write_text("import os\nLIMIT = 1\n")
    assert digest(importable, f"{CHANGE}\n{line}\n") is None


def test_one_import_of_several_that_changed_is_read_again(importable: Path) -> None:
    future, rest = "from __future__ import annotations\n", CHANGE.replace("from __future__ import annotations\n", "")
    text, found = f"{future}from helper_a import LIMIT as A\nfrom helper_b import LIMIT as B\n{rest}", []
    (importable / "helper_a.py").write_text("LIMIT = 1\n")
    for limit in (1, 2):
        (importable / "helper_b.py").write_text(f"LIMIT = {limit}\n")
        found.append((digest(importable, text), sys.modules["helper_b"].LIMIT))
    assert found[0][0] != found[1][0] and None not in (found[0][0], found[1][0])
    assert [limit for _, limit in found] == [1, 2]


def test_what_an_import_imports_belongs_to_it(importable: Path) -> None:
    found = []
    (importable / "helpers").mkdir()
    (importable / "helpers" / "__init__.py").write_text("")
    (importable / "helpers" / "first.py").write_text("from .second import LIMIT\n")
    for limit in (1, 2):
        (importable / "helpers" / "second.py").write_text(f"LIMIT = {limit}\n")
        found.append(digest(importable, f"{CHANGE}\nfrom helpers.first import LIMIT\n"))
    assert None not in found and found[0] != found[1]


def test_a_team_s_claims_and_options_belong_to_it(importable: Path) -> None:
    claims = importable / "team.py"
    text = """
from podproof.model.kubelet import Node
from podproof.specs.claim import claim


@claim("always", source="the team")
def nothing_terminates(s: Node) -> bool:
    \"\"\"Nothing terminates.\"\"\"
    return not s.pod_sync_statuses[0].terminating_at
"""

    def subject() -> Subject:
        return with_claims(subject_of("v1.29", None), [claims])

    claims.write_text(text)
    first = subject().digest
    claims.write_text(text.replace("not s", "s"))
    assert None not in (first, subject().digest) and subject().digest != first
    claims.write_text(f"import time\n{text}")
    assert subject().digest is None


# -- through the shell -------------------------------------------------------------------------------------------------


def helped(folder: Path, ignores: bool) -> None:
    """A change that is in a module beside the file: the file's class is derived from it."""
    (folder / "helper.py").write_text(CHANGE if ignores else MENDED)
    (folder / "change.py").write_text("from helper import Change as Base\n\n\nclass Mine(Base):\n    pass\n")


@pytest.mark.slow
def test_a_change_of_what_is_imported_is_explored(importable: Path) -> None:
    ask = ("check", "--model", str(importable / "change.py"), *QUICK, "-o", "json")
    codes = []
    for ignores in (True, False, True):
        helped(importable, ignores)
        found, again = run(*ask), run(*ask)
        assert found.stdout == again.stdout and "nothing has changed" not in run(*ask, "--no-cache").stderr
        codes.append(found.exit_code)
        assert run(*ask, "--no-cache").exit_code == again.exit_code == codes[-1]
    assert codes[0] == codes[2] != codes[1]


@pytest.mark.slow
def test_adequacy_goes_on_with_the_same_only(importable: Path) -> None:
    kept = importable / "found.jsonl"
    quick = ("--scenario", "lone-pod", "--function", "requeueLastPodUpdate", "--mutants", "1", "--resume", str(kept))
    ask = ("adequacy", "--model", str(importable / "change.py"), *quick)
    helped(importable, ignores=True)
    assert run(*ask).exit_code == 0 and run(*ask).exit_code == 0
    helped(importable, ignores=False)
    found = run(*ask)
    assert (
        found.exit_code == 2 and "this was judged by other claims, another model or in other scenarios" in found.stderr
    )
    kept.unlink()
    (importable / "helper.py").write_text(f"import os\n{CHANGE}")
    found = run(*ask)
    assert found.exit_code == 2 and "is not known to be the same the next time" in found.stderr
    assert not kept.exists() and run(*ask[:-2]).exit_code == 0


@pytest.mark.slow
def test_a_save_of_what_is_imported_is_checked(
    watching: Callable[..., object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}{os.pathsep}{os.environ.get('PYTHONPATH', '')}")
    helped(tmp_path, ignores=True)
    process = watching(*QUICK)
    assert "Exit code 1" in answer(process)  # type: ignore[arg-type]
    (tmp_path / "helper.py").write_text(MENDED)
    assert "Exit code 0" in answer(process)  # type: ignore[arg-type]
    (tmp_path / "helper.py").unlink()
    assert "No module named 'helper'" in answer(process)  # type: ignore[arg-type]
    (tmp_path / "helper.py").write_text(CHANGE)
    (tmp_path / "change.py").touch()
    assert "Exit code 1" in answer(process)  # type: ignore[arg-type]


# -- podproof itself ---------------------------------------------------------------------------------------------------


def test_podproof_itself_is_all_of_its_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    room = tmp_path / "podproof" / "golang"
    room.mkdir(parents=True)
    monkeypatch.setattr(identity, "_roots", lambda: [str(room.parent)])
    found = set()
    for name in ("rule.py", "loops.ll", "worker.vocabulary", "releases.json", "saturation.c", "page.jinja"):
        for content in ("a", "b"):
            (room / name).write_text(content)
            found.add(identity.sources.__wrapped__())
    assert len(found) == 12
    (room / "__pycache__").mkdir()
    (room / "__pycache__" / "rule.pyc").write_text("")
    assert identity.sources.__wrapped__() in found
    monkeypatch.setattr(identity, "_libraries", lambda: [("z3-solver", "0.0")])
    assert identity.sources.__wrapped__() not in found


def test_the_libraries_are_those_that_decide() -> None:
    assert {"z3-solver", "numpy", "llvmlite"} <= {name for name, _ in identity._libraries()}


def test_a_save_of_the_same_size_is_one(tmp_path: Path) -> None:
    (file := tmp_path / "helper.py").write_text("LIMIT = 1\n")
    before = identity.state_of(file)
    file.write_text("LIMIT = 2\n")
    os.utime(file, ns=(1, 1))
    assert before is not None and identity.state_of(file) not in (None, before)


@pytest.mark.slow
def test_what_another_thread_reads_meanwhile_is_no_part_of_a_file(tmp_path: Path) -> None:
    (other := tmp_path / "another.txt").write_text("")
    (own := tmp_path / "own.txt").write_text("")
    ended, failures = threading.Event(), list[Exception]()

    def reads() -> None:
        while not ended.is_set():
            try:
                other.read_text()
            except Exception as error:
                failures.append(error)

    thread = threading.Thread(target=reads)
    thread.start()
    try:
        for _ in range(300):
            with identity.following() as outer, identity.following() as inner:
                own.read_text()
            assert (outer, inner) == ([], [own])
    finally:
        ended.set()
        thread.join()
    assert failures == []

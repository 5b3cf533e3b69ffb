"""Golden files: what a person should read, kept in `tests/golden` and rewritten on purpose with --rewrite-golden."""

from __future__ import annotations

import gc
import math
import os
import signal
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from podproof.checker.engines.compiled import search
from podproof.queries import build, pods, reviewing

GOLDEN = Path(__file__).parent / "golden"
# As a shell has it for what it runs in the background, and nohup for what outlives it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
SIGNALS = {
    number: signal.getsignal(number)
    for name in ("SIGPIPE", "SIGTERM", "SIGHUP")
    if (number := getattr(signal, name, None)) is not None
}
"""Those whose handling the command line changes, as they are before any test."""
# No test file, but asserts much: what differs is told in as much detail as in a test.
pytest.register_assert_rewrite("tests.driven_kubelet")
# Expression graphs have no cycles: to look through them again and again takes a tenth of the time.
gc.set_threshold(100_000, 20, 20)
# Hundreds of tests ask about the same worlds: one is lowered once, and what is generated alike is compiled once. What
# pods do among others is decided once, and versions are compared once, for tests that see how it is told.
build._lowered = lru_cache(maxsize=64)(build._lowered.__wrapped__)
search.compile_module = lru_cache(maxsize=256)(search.compile_module)  # type: ignore[attr-defined]
pods.answer_for = lru_cache(maxsize=16)(pods.answer_for)  # type: ignore[assignment]
reviewing.compare_versions = lru_cache(maxsize=16)(reviewing.compare_versions)  # type: ignore[assignment]
# What a test asks for is explored, and not what another one has found.
os.environ["PODPROOF_CACHE"] = ""
ABOUT_FORMS = (
    "test_baseline.py", "test_command_line.py", "test_formats.py", "test_formats_json.py", "test_formats_outputs.py",
    "test_formats_sarif.py", "test_function_claims.py", "test_terminal.py", "test_texts.py", "test_texts_of_files.py",
)  # fmt: skip
"""Files that ask one question again and again, to see how its answer is told: it is explored once in a run of all."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--rewrite-golden", action="store_true", help="write what the tests see into tests/golden")
    parser.addoption("--hunt", type=int, default=300, metavar="N", help="with -m hunt: so many programs")
    parser.addoption("--hunt-from", type=int, default=1_000, metavar="SEED", help="with -m hunt: the first one")
    parser.addoption("--recorded", type=Path, help="the folder with the traces of each release, in a folder of its own")
    parser.addoption("--recorded-layers", type=Path, help="the same of the layers around the pod worker")
    parser.addoption("--recorded-callers", type=Path, help="the folder with the recordings of the callers of UpdatePod")


def pytest_configure(config: pytest.Config) -> None:
    """Leave slow tests out of a run of all: see the marker. Each process of several is asked alike."""
    wanted = config.args_source is pytest.Config.ArgsSource.ARGS or config.getoption("--rewrite-golden")
    if not (wanted or "slow" in config.option.markexpr):
        config.option.markexpr = f"not slow and ({config.option.markexpr})"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Of the cases of a test that is marked `quick(number)`, all but so many, evenly spread, are slow."""
    cases: dict[str, list[pytest.Item]] = {}
    for item in items:
        if item.get_closest_marker("quick") is not None:
            cases.setdefault(item.nodeid.partition("[")[0], []).append(item)
    for of_test in cases.values():
        (number,) = of_test[0].get_closest_marker("quick").args
        for case in set(of_test) - set(of_test[:: math.ceil(len(of_test) / number)]):
            case.add_marker("slow")


SEPARATE = (
    "test_catalogue.py", "test_engines_agree_on_mutants.py", "test_every_export.py", "test_every_reduction.py",
    "test_export.py", "test_export_of_runs.py",
)  # fmt: skip
"""Files whose tests share nothing, and of which some take long."""


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """The tests of a file go to one process, because they share what takes long to make."""
    from xdist.scheduler import LoadFileScheduling

    class Scheduling(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file = super()._split_scope(nodeid)
            return nodeid if file.endswith(SEPARATE) else file

    return Scheduling(config, log)


@pytest.fixture(autouse=True)
def no_build_service(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests may run where a build service asks every command for results: they are not what it asks for."""
    for name in ("ARTIFACTS", "GITHUB_STEP_SUMMARY", "GITHUB_WORKSPACE"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(autouse=True)
def explored_once(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """See ABOUT_FORMS."""
    if request.path.name in ABOUT_FORMS:
        folder = tmp_path_factory.getbasetemp()
        of_all = folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder
        monkeypatch.setenv("PODPROOF_CACHE", str(of_all / "explored"))


@pytest.fixture(autouse=True)
def signals_stay_as_they_are() -> Iterator[None]:
    """The command line leaves SIGPIPE to the system; in this process that would end the tests that come after."""
    yield
    for number, handler in SIGNALS.items():
        signal.signal(number, handler)


@pytest.fixture
def golden(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], None]:
    """`golden(name, text)` compares a text with the file tests/golden/<name>, or writes it there when asked to.

    The text names functions in place of lines, so that a comment in the model makes no file stale.
    """
    monkeypatch.setenv("PODPROOF_PLACES", "functions")
    rewrite = bool(request.config.getoption("--rewrite-golden"))

    def compare(name: str, text: str) -> None:
        path = GOLDEN / name
        if rewrite:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            return
        assert path.exists(), f"{path} is missing; write it with pytest --rewrite-golden and read it"
        assert text == path.read_text(encoding="utf-8"), f"differs from {path}; rewrite with pytest --rewrite-golden"

    return compare

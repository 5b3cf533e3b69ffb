"""Who may import whom, and that packages, folders and links say the same."""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

import networkx
import pytest

from podproof.checker.engines import ENGINES

ROOT = Path(__file__).parents[1]
ROOMS = ("model", "kubelet", "specs", "kubelet_1_20", "checker", "reports", "golang", "queries", "cli")
ALLOWED = {
    "model": {"podproof.model"},
    "kubelet": {"podproof.kubelet", "podproof.model", "podproof.checker.core"},
    "specs": {"podproof.model", "podproof.specs"},
    "kubelet_1_20": {"podproof.kubelet_1_20", "podproof.model", "podproof.kubelet", "podproof.specs"},
    "checker": {"podproof.checker"},
    "reports": {
        *("podproof.reports", "podproof.model.language", "podproof.model.notes"),
        *("podproof.checker.core.system", "podproof.checker.core.graph", "podproof.checker.core.baseline"),
        "podproof.checker.core.answer",
        *(
            "podproof.checker.core.printer",
            "podproof.checker.core.proofs",
            "podproof.checker.difference.result",
            "podproof.checker.conformance",
        ),
        "podproof.checker.adequacy.result",
    },
    "golang": {"podproof.golang", "podproof.model", "podproof.checker.core"},
    "queries": {f"podproof.{room}" for room in ROOMS if room != "cli"},
    "cli": {f"podproof.{room}" for room in ROOMS},
}
"""Room -> which parts of podproof it may import."""
FLOORS = (
    *("core", "arrays", "conclude", "reading", "processes", "lowering", "solver", "reductions", "engines", "explain"),
    *("conformance", "locality", "decide", "liveness", "difference", "adequacy"),
)
"""The rooms of the checker, each of which may import those before it."""
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]


def modules(room: str) -> Iterator[Path]:
    return (path for path in sorted((ROOT / room).rglob("*.py")) if "node_modules" not in path.parts)


def imports(path: Path) -> Iterator[tuple[int, str]]:
    """Every import of a file, wherever it stands: line and full name."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: imports are absolute"
            yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)


def is_below(name: str, parts: set[str]) -> bool:
    return any(name == part or name.startswith(f"{part}.") for part in parts)


def module_of(path: Path) -> str:
    parts = ("podproof", *path.relative_to(ROOT).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def wrong_imports(room: str, is_right: Callable[[str], bool], below: str = "") -> list[str]:
    """The imports of a room, or of a part of it, that are not right, each with its place."""
    return [
        f"{path.relative_to(ROOT)}:{line} imports {name}"
        for path in modules(room)
        if str(path.relative_to(ROOT)).startswith(below)
        for line, name in imports(path)
        if not is_right(name)
    ]


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_only_the_rooms_below_it(room: str) -> None:
    assert not wrong_imports(room, lambda name: is_below(name, ALLOWED[room]) or not is_below(name, {"podproof"}))


@pytest.mark.parametrize("floor", FLOORS)
def test_a_room_of_the_checker_imports_only_those_below_it(floor: str) -> None:
    below = {f"podproof.checker.{room}" for room in FLOORS[: FLOORS.index(floor) + 1]}
    wrong = wrong_imports(
        "checker", lambda name: is_below(name, below) or not is_below(name, {"podproof.checker"}), f"checker/{floor}"
    )
    assert not wrong


def test_every_room_of_the_checker_has_its_floor() -> None:
    names = {path.stem if path.suffix else path.name for path in (ROOT / "checker").iterdir()}
    assert names - {"README", "__init__", "__pycache__"} == set(FLOORS)


@pytest.mark.slow
def test_only_the_registry_and_the_forms_know_the_second_model() -> None:
    """Everyone else takes any release; who asks which model it has adds it to this list, and says why."""
    outside = [path for room in ROOMS if room != "kubelet_1_20" for path in modules(room)]
    knowing = [
        str(path.relative_to(ROOT))
        for path in outside
        if any(is_below(name, {"podproof.kubelet_1_20"}) for _, name in imports(path))
    ]
    assert knowing == ["queries/claims.py", "queries/forms.py", "queries/versions.py"]


def arrows() -> networkx.DiGraph[str]:
    """Every module, with those that it imports."""
    files = {module_of(path): path for room in ROOMS for path in modules(room)}
    return networkx.DiGraph(
        (name, found)
        for name, path in files.items()
        for _, imported in imports(path)
        if (found := imported if imported in files else imported.rpartition(".")[0]) in files
    )


@pytest.mark.slow
def test_no_modules_import_each_other_in_a_circle() -> None:
    assert list(networkx.simple_cycles(arrows())) == []


@pytest.mark.slow
def test_a_package_is_above_its_modules_or_below_them() -> None:
    """It imports its modules or is imported by them: never both, which would be a way up and down again."""
    graph = arrows()
    inside = [(a, b) for a, b in graph.edges if a.startswith(f"{b}.") or b.startswith(f"{a}.")]
    above = {a for a, b in inside if b.startswith(f"{a}.")}
    assert [(a, b) for a, b in inside if a.startswith(f"{b}.") and b in above] == []


@pytest.mark.slow
def test_only_their_registry_knows_the_names_of_engines() -> None:
    named = [
        f"{path.relative_to(ROOT)}:{node.lineno} {node.value!r}"
        for room in ROOMS
        for path in modules(room)
        if not path.is_relative_to(ROOT / "checker" / "engines")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Constant) and node.value in ENGINES
    ]
    assert named == []


def test_no_two_public_classes_share_a_name() -> None:
    """But for those of the 1.20 worker, which is another program with the same words."""
    found: dict[str, list[Path]] = {}
    for path in (path for room in ROOMS for path in modules(room) if "kubelet_1_20" not in path.parts):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found.setdefault(node.name, []).append(path.relative_to(ROOT))
    assert {name: paths for name, paths in found.items() if len(paths) > 1} == {}


def test_queries_take_nothing_from_the_command_line() -> None:
    """Whoever imports them brings neither options nor a terminal."""
    assert not wrong_imports("queries", lambda name: not is_below(name, {"click", "rich"}))


@pytest.mark.parametrize("room", ["model", "specs"])
def test_what_a_kubelet_engineer_reads_needs_no_library(room: str) -> None:
    allowed = {"podproof", *sys.stdlib_module_names}
    assert not wrong_imports(room, lambda name: name.partition(".")[0] in allowed)


def test_a_wheel_has_every_room() -> None:
    assert SETTINGS["targets"]["wheel"]["sources"] == {".src": "", **{room: f"podproof/{room}" for room in ROOMS}}
    assert SETTINGS["only-include"][-len(ROOMS) :] == sorted(ROOMS)


def test_every_folder_with_modules_is_a_package() -> None:
    for room in ROOMS:
        assert {path.parent for path in modules(room)} == {path.parent for path in (ROOT / room).rglob("__init__.py")}


@pytest.mark.parametrize("room", ROOMS)
def test_every_room_is_linked_for_a_bare_checkout(room: str) -> None:
    link = ROOT / ".src" / "podproof" / room
    assert link.is_symlink()
    assert link.readlink() == Path("..") / ".." / room
    assert link.resolve() == ROOT / room


def test_nothing_but_the_rooms_is_linked() -> None:
    assert {path.name for path in (ROOT / ".src" / "podproof").iterdir() if path.is_symlink()} == set(ROOMS)


def test_a_clone_without_links_says_what_to_do(tmp_path: Path) -> None:
    """Git for Windows writes a file with the target's path in place of each link."""
    shutil.copytree(ROOT / ".src" / "podproof", tmp_path / "podproof", symlinks=True)
    for room in ROOMS:
        (tmp_path / "podproof" / room).unlink()
        (tmp_path / "podproof" / room).write_text(f"../../{room}")
    command = [sys.executable, "-c", "import podproof.model"]
    done = subprocess.run(command, cwd=tmp_path, env={"PYTHONPATH": str(tmp_path)}, capture_output=True, text=True)
    assert "run `git config core.symlinks true` and `git checkout -- .src`" in done.stderr.splitlines()[-1]


@pytest.mark.parametrize("room", [*ROOMS, "tests", "bench", "docs"])
def test_every_file_says_what_it_is_and_fits_the_limit(room: str) -> None:
    for path in modules(room):
        text = path.read_text()
        assert ast.get_docstring(ast.parse(text)), path
        assert len(text.splitlines()) <= 600, path

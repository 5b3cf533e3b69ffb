"""A fault in the checker: one place of one file reads otherwise."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from importlib.util import cache_from_source
from pathlib import Path

from tests.test_loops import text_made_anew

ROOT = Path(__file__).parents[2]
SOURCES = (".src", *sorted(path.name for path in ROOT.iterdir() if not path.name.startswith((".", "_"))))


@dataclass(frozen=True)
class Fault:
    name: str
    """What is wrong with the faulty checker."""
    file: str
    text: str
    """What changes: it stands in the file exactly once."""
    instead: str
    tests: str
    """Files and options for pytest, the quickest first."""

    def text_in(self, folder: Path) -> str:
        """The file's text with the fault. Raises ValueError where the place is gone."""
        text = (folder / self.file).read_text(encoding="utf-8")
        if (found := text.count(self.text)) != 1:
            raise ValueError(f"fault {self.name!r}: {self.file} has {self.text!r} {found} times, not once")
        return text.replace(self.text, self.instead)


def read_faults() -> tuple[Fault, ...]:
    """The faults of faults.txt. Raises ValueError where it reads otherwise."""
    faults = []
    _, *sections = re.split(
        r"^== (.*)\n", (Path(__file__).parent / "faults.txt").read_text(encoding="utf-8"), flags=re.M
    )
    for tests, section in zip(sections[::2], sections[1::2], strict=True):
        for block in section.strip("\n").split("\n\n"):
            found = re.fullmatch(r"(\S.*)\n  (\S+)((?:\n  -.*)+)((?:\n  \+.*)+)", block)
            if found is None:
                raise ValueError(f"faults.txt: this is no fault:\n{block}")
            name, file, text, instead = found.groups()
            faults.append(Fault(name, file, text[4:].replace("\n  -", "\n"), instead[4:].replace("\n  +", "\n"), tests))
    return tuple(faults)


FAULTS = read_faults()


def copy_sources(folder: Path) -> None:
    for name in SOURCES:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, folder / name)


def noticed(fault: Fault, folder: Path, seconds: float) -> str:
    """The test that fails with the fault in a copy of the sources and passes without it, or "" for none.

    Raises TimeoutExpired: a hang shows nothing on a machine that is busy.
    """
    file = folder / fault.file
    before, faulty = file.read_text(encoding="utf-8"), fault.text_in(folder)
    # Python looks at a file's size and its time in seconds only to see whether what it has compiled is out of date.
    compiled = Path(cache_from_source(str(folder / ".src/podproof" / fault.file)))
    text = file.with_suffix(".ll")
    whole = text.read_text(encoding="utf-8") if file.suffix == ".c" else ""
    try:
        file.write_text(faulty, encoding="utf-8")
        compiled.unlink(missing_ok=True)
        if file.suffix == ".c":
            text.write_text(text_made_anew(text), encoding="utf-8")
        found = _failing(fault.tests, folder, seconds)
    finally:
        file.write_text(before, encoding="utf-8")
        if file.suffix == ".c":
            text.write_text(whole, encoding="utf-8")
        compiled.unlink(missing_ok=True)
    if found and (found, folder) not in _passing:
        if _failing(shlex.quote(found) + ("" if "::" in found else " --collect-only"), folder, seconds):
            raise RuntimeError(f"{found} fails without the fault {fault.name!r}, too, so it notices nothing")
        _passing.add((found, folder))
    return found


_passing: set[tuple[str, Path]] = set()
"""Tests that pass in a copy without any fault."""


def _failing(tests: str, folder: Path, seconds: float) -> str:
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "--tb=line", *shlex.split(tests)]
    environment = {**os.environ, "PYTHONPATH": str(folder / ".src"), "XDG_CACHE_HOME": str(folder / "cache")}
    run = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=seconds)
    if run.returncode == 0:
        return ""
    named = re.findall(r"^(?:FAILED|ERROR) (\S+?\.py(?:::.*?)?)(?: - .*)?$", run.stdout, re.M)
    if run.returncode != 1 and not named:
        raise RuntimeError(f"pytest {tests}:\n{run.stdout[-2000:]}{run.stderr[-2000:]}")
    return named[0]

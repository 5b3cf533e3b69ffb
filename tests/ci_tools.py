"""What others run in their CI: the hooks for pre-commit, and the programs that say whether files for CI are sound."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[1]
HOOKS = {hook["id"]: hook for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))}


def tool(name: str) -> str:
    """The program of this name that pip installed beside Python, with the development dependencies."""
    found = shutil.which(name, path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    assert found is not None, f"{name} is missing; pip install -e '.[dev]' installs it"
    return found

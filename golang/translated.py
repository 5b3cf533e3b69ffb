"""The text of a translation as a Python module, whose lines end with the lines of the Go."""

from __future__ import annotations

import linecache
import sys
import types

from podproof.checker.core.printer import TRANSLATED
from podproof.checker.core.system import CheckerError
from podproof.golang.syntax import GoFile


def class_of(file: GoFile, text: str, cls: str, base: str, told: str = "") -> type:
    """The class that the text defines, in a module whose source is this text; `told` is what a user said besides."""
    path = f"{file.path.resolve()} {file.digest[:16]}{told}{TRANSLATED}"
    module = types.ModuleType(f"podproof_go_{file.digest[:16]}_{base}{told}")
    module.__file__ = path
    vars(module)["__loader__"] = _Text(text)
    sys.modules[module.__name__] = module
    # Errors quote the Go, which need not be a file: it may come from git.
    linecache.cache[file.name] = (len(text), None, [f"{line}\n" for line in file.lines], file.name)
    try:
        compiled = compile(text, path, "exec", dont_inherit=True)
    except SyntaxError as error:  # Python has an end to how deep its blocks are nested.
        if "too many" not in error.msg:
            raise
        raise CheckerError(
            f"{file.name}: a function's blocks are nested too deep; make a part of it a function"
        ) from error
    exec(compiled, vars(module))
    found = vars(module)[cls]
    assert isinstance(found, type)
    return found


class _Text:
    """Gives Python the source of a translation, as a loader of modules does."""

    def __init__(self, text: str) -> None:
        self.text = text

    def get_source(self, _name: str) -> str:
        return self.text

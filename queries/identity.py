"""What an answer depends on: podproof itself, and the user's files with all that they import.

Whether a file depends on more than that (the clock, the environment, another file) is not found out by running it: of
what it may name there is a list, and a file that names anything else is one whose answers are never kept.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import functools
import hashlib
import importlib.machinery
import importlib.metadata
import importlib.util
import linecache
import os
import re
import sys
import sysconfig
import threading
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, NamedTuple

from podproof.queries.versions import MODELS

_OF_MODEL = (*MODELS, "podproof.specs", "podproof.golang.words")
"""Modules of podproof, and all below them, that neither read nor ask for anything."""
_NAMES = {
    "builtins": "abs all any ascii bin bool bytes callable chr classmethod complex dict divmod enumerate filter float "
    "hex int isinstance issubclass iter len list map max min next oct ord pow property "
    "range reversed round slice sorted staticmethod str sum super tuple type zip False None True "
    "NotImplemented Ellipsis __name__ __debug__ ArithmeticError AssertionError AttributeError "
    "BaseException Exception IndexError KeyError LookupError NameError NotImplementedError OverflowError "
    "RuntimeError StopIteration TypeError ValueError ZeroDivisionError",
    "__future__": "annotations",
    "collections": "ChainMap Counter OrderedDict defaultdict deque namedtuple",
    "collections.abc": "Callable Collection Container Hashable Iterable Iterator Mapping MutableMapping Sequence "
    "Set Sized",
    "dataclasses": "InitVar KW_ONLY asdict astuple dataclass field fields is_dataclass replace",
    "enum": "Enum Flag IntEnum IntFlag StrEnum auto unique",
    "functools": "cache cached_property lru_cache partial reduce singledispatch total_ordering wraps",
    "itertools": "accumulate batched chain combinations combinations_with_replacement compress count cycle dropwhile "
    "filterfalse groupby islice pairwise permutations product repeat starmap takewhile zip_longest",
    "typing": "TYPE_CHECKING Annotated Any Callable ClassVar Final Generic Iterable Iterator Literal Mapping "
    "NamedTuple NewType Optional ParamSpec Protocol Self Sequence TypeAlias TypeGuard TypeVar Union cast final "
    "overload override",
}
"""What may be taken from Python's own modules: nothing of it leads further than its arguments do."""
_BUILTINS = frozenset(_NAMES["builtins"].split())
_DUNDERS = frozenset(("__init__", "__name__", "__post_init__", "__all__", "__doc__"))
_HIDDEN = re.compile(r"__\w*__|(gi|cr|ag|tb|f|co|func)_\w+|format(_map)?|mro|modules")
"""Attributes that lead from an object to all that Python has."""
_MUTATORS = frozenset(
    (
        "add",
        "append",
        "clear",
        "discard",
        "extend",
        "insert",
        "pop",
        "popitem",
        "remove",
        "setdefault",
        "sort",
        "update",
    )
)
"""Methods that change what they are of."""
_ANNOTATION = (
    ast.expr_context, ast.Name, ast.Attribute, ast.Subscript, ast.Constant, ast.Tuple, ast.List, ast.Call, ast.keyword,
    ast.UnaryOp, ast.unaryop, ast.BinOp, ast.BitOr,
)  # fmt: skip
"""What an annotation is made of, whose texts Python evaluates once more."""


@functools.cache
def sources() -> str:
    """Stands for podproof, its data files included, for Python, and for the libraries."""
    found = hashlib.sha256(repr((sys.version, sys.flags, _libraries())).encode())
    for root in _roots():
        for room in sorted(Path(root).iterdir()):
            place = room.resolve()  # In an editable install it is a link.
            for file in sorted(place.rglob("*")) if place.is_dir() else [place]:
                if "__pycache__" not in file.parts and file.is_file():
                    content = file.read_bytes()
                    found.update(f"{room.name} {file.relative_to(place)} {len(content)} ".encode(errors="replace"))
                    found.update(content)
    return found.hexdigest()


def _roots() -> list[str]:
    """The folders that podproof's own packages are in."""
    found = importlib.util.find_spec("podproof")
    assert found is not None
    return sorted(found.submodule_search_locations or ())


def _libraries() -> list[tuple[str, str]]:
    with contextlib.suppress(importlib.metadata.PackageNotFoundError):
        wanted = importlib.metadata.requires("podproof") or ()
        names = sorted({re.split(r"[^\w.-]", one)[0] for one in wanted if "extra" not in one})
        return [(name, importlib.metadata.version(name)) for name in names]
    return []


State = tuple[int, int] | None
"""What tells one save of a file from another; None where there is no file."""
loaded: dict[Path, State] = {}
"""The user's files that were opened in this process to load others, as they were just before."""


def state_of(file: Path) -> State:
    try:
        about = file.stat()
    except OSError:
        return None
    return about.st_mtime_ns, about.st_size


def identity(digest: str | None, itself: str, *asked: object) -> str | None:
    """Stands for all that an answer about a subject depends on; None where that is not known.

    `digest` is the subject's, empty where it is a release and nothing of the user's; `itself` is what `sources` says.
    """
    if digest is None:
        return None
    here = (os.getcwd(), os.environ.get("PODPROOF_PLACES")) if digest else ()  # What is quoted of a file has its place.
    return hashlib.sha256(repr((asked, digest, here, itself)).encode("utf-8", "surrogatepass")).hexdigest()


# -- loading a user's file, and what it imports -----------------------------------------------------------------------


class SourceLoader(importlib.machinery.SourceFileLoader):
    """Runs what stands in the file: bytecode kept beside it is told from it by its size and second only."""

    source = b""
    """What was run."""

    def get_code(self, fullname: str) -> CodeType:
        self.source = self.get_data(self.path)
        # Without a time it is never read again: what ran is quoted, whatever is saved meanwhile.
        lines = importlib.util.decode_source(self.source).splitlines(keepends=True)
        linecache.cache[self.path] = (len(self.source), None, lines, self.path)
        return self.source_to_code(self.source, self.path)


class _Finder:
    """Finds what Python's own finder finds, and has modules that are the user's loaded from their sources."""

    def find_spec(self, fullname: str, path: Sequence[str] | None = None, _target: Any = None) -> Any:
        spec = importlib.machinery.PathFinder.find_spec(fullname, path)
        if spec is None or type(spec.loader) is not importlib.machinery.SourceFileLoader or spec.origin is None:
            return None
        if not is_users(spec.origin):
            return None
        spec.loader = SourceLoader(fullname, spec.origin)
        return spec


@functools.cache
def _installed() -> tuple[Path, ...]:
    pythons = [sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    own = [str(room) for root in _roots() for room in (Path(root), *Path(root).iterdir())]
    return tuple({Path(root).resolve() for root in (*pythons, *own)})


def is_users(file: str) -> bool:
    """Is it neither podproof's own nor installed?"""
    place = Path(file).resolve()
    return "__pycache__" not in place.parts and not any(place.is_relative_to(root) for root in _installed())


_reading: list[tuple[list[Path], frozenset[int | None]]] = []
"""For each file that is being loaded, the user's files opened for it, and the threads that have no part in it."""


def _watch_opened(event: str, arguments: tuple[Any, ...]) -> None:
    if event != "open":
        return
    file = arguments[0]
    for opened, strangers in _reading[-1:]:  # Another thread may end its reading meanwhile.
        if threading.get_ident() not in strangers and isinstance(file, str | os.PathLike) and is_users(str(file)):
            path = Path(str(file)).absolute()
            loaded[path] = state_of(path)
            opened.append(path)


@functools.cache
def _audited() -> None:
    sys.addaudithook(_watch_opened)


@contextlib.contextmanager
def following() -> Iterator[list[Path]]:
    """While a user's file is loaded: fills the list with the files that are opened for that, each of them once.

    What it imports is the user's as well, unless it is installed, and loaded anew where it has changed.
    """
    _audited()
    _forget_changed()
    finder, opened = _Finder(), list[Path]()
    sys.meta_path.insert(0, finder)
    others = frozenset(thread.ident for thread in threading.enumerate()) - {threading.get_ident()}
    reading = (opened, others)
    _reading.append(reading)
    try:
        yield opened
    finally:
        _reading[:] = [other for other in _reading if other is not reading]
        sys.meta_path.remove(finder)
        opened[:] = dict.fromkeys(opened)


def _forget_changed() -> None:
    """Where a module that was imported is not what its file says any longer, all of them are imported again."""
    imported = {name: loader for name, loader in _loaders() if not name.startswith("podproof_model_")}
    if any(_content(loader.path) != loader.source for loader in imported.values()):
        for name in imported:
            del sys.modules[name]
        importlib.invalidate_caches()


def _loaders() -> list[tuple[str, SourceLoader]]:
    """The user's modules."""
    every = [(name, getattr(module, "__loader__", None)) for name, module in list(sys.modules.items())]
    return [(name, loader) for name, loader in every if isinstance(loader, SourceLoader)]


def _content(path: str) -> bytes | None:
    try:
        return Path(path).read_bytes()
    except OSError:
        return None


# -- what a module depends on ------------------------------------------------------------------------------------------


class Dependencies(NamedTuple):
    """The user's files that something comes from."""

    files: tuple[Path, ...]
    """Those that are known."""
    digest: str | None
    """Stands for what was read of them; None where it may depend on more than them."""


def dependencies_of(module: ModuleType, opened: Iterable[Path] = ()) -> Dependencies:
    """Those of a module that was loaded by a SourceLoader, which opened these files meanwhile."""
    found: dict[str, SourceLoader] = {}
    waiting, is_known = [module], True
    while waiting:
        one = waiting.pop()
        loader = getattr(one, "__loader__", None)
        if not isinstance(loader, SourceLoader):
            is_known = False
        elif one.__name__ not in found:
            found[one.__name__] = loader
            modules = _modules_of(one, loader.source)
            is_known = is_known and modules is not None
            waiting += modules or []
    paths = [Path(loader.path).absolute() for loader in found.values()]
    others = [Path(loader.path).absolute() for _, loader in _loaders()] if not is_known else []
    if not is_known or not set(opened) <= set(paths):
        return Dependencies(tuple(dict.fromkeys([*paths, *opened, *others])), None)
    parts = sorted(
        (name, str(Path(loader.path).resolve()), loader.path, loader.source) for name, loader in found.items()
    )
    return Dependencies(tuple(paths), hashlib.sha256(repr(parts).encode("utf-8", "surrogatepass")).hexdigest())


def _modules_of(module: ModuleType, source: bytes) -> list[ModuleType] | None:
    """The user's modules that a module imports; None where it names what may be another thing next time."""
    try:
        return _Names(module, ast.parse(source)).modules
    except _OpenError:
        return None


def _is_of_model(name: str) -> bool:
    return any(f"{name}.".startswith(f"{room}.") for room in _OF_MODEL)


class _OpenError(Exception):
    """A file depends on more than what stands in it and in what it imports."""


class _Names:
    """Everything that a file names, looked at by the lists above. Raises _OpenError for anything else."""

    def __init__(self, module: ModuleType, tree: ast.Module) -> None:
        self.module = module
        self.modules: list[ModuleType] = []
        """The user's modules that it imports."""
        self.aliases: dict[str, ModuleType] = {}
        """What stands for a module in it."""
        self.assigned: dict[str, list[ast.expr]] = {}
        self.imported: set[str] = set()
        for node in ast.walk(tree):
            self._import(node)
            targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
            for target in targets:
                if isinstance(target, ast.Name) and getattr(node, "value", None) is not None:
                    self.assigned.setdefault(target.id, []).append(node.value)  # type: ignore[attr-defined]
        through = [n for n in ast.walk(tree) if isinstance(n, ast.Attribute) and self._is_alias(n.value)]
        for attribute in through:
            self._take(self.aliases[attribute.value.id], attribute.attr)  # type: ignore[attr-defined]
        passed = {id(attribute.value) for attribute in through}
        compared = [n for n in ast.walk(tree) if isinstance(n, ast.Compare)]
        passed |= {id(side) for compare in compared for side in compare.comparators if isinstance(side, ast.Set)}
        for node in ast.walk(tree):
            self._look(node, id(node) in passed)
        self.made = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
        for statement in tree.body:
            self._run(statement)

    def _is_alias(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Name) and node.id in self.aliases

    def _import(self, node: ast.AST) -> None:
        if isinstance(node, ast.Import):
            for alias in node.names:
                if "." in alias.name and alias.asname is None:
                    raise _OpenError
                self.aliases[alias.asname or alias.name] = self._module(alias.name)
        elif isinstance(node, ast.ImportFrom):
            name = "." * node.level + (node.module or "")
            name = importlib.util.resolve_name(name, self.module.__package__) if node.level else name
            self.imported.update(alias.asname or alias.name for alias in node.names)
            for alias in node.names:
                module = self._module(name)
                if isinstance(value := getattr(module, alias.name, None), ModuleType):
                    self.aliases[alias.asname or alias.name] = self._module(value.__name__)
                else:
                    self._take(module, alias.name)

    def _module(self, name: str) -> ModuleType:
        """An imported module that may be named."""
        module = sys.modules.get(name)
        if module is None or module.__name__ != name:
            raise _OpenError
        if name not in _NAMES and not _is_of_model(name):
            parents = [name.rsplit(".", n)[0] for n in range(name.count(".") + 1)]
            self.modules += [sys.modules[parent] for parent in parents if parent in sys.modules]
        return module

    def _take(self, module: ModuleType, name: str) -> None:
        """Something is taken out of a module."""
        own = _NAMES.get(module.__name__)
        value = getattr(module, name, None)
        if (
            value is None
            or isinstance(value, ModuleType | frozenset | set)
            or _HIDDEN.fullmatch(name)
            or (own is not None and name not in own.split())
        ):
            raise _OpenError
        if own is not None or not module.__name__.startswith("podproof."):
            return  # What a user's module has is made of what that may name.
        made_in = getattr(value, "__module__", None) or type(value).__module__
        plain = (*_NAMES, "builtins", "types")
        if made_in not in plain and not _is_of_model(made_in):
            raise _OpenError
        if made_in in _NAMES and callable(value) and getattr(value, "__name__", "") not in _NAMES[made_in].split():
            raise _OpenError

    def _look(self, node: ast.AST, is_passed: bool) -> None:
        match node:
            case ast.Name(id=name):
                is_builtin = hasattr(builtins, name) or _HIDDEN.fullmatch(name) is not None
                if (is_builtin and name not in _BUILTINS | _DUNDERS) or (name in self.aliases and not is_passed):
                    raise _OpenError
            case ast.Attribute(attr=name) if name not in _DUNDERS and _HIDDEN.fullmatch(name):
                raise _OpenError
            case ast.Set() | ast.SetComp() if not is_passed:
                raise _OpenError  # Its order is another one in each process, as is that of a frozenset.
            case ast.MatchClass(kwd_attrs=names) if any(map(_HIDDEN.fullmatch, names)):
                raise _OpenError
            case ast.arg(annotation=annotation) | ast.AnnAssign(annotation=annotation):
                self._annotation(annotation)
            case ast.FunctionDef(returns=annotation) | ast.AsyncFunctionDef(returns=annotation):
                self._annotation(annotation)

    def _run(self, node: ast.AST) -> None:
        """What runs while the file is loaded changes nothing that it has from elsewhere, and calls nothing that may."""
        parts: Iterable[ast.AST] = ast.iter_child_nodes(node)
        match node:
            case ast.FunctionDef(name=name, decorator_list=decorators, args=arguments) if not _HIDDEN.fullmatch(name):
                parts = [*decorators, *arguments.defaults, *filter(None, arguments.kw_defaults)]
            case ast.Attribute(ctx=ast.Store() | ast.Del()) | ast.Subscript(ctx=ast.Store() | ast.Del()):
                raise _OpenError
            case ast.AugAssign() | ast.AsyncFunctionDef() | ast.With() | ast.Global():
                raise _OpenError
            case ast.Name(id=name) | ast.Attribute(attr=name) if name in self.made or name in _MUTATORS:
                raise _OpenError
            case ast.Call(func=ast.Attribute() as function) if not self._is_alias(function.value):
                raise _OpenError
            case ast.Call(func=function) if not isinstance(function, ast.Name | ast.Attribute):
                raise _OpenError
        for part in parts:
            self._run(part)

    def _annotation(self, annotation: ast.expr | None, seen: frozenset[str] = frozenset()) -> None:
        """What Python makes of an annotation is what stands there, and no text that it evaluates besides."""
        for node in ast.walk(annotation) if annotation is not None else ():
            if not isinstance(node, _ANNOTATION):
                raise _OpenError
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                with contextlib.suppress(SyntaxError):
                    for inner in ast.walk(ast.parse(node.value.strip(), mode="eval").body):
                        self._look(inner, False)
                        if isinstance(inner, ast.Call | ast.JoinedStr):
                            raise _OpenError
            if isinstance(node, ast.Call) and not (isinstance(node.func, ast.Name) and node.func.id in self.imported):
                raise _OpenError
            name = getattr(node, "id", getattr(node, "attr", ""))
            if isinstance(vars(self.module).get(name), str):
                raise _OpenError
            for value in self.assigned.get(name, ()) if name not in seen else ():
                self._annotation(value, seen | {name})

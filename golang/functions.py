"""Functions without a memory, translated: what they are given and what they answer are all there is of them.

Each is a method of the model's class, in the place of the model's own, so that both can be compared for every input.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from podproof.checker.core.system import CheckerError
from podproof.golang.answer_values import TranslatedMethod
from podproof.golang.answers import AnswerTranslation
from podproof.golang.built_answers import BuiltAnswerTranslation
from podproof.golang.modelled import MODELLED, ModelledFunction
from podproof.golang.syntax import GoFile, check_imports, inside, outermost, parse, text
from podproof.golang.syntax import field as part_of
from podproof.golang.translated import class_of
from podproof.golang.vocabulary import Vocabulary

POD_WORKERS = re.compile(r"(?m)^type podWorkers struct")
"""What the file of the pod workers has."""


def modelled_in(file: Path) -> tuple[str, ...]:
    """The functions of a Go file that are read, if it is not that of the pod workers. Raises CheckerError."""
    try:
        text = file.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise CheckerError(f"{file}: it cannot be read ({error.strerror}); give the path of a Go file") from error
    if POD_WORKERS.search(text):
        return ()
    return tuple(
        name for name, of in MODELLED.items() if re.search(rf"^func (?:\(\w+ \*?{of.receiver}\) )?{name}\(", text, re.M)
    )


@dataclass(frozen=True)
class TranslatedFunction:
    """What a Go function became."""

    function: ModelledFunction
    file: GoFile
    cls: type
    text: str
    gates: tuple[str, ...]
    """The feature gates that it asks for, and what is taken for them."""
    parts: frozenset[str]
    """The functions of the file that are nothing but a part of it."""
    unread: tuple[tuple[str, int], ...] = ()
    """What is decided beyond the bounds, what never runs within them, and what is not compared, with its line."""

    @property
    def unread_fingerprint(self) -> str:
        return hashlib.sha256("\x00".join(said for said, _ in self.unread).encode()).hexdigest()[:16]


def translate_function(
    source: str, path: Path, modelled: ModelledFunction, base: type, release: str
) -> TranslatedFunction:
    """A function of a Go file as a method of the class that a release has for it. Raises CheckerError."""
    vocabulary = vocabulary_of(modelled)
    file = with_helpers(source, path, (modelled.name,), vocabulary)
    check_imports(file, modelled.imports)
    function = file.functions.get(".".join(filter(None, (modelled.receiver, modelled.name))))
    if function is None:
        file.refuse(file.root, f"there is no function {modelled.name}", "name the file that has it")
    kind = BuiltAnswerTranslation if modelled.fields else AnswerTranslation
    translation = kind(file, function, modelled, vocabulary, base, release)
    methods = translation.translate()
    places = "\n".join(_method(method, file, base) for method in methods)
    made = (
        f'"""Translated from {file.name}, sha256 {file.digest[:16]}."""\n'
        f"{modelled.header}from {base.__module__} import {base.__name__}\n\n"
        f'class TranslatedGo({base.__name__}):\n    """{modelled.name} of the file."""\n{places}\n'
    )
    cls = class_of(file, made, "TranslatedGo", base.__name__, f" {modelled.name} {base.__name__}")
    unread = tuple(
        (translation.text_of_unread(node), node.start_point[0] + 1) for node in outermost(translation.unread)
    )
    parts = _parts_of(file, modelled) & translation.followed.keys()
    return TranslatedFunction(modelled, file, cls, made, tuple(translation.gates), parts, unread)


def _method(method: TranslatedMethod, file: GoFile, base: type) -> str:
    parameters = ", ".join(("self", *method.parameters))
    info = getattr(getattr(base, method.name, None), "__action__", None)
    marks = "" if info is None else f"\n    @action({info.actor!r}, {info.label!r})"
    head = f"{marks}\n    def {method.name}({parameters}):  # {method.go.name} {file.name}:{method.go.line}"
    lines = (f"{'    ' * (line.depth + 1)}{line.text}  # {file.name}:{line.go}" for line in method.lines)
    return "\n".join((head, *lines))


def vocabulary_of(modelled: ModelledFunction) -> Vocabulary:
    return vocabulary_in(modelled.vocabulary)


def vocabulary_in(name: str) -> Vocabulary:
    return Vocabulary(Path(__file__).with_name(name).read_text(encoding="utf-8"), name)


def parts_of(source: str, path: Path, modelled: ModelledFunction) -> frozenset[str]:
    """The functions of a file that one calls, by itself or by others, and that nothing else there names."""
    try:
        return _parts_of(with_helpers(source, path, (modelled.name,), vocabulary_of(modelled)), modelled)
    except CheckerError:
        return frozenset()


def _parts_of(file: GoFile, modelled: ModelledFunction) -> frozenset[str]:
    read = [function.node for function in file.functions.values()]
    names = {function.name for function in file.functions.values()} - {modelled.name}
    others = (node for node in file.root.named_children if node not in read)
    words = {text(word) for node in others for word in inside(node, "identifier", "field_identifier")}
    return frozenset(names - words)


def with_helpers(source: str, path: Path, functions: Collection[str], vocabulary: Vocabulary) -> GoFile:
    """The file, of which only some functions are looked at, and those that they call by themselves or by others."""
    names: dict[str, None] = dict.fromkeys(functions)
    while True:
        file = parse(source.encode(), path, names)
        declared = {
            text(part_of(node, "name"))
            for node in file.root.named_children
            if node.type in ("function_declaration", "method_declaration")
        }
        more = [
            name
            for function in file.functions.values()
            for node in inside(function.body, "call_expression")
            for name in [text(part_of(node, "function")).rpartition(".")[2]]
            if name in declared and name not in names and name.encode() not in vocabulary.words
        ]
        if not more:
            return file
        names.update(dict.fromkeys(more))

"""Functions beside the pod workers in files of our own, and what is decided about changes of their texts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from tests.golang.kubelet_files import Edit, with_edits

from podproof.checker.difference.transitions import Equality
from podproof.golang.modelled import MODELLED
from podproof.queries import modelled_functions
from podproof.queries.build import subject_of
from podproof.queries.modelled_functions import FunctionTheorem, compare_texts, prove_function_equal, translated


@dataclass(frozen=True)
class OwnFunction:
    """A function, our file that has it, and the kubelet's file that it stands for."""

    name: str
    file: Path
    where: str

    @property
    def source(self) -> str:
        return self.file.read_text(encoding="utf-8")

    def decided(self, *edits: Edit) -> FunctionTheorem:
        """Whether a change of the text is one of what it does."""
        texts = self.source, with_edits(self.source, *edits)
        return compare_texts(self.name, self.where, texts, subject_of("v1.36.3", None))

    def proved(self, version: str = "v1.36.3") -> FunctionTheorem:
        """Whether the text does what a release does."""
        return prove_function_equal(self.name, self.file, self.source, subject_of(version, None))

    def have_read(self, monkeypatch: pytest.MonkeyPatch, version: str = "v1.36.3") -> None:
        """Say that somebody has read what it does beyond the bounds."""
        known = MODELLED[self.name]
        own = translated(known, self.source, self.file, subject_of(version, None)).unread_fingerprint
        known = replace(known, unread={version: frozenset({own})})
        monkeypatch.setattr(modelled_functions, "MODELLED", {self.name: known})

    def check_equal(self, *edits: Edit) -> None:
        found = self.decided(*edits)
        assert found.equality is Equality.EQUAL, found.reason

    def check_different(self, told: str, *edits: Edit) -> None:
        """With a case in which they are, that says this."""
        found = self.decided(*edits)
        assert found.equality is Equality.DIFFERENT, found.reason
        assert told in found.reason and " in before, " in found.reason, found.reason

    def check_refused(self, told: str, *edits: Edit) -> None:
        """With its place, and this reason."""
        found = self.decided(*edits)
        assert found.equality is Equality.UNDECIDED, found.reason
        assert told in found.reason and found.reason.startswith(self.where), found.reason

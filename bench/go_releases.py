"""Prove Go files equal to versions of the model, and note the fingerprints of their functions for `podproof review`.

    python bench/go_releases.py 1.32.10=v1.32=pod_workers.go …

Each argument names a release, a version and a file. What is not EQUAL is not noted, and makes the exit code 1. Nothing
of a file's text is kept.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / ".src"))

from podproof.checker.difference.transitions import Equality
from podproof.golang.releases import record
from podproof.queries.build import go_subject, subject_of, translation_of
from podproof.queries.equality import prove_equal


def main(arguments: list[str]) -> int:
    missing = 0
    for argument in arguments:
        release, version, path = argument.split("=", 2)
        model = subject_of(version, None)
        translation = translation_of(model, Path(path))
        theorem = prove_equal(model, go_subject(Path(path), version), translation)
        unlike = [name for name, (equality, _) in theorem.functions.items() if equality is not Equality.EQUAL]
        if theorem.equality is Equality.EQUAL and not unlike:
            record(translation.file, release, version)
            print(f"{release} is {version}: {len(theorem.functions)} functions")
        else:
            missing += 1
            print(f"{release} is not {version}: {theorem.equality.value}, {', '.join(unlike)}")
    return min(missing, 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

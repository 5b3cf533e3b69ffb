"""Note the fingerprints of what is around the pod workers in a release, for `podproof review` of commits.

    python bench/go_callers.py 1.36.3=v1.36.3=kubernetes/pkg/kubelet …

Each argument names a release, the version that has its callers, which recordings of its code have to confirm, and its
pkg/kubelet. Nothing of the text of its files is kept.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / ".src"))

from podproof.golang.neighbours import record_callers
from podproof.queries.repository import is_code


def main(arguments: list[str]) -> int:
    for argument in arguments:
        release, version, folder = argument.split("=", 2)
        paths = (path for path in Path(folder).rglob("*.go") if path.name != "pod_workers.go")
        files = {str(path.relative_to(folder)): path.read_text(encoding="utf-8") for path in sorted(paths)}
        count = record_callers({path: text for path, text in files.items() if is_code(path)}, release, version)
        print(f"{release}: {count} functions")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

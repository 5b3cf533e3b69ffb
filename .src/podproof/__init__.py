"""podproof, a model checker for the Kubernetes kubelet's pod worker."""

from pathlib import Path

if not (Path(__file__).parent / "model").is_dir():
    raise ImportError(
        "this checkout of podproof has files in place of its symbolic links: run `git config core.symlinks true` and "
        "`git checkout -- .src`, or install it with `pip install .`, which needs no links"
    )

"""Faults planted in the model, by the part of the kubelet that they are in."""

from tests.mutants.known_pods import KNOWN_PODS
from tests.mutants.planting import Mutant
from tests.mutants.starting import STARTING
from tests.mutants.update_pod import UPDATE_POD
from tests.mutants.v1_26 import WORKER_OF_1_26
from tests.mutants.worker import WORKER

MUTANTS: dict[str, tuple[Mutant, ...]] = {
    "update-pod": UPDATE_POD,
    "known-pods": KNOWN_PODS,
    "worker": WORKER,
    "starting": STARTING,
    "v1.26": WORKER_OF_1_26,
}

__all__ = ["MUTANTS", "Mutant"]

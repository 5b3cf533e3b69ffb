"""Kubelet 1.36.3: contexts are kept and used again, as up to 1.35."""

from __future__ import annotations

from podproof.model.releases.v1_35 import V1_35


class V1_36_3(V1_35):
    """Kubelet 1.36.3. What differs from 1.35 in its pod workers and makes no difference here:

    UpdatePod takes a context, and the contexts of sync calls have its values but not its end. A cancellation that
    another error wraps counts as one (errors.Is), but is retried as before. SyncPod returns a function that is called
    when it is over.
    """

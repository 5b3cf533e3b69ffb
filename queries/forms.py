"""Which form the recordings of each release have."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from podproof.kubelet.form import FormOf1_36, FormSince1_27, FormSince1_35, FormUntil1_26
from podproof.kubelet.replay import Form, Replayer
from podproof.kubelet_1_20.form import FormOf1_20
from podproof.kubelet_1_20.release import V1_20
from podproof.model.pod_workers import PodWorkers
from podproof.model.releases import V1_26, V1_35, V1_36

FORMS: Mapping[type, Form] = {
    PodWorkers: FormSince1_27(),
    V1_36: FormOf1_36(),
    V1_35: FormSince1_35(),
    V1_26: FormUntil1_26(),
    V1_20: FormOf1_20(),
}
"""The class from which on a form is used -> the form."""


def form_of(version: type) -> Form:
    """The form of a version's recordings: that of the release it overrides."""
    return next(FORMS[cls] for cls in version.__mro__ if cls in FORMS)


def replayer_factory(version: type) -> Callable[[Mapping[str, Any]], Replayer]:
    """What starts a replay of a trace on a version."""
    form = form_of(version)
    recorder = type(f"Recorded{version.__name__}", (form.recorder, version), {})
    return lambda trace: Replayer(trace, form, recorder)

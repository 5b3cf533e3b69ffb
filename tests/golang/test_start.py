"""What newPodWorkers makes: the model's workers begin empty."""

from __future__ import annotations

import pytest
from tests.golang.test_edits import OF_WORKERS, edited, new_lines

from podproof.checker.core import ModelError

MAKER = """
func newPodWorkers(syncer podSyncer, resyncInterval, backOffPeriod time.Duration) *podWorkers {
	return &podWorkers{
		podSyncer:                          syncer,
		podSyncStatuses:                    map[types.UID]*podSyncStatus{},
		podUpdates:                         make(map[types.UID]chan struct{}),
		startedStaticPodsByFullname:        map[string]types.UID{},
		waitingToStartStaticPodsByFullname: map[string][]types.UID{},
		resyncInterval:                     resyncInterval,
		backOffPeriod:                      backOffPeriod,
	}
}
"""
STRICT = (OF_WORKERS, f"{OF_WORKERS}\n\tstrict bool\n\tresyncInterval, backOffPeriod time.Duration\n")
OTHERS = {
    "a delay for another": ("backOffPeriod,\n", "resyncInterval,\n", "p.backOffPeriod` would be `resyncInterval`"),
    "a longer delay": ("backOffPeriod,\n", "2 * backOffPeriod,\n", "would be `2 .* backOffPeriod`"),
    "workers that have synced": ("\t\tpodSyncer:", "\t\tpodsSynced: true,\n\t\tpodSyncer:", "begins with `true`"),
    "a field of the file": ("\t\tpodSyncer:", "\t\tstrict: true,\n\t\tpodSyncer:", "`strict` begins with `true`"),
    "a map with something in it": ("types.UID{},\n", 'types.UID{"a": "b"},\n', "begins with"),
    "a map too few": (
        "\t\tpodUpdates:                         make(map[types.UID]chan struct{}),\n",
        "",
        "no podUpdates",
    ),
    "a field that is set afterwards": (
        "\treturn &podWorkers{",
        "\tworkers := &podWorkers{}\n\tworkers.strict = true\n\t_ = workers\n\treturn &podWorkers{",
        "`strict` begins with `true`",
    ),
    "a goroutine": ("\treturn", "\tgo syncer.run()\n\treturn", "this goroutine is none that the model knows"),
}


def test_workers_that_begin_with_nothing_are_the_model_s() -> None:
    assert [line for line in new_lines(edited(STRICT, more=MAKER)) if "strict" not in line and "def" not in line] == [
        "super().lose_pod_worker(uid)"
    ]


@pytest.mark.parametrize("edit", OTHERS)
def test_workers_that_begin_otherwise_are_refused(edit: str) -> None:
    old, new, error = OTHERS[edit]
    assert old in MAKER
    with pytest.raises(ModelError, match=error):
        edited(STRICT, more=MAKER.replace(old, new, 1))

"""Kubelet 1.20 with a fault each, which traces or claims must notice."""

from __future__ import annotations

from podproof.kubelet_1_20.pod_workers import Outcome
from podproof.kubelet_1_20.release import V1_20
from podproof.kubelet_1_20.state import Position, UpdatePodOptions
from podproof.model.language import NIL, clear, require
from podproof.model.language import copy as copied
from podproof.model.state import UpdateType


class OverwritesAKillThatWaits(V1_20):
    def update_pod(self, uid: int, options: UpdatePodOptions) -> None:
        if self.is_working[uid]:
            clear(self.last_undelivered_work_update[uid])
        super().update_pod(uid, options)


class KeepsTheFirstUpdateThatWaits(V1_20):
    def update_pod(self, uid: int, options: UpdatePodOptions) -> None:
        if not self.last_undelivered_work_update[uid].present:
            super().update_pod(uid, options)


class SendsThoughTheWorkerIsBusy(V1_20):
    def update_pod(self, uid: int, options: UpdatePodOptions) -> None:
        if self.pod_updates[uid] == NIL:
            self.start_pod_worker(uid)
        self.is_working[uid] = True
        self.send(uid, options)


class StartsAGoroutineForEveryUpdate(V1_20):
    def update_pod(self, uid: int, options: UpdatePodOptions) -> None:
        if not self.is_working[uid]:
            self.pod_updates[uid] = NIL
        super().update_pod(uid, options)


class ForgetsThatAGoroutineIsAtWork(V1_20):
    def remove_worker(self, uid: int) -> None:
        super().remove_worker(uid)
        self.is_working[uid] = False


class KeepsWhatWasNotDelivered(V1_20):
    def remove_worker(self, uid: int) -> None:
        if self.pod_updates[uid] != NIL:
            generation = self.pod_updates[uid]
            self.pod_updates[uid] = NIL
            self.close(uid, generation)


class DropsWhatIsInTheChannel(V1_20):
    def close(self, uid: int, generation: int) -> None:
        clear(self.workers[uid][generation].queued)
        super().close(uid, generation)


class NeverForgets(V1_20):
    def forget_worker(self, uid: int) -> None:
        return


class ForgetsDesiredPods(V1_20):
    def forget_non_existing_pod_workers(self) -> None:
        for uid in range(len(self.pod_updates)):
            self.remove_worker(uid)


class NeverRests(V1_20):
    def check_for_updates(self, uid: int, generation: int) -> None:
        super().check_for_updates(uid, generation)
        self.is_working[uid] = True


class GoesOnWithItsOwnChannel(V1_20):
    def check_for_updates(self, uid: int, generation: int) -> None:
        require(self.workers[uid][generation].position == Position.CHECK)
        if self.last_undelivered_work_update[uid].present:
            self.workers[uid][generation].queued = copied(self.last_undelivered_work_update[uid])
            clear(self.last_undelivered_work_update[uid])
        else:
            self.is_working[uid] = False
        self.receive(uid, generation)


class TellsNobodyOfAnError(V1_20):
    def call_back(self, uid: int, generation: int, outcome: Outcome) -> None:
        if outcome != Outcome.OK:
            self.workers[uid][generation].update.on_complete_func = NIL
        super().call_back(uid, generation, outcome)


class TellsBeforeTheKillIsDone(V1_20):
    def sync_pod(self, uid: int, generation: int) -> None:
        super().sync_pod(uid, generation)
        update = self.workers[uid][generation].update
        if update.update_type == UpdateType.KILL and update.on_complete_func != NIL:
            self.on_complete_func(update.on_complete_func, Outcome.OK)
            update.on_complete_func = NIL


class SyncsAgainOnlyAfterAnError(V1_20):
    def wrap_up(self, uid: int, generation: int) -> None:
        require(self.workers[uid][generation].position == Position.ENQUEUE)
        self.workers[uid][generation].position = Position.CHECK


class KeepsAnsweredUpdates(V1_20):
    def call_back(self, uid: int, generation: int, outcome: Outcome) -> None:
        update = copied(self.workers[uid][generation].update)
        super().call_back(uid, generation, outcome)
        self.workers[uid][generation].update = copied(update)


class LeavesForgottenGoroutines(V1_20):
    def close(self, uid: int, generation: int) -> None:
        self.workers[uid][generation].closed = True


FAULTS = [cls for cls in V1_20.__subclasses__() if cls.__module__ == __name__]

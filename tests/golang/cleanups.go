// A pass of housekeeping, written for podproof's tests: it does what that of kubelet 1.36.3 does, in other words.
package kubelet

import (
	"context"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"

	podutil "k8s.io/kubernetes/pkg/api/v1/pod"
	kubecontainer "k8s.io/kubernetes/pkg/kubelet/container"
	"k8s.io/kubernetes/pkg/kubelet/metrics"
	kubetypes "k8s.io/kubernetes/pkg/kubelet/types"
)

func (kl *Kubelet) isOver(pod *v1.Pod) bool {
	if podutil.IsPodPhaseTerminal(pod.Status.Phase) {
		return true
	}
	kept, found := kl.statusManager.GetPodStatus(pod.UID)
	return found && (kept.Phase == v1.PodFailed || kept.Phase == v1.PodSucceeded)
}

func (kl *Kubelet) filterOutInactivePods(all []*v1.Pod) []*v1.Pod {
	var active []*v1.Pod
	for _, pod := range all {
		if kl.podWorkers.IsPodKnownTerminated(pod.UID) {
			continue
		}
		if !kl.isOver(pod) || kl.podWorkers.IsPodTerminationRequested(pod.UID) {
			active = append(active, pod)
		}
	}
	return active
}

func (kl *Kubelet) filterTerminalPodsToDelete(all []*v1.Pod, running []*kubecontainer.Pod, known map[types.UID]PodWorkerSync) map[types.UID]*v1.Pod {
	found := make(map[types.UID]*v1.Pod)
	for _, pod := range all {
		_, isKnown := known[pod.UID]
		if !isKnown && pod.DeletionTimestamp != nil && podutil.IsPodPhaseTerminal(pod.Status.Phase) {
			found[pod.UID] = pod
		}
	}
	for _, runs := range running {
		delete(found, runs.ID)
	}
	return found
}

func (kl *Kubelet) HandlePodCleanups(ctx context.Context) error {
	log := klog.FromContext(ctx)
	all, mirrors, orphans := kl.podManager.GetPodsAndMirrorPods()
	known := kl.podWorkers.SyncKnownPods(log, all)
	may := make(map[types.UID]sets.Empty)
	for uid, one := range known {
		if one.State != TerminatedPod {
			may[uid] = struct{}{}
		}
	}
	if problem := kl.runtimeCache.ForceUpdateIfOlder(ctx, kl.clock.Now()); problem != nil {
		return problem
	}
	running, err := kl.runtimeCache.GetPods(ctx)
	if err != nil {
		log.Error(err, "no list")
		return err
	}
	kl.probeManager.CleanupPods(may)
	kl.removeOrphanedPodStatuses(log, all, mirrors)
	if err := kl.cleanupOrphanedPodDirs(log, all, running); err != nil {
		log.Error(err, "directories stay")
	}
	for _, name := range orphans {
		if !kl.podWorkers.IsPodForMirrorPodTerminatingByFullName(name) {
			if _, err := kl.mirrorPodClient.DeleteMirrorPod(ctx, name, nil); err != nil {
				log.Error(err, "it stays", "name", name)
			}
		}
	}
	active := kl.filterOutInactivePods(all)
	metrics.ActivePodCount.WithLabelValues("").Set(float64(len(active)))
	var again int
	for _, wanted := range active {
		_, isKnown := known[wanted.UID]
		if !isKnown {
			pod, mirror, isMirror := kl.podManager.GetPodAndMirrorPod(wanted)
			if pod == nil || isMirror {
				continue
			}
			options := UpdatePodOptions{Pod: pod, MirrorPod: mirror, UpdateType: kubetypes.SyncPodCreate}
			kl.podWorkers.UpdatePod(ctx, options)
			known[wanted.UID] = PodWorkerSync{State: SyncPod, HasConfig: true}
			again++
		}
	}
	metrics.RestartedPodTotal.WithLabelValues("").Add(float64(again))
	for uid, pod := range kl.filterTerminalPodsToDelete(all, running, known) {
		log.V(3).Info("it has ended", "podUID", uid)
		kl.podWorkers.UpdatePod(ctx, UpdatePodOptions{Pod: pod, UpdateType: kubetypes.SyncPodKill})
	}
	for _, runs := range running {
		if _, isKnown := known[runs.ID]; isKnown {
			continue
		}
		second := int64(1)
		kill := &KillPodOptions{PodTerminationGracePeriodSecondsOverride: &second}
		kl.podWorkers.UpdatePod(ctx, UpdatePodOptions{RunningPod: runs, KillPodOptions: kill, UpdateType: kubetypes.SyncPodKill})
		known[runs.ID] = PodWorkerSync{State: TerminatingPod, Orphan: true}
	}
	counts := make(map[PodWorkerSync]int)
	for _, one := range known {
		counts[one]++
	}
	kl.crashLoopBackOff.GC()
	return nil
}

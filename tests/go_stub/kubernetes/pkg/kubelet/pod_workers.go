package kubelet

import (
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"
	kubecontainer "k8s.io/kubernetes/pkg/kubelet/container"
	kubetypes "k8s.io/kubernetes/pkg/kubelet/types"
)

// updatePod is update_pod of the model.
func (p *podWorkers) updatePod(options UpdatePodOptions) {
	isRuntimePod := options.RunningPod != nil && options.Pod == nil
	if isRuntimePod && options.UpdateType != kubetypes.SyncPodKill {
		return
	}
	var uid types.UID
	var fullname string
	if isRuntimePod {
		uid, fullname = options.RunningPod.ID, options.RunningPod.Name+"_"+options.RunningPod.Namespace
	} else {
		options.RunningPod = nil
		uid, fullname = options.Pod.UID, options.Pod.Name+"_"+options.Pod.Namespace
	}

	p.podLock.Lock()
	defer p.podLock.Unlock()
	status, known := p.podSyncStatuses[uid]
	if !known {
		status = &podSyncStatus{fullname: fullname}
		if options.Pod != nil && hasEnded(options.Pod) && p.nothingRuns(uid) {
			status.terminatingAt, status.terminatedAt = time.Now(), time.Now()
			status.startedTerminating = true
			status.finished = finishedAtFirstSight
		}
		p.podSyncStatuses[uid] = status
	}
	if isRuntimePod {
		status.observedRuntime = true
		for _, update := range []*UpdatePodOptions{status.pendingUpdate, status.activeUpdate} {
			if update != nil && update.Pod != nil {
				options.Pod, options.RunningPod = update.Pod, nil
				break
			}
		}
	}
	pod := options.Pod
	if pod == nil {
		pod = &v1.Pod{} // of containers alone nothing else is known
	}

	if known && status.requested() && options.UpdateType == kubetypes.SyncPodCreate {
		status.restartRequested = true
		return
	}
	if status.finished {
		return
	}
	cancels := p.beginTermination(status, pod, options, isRuntimePod)
	if status.terminated() && isRuntimePod {
		return
	}
	if status.requested() && !status.terminated() {
		cancels = p.acceptKill(status, pod, &options) || cancels
	} else {
		if kill := options.KillPodOptions; kill != nil && kill.CompletedCh != nil {
			close(kill.CompletedCh)
		}
		options.KillPodOptions = nil
	}

	if p.podUpdates[uid] == nil {
		if kubetypes.IsStaticPod(pod) {
			p.waitingToStartStaticPodsByFullname[fullname] = append(p.waitingToStartStaticPodsByFullname[fullname], uid)
		}
		p.startWorker(uid)
	}
	status.pendingUpdate = &options
	status.working = true
	p.wake(uid)
	if cancels && status.cancelFn != nil {
		status.cancelFn()
	}
}

func hasEnded(pod *v1.Pod) bool {
	return pod.Status.Phase == v1.PodSucceeded || pod.Status.Phase == v1.PodFailed
}

func (p *podWorkers) nothingRuns(uid types.UID) bool {
	status, err := p.podCache.Get(uid)
	if err != nil {
		return false
	}
	for _, container := range status.ContainerStatuses {
		if container.State == kubecontainer.ContainerStateRunning {
			return false
		}
	}
	return true
}

// beginTermination is begin_termination of the model.
func (p *podWorkers) beginTermination(status *podSyncStatus, pod *v1.Pod, options UpdatePodOptions, isRuntimePod bool) bool {
	if status.requested() {
		return false
	}
	switch {
	case isRuntimePod, pod.DeletionTimestamp != nil:
		status.deleted = true
	case hasEnded(pod):
	case options.UpdateType == kubetypes.SyncPodKill:
		status.evicted = options.KillPodOptions != nil && options.KillPodOptions.Evict
	default:
		return false
	}
	status.terminatingAt = time.Now()
	return true
}

// acceptKill is accept_kill_pod_options of the model.
func (p *podWorkers) acceptKill(status *podSyncStatus, pod *v1.Pod, options *UpdatePodOptions) bool {
	if options.KillPodOptions == nil {
		options.KillPodOptions = &KillPodOptions{}
	}
	kill := options.KillPodOptions
	if kill.CompletedCh != nil {
		status.notifyPostTerminating = append(status.notifyPostTerminating, kill.CompletedCh)
	}
	if kill.PodStatusFunc != nil {
		status.statusPostTerminating = append(status.statusPostTerminating, kill.PodStatusFunc)
	}
	gracePeriod, changed := effectiveGracePeriod(status, pod, kill)
	status.gracePeriod = gracePeriod
	kill.PodTerminationGracePeriodSecondsOverride = &gracePeriod
	return changed
}

// effectiveGracePeriod is calculate_effective_grace_period of the model.
func effectiveGracePeriod(status *podSyncStatus, pod *v1.Pod, kill *KillPodOptions) (int64, bool) {
	gracePeriod, requested := status.gracePeriod, false
	wishes := []*int64{pod.DeletionGracePeriodSeconds}
	if kill != nil {
		wishes = append(wishes, kill.PodTerminationGracePeriodSecondsOverride)
	}
	for _, wish := range wishes {
		if wish != nil && (gracePeriod == 0 || *wish < gracePeriod) {
			gracePeriod, requested = *wish, true
		}
	}
	spec := pod.Spec.TerminationGracePeriodSeconds
	if gracePeriod == 0 && spec != nil && !(zeroIsARequest && requested) {
		gracePeriod = *spec
	}
	if gracePeriod < 1 {
		gracePeriod = 1
	}
	return gracePeriod, status.gracePeriod != 0 && status.gracePeriod != gracePeriod
}

func (p *podWorkers) startWorker(uid types.UID) {
	in := make(chan struct{}, 1)
	p.podUpdates[uid] = in
	var out <-chan struct{} = in
	if p.workerChannelFn != nil {
		out = p.workerChannelFn(uid, in)
	}
	go p.podWorkerLoop(uid, out)
}

func (p *podWorkers) wake(uid types.UID) {
	select {
	case p.podUpdates[uid] <- struct{}{}:
	default:
	}
}

// syncKnownPods is sync_known_pods of the model.
func (p *podWorkers) syncKnownPods(desiredPods []*v1.Pod) map[types.UID]PodWorkerSync {
	desired := map[types.UID]bool{}
	for _, pod := range desiredPods {
		desired[pod.UID] = true
	}
	p.podLock.Lock()
	defer p.podLock.Unlock()
	p.podsSynced = true
	knownPods := map[types.UID]PodWorkerSync{}
	for uid, status := range p.podSyncStatuses {
		orphan := !desired[uid]
		if (status.restartRequested || orphan) && p.removeWorker(uid, status, orphan) {
			continue
		}
		knownPods[uid] = PodWorkerSync{State: status.workType(), Orphan: orphan}
	}
	return knownPods
}

// removeWorker is remove_terminated_worker of the model.
func (p *podWorkers) removeWorker(uid types.UID, status *podSyncStatus, orphan bool) bool {
	if !status.finished {
		if !orphan {
			return false
		}
		status.deleted = true
		if status.started() || status.observedRuntime {
			if !status.requested() {
				status.terminatingAt = time.Now()
				if status.activeUpdate != nil && status.activeUpdate.Pod != nil {
					status.gracePeriod, _ = effectiveGracePeriod(status, status.activeUpdate.Pod, nil)
				} else {
					status.gracePeriod = 1
				}
			}
			p.requeue(uid, status)
			return false
		}
	}
	delete(p.podSyncStatuses, uid)
	p.closeUpdates(uid)
	p.releaseStatic(uid, status)
	return true
}

func (p *podWorkers) requeue(uid types.UID, status *podSyncStatus) {
	if status.pendingUpdate != nil || status.activeUpdate == nil {
		return
	}
	again := *status.activeUpdate
	status.pendingUpdate = &again
	status.working = true
	p.wake(uid)
}

func (p *podWorkers) closeUpdates(uid types.UID) {
	if updates, ok := p.podUpdates[uid]; ok {
		close(updates)
		delete(p.podUpdates, uid)
	}
}

func (p *podWorkers) releaseStatic(uid types.UID, status *podSyncStatus) {
	if p.startedStaticPodsByFullname[status.fullname] == uid {
		delete(p.startedStaticPodsByFullname, status.fullname)
	}
}

// programmerError is what the real code writes at this level as well.
func programmerError(text string, uid types.UID) { klog.V(4).InfoS(text, "podUID", uid) }

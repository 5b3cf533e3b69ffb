package kubelet

import (
	"context"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"
	kubecontainer "k8s.io/kubernetes/pkg/kubelet/container"
	kubetypes "k8s.io/kubernetes/pkg/kubelet/types"
)

// podWorkerLoop is the goroutine of a pod: one token, one iteration.
func (p *podWorkers) podWorkerLoop(uid types.UID, tokens <-chan struct{}) {
	var lastSync time.Time
	for range tokens {
		ctx, update, workType, goOn, ends := p.startPodSync(uid)
		if ends {
			return
		}
		if !goOn {
			continue
		}
		var status *kubecontainer.PodStatus
		var err error
		if update.RunningPod == nil {
			status, err = p.podCache.GetNewerThan(uid, lastSync)
		}
		transition := false
		if err == nil {
			transition, ends, err = p.sync(ctx, uid, update, workType, status)
			lastSync = time.Now()
			if ends {
				return
			}
		}
		klog.V(4).InfoS("A sync is over", "podUID", uid, "err", err)
		p.completeWork(uid, transition, err)
	}
}

// sync calls the function for the kind of work, and completes the phase if it succeeds.
func (p *podWorkers) sync(ctx context.Context, uid types.UID, update UpdatePodOptions, workType PodWorkerState, status *kubecontainer.PodStatus) (transition, ends bool, err error) {
	funcs := p.podSyncer.funcs()
	switch {
	case workType == TerminatedPod:
		if err = funcs.syncTerminatedPod(ctx, update.Pod, status); err == nil {
			p.completeTerminated(uid)
			return false, true, nil
		}
	case workType == TerminatingPod:
		var gracePeriod *int64
		if kill := update.KillPodOptions; kill != nil {
			gracePeriod = kill.PodTerminationGracePeriodSecondsOverride
		}
		statusFn := p.acknowledgeTerminating(uid)
		if update.RunningPod != nil {
			if err = funcs.syncTerminatingRuntimePod(ctx, update.RunningPod); err == nil {
				p.completeTerminatingRuntimePod(uid)
				return false, true, nil
			}
		} else if err = funcs.syncTerminatingPod(ctx, update.Pod, status, gracePeriod, statusFn); err == nil {
			p.completeTerminating(uid)
			return true, false, nil
		}
	default:
		var isTerminal bool
		if isTerminal, err = p.podSyncer.callSyncPod(ctx, update, status); err == nil && isTerminal {
			p.completeSync(uid)
			return true, false, nil
		}
	}
	return false, false, err
}

// startPodSync is start_pod_sync of the model. It says whether to go on with the update, and whether the goroutine ends.
func (p *podWorkers) startPodSync(uid types.UID) (ctx context.Context, update UpdatePodOptions, workType PodWorkerState, goOn, ends bool) {
	p.podLock.Lock()
	defer p.podLock.Unlock()
	status, ok := p.podSyncStatuses[uid]
	if !ok {
		return
	}
	if !status.working {
		programmerError("Pod should be marked as working by the pod worker, programmer error", uid)
	}
	if status.pendingUpdate == nil {
		status.working = false
		programmerError("Pod worker received no pending work, programmer error?", uid)
		return
	}
	workType = status.workType()
	update, status.pendingUpdate = *status.pendingUpdate, nil
	select {
	case <-p.podUpdates[uid]:
	default:
	}
	if status.ctx == nil || status.ctx.Err() != nil {
		status.ctx, status.cancelFn = context.WithCancel(context.Background())
	}
	ctx = status.ctx
	if status.started() || (update.RunningPod != nil && workType == TerminatingPod) {
		status.merge(update)
		return ctx, update, workType, true, false
	}
	if update.Pod == nil {
		status.merge(update)
		programmerError("Running pod cannot start ever, programmer error", uid)
		return ctx, update, workType, false, true
	}
	canStart, canEverStart := p.allowPodStart(uid, update.Pod)
	switch {
	case !canEverStart:
		p.cleanupUnstarted(uid, status)
		return ctx, update, workType, false, true
	case !canStart:
		status.pendingUpdate = &update
		status.working = false
		return ctx, update, workType, false, false
	}
	status.startedAt = time.Now()
	status.merge(update)
	return ctx, update, workType, true, false
}

func (p *podWorkers) allowPodStart(uid types.UID, pod *v1.Pod) (canStart, canEverStart bool) {
	if !kubetypes.IsStaticPod(pod) {
		return true, true
	}
	status := p.podSyncStatuses[uid]
	if status.requested() {
		return false, false
	}
	if !p.allowStaticPodStart(status.fullname, uid) {
		p.workQueue.Enqueue(uid, time.Second)
		return false, true
	}
	return true, true
}

// allowStaticPodStart is allow_static_pod_start of the model.
func (p *podWorkers) allowStaticPodStart(fullname string, uid types.UID) bool {
	if started, ok := p.startedStaticPodsByFullname[fullname]; ok {
		return started == uid
	}
	waiting := p.waitingToStartStaticPodsByFullname[fullname]
	for i, next := range waiting {
		status, ok := p.podSyncStatuses[next]
		if !ok || status.requested() || status.terminated() {
			continue
		}
		if next != uid {
			p.waitingToStartStaticPodsByFullname[fullname] = waiting[i:]
			return false
		}
		waiting = waiting[i+1:]
		break
	}
	p.waitingToStartStaticPodsByFullname[fullname] = waiting
	if len(waiting) == 0 {
		delete(p.waitingToStartStaticPodsByFullname, fullname)
	}
	p.startedStaticPodsByFullname[fullname] = uid
	return true
}

func (p *podWorkers) cleanupUnstarted(uid types.UID, status *podSyncStatus) {
	p.closeUpdates(uid)
	if !status.requested() {
		programmerError("Pod worker is complete but did not have terminatingAt set, likely programmer error", uid)
	}
	if status.terminated() {
		programmerError("Pod worker is complete and had terminatedAt set, likely programmer error", uid)
	}
	status.finished, status.working, status.terminatedAt = true, false, time.Now()
	p.releaseStatic(uid, status)
}

func (p *podWorkers) acknowledgeTerminating(uid types.UID) PodStatusFunc {
	p.podLock.Lock()
	defer p.podLock.Unlock()
	status, ok := p.podSyncStatuses[uid]
	if !ok {
		return nil
	}
	status.startedTerminating = status.startedTerminating || status.requested()
	if count := len(status.statusPostTerminating); count > 0 {
		return status.statusPostTerminating[count-1]
	}
	return nil
}

func (p *podWorkers) completeSync(uid types.UID) {
	p.podLock.Lock()
	defer p.podLock.Unlock()
	status, ok := p.podSyncStatuses[uid]
	if !ok {
		programmerError("Pod had no status in completeSync, programmer error?", uid)
		return
	}
	if status.requested() {
		programmerError("Pod worker attempted to set terminatingAt twice, likely programmer error", uid)
	} else {
		status.terminatingAt = time.Now()
	}
	status.startedTerminating = true
	p.requeue(uid, status)
}

func (p *podWorkers) completeTerminating(uid types.UID) {
	p.podLock.Lock()
	defer p.podLock.Unlock()
	status, ok := p.podSyncStatuses[uid]
	if !ok {
		return
	}
	if !status.requested() {
		programmerError("Pod worker was terminated but did not have terminatingAt set, likely programmer error", uid)
	}
	status.terminatedAt = time.Now()
	for _, ch := range status.notifyPostTerminating {
		close(ch)
	}
	status.notifyPostTerminating, status.statusPostTerminating = nil, nil
	p.requeue(uid, status)
}

func (p *podWorkers) completeTerminatingRuntimePod(uid types.UID) {
	p.podLock.Lock()
	defer p.podLock.Unlock()
	p.closeUpdates(uid)
	status, ok := p.podSyncStatuses[uid]
	if !ok {
		return
	}
	if !status.requested() {
		programmerError("Pod worker was terminated but did not have terminatingAt set, likely programmer error", uid)
	}
	p.releaseStatic(uid, status)
	delete(p.podSyncStatuses, uid)
}

func (p *podWorkers) completeTerminated(uid types.UID) {
	p.podLock.Lock()
	defer p.podLock.Unlock()
	p.closeUpdates(uid)
	status, ok := p.podSyncStatuses[uid]
	if !ok {
		return
	}
	if !status.requested() {
		programmerError("Pod worker is complete but did not have terminatingAt set, likely programmer error", uid)
	}
	if !status.terminated() {
		programmerError("Pod worker is complete but did not have terminatedAt set, likely programmer error", uid)
	}
	status.finished, status.working = true, false
	p.releaseStatic(uid, status)
}

func (p *podWorkers) completeWork(uid types.UID, transition bool, err error) {
	delay := time.Minute
	switch {
	case transition:
		delay = 0
	case err != nil:
		delay = time.Second
	}
	p.workQueue.Enqueue(uid, delay)
	p.podLock.Lock()
	defer p.podLock.Unlock()
	if status, ok := p.podSyncStatuses[uid]; ok {
		if status.pendingUpdate != nil {
			p.wake(uid)
		} else {
			status.working = false
		}
	}
}

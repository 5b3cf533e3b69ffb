// Package kubelet has podproof's own pod worker, the model of kubelet 1.29 written in Go, for the front end to read.
package kubelet

type KillPodOptions struct {
	PodTerminationGracePeriodSecondsOverride *int64
	PodStatusFunc                            PodStatusFunc
	Evict                                    bool
	CompletedCh                              chan<- struct{}
}

type UpdatePodOptions struct {
	StartTime      time.Time
	UpdateType     kubetypes.SyncPodType
	RunningPod     *kubecontainer.Pod
	Pod            *v1.Pod
	MirrorPod      *v1.Pod
	KillPodOptions *KillPodOptions
}

type PodWorkerSync struct {
	Orphan bool
	State  PodWorkerState
}

type podWork struct {
	Options  UpdatePodOptions
	WorkType PodWorkerState
}

type podSyncStatus struct {
	working               bool
	terminatingAt         time.Time
	terminatedAt          time.Time
	statusPostTerminating []PodStatusFunc
	startedTerminating    bool
	startedAt             time.Time
	restartRequested      bool
	pendingUpdate         *UpdatePodOptions
	observedRuntime       bool
	notifyPostTerminating []chan<- struct{}
	gracePeriod           int64
	fullname              string
	finished              bool
	evicted               bool
	deleted               bool
	ctx                   context.Context
	cancelFn              context.CancelFunc
	activeUpdate          *UpdatePodOptions
}

func (s *podSyncStatus) requested() bool  { return !s.terminatingAt.IsZero() }
func (s *podSyncStatus) terminated() bool { return !s.terminatedAt.IsZero() }
func (s *podSyncStatus) started() bool    { return !s.startedAt.IsZero() }

func (s *podSyncStatus) phase() PodWorkerState {
	if !s.requested() && !s.terminated() {
		return SyncPod
	}
	if !s.terminated() {
		return TerminatingPod
	}
	return TerminatedPod
}

// remember keeps of an update what may have to be replayed.
func (s *podSyncStatus) remember(other UpdatePodOptions) {
	last := s.activeUpdate
	if last == nil {
		last = &UpdatePodOptions{}
		s.activeUpdate = last
	}
	if last.Pod == nil || other.RunningPod == nil {
		last.Pod = other.Pod
	}
	last.RunningPod = other.RunningPod
	if other.MirrorPod != nil {
		last.MirrorPod = other.MirrorPod
	}
	if kill := other.KillPodOptions; kill != nil {
		last.KillPodOptions = &KillPodOptions{Evict: kill.Evict}
		if seconds := kill.PodTerminationGracePeriodSecondsOverride; seconds != nil {
			fresh := *seconds
			last.KillPodOptions.PodTerminationGracePeriodSecondsOverride = &fresh
		}
	}
}

type podWorkers struct {
	workQueue                          queue.WorkQueue
	waitingToStartStaticPodsByFullname map[string][]types.UID
	startedStaticPodsByFullname        map[string]types.UID
	podsSynced                         bool
	podUpdates                         map[types.UID]chan struct{}
	podSyncer                          podSyncer
	podSyncStatuses                    map[types.UID]*podSyncStatus
	podLock                            sync.Mutex
	podCache                           kubecontainer.Cache
}

func (p *podWorkers) IsPodKnownTerminated(asked types.UID) bool {
	p.podLock.Lock()
	defer p.podLock.Unlock()
	known, exists := p.podSyncStatuses[asked]
	return exists && known.terminated()
}

func (p *podWorkers) IsPodTerminationRequested(uid types.UID) bool {
	p.podLock.Lock()
	status, exists := p.podSyncStatuses[uid]
	found := exists && status.requested()
	p.podLock.Unlock()
	return found
}

func hasEnded(pod *v1.Pod) bool {
	return pod.Status.Phase == v1.PodSucceeded || pod.Status.Phase == v1.PodFailed
}

// UpdatePod is update_pod of the model.
func (p *podWorkers) UpdatePod(options UpdatePodOptions) {
	isRuntimePod := options.RunningPod != nil && options.Pod == nil
	if isRuntimePod && options.UpdateType != kubetypes.SyncPodKill {
		return
	}
	var uid types.UID
	var fullname string
	if isRuntimePod {
		uid = options.RunningPod.ID
		fullname = kubecontainer.BuildPodFullName(options.RunningPod.Name, options.RunningPod.Namespace)
	} else {
		options.RunningPod = nil
		uid, fullname = options.Pod.UID, kubecontainer.BuildPodFullName(options.Pod.Name, options.Pod.Namespace)
	}

	p.podLock.Lock()
	defer p.podLock.Unlock()
	status, known := p.podSyncStatuses[uid]
	if !known {
		status = &podSyncStatus{fullname: fullname}
		if options.Pod != nil && hasEnded(options.Pod) {
			if cached, err := p.podCache.Get(uid); err == nil && isPodStatusCacheTerminal(cached) {
				status.terminatingAt, status.terminatedAt = time.Now(), time.Now()
				status.startedTerminating = true
			}
		}
		klog.V(4).InfoS("It is stored now")
		p.podSyncStatuses[uid] = status
	}
	klog.InfoS("A pod that is not known yet", "pod", fullname)
	pod := options.Pod
	if isRuntimePod {
		status.observedRuntime = true
		if status.pendingUpdate != nil && status.pendingUpdate.Pod != nil {
			pod = status.pendingUpdate.Pod
			options.Pod, options.RunningPod = pod, nil
		} else if status.activeUpdate != nil && status.activeUpdate.Pod != nil {
			pod = status.activeUpdate.Pod
			options.Pod, options.RunningPod = pod, nil
		} else {
			pod = options.RunningPod.ToAPIPod()
		}
	}

	if known && status.requested() && options.UpdateType == kubetypes.SyncPodCreate {
		status.restartRequested = true
		return
	}
	if status.finished {
		return
	}
	cancels := p.beginTermination(status, pod, options, isRuntimePod)
	switch {
	case status.terminated() && isRuntimePod:
		return
	case status.requested() && !status.terminated():
		if options.KillPodOptions == nil {
			options.KillPodOptions = &KillPodOptions{}
		}
		if report := options.KillPodOptions.PodStatusFunc; report != nil {
			status.statusPostTerminating = append(status.statusPostTerminating, report)
		}
		if done := options.KillPodOptions.CompletedCh; done != nil {
			status.notifyPostTerminating = append(status.notifyPostTerminating, done)
		}
		seconds, shortened := effectiveGracePeriod(status, pod, options.KillPodOptions)
		status.gracePeriod = seconds
		options.KillPodOptions.PodTerminationGracePeriodSecondsOverride = &seconds
		cancels = cancels || shortened
	default:
		if kill := options.KillPodOptions; kill != nil && kill.CompletedCh != nil {
			close(kill.CompletedCh)
		}
		options.KillPodOptions = nil
	}

	tokens, exists := p.podUpdates[uid]
	if !exists {
		tokens = make(chan struct{}, 1)
		p.podUpdates[uid] = tokens
		if kubetypes.IsStaticPod(pod) {
			p.waitingToStartStaticPodsByFullname[fullname] = append(p.waitingToStartStaticPodsByFullname[fullname], uid)
		}
		go p.podWorkerLoop(uid, tokens)
	}
	if pending := status.pendingUpdate; pending != nil && !pending.StartTime.IsZero() && pending.StartTime.Before(options.StartTime) {
		options.StartTime = pending.StartTime
	}
	status.pendingUpdate = &options
	status.working = true
	p.wake(uid)
	if cancels && status.cancelFn != nil {
		status.cancelFn()
	}
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
		status.evicted = status.evicted || options.KillPodOptions != nil && options.KillPodOptions.Evict
	default:
		return false
	}
	status.terminatingAt = time.Now()
	return true
}

// effectiveGracePeriod is calculate_effective_grace_period of the model.
func effectiveGracePeriod(status *podSyncStatus, pod *v1.Pod, kill *KillPodOptions) (int64, bool) {
	seconds := status.gracePeriod
	if wish := pod.DeletionGracePeriodSeconds; wish != nil && (seconds == 0 || *wish < seconds) {
		seconds = *wish
	}
	if kill != nil {
		if wish := kill.PodTerminationGracePeriodSecondsOverride; wish != nil && (seconds == 0 || *wish < seconds) {
			seconds = *wish
		}
	}
	if wish := pod.Spec.TerminationGracePeriodSeconds; seconds == 0 && wish != nil {
		seconds = *wish
	}
	if seconds < 1 {
		seconds = 1
	}
	return seconds, status.gracePeriod != 0 && status.gracePeriod != seconds
}

func (p *podWorkers) wake(uid types.UID) {
	select {
	case p.podUpdates[uid] <- struct{}{}:
	default:
	}
}

// SyncKnownPods is sync_known_pods of the model.
func (p *podWorkers) SyncKnownPods(desiredPods []*v1.Pod) map[types.UID]PodWorkerSync {
	desired := make(map[types.UID]struct{})
	for _, pod := range desiredPods {
		desired[pod.UID] = struct{}{}
	}
	p.podLock.Lock()
	defer p.podLock.Unlock()
	found := make(map[types.UID]PodWorkerSync)
	p.podsSynced = true
	for uid, status := range p.podSyncStatuses {
		_, wanted := desired[uid]
		if status.restartRequested || !wanted {
			if p.removeWorker(uid, status, !wanted) {
				continue
			}
		}
		found[uid] = PodWorkerSync{State: status.phase(), Orphan: !wanted}
	}
	return found
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
	p.cleanupPodUpdates(uid)
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

func (p *podWorkers) cleanupPodUpdates(uid types.UID) {
	if updates, ok := p.podUpdates[uid]; ok {
		close(updates)
		delete(p.podUpdates, uid)
	}
}

func (p *podWorkers) releaseStatic(uid types.UID, status *podSyncStatus) {
	if uid == p.startedStaticPodsByFullname[status.fullname] {
		delete(p.startedStaticPodsByFullname, status.fullname)
	}
}

// podWorkerLoop is the goroutine of a pod: one token, one iteration.
func (p *podWorkers) podWorkerLoop(uid types.UID, tokens <-chan struct{}) {
	var lastSync time.Time
	for range tokens {
		ctx, work, goOn, ends := p.nextWork(uid)
		if ends {
			return
		}
		if !goOn {
			continue
		}
		var isTerminal bool
		err := func() error {
			var err error
			var status *kubecontainer.PodStatus
			if work.Options.RunningPod == nil {
				if status, err = p.podCache.GetNewerThan(work.Options.Pod.UID, lastSync); err != nil {
					return err
				}
			}
			klog.V(4).InfoS("The status is there", "uid", uid)
			switch {
			case work.WorkType == TerminatedPod:
				err = p.podSyncer.SyncTerminatedPod(ctx, work.Options.Pod, status)
			case work.WorkType == TerminatingPod:
				var seconds *int64
				if kill := work.Options.KillPodOptions; kill != nil {
					seconds = kill.PodTerminationGracePeriodSecondsOverride
				}
				statusFn := p.acknowledgeTerminating(uid)
				if work.Options.RunningPod != nil {
					err = p.podSyncer.SyncTerminatingRuntimePod(ctx, work.Options.RunningPod)
				} else {
					err = p.podSyncer.SyncTerminatingPod(ctx, work.Options.Pod, status, seconds, statusFn)
				}
			default:
				isTerminal, err = p.podSyncer.SyncPod(ctx, work.Options.UpdateType, work.Options.Pod, work.Options.MirrorPod, status)
			}
			lastSync = time.Now()
			return err
		}()
		transition := false
		if err == nil {
			switch {
			case work.WorkType == TerminatedPod:
				p.completeTerminated(uid)
				return
			case work.WorkType == TerminatingPod && work.Options.RunningPod != nil:
				p.completeTerminatingRuntimePod(uid)
				return
			case work.WorkType == TerminatingPod:
				p.completeTerminating(uid)
				transition = true
			case isTerminal:
				p.completeSync(uid)
				transition = true
			}
		}
		p.completeWork(uid, transition, err)
	}
}

// nextWork is start_pod_sync of the model. It says whether to go on with the update, and whether the goroutine ends.
func (p *podWorkers) nextWork(uid types.UID) (ctx context.Context, work podWork, goOn, ends bool) {
	p.podLock.Lock()
	defer p.podLock.Unlock()
	status, exists := p.podSyncStatuses[uid]
	if !exists {
		return
	}
	if !status.working {
		klog.InfoS("Pod should be marked as working by the pod worker, programmer error")
	}
	if status.pendingUpdate == nil {
		status.working = false
		klog.InfoS("Pod worker received no pending work, programmer error?")
		return
	}
	work.WorkType = status.phase()
	work.Options = *status.pendingUpdate
	status.pendingUpdate = nil
	select {
	case <-p.podUpdates[uid]:
	default:
	}
	if status.ctx == nil || status.ctx.Err() != nil {
		status.ctx, status.cancelFn = context.WithCancel(context.Background())
	}
	ctx = status.ctx
	if status.started() || (work.Options.RunningPod != nil && work.WorkType == TerminatingPod) {
		status.remember(work.Options)
		return ctx, work, true, false
	}
	if work.Options.Pod == nil {
		status.remember(work.Options)
		klog.InfoS("Running pod cannot start ever, programmer error")
		return ctx, work, false, true
	}
	canStart, canEverStart := p.allowPodStart(uid, work.Options.Pod)
	switch {
	case !canEverStart:
		p.cleanupUnstarted(uid, status)
		return ctx, work, false, true
	case !canStart:
		status.pendingUpdate = &work.Options
		status.working = false
		return ctx, work, false, false
	}
	status.startedAt = time.Now()
	status.remember(work.Options)
	return ctx, work, true, false
}

func (p *podWorkers) allowPodStart(uid types.UID, pod *v1.Pod) (canStart, canEverStart bool) {
	if !kubetypes.IsStaticPod(pod) {
		return true, true
	}
	status, exists := p.podSyncStatuses[uid]
	if !exists {
		klog.InfoS("Pod sync status does not exist, the worker should not be running")
		return
	}
	if status.requested() {
		return
	}
	if canStart = p.allowStaticPodStart(status.fullname, uid); !canStart {
		p.workQueue.Enqueue(uid, wait.Jitter(p.backOffPeriod, 0.5))
	}
	canEverStart = true
	return
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
	p.startedStaticPodsByFullname[fullname] = uid
	if len(waiting) == 0 {
		delete(p.waitingToStartStaticPodsByFullname, fullname)
	} else {
		p.waitingToStartStaticPodsByFullname[fullname] = waiting
	}
	return true
}

func (p *podWorkers) cleanupUnstarted(uid types.UID, status *podSyncStatus) {
	p.cleanupPodUpdates(uid)
	if !status.requested() {
		klog.InfoS("Pod worker is complete but did not have terminatingAt set, likely programmer error")
	}
	if status.terminated() {
		klog.InfoS("Pod worker is complete and had terminatedAt set, likely programmer error")
	}
	status.finished, status.working, status.terminatedAt = true, false, time.Now()
	p.releaseStatic(uid, status)
}

func (p *podWorkers) acknowledgeTerminating(uid types.UID) PodStatusFunc {
	p.podLock.Lock()
	defer p.podLock.Unlock()
	status, exists := p.podSyncStatuses[uid]
	if !exists {
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
	status, exists := p.podSyncStatuses[uid]
	if !exists {
		klog.InfoS("Pod had no status in completeSync, programmer error?")
		return
	}
	if status.requested() {
		klog.InfoS("Pod worker attempted to set terminatingAt twice, likely programmer error")
	} else {
		status.terminatingAt = time.Now()
	}
	status.startedTerminating = true
	p.requeue(uid, status)
}

func (p *podWorkers) completeTerminating(uid types.UID) {
	p.podLock.Lock()
	defer p.podLock.Unlock()
	status, exists := p.podSyncStatuses[uid]
	if !exists {
		return
	}
	if !status.requested() {
		klog.InfoS("Pod worker was terminated but did not have terminatingAt set, likely programmer error")
	}
	status.terminatedAt = time.Now()
	for _, told := range status.notifyPostTerminating {
		close(told)
	}
	status.notifyPostTerminating, status.statusPostTerminating = nil, nil
	p.requeue(uid, status)
}

func (p *podWorkers) completeTerminatingRuntimePod(uid types.UID) {
	p.podLock.Lock()
	defer p.podLock.Unlock()
	p.cleanupPodUpdates(uid)
	status, exists := p.podSyncStatuses[uid]
	if !exists {
		return
	}
	if !status.requested() {
		klog.InfoS("Pod worker was terminated but did not have terminatingAt set, likely programmer error")
	}
	p.releaseStatic(uid, status)
	delete(p.podSyncStatuses, uid)
}

func (p *podWorkers) completeTerminated(uid types.UID) {
	p.podLock.Lock()
	defer p.podLock.Unlock()
	p.cleanupPodUpdates(uid)
	status, exists := p.podSyncStatuses[uid]
	if !exists {
		return
	}
	if !status.requested() {
		klog.InfoS("Pod worker is complete but did not have terminatingAt set, likely programmer error")
	}
	if !status.terminated() {
		klog.InfoS("Pod worker is complete but did not have terminatedAt set, likely programmer error")
	}
	status.finished, status.working = true, false
	p.releaseStatic(uid, status)
}

func (p *podWorkers) completeWork(uid types.UID, transition bool, err error) {
	switch {
	case transition:
		p.workQueue.Enqueue(uid, 0)
	case err == nil:
		p.workQueue.Enqueue(uid, wait.Jitter(p.resyncInterval, 0.5))
	case strings.Contains(err.Error(), NetworkNotReadyErrorMsg):
		p.workQueue.Enqueue(uid, wait.Jitter(backOffOnTransientErrorPeriod, 0.5))
	default:
		p.workQueue.Enqueue(uid, wait.Jitter(p.backOffPeriod, 0.5))
	}
	p.podLock.Lock()
	defer p.podLock.Unlock()
	if status, exists := p.podSyncStatuses[uid]; exists {
		if status.pendingUpdate == nil {
			status.working = false
		} else {
			p.wake(uid)
		}
	}
}

// Package kubelet has a part of podproof's own pod worker in the shape of kubelet 1.26: its channel carries the work.
package kubelet

type KillPodOptions struct {
	CompletedCh                              chan<- struct{}
	PodTerminationGracePeriodSecondsOverride *int64
}

type UpdatePodOptions struct {
	Pod            *v1.Pod
	RunningPod     *kubecontainer.Pod
	KillPodOptions *KillPodOptions
}

type PodWorkType int

const (
	SyncPodWork PodWorkType = iota
	TerminatingPodWork
	TerminatedPodWork
)

type podWork struct {
	WorkType PodWorkType
	Options  UpdatePodOptions
}

type podSyncStatus struct {
	statusPostTerminating []PodStatusFunc
	notifyPostTerminating []chan<- struct{}
	gracePeriod           int64
	terminatedAt          time.Time
	terminatingAt         time.Time
	working, finished     bool
	startedTerminating    bool
	fullname              string
}

type podWorkers struct {
	waitingToStartStaticPodsByFullname map[string][]types.UID
	startedStaticPodsByFullname        map[string]types.UID
	lastUndeliveredWorkUpdate          map[types.UID]podWork
	podSyncStatuses                    map[types.UID]*podSyncStatus
	podUpdates                         map[types.UID]chan podWork
	podsSynced                         bool
	podLock                            sync.Mutex
}

func (p *podWorkers) IsPodKnownTerminated(uid types.UID) bool {
	p.podLock.Lock()
	defer p.podLock.Unlock()
	status, ok := p.podSyncStatuses[uid]
	return ok && !status.terminatedAt.IsZero()
}

func (p *podWorkers) managePodLoop(updates <-chan podWork) {
	for update := range updates {
		if update.WorkType == TerminatedPodWork {
			p.completeTerminating(update.Options.Pod)
		}
		p.completeWork(update.Options.Pod.UID)
	}
}

// acknowledgeTerminating is acknowledge_terminating of the model.
func (p *podWorkers) acknowledgeTerminating(pod *v1.Pod) PodStatusFunc {
	p.podLock.Lock()
	defer p.podLock.Unlock()
	if status, known := p.podSyncStatuses[pod.UID]; known {
		status.startedTerminating = status.startedTerminating || !status.terminatingAt.IsZero()
		if reports := status.statusPostTerminating; len(reports) > 0 {
			return reports[len(reports)-1]
		}
	}
	return nil
}

// completeTerminating is complete_terminating of the model.
func (p *podWorkers) completeTerminating(pod *v1.Pod) {
	p.podLock.Lock()
	defer p.podLock.Unlock()
	if status, ok := p.podSyncStatuses[pod.UID]; ok {
		if status.terminatingAt.IsZero() {
			klog.InfoS("Pod worker was terminated but did not have terminatingAt set, likely programmer error")
		}
		status.terminatedAt = time.Now()
		for _, told := range status.notifyPostTerminating {
			close(told)
		}
		status.notifyPostTerminating, status.statusPostTerminating = nil, nil
	}
	p.lastUndeliveredWorkUpdate[pod.UID] = podWork{WorkType: TerminatedPodWork, Options: UpdatePodOptions{Pod: pod}}
}

func (p *podWorkers) completeWork(uid types.UID) {
	p.podLock.Lock()
	defer p.podLock.Unlock()
	if work, ok := p.lastUndeliveredWorkUpdate[uid]; ok {
		p.podUpdates[uid] <- work
	}
}

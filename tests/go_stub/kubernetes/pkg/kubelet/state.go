// Package kubelet has podproof's model of the pod worker of kubelet 1.29 in Go, to run generated tests on.
package kubelet

import (
	"context"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	kubecontainer "k8s.io/kubernetes/pkg/kubelet/container"
	kubetypes "k8s.io/kubernetes/pkg/kubelet/types"
	"k8s.io/kubernetes/pkg/kubelet/util/queue"
)

// zeroIsARequest: does a requested grace period of 0 count, as it does since 1.32?
const zeroIsARequest = false

// finishedAtFirstSight: is a pod that ended before it is first seen finished at once, as in 1.27.0?
const finishedAtFirstSight = false

type PodStatusFunc func(podStatus *v1.PodStatus)

type KillPodOptions struct {
	CompletedCh                              chan<- struct{}
	Evict                                    bool
	PodStatusFunc                            PodStatusFunc
	PodTerminationGracePeriodSecondsOverride *int64
}

type UpdatePodOptions struct {
	UpdateType     kubetypes.SyncPodType
	StartTime      time.Time
	Pod            *v1.Pod
	MirrorPod      *v1.Pod
	RunningPod     *kubecontainer.Pod
	KillPodOptions *KillPodOptions
}

type PodWorkerState int

const (
	SyncPod PodWorkerState = iota
	TerminatingPod
	TerminatedPod
)

type PodWorkerSync struct {
	State  PodWorkerState
	Orphan bool
}

type podSyncerFuncs struct {
	syncPod                   syncPodFnType
	syncTerminatingPod        func(ctx context.Context, pod *v1.Pod, podStatus *kubecontainer.PodStatus, gracePeriod *int64, podStatusFn func(*v1.PodStatus)) error
	syncTerminatingRuntimePod func(ctx context.Context, runningPod *kubecontainer.Pod) error
	syncTerminatedPod         func(ctx context.Context, pod *v1.Pod, podStatus *kubecontainer.PodStatus) error
}

// podSyncer here is whatever the functions can be taken from.
type podSyncer interface {
	callSyncPod(ctx context.Context, update UpdatePodOptions, status *kubecontainer.PodStatus) (bool, error)
	funcs() podSyncerFuncs
}

func (f podSyncerFuncs) funcs() podSyncerFuncs { return f }

type podSyncStatus struct {
	ctx                   context.Context
	cancelFn              context.CancelFunc
	fullname              string
	working               bool
	pendingUpdate         *UpdatePodOptions
	activeUpdate          *UpdatePodOptions
	startedAt             time.Time
	terminatingAt         time.Time
	terminatedAt          time.Time
	gracePeriod           int64
	notifyPostTerminating []chan<- struct{}
	statusPostTerminating []PodStatusFunc
	startedTerminating    bool
	deleted               bool
	evicted               bool
	finished              bool
	restartRequested      bool
	observedRuntime       bool
}

func (s *podSyncStatus) requested() bool  { return !s.terminatingAt.IsZero() }
func (s *podSyncStatus) terminated() bool { return !s.terminatedAt.IsZero() }
func (s *podSyncStatus) started() bool    { return !s.startedAt.IsZero() }

func (s *podSyncStatus) workType() PodWorkerState {
	if s.terminated() {
		return TerminatedPod
	}
	if s.requested() {
		return TerminatingPod
	}
	return SyncPod
}

// merge keeps of an update what may have to be replayed.
func (s *podSyncStatus) merge(other UpdatePodOptions) {
	if s.activeUpdate == nil {
		s.activeUpdate = &UpdatePodOptions{}
	}
	active := s.activeUpdate
	if active.Pod == nil || other.RunningPod == nil {
		active.Pod = other.Pod
	}
	active.RunningPod = other.RunningPod
	if other.MirrorPod != nil {
		active.MirrorPod = other.MirrorPod
	}
	if kill := other.KillPodOptions; kill != nil {
		active.KillPodOptions = &KillPodOptions{Evict: kill.Evict}
		if override := kill.PodTerminationGracePeriodSecondsOverride; override != nil {
			seconds := *override
			active.KillPodOptions.PodTerminationGracePeriodSecondsOverride = &seconds
		}
	}
}

type podWorkers struct {
	podLock                            sync.Mutex
	podsSynced                         bool
	podUpdates                         map[types.UID]chan struct{}
	podSyncStatuses                    map[types.UID]*podSyncStatus
	startedStaticPodsByFullname        map[string]types.UID
	waitingToStartStaticPodsByFullname map[string][]types.UID
	workQueue                          queue.WorkQueue
	podSyncer                          podSyncer
	workerChannelFn                    func(uid types.UID, in chan struct{}) (out <-chan struct{})
	podCache                           podCache
}

func newPodWorkers(syncer podSyncer, workQueue queue.WorkQueue, cache podCache) *podWorkers {
	return &podWorkers{
		podUpdates:                         map[types.UID]chan struct{}{},
		podSyncStatuses:                    map[types.UID]*podSyncStatus{},
		startedStaticPodsByFullname:        map[string]types.UID{},
		waitingToStartStaticPodsByFullname: map[string][]types.UID{},
		workQueue:                          workQueue,
		podSyncer:                          syncer,
		podCache:                           cache,
	}
}

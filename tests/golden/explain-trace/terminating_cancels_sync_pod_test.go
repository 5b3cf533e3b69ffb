// Tests of pkg/kubelet/pod_workers.go, written by podproof from counterexamples. This file belongs beside
// pod_workers_test.go, whose createPodWorkers and newNamedPod it uses.

package kubelet

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	kubecontainer "k8s.io/kubernetes/pkg/kubelet/container"
	kubetypes "k8s.io/kubernetes/pkg/kubelet/types"
	"k8s.io/kubernetes/pkg/kubelet/util/queue"
)

// TestTerminatingCancelsSyncPod takes the pod worker of v1.29 to where it breaks a claim:
//
//	terminating_cancels_sync_pod
//
// The context of a SyncPod under way is cancelled when its pod is asked to terminate.
// Upstream: cancelFn in UpdatePod, called when a pod becomes terminating.
// Known: no upstream issue found; SyncKnownPods terminates an orphan without cancelling its sync.
//
// It expects what the release does: it passes there, and fails once that is mended.
//
//	podproof check --version v1.29 --scenario one-pod-restart --property terminating_cancels_sync_pod
func TestTerminatingCancelsSyncPod(t *testing.T) {
	w := newHeldWorkers(t)

	// 1  kubelet restarts
	w.restart()

	// 2  sync loop: ADD web: admitted
	w.UpdatePod(UpdatePodOptions{
		UpdateType: kubetypes.SyncPodCreate,
		Pod:        newNamedPod("web", "default", "web", false),
	})
	w.expect(2, "web", "web_default", heldState{known: true, working: true, pending: "create", woken: true})

	// 3  worker web: startPodSync
	w.receive("web", 1)
	w.expect(3, "web", "web_default", heldState{
		known: true, working: true, started: true, active: "sync", at: "GetNewerThan",
	})

	// 4  worker web: podCache.GetNewerThan answers
	w.answer("web", 1, heldAnswer{})
	w.expect(4, "web", "web_default", heldState{
		known: true, working: true, started: true, active: "sync", at: "SyncPod",
	})

	// 5  sync loop: REMOVE web (which calls no pod worker)

	// 6  sync loop: all sources ready (which calls no pod worker)

	// 7  housekeeping: SyncKnownPods
	w.SyncKnownPods(nil)
	w.expect(7, "web", "web_default", heldState{
		known: true, working: true, started: true, terminating: true, deleted: true, gracePeriod: 30,
		pending: "sync", active: "sync", woken: true, at: "SyncPod",
	})
}

// heldWorkers are the pod workers of createPodWorkers with goroutines that take one step at a time. Each stops before
// it takes a token from its channel, and wherever it calls what a test can replace: the pod cache, the pod syncer, the
// work queue. There it is held until the test answers for them.
type heldWorkers struct {
	*podWorkers
	t    *testing.T
	over chan struct{} // closed when the test ends: then nobody is held any more

	lock    sync.Mutex
	begin   map[heldGoroutine]chan struct{} // lets a goroutine take a token
	calls   map[heldGoroutine]*heldCall     // in which goroutines are held
	spawned map[types.UID]int
	moving  heldGoroutine      // the one that the test let go last; all others are held
	synced  bool               // it comes from a call, and so it calls Enqueue without podLock: hold it there
	queued  map[types.UID]bool // what the work queue holds
	running map[types.UID]bool // pods of which the cache says that containers run
	broken  map[types.UID]bool // pods of which the cache gives an error
}

// heldGoroutine is the first, second, … goroutine of a pod since the kubelet started.
type heldGoroutine struct {
	uid    types.UID
	number int
}

// heldCall is where a goroutine is held.
type heldCall struct {
	at      string
	ctx     context.Context
	answers chan heldAnswer
}

// heldAnswer is what the call returns in the end.
type heldAnswer struct {
	terminal bool // of SyncPod: the pod has run to its end
	err      error
}

// heldState is what a test of the pod workers can see of one pod. What is not set is false, 0 or nothing.
type heldState struct {
	known, working                          bool
	started, terminating, terminated        bool
	startedTerminating, deleted, evicted    bool
	finished, restartRequested, runtimeSeen bool
	gracePeriod                             int64
	notify                                  int    // length of notifyPostTerminating
	pending, active                         string // pendingUpdate and activeUpdate in short
	woken                                   bool   // a token waits in podUpdates
	startedStatic                           bool   // startedStaticPodsByFullname has its UID
	queued                                  bool   // the work queue has its UID
	at                                      string // the calls in which its goroutines are held
}

func newHeldWorkers(t *testing.T) *heldWorkers {
	w := &heldWorkers{
		t:       t,
		over:    make(chan struct{}),
		running: map[types.UID]bool{},
		broken:  map[types.UID]bool{},
	}
	processors := runtime.GOMAXPROCS(1) // see settle
	t.Cleanup(func() {
		close(w.over)
		runtime.GOMAXPROCS(processors)
	})
	w.restart()
	return w
}

// restart begins anew as a kubelet does that was restarted: nothing is known, what runs goes on running.
func (w *heldWorkers) restart() {
	w.lock.Lock()
	defer w.lock.Unlock()
	w.podWorkers, _, _ = createPodWorkers()
	w.begin = map[heldGoroutine]chan struct{}{}
	w.calls = map[heldGoroutine]*heldCall{}
	w.spawned = map[types.UID]int{}
	w.queued = map[types.UID]bool{}
	w.podWorkers.podCache = heldCache{w.podWorkers.podCache, w}
	w.podWorkers.workQueue = heldQueue{w.podWorkers.workQueue, w}
	w.podWorkers.workerChannelFn = w.channel
	w.podWorkers.podSyncer = &podSyncerFuncs{
		syncPod: func(ctx context.Context, _ kubetypes.SyncPodType, _, _ *v1.Pod, _ *kubecontainer.PodStatus) (bool, error) {
			answer := w.hold(ctx, "SyncPod")
			return answer.terminal, answer.err
		},
		syncTerminatingPod: func(ctx context.Context, _ *v1.Pod, _ *kubecontainer.PodStatus, gracePeriod *int64, _ func(*v1.PodStatus)) error {
			if gracePeriod == nil {
				return w.hold(ctx, "SyncTerminatingPod(gracePeriod=nil)").err
			}
			return w.hold(ctx, fmt.Sprintf("SyncTerminatingPod(gracePeriod=%d)", *gracePeriod)).err
		},
		syncTerminatingRuntimePod: func(ctx context.Context, _ *kubecontainer.Pod) error {
			return w.hold(ctx, "SyncTerminatingRuntimePod").err
		},
		syncTerminatedPod: func(ctx context.Context, _ *v1.Pod, _ *kubecontainer.PodStatus) error {
			return w.hold(ctx, "SyncTerminatedPod").err
		},
	}
}

// channel is a workerChannelFn that leaves every token in its channel until the test calls receive.
func (w *heldWorkers) channel(uid types.UID, in chan struct{}) <-chan struct{} {
	out, begin := make(chan struct{}), make(chan struct{})
	w.lock.Lock()
	defer w.lock.Unlock()
	w.spawned[uid]++
	w.begin[heldGoroutine{uid, w.spawned[uid]}] = begin
	go func() {
		defer close(out)
		for {
			select {
			case <-begin:
			case <-w.over:
				return
			}
			token, ok := <-in
			if !ok {
				return
			}
			out <- token
		}
	}()
	return out
}

// receive lets a goroutine take a token from its channel and begin with startPodSync.
func (w *heldWorkers) receive(uid types.UID, number int) {
	w.t.Helper()
	w.lock.Lock()
	w.moving, w.synced = heldGoroutine{uid, number}, false
	begin := w.begin[w.moving]
	w.lock.Unlock()
	select {
	case begin <- struct{}{}:
	case <-time.After(heldPatience):
		w.t.Fatalf("goroutine %d of pod %s does not come back to its channel", number, uid)
	}
}

// hold stops the goroutine that moves in a call until the test answers for what is called.
func (w *heldWorkers) hold(ctx context.Context, at string) heldAnswer {
	call := &heldCall{at: at, ctx: ctx, answers: make(chan heldAnswer)}
	w.lock.Lock()
	w.calls[w.moving] = call
	w.synced = false
	w.lock.Unlock()
	select {
	case answer := <-call.answers:
		return answer
	case <-w.over:
		return heldAnswer{}
	}
}

// answer lets the call return in which a goroutine is held.
func (w *heldWorkers) answer(uid types.UID, number int, answer heldAnswer) {
	w.t.Helper()
	w.lock.Lock()
	w.moving, w.synced = heldGoroutine{uid, number}, true
	call := w.calls[w.moving]
	delete(w.calls, w.moving)
	w.lock.Unlock()
	if call == nil {
		w.t.Fatalf("goroutine %d of pod %s is held in no call", number, uid)
	}
	call.answers <- answer
}

// settle waits for a goroutine that is held in no call next: it goes back to its channel, or ends. With one processor,
// whoever can run does so before the test has yielded this often.
func (w *heldWorkers) settle() {
	for i := 0; i < 1000; i++ {
		runtime.Gosched()
	}
	w.lock.Lock()
	defer w.lock.Unlock()
	w.synced = false
}

// due takes a pod out of the work queue, as the sync loop does when its time has come.
func (w *heldWorkers) due(uid types.UID) {
	w.lock.Lock()
	defer w.lock.Unlock()
	delete(w.queued, uid)
}

// expect waits until a pod's state is the wanted one.
func (w *heldWorkers) expect(step int, uid types.UID, fullname string, want heldState) {
	w.t.Helper()
	for deadline := time.Now().Add(heldPatience); ; time.Sleep(time.Millisecond) {
		got := w.state(uid, fullname)
		if got == want {
			return
		}
		if time.Now().After(deadline) {
			w.t.Fatalf("step %d: pod %s\nis   %+v\nwant %+v", step, uid, got, want)
		}
	}
}

// expectClosed fails the test unless the completion channel of a kill is closed, or open.
func (w *heldWorkers) expectClosed(step int, name string, ch chan struct{}, want bool) {
	w.t.Helper()
	closed := false
	select {
	case <-ch:
		closed = true
	default:
	}
	if closed != want {
		w.t.Fatalf("step %d: %s closed: %t, want %t", step, name, closed, want)
	}
}

func (w *heldWorkers) state(uid types.UID, fullname string) heldState {
	w.podLock.Lock()
	defer w.podLock.Unlock()
	w.lock.Lock()
	defer w.lock.Unlock()
	got := heldState{queued: w.queued[uid], woken: len(w.podUpdates[uid]) > 0}
	var calls []string
	for number := 1; number <= w.spawned[uid]; number++ {
		if call, ok := w.calls[heldGoroutine{uid, number}]; ok {
			at := call.at
			if call.ctx.Err() != nil {
				at += " canceled"
			}
			calls = append(calls, at)
		}
	}
	got.at = strings.Join(calls, ", ")
	if started, ok := w.startedStaticPodsByFullname[fullname]; ok {
		got.startedStatic = started == uid
	}
	if status, ok := w.podSyncStatuses[uid]; ok {
		got.known, got.working = true, status.working
		got.started = !status.startedAt.IsZero()
		got.terminating = !status.terminatingAt.IsZero()
		got.terminated = !status.terminatedAt.IsZero()
		got.startedTerminating, got.deleted, got.evicted = status.startedTerminating, status.deleted, status.evicted
		got.finished, got.restartRequested = status.finished, status.restartRequested
		got.runtimeSeen, got.gracePeriod = status.observedRuntime, status.gracePeriod
		got.notify = len(status.notifyPostTerminating)
		got.pending, got.active = heldUpdate(status.pendingUpdate), heldUpdate(status.activeUpdate)
	}
	return got
}

// heldUpdate is an update in short: its type, and what kills.
func heldUpdate(update *UpdatePodOptions) string {
	if update == nil {
		return ""
	}
	text := update.UpdateType.String()
	if update.RunningPod != nil {
		text += " runtime pod"
	}
	if kill := update.KillPodOptions; kill != nil {
		if kill.Evict {
			text += " evict"
		}
		if override := kill.PodTerminationGracePeriodSecondsOverride; override != nil {
			text += fmt.Sprintf(" override=%d", *override)
		}
	}
	return text
}

// heldCache is the pod cache. GetNewerThan is held, Get answers at once: UpdatePod calls it under podLock.
type heldCache struct {
	kubecontainer.Cache
	w *heldWorkers
}

func (c heldCache) Get(uid types.UID) (*kubecontainer.PodStatus, error) {
	c.w.lock.Lock()
	defer c.w.lock.Unlock()
	status := &kubecontainer.PodStatus{ID: uid}
	if c.w.running[uid] {
		status.ContainerStatuses = []*kubecontainer.Status{{State: kubecontainer.ContainerStateRunning}}
	}
	if c.w.broken[uid] {
		return nil, errors.New("the runtime does not answer")
	}
	return status, nil
}

func (c heldCache) GetNewerThan(uid types.UID, _ time.Time) (*kubecontainer.PodStatus, error) {
	if answer := c.w.hold(context.Background(), "GetNewerThan"); answer.err != nil {
		return nil, answer.err
	}
	return &kubecontainer.PodStatus{ID: uid}, nil
}

// heldQueue is the work queue. completeWork is held before it has put the pod in, and once more after that.
type heldQueue struct {
	queue.WorkQueue
	w *heldWorkers
}

func (q heldQueue) Enqueue(uid types.UID, _ time.Duration) {
	q.w.lock.Lock()
	held := q.w.synced
	q.w.lock.Unlock()
	if held {
		q.w.hold(context.Background(), "Enqueue")
	}
	q.w.lock.Lock()
	q.w.queued[uid] = true
	q.w.lock.Unlock()
	if held {
		q.w.hold(context.Background(), "after Enqueue")
	}
}

// heldPatience is how long a goroutine may take for one step.
const heldPatience = 5 * time.Second

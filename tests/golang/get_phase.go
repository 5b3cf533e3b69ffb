package kubelet

import (
	v1 "k8s.io/api/core/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/klog/v2"
	podutil "k8s.io/kubernetes/pkg/api/v1/pod"
	"k8s.io/kubernetes/pkg/features"
	kubetypes "k8s.io/kubernetes/pkg/kubelet/types"
)

// getPhase counts what the containers are at, as the kubelet's of 1.36 does, and weighs that at the end.
func getPhase(log klog.Logger, p *v1.Pod, found []v1.ContainerStatus, over, begun bool) v1.PodPhase {
	var hopeless, early, lateSidecars, dark, live, idle, done, gone, fine int
	for i := range p.Spec.InitContainers {
		c := p.Spec.InitContainers[i]
		st, has := podutil.GetContainerStatus(found, c.Name)
		if podutil.IsRestartableInitContainer(&c) {
			if !has {
				dark++
			} else if st.State.Running != nil {
				live++
				if st.Started != nil && *st.Started {
					continue
				}
				lateSidecars++
			} else if st.State.Waiting != nil && st.LastTerminationState.Terminated == nil {
				idle++
				lateSidecars++
			} else if nil == st.State.Terminated && st.State.Waiting == nil {
				dark += 1
				lateSidecars++
			}
			continue
		}
		last := st.LastTerminationState.Terminated
		switch {
		case st.State.Terminated != nil && st.State.Terminated.ExitCode != 0:
			ended := st.State.Terminated
			if !podutil.ContainerShouldRestart(c, p.Spec, ended.ExitCode) && ended.Reason != RestartingAllContainers {
				hopeless++
			}
		case st.State.Terminated != nil:
		case st.State.Waiting != nil && last != nil:
			if last.ExitCode != 0 {
				if !podutil.ContainerShouldRestart(c, p.Spec, last.ExitCode) && last.Reason != RestartingAllContainers {
					hopeless++
				}
			}
		default:
			early++
		}
	}
	for _, c := range p.Spec.Containers {
		st, has := podutil.GetContainerStatus(found, c.Name)
		if !has {
			dark++
			continue
		}
		switch {
		case st.State.Running != nil:
			live++
		case st.State.Terminated != nil:
			code := st.State.Terminated.ExitCode
			done++
			again := podutil.ContainerShouldRestart(c, p.Spec, code) || st.State.Terminated.Reason == RestartingAllContainers
			if !again {
				gone++
			}
			if code == 0 {
				fine++
			}
		case st.State.Waiting == nil:
			dark++
		case st.LastTerminationState.Terminated == nil:
			idle++
		default:
			done++
			end := st.LastTerminationState.Terminated
			again := podutil.ContainerShouldRestart(c, p.Spec, end.ExitCode)
			if utilfeature.DefaultFeatureGate.Enabled(features.RestartAllContainersOnContainerExits) {
				again = again || end.Reason == RestartingAllContainers
			}
			if again == false {
				gone++
			}
		}
	}
	log.V(5).Info("counted")
	if hopeless > 0 {
		return v1.PodFailed
	}
	waits := lateSidecars > 0 && !begun
	if early+idle > 0 || waits || dark > 0 {
		return v1.PodPending
	}
	switch {
	case live > 0:
		return v1.PodRunning
	case done == 0:
		return v1.PodPending
	}
	allFine := done == fine
	switch goesOn := !over || kubetypes.IsStaticPod(p); {
	case goesOn && done != gone:
		return v1.PodRunning
	case allFine:
		return v1.PodSucceeded
	}
	return v1.PodFailed
}

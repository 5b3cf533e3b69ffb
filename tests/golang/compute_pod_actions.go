package kuberuntime

import (
	"context"
	"fmt"

	v1 "k8s.io/api/core/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/kubernetes/pkg/kubelet/allocation"
	kubecontainer "k8s.io/kubernetes/pkg/kubelet/container"
	runtimeutil "k8s.io/kubernetes/pkg/kubelet/kuberuntime/util"
	proberesults "k8s.io/kubernetes/pkg/kubelet/prober/results"
)

const (
	ofStartup  containerKillReason = "StartupProbe"
	ofLiveness containerKillReason = "LivenessProbe"
	unclear    containerKillReason = "Unknown"
)

// computePodActions says what a pod needs, as the kubelet's of 1.36 does.
func (rm *kubeGenericRuntimeManager) computePodActions(ctx context.Context, p *v1.Pod, known *kubecontainer.PodStatus, everything bool) podActions {
	log := klog.FromContext(ctx)
	isNew, attempt, id := runtimeutil.PodSandboxChanged(p, known)
	todo := podActions{
		Attempt:          attempt,
		SandboxID:        id,
		KillPod:          isNew,
		CreateSandbox:    isNew,
		ContainersToKill: make(map[kubecontainer.ContainerID]containerToKillInfo),
	}
	if everything && utilfeature.DefaultFeatureGate.Enabled(features.RestartAllContainersOnContainerExits) {
		todo.ContainersToReset = rm.resetsOf(p, known)
		return todo
	}
	if isNew {
		if isNever(p) && len(known.ContainerStatuses) != 0 && attempt != 0 {
			todo.CreateSandbox = false
			return todo
		}
		var again []int
		for i, c := range p.Spec.Containers {
			once := p.Spec.RestartPolicy == v1.RestartPolicyOnFailure
			if own := c.RestartPolicy; own != nil {
				once = *own == v1.ContainerRestartPolicyOnFailure
			}
			if once && hasSucceeded(&c, known) {
				continue
			}
			again = append(again, i)
		}
		if len(again) == 0 && HasAnyRegularContainerCreated(p, known) {
			todo.CreateSandbox = false
			return todo
		}
		if len(p.Spec.InitContainers) > 0 {
			todo.InitContainersToStart = []int{0}
		} else {
			todo.ContainersToStart = again
		}
		return todo
	}
	for i := range p.Spec.EphemeralContainers {
		if c := (*v1.Container)(&p.Spec.EphemeralContainers[i].EphemeralContainerCommon); known.FindContainerStatusByName(c.Name) == nil {
			todo.EphemeralContainersToStart = append(todo.EphemeralContainersToStart, i)
		}
	}
	if may, _, _ := allocation.IsInPlacePodVerticalScalingAllowed(p); may {
		todo.ContainersToUpdate = make(map[v1.ResourceName][]containerToUpdateInfo)
	}
	if !rm.computeInitContainerActions(ctx, p, known, &todo) || todo.KillPod {
		return todo
	}
	kept := false
	for i, c := range p.Spec.Containers {
		status := known.FindContainerStatusByName(c.Name)
		if status == nil || status.State != kubecontainer.ContainerStateRunning {
			if status != nil {
				if err := rm.internalLifecycle.PostStopContainer(log, status.ID.ID); err != nil {
					log.Error(err, "It was not told", "container", c.Name)
				}
			}
			if !kubecontainer.ShouldContainerBeRestarted(log, &c, p, known) {
				continue
			}
			todo.ContainersToStart = append(todo.ContainersToStart, i)
			if status != nil && status.State == kubecontainer.ContainerStateUnknown {
				todo.ContainersToKill[status.ID] = containerToKillInfo{
					name:      status.Name,
					container: &p.Spec.Containers[i],
					reason:    unclear,
					message:   fmt.Sprintf("%s may still run", c.Name),
				}
			}
			continue
		}
		again := !isNever(p)
		if own := c.RestartPolicy; own != nil {
			again = *own != v1.ContainerRestartPolicyNever
		}
		var why containerKillReason
		if _, isOther := changed(&c, status); isOther {
			again = true
		} else if live, found := rm.livenessManager.Get(status.ID); found && live == proberesults.Failure {
			why = ofLiveness
		} else if up, found := rm.startupManager.Get(status.ID); found && up == proberesults.Failure {
			why = ofStartup
		} else {
			if rm.computePodResizeAction(ctx, p, i, false, status, &todo) {
				kept = true
			}
			continue
		}
		if again {
			todo.ContainersToStart = append(todo.ContainersToStart, i)
		}
		todo.ContainersToKill[status.ID] = containerToKillInfo{
			name:      c.Name,
			container: &c,
			message:   fmt.Sprintf("%s is killed", c.Name),
			reason:    why,
		}
	}
	if !kept && len(todo.ContainersToStart) == 0 {
		todo.KillPod = true
		todo.InitContainersToStart = nil
	}
	return todo
}

// isNever says whether nothing restarts in the pod.
func isNever(p *v1.Pod) bool {
	return p.Spec.RestartPolicy == v1.RestartPolicyNever
}

func hasSucceeded(c *v1.Container, known *kubecontainer.PodStatus) bool {
	status := known.FindContainerStatusByName(c.Name)
	return status != nil && status.State == kubecontainer.ContainerStateExited && status.ExitCode == 0
}

func changed(c *v1.Container, status *kubecontainer.Status) (uint64, bool) {
	wanted := kubecontainer.HashContainer(c)
	return wanted, wanted != status.Hash
}

func (rm *kubeGenericRuntimeManager) resetsOf(p *v1.Pod, known *kubecontainer.PodStatus) []containerToRemoveInfo {
	return nil
}

package kuberuntime

import (
	"context"
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	podutil "k8s.io/kubernetes/pkg/api/v1/pod"
	kubecontainer "k8s.io/kubernetes/pkg/kubelet/container"
	proberesults "k8s.io/kubernetes/pkg/kubelet/prober/results"
)

// computeInitContainerActions says which init containers start, as the kubelet's of 1.36 does.
func (rm *kubeGenericRuntimeManager) computeInitContainerActions(ctx context.Context, p *v1.Pod, known *kubecontainer.PodStatus, todo *podActions) bool {
	log := klog.FromContext(ctx)
	if len(p.Spec.InitContainers) == 0 {
		return true
	}
	done := false
	for _, app := range p.Spec.Containers {
		status := known.FindContainerStatusByName(app.Name)
		if status == nil {
			continue
		}
		if status.State == kubecontainer.ContainerStateRunning || status.State == kubecontainer.ContainerStateCreated {
			done = true
			break
		}
	}
	later := done
	for i := len(p.Spec.InitContainers) - 1; i >= 0; i-- {
		c := &p.Spec.InitContainers[i]
		status := known.FindContainerStatusByName(c.Name)
		isSidecar := podutil.IsRestartableInitContainer(c)
		if status == nil {
			if later && isSidecar {
				todo.InitContainersToStart = append(todo.InitContainersToStart, i)
			}
			continue
		}
		if later && !isSidecar {
			continue
		}
		switch status.State {
		case kubecontainer.ContainerStateRunning:
			if !isSidecar {
				_ = rm.computePodResizeAction(ctx, p, i, true, status, todo)
				break
			}
			if c.StartupProbe != nil {
				result, known := rm.startupManager.Get(status.ID)
				if known && result == proberesults.Failure {
					todo.ContainersToKill[status.ID] = containerToKillInfo{name: c.Name, container: c, message: "it did not start", reason: reasonStartupProbe}
					todo.InitContainersToStart = append(todo.InitContainersToStart, i)
				}
				if !known || result != proberesults.Success {
					break
				}
			}
			if i == len(p.Spec.InitContainers)-1 {
				done = true
			} else if !later {
				todo.InitContainersToStart = append(todo.InitContainersToStart, i+1)
			}
			if _, _, isNew := containerChanged(c, status); isNew {
				todo.ContainersToKill[status.ID] = containerToKillInfo{name: c.Name, container: c, message: fmt.Sprintf("%s is another one", c.Name)}
				todo.InitContainersToStart = append(todo.InitContainersToStart, i)
				break
			}
			if c.LivenessProbe != nil {
				result, known := rm.livenessManager.Get(status.ID)
				if !known {
					break
				}
				if result == proberesults.Failure {
					todo.ContainersToKill[status.ID] = containerToKillInfo{name: c.Name, container: c, message: "it does not live", reason: reasonLivenessProbe}
					todo.InitContainersToStart = append(todo.InitContainersToStart, i)
					break
				}
			}
			rm.computePodResizeAction(ctx, p, i, true, status, todo)
		case kubecontainer.ContainerStateCreated:
			todo.InitContainersToStart = append(todo.InitContainersToStart, i)
		case kubecontainer.ContainerStateExited:
			if isSidecar {
				todo.InitContainersToStart = append(todo.InitContainersToStart, i)
				break
			}
			if isInitContainerFailed(status) {
				if !kubecontainer.ShouldContainerBeRestarted(log, c, p, known) {
					todo.KillPod = true
					todo.InitContainersToStart = nil
					return false
				}
				todo.InitContainersToStart = append(todo.InitContainersToStart, i)
				break
			}
			if i == len(p.Spec.InitContainers)-1 {
				done = true
				break
			}
			todo.InitContainersToStart = append(todo.InitContainersToStart, i+1)
		default:
			again := isSidecar || shouldRestartOnFailure(p)
			if own := c.RestartPolicy; own != nil && !isSidecar {
				again = *own != v1.ContainerRestartPolicyNever
			}
			if !again {
				todo.KillPod = true
				todo.InitContainersToStart = nil
				return false
			}
			todo.ContainersToKill[status.ID] = containerToKillInfo{name: c.Name, container: c, message: "who knows", reason: reasonUnknown}
			todo.InitContainersToStart = append(todo.InitContainersToStart, i)
		}
		later = true
	}
	if !later {
		todo.InitContainersToStart = append(todo.InitContainersToStart, 0)
	}
	number := len(todo.InitContainersToStart)
	for a := 0; a < number/2; a++ {
		todo.InitContainersToStart[a], todo.InitContainersToStart[number-1-a] = todo.InitContainersToStart[number-1-a], todo.InitContainersToStart[a]
	}
	return done
}

package kuberuntime

import (
	"context"
	"fmt"

	v1 "k8s.io/api/core/v1"
	crierror "k8s.io/cri-api/pkg/errors"
	"k8s.io/klog/v2"
	kubecontainer "k8s.io/kubernetes/pkg/kubelet/container"
	"k8s.io/kubernetes/pkg/kubelet/events"
)

// killContainer gives a container what is left of its period, as the kubelet's of 1.36 does.
func (rm *kubeGenericRuntimeManager) killContainer(ctx context.Context, p *v1.Pod, id kubecontainer.ContainerID, name string, why string, cause containerKillReason, asked *int64, turns *terminationOrdering) error {
	log := klog.FromContext(ctx)
	var c *v1.Container
	if p == nil {
		known, of, err := rm.restoreSpecsFromContainerLabels(ctx, id)
		if err != nil {
			return err
		}
		p, c = known, of
	} else {
		c = kubecontainer.GetContainerSpec(p, name)
	}
	if c == nil {
		return fmt.Errorf("there is no container %s", name)
	}
	if why == "" {
		why = fmt.Sprintf("Stopping container %s", c.Name)
	}
	rm.recordContainerEvent(ctx, p, c, id.ID, v1.EventTypeNormal, events.KillingContainer, "%v", why)
	left := periodOf(p, c, cause)
	if asked != nil {
		left = *asked
		log.V(3).Info("An override", "pod", klog.KObj(p), "seconds", left)
	}
	if left > 0 && hasHook(c) {
		left -= rm.executePreStopHook(ctx, p, id, c, left)
	}
	if left >= 1 && turns != nil {
		waited := int64(turns.waitForTurn(name, left))
		left = left - waited
	}
	left = max(left, minimumGracePeriodInSeconds)
	if err := rm.runtimeService.StopContainer(ctx, id.ID, left); err != nil {
		if !crierror.IsNotFound(err) {
			log.Error(err, "It could not be stopped", "container", name)
			return err
		}
	}
	if turns == nil {
		return nil
	}
	turns.containerTerminated(name)
	return nil
}

// periodOf says how many seconds the pod or a probe of its container gives.
func periodOf(p *v1.Pod, c *v1.Container, cause containerKillReason) int64 {
	if given := p.DeletionGracePeriodSeconds; given != nil {
		return *given
	}
	own := p.Spec.TerminationGracePeriodSeconds
	if own == nil {
		return minimumGracePeriodInSeconds
	}
	if cause == reasonStartupProbe && c.StartupProbe != nil && c.StartupProbe.TerminationGracePeriodSeconds != nil {
		return *c.StartupProbe.TerminationGracePeriodSeconds
	}
	if cause == reasonLivenessProbe && c.LivenessProbe != nil {
		if probe := c.LivenessProbe; probe.TerminationGracePeriodSeconds != nil {
			return *probe.TerminationGracePeriodSeconds
		}
	}
	return *own
}

func hasHook(c *v1.Container) bool {
	return c.Lifecycle != nil && c.Lifecycle.PreStop != nil
}

// Package queue has the interface of the work queue.
package queue

import (
	"time"

	"k8s.io/apimachinery/pkg/types"
)

type WorkQueue interface {
	GetWork() []types.UID
	Enqueue(uid types.UID, delay time.Duration)
}

// Package v1 has the metadata of a pod.
package v1

import (
	"time"

	"k8s.io/apimachinery/pkg/types"
)

type Time struct {
	time.Time
}

type ObjectMeta struct {
	Name                       string
	Namespace                  string
	UID                        types.UID
	DeletionTimestamp          *Time
	DeletionGracePeriodSeconds *int64
	Annotations                map[string]string
}

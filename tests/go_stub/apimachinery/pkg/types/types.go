// Package types has the type of a UID.
package types

type UID string

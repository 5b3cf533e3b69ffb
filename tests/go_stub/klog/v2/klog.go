// Package klog logs as far as a pod worker and its tests need it.
package klog

import (
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"sync"
)

var (
	lock        sync.Mutex
	level                 = 0
	out         io.Writer = os.Stderr
	logToStderr           = true
)

type Logger struct{}

func Background() Logger { return Logger{} }

type Verbose bool

func V(wanted int) Verbose {
	lock.Lock()
	defer lock.Unlock()
	return Verbose(wanted <= level)
}

func (v Verbose) InfoS(text string, keysAndValues ...interface{}) {
	if !v {
		return
	}
	lock.Lock()
	defer lock.Unlock()
	to := out
	if logToStderr {
		to = os.Stderr
	}
	fmt.Fprintf(to, "%q %v\n", text, keysAndValues)
}

func Flush() {}

func SetOutput(w io.Writer) {
	lock.Lock()
	defer lock.Unlock()
	out = w
}

type State interface{ Restore() }

type state struct {
	level       int
	out         io.Writer
	logToStderr bool
}

func CaptureState() State {
	lock.Lock()
	defer lock.Unlock()
	return state{level, out, logToStderr}
}

func (s state) Restore() {
	lock.Lock()
	defer lock.Unlock()
	level, out, logToStderr = s.level, s.out, s.logToStderr
}

type setter func(string) error

func (f setter) String() string        { return "" }
func (f setter) Set(text string) error { return f(text) }
func (f setter) IsBoolFlag() bool      { return true }

func InitFlags(flags *flag.FlagSet) {
	flags.Var(setter(func(text string) (err error) {
		lock.Lock()
		defer lock.Unlock()
		level, err = strconv.Atoi(text)
		return err
	}), "v", "")
	flags.Var(setter(func(text string) (err error) {
		lock.Lock()
		defer lock.Unlock()
		logToStderr, err = strconv.ParseBool(text)
		return err
	}), "logtostderr", "")
	flags.Var(setter(func(text string) error {
		_, err := strconv.ParseBool(text)
		return err
	}), "alsologtostderr", "")
}

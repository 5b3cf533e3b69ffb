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

// As in the real one, the flags about standard error are plain variables, which nothing guards while they are set.
var (
	lock            sync.Mutex
	level           = 0
	out             io.Writer
	logToStderr     = true
	alsoLogToStderr bool
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
	line := fmt.Sprintf("%q %v\n", text, keysAndValues)
	if logToStderr || alsoLogToStderr {
		fmt.Fprint(os.Stderr, line)
	}
	if !logToStderr && out != nil {
		fmt.Fprint(out, line)
	}
}

func Flush() {}

func SetOutput(w io.Writer) {
	lock.Lock()
	defer lock.Unlock()
	out = w
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
	flags.BoolVar(&logToStderr, "logtostderr", logToStderr, "")
	flags.BoolVar(&alsoLogToStderr, "alsologtostderr", alsoLogToStderr, "")
}

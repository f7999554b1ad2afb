// SPDX-License-Identifier: BSD-2-Clause

// units N - N units of work, each in a span, half of them in a goroutine; for bindings.py.
package main

import (
	"os"
	"strconv"

	"lever.example/lever"
)

var (
	units = lever.NewPoint("units")
	span  = lever.NewPoint("unit span")
	sink  int
)

func unit() {
	span.Begin()
	defer span.End()
	for i := 0; i < 20000; i++ {
		sink = i
	}
	units.Progress()
}

func work(count int) {
	for i := 0; i < count; i++ {
		unit()
	}
}

func main() {
	all, _ := strconv.Atoi(os.Args[1])
	done := make(chan bool)
	go func() {
		work(all / 2)
		done <- true
	}()
	work(all - all/2)
	<-done
}

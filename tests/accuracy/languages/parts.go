// SPDX-License-Identifier: BSD-2-Clause

// parts CASE SECONDS PERCENT_A PERCENT_B - a Go program whose gains are known by how it is made (../languages.py).
//
// stages: one goroutine does first and second in turn; lock: two goroutines do first, and second under a mutex.
package main

import (
	"fmt"
	"os"
	"strconv"
	"sync"
	"syscall"
	"time"
)

var mutex sync.Mutex
var sink [2]uint64

//go:noinline
func first(count int) uint64 {
	value := uint64(1)
	for i := 0; i < count; i++ {
		value = value*6364136223846793005 + 1442695040888963407
	}
	return value
}

//go:noinline
func second(count int) uint64 {
	value := uint64(1)
	for i := 0; i < count; i++ {
		value = value*6364136223846793005 + 1442695040888963407
	}
	return value
}

func lock(number, a, b, out int, end time.Time) int {
	visits := 0
	for ; time.Now().Before(end); visits++ {
		sink[number] += first(3 * a / 5)
		mutex.Lock()
		sink[number] += second(b)
		mutex.Unlock()
		syscall.Write(out, []byte{'x'})
	}
	return visits
}

func stages(a, b, out int, end time.Time) int {
	visits := 0
	for ; time.Now().Before(end); visits++ {
		sink[0] += first(2 * a)
		sink[0] += second(b)
		syscall.Write(out, []byte{'x'})
	}
	return visits
}

func main() {
	seconds, _ := strconv.ParseFloat(os.Args[2], 64)
	a, _ := strconv.Atoi(os.Args[3])
	b, _ := strconv.Atoi(os.Args[4])
	out, _ := syscall.Open("/dev/null", syscall.O_WRONLY, 0)
	begun := time.Now()
	end := begun.Add(time.Duration(seconds * 1e9))
	visits := 0
	if os.Args[1] == "stages" {
		visits = stages(30000*a, 30000*b, out, end)
	} else {
		other := make(chan int)
		go func() { other <- lock(1, 30000*a, 30000*b, out, end) }()
		visits = lock(0, 30000*a, 30000*b, out, end)
		visits += <-other
	}
	fmt.Printf("period_ns=%d\n", time.Since(begun).Nanoseconds()/int64(visits))
}

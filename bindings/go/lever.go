// SPDX-License-Identifier: BSD-2-Clause

// Package lever has progress points and latencies of Go programs, for the causal profiler Lever.
//
//	var requests = lever.NewPoint("requests")
//
//	func serve() {
//		request.Begin() // how long does a request take?
//		defer request.End()
//		requests.Progress() // one unit of work is done
//	}
//
// Pure Go, without cgo and without liblever.so: the counts lie in memory at a fixed address, where the engine
// finds them, in the layout of lever.h. Goroutines add atomically to the stripe that threads share. The timeline of
// `lever trace` is not written, since its rings belong to threads.
package lever

import (
	"os"
	"sync/atomic"
	"syscall"
	"unsafe"
)

const (
	pageMagic, pageVersion = 0x5245564c, 1
	pointsMost             = 64
	stripes                = 16
	sharedStripe           = 15
	nameBytes              = 47
	listenCount            = 1
)

type entry struct {
	hash uint64
	kind uint8
	name [nameBytes]byte
}

// page is struct lever_points of lever.h. A forked child has zeros from counts on.
type page struct {
	magic, version, listening, generation, count, stripes, shared, dropped uint32

	trace, stamp, opens uint64
	tracePath           [40]byte
	entries             [pointsMost]entry
	serials             uint64
	pad                 [8192 - 32 - 72 - pointsMost*56]byte

	counts  [stripes][pointsMost]uint64
	process uint64
	owner   [stripes]uint64
	claim   [pointsMost]uint64
	written [pointsMost]uint8
	end     [4096 - 8 - 8*stripes - 9*pointsMost]byte
}

type kind uint8

const (
	progress kind = 1
	begin    kind = 2
	end      kind = 3
)

var (
	unmapped page
	points   = open()
)

func mapPage(address uintptr) (uintptr, syscall.Errno) {
	const noReserve, fixedNoReplace = 0x4000, 0x100000
	flags := syscall.MAP_PRIVATE | syscall.MAP_ANON | noReserve | fixedNoReplace
	at, _, failure := syscall.RawSyscall6(syscall.SYS_MMAP, address, unsafe.Sizeof(page{}),
		syscall.PROT_READ|syscall.PROT_WRITE, uintptr(flags), ^uintptr(0), 0)
	return at, failure
}

func unmap(address uintptr) {
	syscall.RawSyscall(syscall.SYS_MUNMAP, address, unsafe.Sizeof(page{}), 0)
}

// at keeps the compiler from taking the address for one of Go's memory.
func at(address uintptr) *page {
	return *(**page)(unsafe.Pointer(&address))
}

// find returns the page that C code of this process has mapped. The kernel reads the address before it sees the nonsense.
func find(address uintptr) *page {
	fresh, failure := mapPage(address)
	if failure == 0 {
		unmap(fresh)
		return nil
	}
	_, _, failure = syscall.RawSyscall6(syscall.SYS_RT_SIGPROCMASK, ^uintptr(0), address, 0, 8, 0, 0)
	if failure == syscall.EFAULT {
		return nil
	}
	found := at(address)
	if atomic.LoadUint32(&found.magic) != pageMagic || found.version != pageVersion {
		return nil
	}
	return found
}

func make_(address uintptr) *page {
	const wipeOnFork = 18
	fresh, failure := mapPage(address)
	if failure != 0 {
		return nil
	}
	made := at(fresh)
	wiped := unsafe.Sizeof(page{}) - unsafe.Offsetof(made.counts)
	_, _, failure = syscall.RawSyscall(syscall.SYS_MADVISE, fresh+unsafe.Offsetof(made.counts), wiped, wipeOnFork)
	if fresh != address || failure != 0 {
		unmap(fresh)
		return nil
	}
	made.version, made.generation = pageVersion, 1
	made.process = 1<<32 | uint64(os.Getpid())
	made.stamp = 1
	// Of what LEVER_LISTEN asks for, a timeline (2) and open spans (4) are not written here.
	if listen := os.Getenv("LEVER_LISTEN"); len(listen) == 1 && listen[0] >= '1' && listen[0] <= '7' {
		made.listening = uint32(listen[0]-'0') & listenCount
	}
	atomic.StoreUint32(&made.magic, pageMagic)
	return made
}

func open() *page {
	addresses := []uintptr{0x4c45560000, 0x3e4c45560000}
	for _, open := range []func(uintptr) *page{find, make_} {
		for _, address := range addresses {
			if found := open(address); found != nil {
				return found
			}
		}
	}
	return &unmapped
}

// hash is FNV-1a.
func hash(name string, kind kind) uint64 {
	const prime = 0x100000001b3
	hash := (0xcbf29ce484222325 ^ uint64(kind)) * prime
	for i := 0; i < len(name); i++ {
		hash = (hash ^ uint64(name[i])) * prime
	}
	if hash == 0 {
		return 1
	}
	return hash
}

// count moves the number of entries over all that are complete. Bytes have no atomic access in Go: x86-64 and arm64
// write them whole, and the exchange orders them.
func publish(index int) {
	points.written[index] = 1
	for {
		count := atomic.LoadUint32(&points.count)
		if count >= pointsMost || points.written[count] == 0 {
			return
		}
		atomic.CompareAndSwapUint32(&points.count, count, count+1)
	}
}

// register returns the index of a name's entry, or -1 if none is free. Claims are as in lever.h, so that C code of the
// process finds the same entry.
func register(name string, kind kind) int {
	hash := hash(name, kind)
	for i := range points.entries {
		entry := &points.entries[i]
		if uint32(i) < atomic.LoadUint32(&points.count) {
			if atomic.LoadUint64(&entry.hash) == hash {
				return i
			}
			continue
		}
		if !atomic.CompareAndSwapUint64(&points.claim[i], 0, hash) && atomic.LoadUint64(&points.claim[i]) != hash {
			continue
		}
		copy(entry.name[:nameBytes-1], name)
		entry.kind = uint8(kind)
		atomic.StoreUint64(&entry.hash, hash)
		publish(i)
		return i
	}
	atomic.AddUint32(&points.dropped, 1)
	return -1
}

// A Point is a name at which visits are counted. A process can have 64; a begin and an end are two.
type Point struct {
	name  string
	sites [4]int32 // by kind: 0 before the first visit, 1 + the index of the entry, -1 without one
}

// NewPoint returns a point; points of one name are one. Call it once for each name.
func NewPoint(name string) *Point {
	return &Point{name: name}
}

func (point *Point) visit(kind kind) {
	site := atomic.LoadInt32(&point.sites[kind])
	if site == 0 {
		if site = int32(register(point.name, kind)) + 1; site == 0 {
			site = -1
		}
		atomic.StoreInt32(&point.sites[kind], site)
	}
	if site > 0 {
		if atomic.LoadUint32(&points.shared) == 0 {
			atomic.StoreUint32(&points.shared, 1)
		}
		atomic.AddUint64(&points.counts[sharedStripe][site-1], 1)
	}
}

func listening() bool {
	return atomic.LoadUint32(&points.listening)&listenCount != 0
}

// Progress says that one unit of work is done.
func (point *Point) Progress() {
	if listening() {
		point.visit(progress)
	}
}

// Begin says that a piece of work begins; it ends in this goroutine or another.
func (point *Point) Begin() {
	if listening() {
		point.visit(begin)
	}
}

// End says that a piece of work ends.
func (point *Point) End() {
	if listening() {
		point.visit(end)
	}
}

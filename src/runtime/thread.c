/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * thread - a thread's beginning and end, and its sampling clock.
 *
 * The clock is a perf event that is mapped and then closed: it lives as long as the mapping, ends
 * with the thread, is not inherited, and the program sees no descriptor. Where perf_event_open is
 * refused, the clock is a timer of the thread's CPU time, as coarse as the kernel's ticks.
 */
#include "runtime/thread.h"

#include "runtime/breakpoints.h"
#include "runtime/contention.h"
#include "runtime/pause.h"
#include "runtime/progress.h"
#include "runtime/wake.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#define TIMER_PERIOD_LEAST_NS 1000000u /* of the kernel's ticks */
#define PAGE_BYTES 4096

static long call_fcntl(int fd, int command, unsigned long argument)
{
	return lever_call_3(SYS_fcntl, (unsigned long)fd, (unsigned long)command, argument);
}

/* 0; -errno: perf events are refused; NO_ROOM: there are too many of them. */
#define NO_ROOM 1
static long event_start(uint64_t period_ns)
{
	struct perf_event_attr attributes;
	struct f_owner_ex owner = {.type = F_OWNER_TID, .pid = (pid_t)thread_self.tid};

	__builtin_memset(&attributes, 0, sizeof(attributes));
	attributes.type = PERF_TYPE_SOFTWARE;
	attributes.size = sizeof(attributes);
	attributes.config = PERF_COUNT_SW_TASK_CLOCK;
	attributes.sample_period = period_ns;
	attributes.wakeup_events = 1;
	attributes.disabled = 1;
	attributes.exclude_kernel = 1;
	attributes.exclude_hv = 1;
	const long open_arguments[6] = {(long)&attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC, 0};
	long fd = lever_system_call(SYS_perf_event_open, open_arguments);
	if (fd < 0)
		return fd == -EMFILE || fd == -ENFILE || fd == -ENOMEM ? NO_ROOM : fd;
	const long map_arguments[6] = {0, PAGE_BYTES, PROT_READ, MAP_SHARED, fd, 0};
	long mapped = -1;
	if (!call_fcntl((int)fd, F_SETSIG, RUNTIME_SIGNAL) &&
	    !call_fcntl((int)fd, F_SETOWN_EX, (unsigned long)&owner) &&
	    !call_fcntl((int)fd, F_SETFL, O_ASYNC | O_NONBLOCK))
		mapped = lever_system_call(SYS_mmap, map_arguments);
	bool is_mapped = mapped > 0;
	if (is_mapped) {
		thread_self.event = (void *)mapped;
		lever_call_3(SYS_ioctl, (unsigned long)fd, PERF_EVENT_IOC_ENABLE, 0);
	}
	lever_call_1(SYS_close, (unsigned long)fd);
	return is_mapped ? 0 : NO_ROOM; /* for locked memory */
}

static long timer_start(uint64_t period_ns)
{
	struct sigevent event;
	struct {
		struct timespec interval, value;
	} setting;
	long code;

	if (period_ns < TIMER_PERIOD_LEAST_NS)
		period_ns = TIMER_PERIOD_LEAST_NS;
	__builtin_memset(&event, 0, sizeof(event));
	event.sigev_notify = SIGEV_THREAD_ID;
	event.sigev_signo = RUNTIME_SIGNAL;
	event._sigev_un._tid = (pid_t)thread_self.tid;
	code = lever_call_3(SYS_timer_create, CLOCK_THREAD_CPUTIME_ID, (unsigned long)&event,
			    (unsigned long)&thread_self.timer);
	if (code)
		return code;
	thread_self.has_timer = true;
	setting.interval = (struct timespec){.tv_nsec = (long)period_ns};
	setting.value = setting.interval;
	const long arguments[6] = {thread_self.timer, 0, (long)&setting, 0, 0, 0};
	return lever_system_call(SYS_timer_settime, arguments);
}

void thread_clock_start(void)
{
	struct runtime_process *process = runtime_process;
	uint64_t period = runtime_page->settings.delay.period_ns;
	uint32_t before = __atomic_load_n(&process->sampler, __ATOMIC_ACQUIRE), sampler = before;
	long code = NO_ROOM;

	thread_self.period_ns = period;
	if (before != RUNTIME_SAMPLER_TIMER)
		code = event_start(period);
	if (!code)
		sampler = RUNTIME_SAMPLER_PERF;
	else if (!timer_start(period) && code < 0)
		sampler = RUNTIME_SAMPLER_TIMER;
	if (code < 0)
		__atomic_store_n(&process->refused, (uint64_t)-code, __ATOMIC_RELAXED);
	if (sampler != before)
		__atomic_store_n(&process->sampler, sampler, __ATOMIC_RELEASE);
}

void thread_clock_stop(void)
{
	if (thread_self.event)
		lever_call_3(SYS_munmap, (unsigned long)thread_self.event, PAGE_BYTES, 0);
	if (thread_self.has_timer)
		lever_call_1(SYS_timer_delete, (unsigned long)thread_self.timer);
	thread_self.event = NULL;
	thread_self.has_timer = false;
}

static void begin(uintptr_t high)
{
	struct thread *self = &thread_self;

	self->guard_depth = 1;
	self->tid = (uint32_t)lever_call_1(SYS_gettid, 0);
	self->counters = &runtime_page->counters[self->tid % RUNTIME_STRIPES];
	self->stack_high = high;
	self->cpu_seen_ns = time_of_thread();
	self->seen_ns = time_now();
	self->random = self->tid * 2654435761u | 1;
	self->displaced_at_ns = 0;
	contention_settled(self->seen_ns);
	self->is_started = true;
	__atomic_fetch_add(&runtime_process->running, 1, __ATOMIC_RELAXED);
	if (!runtime_page->settings.delay.is_disarmed)
		thread_clock_start();
	breakpoints_renew(self->seen_ns);
	reentrancy_guard_end();
}

void thread_begin(uintptr_t high, const struct delay_local *parent)
{
	delay_forgive(&thread_self.local, global_delay_settings(), global_delay(time_now()));
	if (parent)
		delay_thread_inherit(&thread_self.local, parent);
	begin(high);
}

void thread_end(void)
{
	struct thread *self = &thread_self;

	/* The child of a vfork shares this memory with its parent. */
	if (!self->is_started || self->tid != (uint32_t)lever_call_1(SYS_gettid, 0))
		return;
	pay_before_wake();
	reentrancy_guard_begin();
	thread_clock_stop();
	progress_poll(time_now());
	breakpoints_stop();
	self->is_started = false;
	__atomic_fetch_sub(&runtime_process->running, 1, __ATOMIC_RELAXED);
	reentrancy_guard_end();
}

/* The event and the timer were the parent's. */
void thread_fork(void)
{
	struct thread *self = &thread_self;

	self->event = NULL;
	self->has_timer = false;
	breakpoints_fork();
	self->is_waiting = false;
	self->joined_generation = 0;
	if (self->is_started)
		begin(self->stack_high);
}

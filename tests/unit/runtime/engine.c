/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * engine - the files of liblever-runtime.so, compiled into this test, with a page of its own: gaps
 * and credits, waits, walks over damaged pages, the ring, threads. Built plain and under each
 * sanitizer.
 */
#include "check.h"

#include "runtime/breakpoints.h"
#include "runtime/latency.h"
#include "runtime/pause.h"
#include "runtime/progress.h"
#include "runtime/sample.h"
#include "runtime/thread.h"
#include "runtime/visits.h"
#include "runtime/wait.h"
#include "runtime/wake.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#define MS 1000000u

static struct wire_settings *settings;

/* The page as the engine would leave it: armed at 50 %, one mapping that is all of this process. */
static void begin(void)
{
	if (!runtime_page)
		runtime_page = mmap(NULL, sizeof(*runtime_page), PROT_READ | PROT_WRITE,
				    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	else
		memset(runtime_page, 0, offsetof(struct runtime_page, ring));
	memset(&thread_self, 0, sizeof(thread_self));
	runtime_process = &runtime_page->processes[0];
	memset(runtime_process, 0, sizeof(*runtime_process));
	runtime_page->ring_head = runtime_page->ring_tail = 0;
	runtime_page->cpus = 2;
	settings = &runtime_page->settings;
	settings->delay.period_ns = 1000000000; /* no tick comes by itself */
	settings->delay.heartbeat_ns = time_now();
	settings->delay.speedup = settings->delay.speedups[0] = DELAY_SPEEDUP_ONE / 2;
	settings->code_levels = settings->target_levels = 1;
	settings->enable_waits = 1;
	settings->delay.generation = 1;
	settings->delay.is_disarmed = 1; /* no clock for this thread */
	thread_begin((uintptr_t)__builtin_frame_address(0) + 64, NULL);
	settings->delay.is_disarmed = 0;
}

static void map_everything(uint32_t object)
{
	runtime_process->mappings[0] = (struct runtime_mapping){.start = 4096,
								.end = 1ull << 47,
								.offset = 4096,
								.object = object};
	runtime_process->mapping_count = 1;
}

/* The target is the waits of these classes, or code. */
static void make_classes(uint32_t classes)
{
	settings->enable_classes |= classes;
	settings->classes = classes;
	settings->class_levels = 1;
	settings->code_levels = !classes;
}

static void make_target(uint32_t object)
{
	runtime_page->ranges[WIRE_BANK_TARGET][0] = (struct wire_range){.object = object,
									.value = WIRE_TARGET_OWN(0),
									.start = 0,
									.end = ~0ull};
	settings->counts[WIRE_BANK_TARGET] = 1;
}

TEST("code whose speedup stands is charged in controls, too, and is not the target")
{
	siginfo_t origin = {.si_code = POLL_IN};
	ucontext_t context;

	begin();
	map_everything(1);
	make_target(1);
	getcontext(&context);
	runtime_page->ranges[WIRE_BANK_TARGET][0].value = WIRE_TARGET_OWN(1);
	settings->delay.speedup = settings->delay.speedups[0] = 0;
	settings->delay.speedups[1] = DELAY_SPEEDUP_ONE / 2;
	settings->code_levels = ~0u;
	thread_self.cpu_seen_ns = 0;
	sample_on_signal(RUNTIME_SIGNAL, &origin, &context);
	CHECK(runtime_page->delay_ns > 0);
	CHECK_EQUAL(thread_self.counters->target_samples, 0);
	CHECK(!(runtime_page->ring[0].sample.flags & (WIRE_SAMPLE_TARGET | WIRE_SAMPLE_SPEEDUP)));
}

TEST("time in the target raises L and G by the speedup")
{
	begin();
	CHECK_EQUAL(pause_charge(1, 10 * MS, time_now()), 5 * MS);
	CHECK_EQUAL(runtime_page->delay_ns, 5 * MS);
	CHECK_EQUAL(thread_self.local.delay_ns, 5 * MS);
	/* A thread that is ahead of the others does not raise the page's delay. */
	thread_self.local.delay_ns = 0;
	CHECK_EQUAL(pause_charge(1, 4 * MS, time_now()), 0);
	CHECK_EQUAL(runtime_page->delay_ns, 5 * MS);
}

TEST("a gap is paid by time, and the overshoot of a sleep is kept")
{
	begin();
	runtime_page->delay_ns = 3 * MS;
	uint64_t before = time_now();
	pay_delay(PAUSE_MOST_NS, &thread_self.counters->wake_pauses);
	CHECK(time_now() - before + 1000 >= 3 * MS); /* less than that is not worth a pause */
	CHECK(thread_self.local.delay_ns + 1000 >= runtime_page->delay_ns);
	CHECK_EQUAL(thread_self.counters->wake_pauses, 1);
}

TEST("no thread pauses without a heartbeat, when disarmed, or for an earlier generation")
{
	begin();
	runtime_page->delay_ns = 60000ull * MS;
	settings->delay.heartbeat_ns = 1;
	pay_delay(PAUSE_MOST_NS, &thread_self.counters->wake_pauses);
	CHECK_EQUAL(thread_self.local.delay_ns, runtime_page->delay_ns);
	begin();
	runtime_page->delay_ns = 60000ull * MS;
	settings->delay.is_disarmed = 1;
	pay_delay(PAUSE_MOST_NS, &thread_self.counters->wake_pauses);
	CHECK_EQUAL(thread_self.local.delay_ns, runtime_page->delay_ns);
	begin();
	runtime_page->delay_ns = 60000ull * MS;
	settings->delay.generation_delay_ns = runtime_page->delay_ns;
	settings->delay.generation++;
	pay_delay(PAUSE_MOST_NS, &thread_self.counters->wake_pauses);
	CHECK_EQUAL(thread_self.local.delay_ns, runtime_page->delay_ns);
	CHECK_EQUAL(thread_self.counters->paused_ns, 0);
}

/* The engine may write it between a thread's looks at the clock and at the heartbeat. */
TEST("a heartbeat later than now ends neither sampling nor pauses")
{
	siginfo_t origin = {.si_code = POLL_IN};
	ucontext_t context;

	begin();
	getcontext(&context);
	settings->delay.heartbeat_ns = time_now() + 1000 * MS;
	CHECK(delay_is_allowed(global_delay_settings(), time_now()));
	sample_on_signal(SIGPROF, &origin, &context);
	CHECK_EQUAL(settings->delay.is_disarmed, 0);
	settings->delay.heartbeat_ns = 1;
	sample_on_signal(SIGPROF, &origin, &context);
	CHECK_EQUAL(settings->delay.is_disarmed, 1);
}

/* A thread that does little but wait has all its ticks there. */
TEST("a guard that skips many ticks ends as usual; one that longjmp has left is ended by a tick")
{
	siginfo_t origin = {.si_code = POLL_IN};
	ucontext_t context;

	begin();
	getcontext(&context);
	for (int i = 0; i < 20; i++) {
		reentrancy_guard_begin();
		sample_on_signal(RUNTIME_SIGNAL, &origin, &context);
		sample_on_signal(RUNTIME_SIGNAL, &origin, &context);
		reentrancy_guard_end();
		CHECK_EQUAL(thread_self.guard_depth, 0);
	}
	CHECK_EQUAL(thread_self.counters->samples, 0);
	reentrancy_guard_begin();
	for (int i = 0; i < 20; i++)
		sample_on_signal(RUNTIME_SIGNAL, &origin, &context);
	CHECK_EQUAL(thread_self.guard_depth, 0);
	CHECK(thread_self.counters->samples > 0);
}

static void tick(void)
{
	siginfo_t origin = {.si_code = POLL_IN};
	ucontext_t context;

	getcontext(&context);
	sample_on_signal(RUNTIME_SIGNAL, &origin, &context);
}

TEST("the time of a tick puts its thread ahead of the others, also without a speedup")
{
	begin();
	settings->delay.speedup = settings->delay.speedups[0] = 0;
	tick();
	CHECK_EQUAL(runtime_page->delay_ns, 0);
	settings->delay.tick_overhead_ns = 5 * MS;
	tick();
	uint64_t first = runtime_page->delay_ns;
	CHECK(first > 5 * MS); /* the handler measures its own part */
	CHECK_EQUAL(thread_self.local.delay_ns, first);
	CHECK_EQUAL(thread_self.counters->paused_ns, 0);
	/* One that met open books was a hole in the program's time as well. */
	reentrancy_guard_begin();
	tick();
	reentrancy_guard_end();
	CHECK_EQUAL(runtime_page->delay_ns, first);
	tick();
	CHECK(runtime_page->delay_ns > first + 2 * 5 * MS);
	/* A thread that is behind has already been charged for that pause. */
	runtime_page->delay_ns = thread_self.local.delay_ns + 60000ull * MS;
	first = runtime_page->delay_ns;
	uint64_t local = thread_self.local.delay_ns;
	CHECK_EQUAL(pause_charge_tick(5 * MS, time_now()), 0);
	CHECK_EQUAL(thread_self.local.delay_ns, local + 5 * MS);
	CHECK_EQUAL(runtime_page->delay_ns, first);
}

TEST("the time of ticks is not in the weight of samples")
{
	begin();
	map_everything(1);
	make_target(1);
	settings->delay.tick_overhead_ns = 4000 * MS; /* more than this process has run */
	tick();
	CHECK_EQUAL(thread_self.counters->samples, 1);
	CHECK_EQUAL(thread_self.counters->sampled_ns, 0);
	CHECK_EQUAL(thread_self.counters->target_ns, 0);
	CHECK(runtime_page->delay_ns < 4000ull * MS + 1000 * MS);
}

static void wait_on(enum wait_reason kind, int fd, uint64_t growth, bool was_woken)
{
	struct frame frame = {.ip = 5000, .sp = (uintptr_t)__builtin_frame_address(0)};
	struct wait wait;

	wait_begin(&wait, kind, fd, &frame);
	__atomic_fetch_add(&runtime_page->delay_ns, growth, __ATOMIC_RELAXED);
	wait.was_woken = was_woken;
	nanosleep(&(struct timespec){.tv_nsec = MS / 10}, NULL);
	wait_end(&wait);
}

static void wait_for(enum wait_reason kind, uint64_t growth, bool was_woken)
{
	wait_on(kind, -1, growth, was_woken);
}

TEST("a thread that a thread has woken is credited; another one pays")
{
	begin();
	wait_for(WAIT_FOR_THREAD, 2 * MS, true);
	CHECK_EQUAL(thread_self.counters->paused_ns, 0);
	CHECK_EQUAL(thread_self.local.delay_ns, 2 * MS);
	wait_for(WAIT_FOR_THREAD, 2 * MS, false);
	CHECK(thread_self.counters->paused_ns + 1000 >= 2 * MS);
	begin();
	wait_for(WAIT_FOR_TIME, 2 * MS, true);
	CHECK(thread_self.counters->paused_ns + 1000 >= 2 * MS);
	CHECK_EQUAL(runtime_page->processes[0].running, 1);
}

TEST("the time of other threads' ticks is owed before a wake-up and after a sleep")
{
	begin();
	settings->delay.speedup = settings->delay.speedups[0] = 0;
	runtime_page->delay_ns = 2 * MS;
	pay_before_wake();
	wait_for(WAIT_FOR_TIME, 0, true);
	CHECK_EQUAL(thread_self.counters->paused_ns, 0); /* ticks are not charged */
	settings->delay.tick_overhead_ns = 1;
	pay_before_wake();
	CHECK_EQUAL(thread_self.counters->wake_pauses, 1);
	/* Much more than that pause may have been too long by. */
	wait_for(WAIT_FOR_TIME, 40 * MS, true);
	CHECK_EQUAL(thread_self.counters->wait_pauses, 1);
	CHECK(thread_self.counters->paused_ns + 2000 >= 42 * MS);
	wait_for(WAIT_FOR_THREAD, 2 * MS, true);
	CHECK_EQUAL(thread_self.counters->wait_pauses, 1);
}

TEST("a wait in the target raises G as long as it lasts, and is time of the target")
{
	begin();
	map_everything(1);
	make_target(1);
	wait_for(WAIT_FOR_TIME, 0, true);
	CHECK(runtime_page->delay_ns >= MS / 20);
	CHECK(thread_self.counters->target_ns >= MS / 10);
	CHECK_EQUAL(thread_self.counters->paused_ns, 0);
	CHECK_EQUAL(runtime_page->waiters & 0xffffffff, 0);
}

TEST("a wait for a lock is never time of the target")
{
	begin();
	map_everything(1);
	make_target(1);
	thread_self.random = 12345; /* of what it takes on CPU nothing is drawn */
	settings->delay.period_ns = 0xffffffff;
	wait_for(WAIT_FOR_LOCK, 0, true);
	CHECK_EQUAL(runtime_page->delay_ns, 0);
	CHECK_EQUAL(thread_self.counters->target_ns, 0);
}

/* Those of the samples that are of waits. */
static uint32_t last_class(void)
{
	for (uint64_t i = runtime_page->ring_head; i-- > 0;) {
		uint32_t flags = runtime_page->ring[i].sample.flags;
		if (flags & WIRE_SAMPLE_WAITING)
			return flags >> WIRE_SAMPLE_CLASS_SHIFT & WIRE_SAMPLE_CLASS_MASK;
	}
	return 0;
}

TEST("CPU time of a wait for a lock is not in the next sample")
{
	struct frame frame = {.ip = 5000, .sp = (uintptr_t)__builtin_frame_address(0)};
	struct wait wait;

	begin();
	map_everything(1);
	settings->delay.speedup = settings->delay.speedups[0] = 0;
	tick();
	wait_begin(&wait, WAIT_FOR_THREAD, -1, &frame);
	for (uint64_t start = time_of_thread(); time_of_thread() - start < 20 * MS;)
		;
	wait_end(&wait);
	CHECK(thread_self.counters->sampled_ns >= 19 * MS);
	uint64_t head = runtime_page->ring_head;
	tick();
	CHECK(runtime_page->ring[head].sample.weight_ns < 10 * MS);
}

/* Each tick's cost was taken for CPU time of the next wait, and lacked in the samples behind it. */
TEST("the time of a tick before its handler is not CPU time of a later wait")
{
	begin();
	map_everything(1);
	settings->delay.speedup = settings->delay.speedups[0] = 0;
	settings->delay.tick_overhead_ns = 50 * MS;
	tick();
	for (uint64_t start = time_of_thread(); time_of_thread() - start < 2 * MS;)
		;
	/* A few waits, as one from which the core is taken away is all CPU time. */
	for (int i = 0; i < 5; i++)
		wait_for(WAIT_FOR_TIME, 0, true);
	CHECK(thread_self.counters->waited_ns >= MS / 20);
}

/*
 * A core that is taken away as the sleep begins would make all of it CPU time: none is told here.
 */
static uint32_t class_of_wait(enum wait_reason kind, int fd)
{
	runtime_page->ring_head = 0;
	thread_self.cpu_seen_ns = time_of_thread() + 1000 * MS;
	wait_on(kind, fd, 0, true);
	return last_class();
}

TEST("a wait's class follows from the call, and of a file from what kind of file it is")
{
	int ends[2], disk = memfd_create("disk", MFD_CLOEXEC); /* a regular file, to who asks */

	begin();
	CHECK_EQUAL(pipe(ends), 0);
	settings->delay.period_ns = 1; /* each is a sample */
	settings->enable_classes = WAIT_CLASS_BIT(WAIT_CLASS_LOCK);
	CHECK_EQUAL(class_of_wait(WAIT_FOR_TIME, -1), WAIT_CLASS_OTHER);
	CHECK_EQUAL(class_of_wait(WAIT_FOR_LOCK, -1), WAIT_CLASS_LOCK);
	CHECK_EQUAL(class_of_wait(WAIT_FOR_THREAD, -1), 0); /* a condition */
	CHECK_EQUAL(class_of_wait(WAIT_FOR_FILE, disk), WAIT_CLASS_IO);
	CHECK_EQUAL(class_of_wait(WAIT_FOR_FILE, ends[0]), WAIT_CLASS_OTHER);
	CHECK_EQUAL(class_of_wait(WAIT_FOR_DISK, -1), WAIT_CLASS_IO);
	/* A wait that the program itself ends is not time of the line; a disk's end is external. */
	thread_self.was_woken_internally = true;
	CHECK_EQUAL(class_of_wait(WAIT_FOR_FILE, ends[0]), 0);
	CHECK_EQUAL(class_of_wait(WAIT_FOR_CHILD, -1), 0);
	thread_self.was_woken_internally = true;
	CHECK_EQUAL(class_of_wait(WAIT_FOR_FILE, disk), WAIT_CLASS_IO);
	CHECK(thread_self.was_woken_internally);
	close(disk);
	close(ends[0]);
	close(ends[1]);
}

TEST("with a class as target, its waits are the target, or only those of the target's code")
{
	begin();
	map_everything(1);
	make_classes(WAIT_CLASS_BIT(WAIT_CLASS_OTHER));
	wait_for(WAIT_FOR_DISK, 0, true);
	CHECK_EQUAL(runtime_page->delay_ns, 0);
	wait_for(WAIT_FOR_TIME, 0, true);
	CHECK(runtime_page->delay_ns >= MS / 20);
	begin();
	map_everything(1);
	make_classes(WAIT_CLASS_BIT(WAIT_CLASS_OTHER));
	settings->classes_of_code = 1;
	wait_for(WAIT_FOR_TIME, 0, true);
	CHECK_EQUAL(runtime_page->delay_ns, 0);
	make_target(1);
	wait_for(WAIT_FOR_TIME, 0, true);
	CHECK(runtime_page->delay_ns >= MS / 20);
	CHECK_EQUAL(runtime_page->waiters & 0xffffffff, 0);
}

TEST("time on CPU is not a wait of a class")
{
	siginfo_t origin = {.si_code = POLL_IN};
	ucontext_t context;

	begin();
	map_everything(1);
	make_target(1);
	getcontext(&context);
	thread_self.cpu_seen_ns = 0;
	make_classes(WAIT_CLASS_BIT(WAIT_CLASS_OTHER));
	sample_on_signal(RUNTIME_SIGNAL, &origin, &context);
	CHECK_EQUAL(thread_self.counters->samples, 1);
	CHECK_EQUAL(runtime_page->delay_ns, 0);
	make_classes(0);
	thread_self.cpu_seen_ns = 0;
	sample_on_signal(RUNTIME_SIGNAL, &origin, &context);
	CHECK(runtime_page->delay_ns > 0);
}

TEST("a wait for a lock in the target puts its thread ahead by its effective length")
{
	begin();
	make_classes(WAIT_CLASS_BIT(WAIT_CLASS_LOCK));
	wait_for(WAIT_FOR_LOCK, 0, false); /* a timeout */
	CHECK_EQUAL(runtime_page->delay_ns, 0);
	uint64_t before = time_now();
	wait_for(WAIT_FOR_LOCK, 0, true);
	uint64_t ahead = runtime_page->delay_ns;
	CHECK(ahead >= MS / 20 && ahead <= (time_now() - before) / 2);
	CHECK_EQUAL(thread_self.local.delay_ns, ahead);
	CHECK_EQUAL(thread_self.counters->paused_ns, 0);
	/* All of a wait that others paused for longer is no wait. */
	wait_for(WAIT_FOR_LOCK, 60000ull * MS, true);
	CHECK_EQUAL(runtime_page->delay_ns, ahead + 60000ull * MS);
}

TEST("a full ring counts further samples as lost")
{
	struct walk walk = {.is_found = true};

	begin();
	for (uint32_t i = 0; i < RUNTIME_RING_SLOTS + 5; i++)
		sample_emit(&walk, 1, 0);
	CHECK_EQUAL(runtime_page->ring_head, RUNTIME_RING_SLOTS);
	CHECK_EQUAL(thread_self.counters->lost, 5);
	CHECK_EQUAL(runtime_page->ring[7].sequence, 8);
}

/* Whoever writes nonsense into the page must not make the program crash. */
TEST("walks over a page of random bytes end")
{
	uint64_t stack[64];

	begin();
	srandom(1);
	for (int round = 0; round < 3000; round++) {
		struct walk walk;
		for (size_t i = 0; i < sizeof(stack) / sizeof(*stack); i++)
			stack[i] = random() & 1 ? (uintptr_t)&stack[random() % 64] :
						  (uint64_t)random() << (random() % 40);
		for (uint32_t i = 0; i < WIRE_BANKS; i++)
			settings->counts[i] = (uint32_t)random() % (2 * WIRE_RANGES_MOST);
		settings->target_bank = (uint32_t)random();
		settings->scope_bank = (uint32_t)random();
		map_everything(random() & 1 ? 1 : (uint32_t)random());
		runtime_process->mapping_count = random() & 3 ? 1 : (uint32_t)random();
		runtime_page->unwind_objects[1] =
			(struct wire_unwind_object){.first = random() & 1 ? 0 : (uint32_t)random(),
						    .count = (uint32_t)random() % 9};
		for (int i = 0; i < 8; i++)
			runtime_page->unwind_rows[i] =
				(struct wire_unwind_row){.start = (uint64_t)random() % 10000,
							 .rule = (uint8_t)(random() % 7),
							 .cfa_offset = (int32_t)random() % 256 * 8,
							 .frame_offset =
								 (int16_t)(random() % 64 * 8)};
		struct frame frame = {.ip = 5000,
				      .sp = (uintptr_t)stack,
				      .bp = (uintptr_t)&stack[4]};
		thread_self.stack_high = (uintptr_t)(stack + 64);
		stack_walk_up(&frame, &walk);
	}
	CHECK(true);
}

static void *churn(void *argument)
{
	thread_begin((uintptr_t)__builtin_frame_address(0) + 64, NULL);
	for (int i = 0; i < 200; i++) {
		struct walk walk = {.is_found = true};
		pause_charge(1, 1000, time_now());
		wait_for(i % 2 ? WAIT_FOR_THREAD : WAIT_FOR_TIME, 0, true);
		sample_emit(&walk, 1000, 0);
		progress_poll(time_now());
		pay_before_wake();
	}
	thread_end();
	return argument;
}

TEST("threads that charge, wait, pay and end at the same time lose nothing")
{
	pthread_t threads[4];

	begin();
	map_everything(1);
	make_target(1);
	settings->delay.is_disarmed = 1;
	for (int i = 0; i < 4; i++)
		CHECK_EQUAL(pthread_create(&threads[i], NULL, churn, NULL), 0);
	for (int i = 0; i < 4; i++)
		CHECK_EQUAL(pthread_join(threads[i], NULL), 0);
	CHECK(runtime_page->ring_head >= 800);
	CHECK_EQUAL(runtime_page->processes[0].running, 1);
	CHECK_EQUAL(runtime_page->waiters & 0xffffffff, 0);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* perf_sampler - keeps each thread's state from perf's records, and makes samples of it. */
#include "collect/record/perf_sampler.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "collect/perf/address_spaces.h"
#include "collect/perf/blocked_thread.h"
#include "collect/perf/rings.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>

#define BLOCKED_SAMPLE_NS 10000000u /* between samples of waiting threads, on average */
#define BLOCKED_SAMPLES_MOST 64u    /* at a time; more threads take turns */
#define THREADS_MOST (1u << 22)     /* the most that pid_max can be */

enum state { STATE_UNKNOWN, STATE_ON_CPU, STATE_BLOCKED, STATE_PREEMPTED };

struct thread {
	uint32_t tgid, tid;
	enum state state;
	uint64_t since_ns;  /* its time is accounted up to here */
	int64_t owed_ns;    /* time on CPU that no sample stands for yet */
	uint64_t off_ns[2]; /* blocked, preempted: not handed on yet */
	char command[16];
	bool has_ended;
};

struct perf_sampler {
	struct perf_rings *rings;
	struct address_spaces *spaces;
	uint64_t period_ns;
	enum perf_chain chain;
	uint32_t *index; /* of each thread, + 1; 0: unknown */
	uint32_t *alive; /* threads of each process; 0: none */
	ARRAY(struct thread) threads;
	struct recorder_counters counters;
	int timer;                              /* the next sample of waiting threads is due */
	size_t next_thread;                     /* thread */
	unsigned short random[3];               /* erand48's */
	const struct recorder_handler *handler; /* while draining */
	struct blocked_thread wait;             /* the one being sampled */
	struct record_sample sample;            /* being made */
};

int perf_sampler_open(const struct recorder_options *options, struct perf_sampler **result,
		      struct error *error)
{
	static const enum perf_chain chains[] = {
		[RECORD_UNWIND_NONE] = PERF_CHAIN_NONE,
		[RECORD_UNWIND_POINTERS] = PERF_CHAIN_POINTERS,
		[RECORD_UNWIND_TABLES] = PERF_CHAIN_STACK,
	};
	struct perf_rings *rings;

	if (options->is_system_wide)
		return error_set(error, -EPERM,
				 "perf events can sample processes of one's own, but not --system");
	enum perf_chain chain = chains[options->unwinding];
	int code = perf_rings_open(options->period_ns, chain, &rings, error);
	if (code)
		return code;
	struct perf_sampler *sampler = memory_new(1, sizeof(*sampler));
	sampler->rings = rings;
	sampler->spaces = address_spaces_new();
	sampler->period_ns = options->period_ns;
	sampler->chain = chain;
	sampler->index = memory_new(THREADS_MOST, sizeof(*sampler->index));
	sampler->alive = memory_new(THREADS_MOST, sizeof(*sampler->alive));
	sampler->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	struct epoll_event wake = {.events = EPOLLIN};
	epoll_ctl(perf_rings_descriptor(rings), EPOLL_CTL_ADD, sampler->timer, &wake);
	*result = sampler;
	return 0;
}

void perf_sampler_close(struct perf_sampler *sampler)
{
	if (!sampler)
		return;
	if (sampler->timer >= 0)
		close(sampler->timer);
	perf_rings_close(sampler->rings);
	address_spaces_free(sampler->spaces);
	array_free(&sampler->threads);
	free(sampler->index);
	free(sampler->alive);
	free(sampler);
}

const char *perf_sampler_limits(const struct perf_sampler *sampler)
{
	return perf_rings_sample_kernel(sampler->rings) ?
		       "recorded by perf events, as BPF is refused: waiting threads are sampled "
		       "each 10 ms only, and waiting for a CPU after a wake-up counts as the wait" :
		       "recorded by perf events of this user, as BPF is refused: waiting threads "
		       "are sampled each 10 ms only, waiting for a CPU after a wake-up counts as "
		       "the wait, and the kernel's code is one entry without a name";
}

/* ---- threads ---- */

static struct thread *thread_of(struct perf_sampler *sampler, uint32_t tgid, uint32_t tid)
{
	uint32_t *index = &sampler->index[tid % THREADS_MOST];

	if (*index && sampler->threads.items[*index - 1].tid == tid &&
	    !sampler->threads.items[*index - 1].has_ended)
		return &sampler->threads.items[*index - 1];
	*array_add(&sampler->threads) = (struct thread){.tgid = tgid, .tid = tid};
	*index = (uint32_t)sampler->threads.count;
	return &sampler->threads.items[*index - 1];
}

/* An empty sample of the thread into sampler->sample. */
static struct record_sample *sample_begin(struct perf_sampler *sampler, const struct thread *thread,
					  uint32_t flags, uint64_t weight_ns)
{
	struct record_sample *sample = &sampler->sample;

	memset(sample, 0, offsetof(struct record_sample, kernel));
	sample->kind = RECORD_EVENT_SAMPLE;
	sample->flags = flags;
	sample->tgid = thread->tgid;
	sample->tid = thread->tid;
	sample->time_ns = thread->since_ns;
	sample->weight_ns = weight_ns;
	sample->system_call = -1;
	sample->inverse_chance = 1;
	memcpy(sample->command, thread->command, sizeof(sample->command));
	return sample;
}

static void send(struct perf_sampler *sampler)
{
	sampler->counters.truncated += (sampler->sample.flags & RECORD_TRUNCATED) != 0;
	sampler->handler->sample(sampler->handler->context, &sampler->sample);
}

/* Where only user code may be sampled: the kernel's share of a thread's time on CPU. */
static void send_kernel_time(struct perf_sampler *sampler, struct thread *thread, int64_t least_ns)
{
	if (thread->owed_ns < least_ns || thread->owed_ns <= 0)
		return;
	struct record_sample *sample =
		sample_begin(sampler, thread, RECORD_ON_CPU, (uint64_t)thread->owed_ns);
	if (!perf_rings_sample_kernel(sampler->rings))
		sample->kernel[sample->kernel_count++] = 0;
	thread->owed_ns = 0;
	sampler->counters.samples++;
	send(sampler);
}

/* Time off CPU for which no stack was read. */
static void send_off(struct perf_sampler *sampler, struct thread *thread, int which,
		     uint64_t least_ns)
{
	if (!thread->off_ns[which] || thread->off_ns[which] < least_ns)
		return;
	sample_begin(sampler, thread, which ? RECORD_PREEMPTED : 0, thread->off_ns[which]);
	thread->off_ns[which] = 0;
	send(sampler);
}

/* Adds the time in its state since the last call. */
static void account(struct thread *thread, uint64_t now)
{
	uint64_t passed = now > thread->since_ns ? now - thread->since_ns : 0;

	if (thread->state == STATE_ON_CPU)
		thread->owed_ns += (int64_t)passed;
	else if (thread->state == STATE_BLOCKED || thread->state == STATE_PREEMPTED)
		thread->off_ns[thread->state == STATE_PREEMPTED] += passed;
	thread->since_ns = now;
}

static void on_switch(struct perf_sampler *sampler, const struct perf_record *record)
{
	struct thread *thread = thread_of(sampler, record->pid, record->tid);
	bool leaves = record->misc & PERF_RECORD_MISC_SWITCH_OUT;

	account(thread, record->time_ns);
	thread->since_ns = record->time_ns;
	thread->state = !leaves                                            ? STATE_ON_CPU :
			record->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT ? STATE_PREEMPTED :
									     STATE_BLOCKED;
	if (leaves)
		return;
	send_off(sampler, thread, 1, sampler->period_ns);
	if (!perf_rings_sample_kernel(sampler->rings))
		send_kernel_time(sampler, thread, (int64_t)(2 * sampler->period_ns));
}

/* ---- samples ---- */

/* Number of the file's object; asks for it once. */
static uint32_t object_of(struct perf_sampler *sampler, uint32_t tgid, struct perf_location *state,
			  uint64_t address)
{
	struct wire_file file = state->file->file;

	if (state->file->object == WIRE_OBJECT_UNKNOWN && !state->file->is_announced) {
		AUTO(text) char *path = text_copy(state->file->path);
		struct kernel_object_event event = {.kind = KERNEL_EVENT_OBJECT,
						    .tgid = tgid,
						    .file = file,
						    .start = state->start,
						    .end = state->end};
		state->file->is_announced = true;
		sampler->handler->object(sampler->handler->context, &event);
		address_spaces_find(sampler->spaces, tgid, address, state);
		if (state->file->object == WIRE_OBJECT_UNKNOWN && path)
			sampler->handler->path(sampler->handler->context, &file, path);
		address_spaces_find(sampler->spaces, tgid, address, state);
	}
	return state->file->object;
}

/* Puts the frame into the sample; gives its rows. False if nothing is known about the address. */
static bool frame_put(struct perf_sampler *sampler, uint64_t address, struct record_frame *frame)
{
	struct record_sample *sample = &sampler->sample;
	struct perf_location state;

	if (sample->user_count >= RECORD_USER_FRAMES_MOST ||
	    !address_spaces_find(sampler->spaces, sample->tgid, address, &state))
		return false;
	frame->object = WIRE_OBJECT_NO_FILE;
	frame->pad = 0;
	frame->offset = state.offset;
	if (state.file)
		frame->object = object_of(sampler, sample->tgid, &state, address);
	if (frame->object == WIRE_OBJECT_UNKNOWN)
		frame->offset = address;
	sample->user[sample->user_count++] = *frame;
	return true;
}

static void walk_stack(struct perf_sampler *sampler, struct stack_frame frame,
		       const struct stack_copy *copy)
{
	bool goes_on = frame.ip;

	for (bool is_leaf = true; goes_on; is_leaf = false) {
		struct record_frame found;
		size_t count = 0;
		/* A return address may already belong to the next line: one back is in the call. */
		if (!frame_put(sampler, frame.ip - !is_leaf, &found))
			break;
		const struct wire_unwind_row *rows =
			found.object == WIRE_OBJECT_NO_FILE ?
				NULL :
				address_spaces_rows(sampler->spaces, found.object, &count);
		goes_on = stack_walk(copy, &frame, rows, count, found.offset);
	}
	if (frame.ip)
		sampler->sample.flags |= RECORD_TRUNCATED;
}

/* The chain that the kernel found: its own part, and the user's by frame pointers. */
static void walk_chain(struct perf_sampler *sampler, const struct perf_record *record)
{
	struct record_sample *sample = &sampler->sample;
	struct record_frame found;
	bool is_kernel = false, is_user = false;

	for (uint64_t i = 0; i < record->chain_count; i++) {
		uint64_t address = record->chain[i];
		if (address >= PERF_CONTEXT_MAX) {
			is_kernel = address == PERF_CONTEXT_KERNEL;
			is_user = address == PERF_CONTEXT_USER;
		} else if (is_kernel && sample->kernel_count < RECORD_KERNEL_FRAMES_MOST) {
			sample->kernel[sample->kernel_count++] = address;
		} else if (is_user && sampler->chain == PERF_CHAIN_POINTERS &&
			   !frame_put(sampler, address - (sample->user_count != 0), &found)) {
			break;
		}
	}
}

static void on_sample(struct perf_sampler *sampler, const struct perf_record *record)
{
	struct thread *thread = thread_of(sampler, record->pid, record->tid);
	uint64_t weight = sampler->period_ns;
	bool enable_kernel = perf_rings_sample_kernel(sampler->rings);

	if (thread->state == STATE_UNKNOWN) { /* it runs already: the sample stands for a period */
		thread->state = STATE_ON_CPU;
		thread->since_ns = record->time_ns;
		thread->owed_ns = (int64_t)weight;
	}
	account(thread, record->time_ns);
	if (enable_kernel && thread->owed_ns > 0)
		weight = (uint64_t)thread->owed_ns;
	thread->owed_ns -= (int64_t)weight;
	sample_begin(sampler, thread, RECORD_ON_CPU, weight);
	walk_chain(sampler, record);
	if (sampler->chain == PERF_CHAIN_STACK && record->has_registers) {
		struct stack_frame frame = {record->registers_ip, record->registers_sp,
					    record->registers_bp, record->registers_link};
		struct stack_copy copy = {frame.sp, record->stack, record->stack_bytes};
		walk_stack(sampler, frame, &copy);
	} else if (sampler->chain == PERF_CHAIN_NONE) {
		struct record_frame found;
		frame_put(sampler, record->has_registers ? record->registers_ip : record->ip,
			  &found);
	}
	sampler->counters.samples++;
	send(sampler);
	if (!enable_kernel)
		send_kernel_time(sampler, thread, (int64_t)(2 * sampler->period_ns));
}

/* ---- waiting threads ---- */

static void set_timer(struct perf_sampler *sampler)
{
	/* Drawn, so that no program stays in step with it. */
	long next = (long)(BLOCKED_SAMPLE_NS * (0.5 + erand48(sampler->random)));
	struct itimerspec due = {.it_value = {.tv_nsec = next}};
	timerfd_settime(sampler->timer, 0, &due, NULL);
}

/* The wait since the last sample counts for where it waits now, which is right on average. */
static void sample_blocked(struct perf_sampler *sampler, struct thread *thread, uint64_t now)
{
	struct blocked_thread *wait = &sampler->wait;

	if (thread->has_ended || thread->state != STATE_BLOCKED ||
	    !blocked_thread_read((pid_t)thread->tgid, (pid_t)thread->tid, wait))
		return;
	account(thread, now);
	struct record_sample *sample = sample_begin(sampler, thread, 0, thread->off_ns[0]);
	thread->off_ns[0] = 0;
	sample->system_call = wait->system_call;
	sample->argument = wait->argument;
	struct stack_copy copy = {wait->frame.sp, wait->stack, wait->stack_bytes};
	struct record_frame found;
	if (sampler->chain == PERF_CHAIN_NONE)
		frame_put(sampler, wait->frame.ip, &found);
	else
		walk_stack(sampler, wait->frame, &copy);
	send(sampler);
}

static void sample_all_blocked(struct perf_sampler *sampler)
{
	size_t count = sampler->threads.count,
	       looks = count < BLOCKED_SAMPLES_MOST ? count : BLOCKED_SAMPLES_MOST;
	uint64_t passed, now = clock_now_ns();

	if (read(sampler->timer, &passed, sizeof(passed)) != sizeof(passed))
		return;
	for (size_t i = 0; i < count && looks; i++) {
		struct thread *thread = &sampler->threads.items[sampler->next_thread++ % count];
		looks -= !thread->has_ended;
		sample_blocked(sampler, thread, now);
	}
	set_timer(sampler);
}

/* ---- processes ---- */

static void report_process(struct perf_sampler *sampler, uint32_t kind, uint32_t process,
			   uint32_t parent)
{
	struct kernel_process_event event = {.kind = kind, .tgid = process, .parent = parent};
	sampler->handler->process(sampler->handler->context, &event);
}

static void on_fork(struct perf_sampler *sampler, const struct perf_record *record)
{
	char command[16];

	memcpy(command, thread_of(sampler, record->parent_pid, record->parent_tid)->command, 16);
	memcpy(thread_of(sampler, record->pid, record->tid)->command, command, 16);
	sampler->alive[record->pid % THREADS_MOST]++;
	if (record->pid == record->parent_pid)
		return;
	address_spaces_fork(sampler->spaces, record->parent_pid, record->pid);
	report_process(sampler, KERNEL_EVENT_FORK, record->pid, record->parent_pid);
}

static void end_thread(struct perf_sampler *sampler, struct thread *thread, uint64_t now)
{
	account(thread, now);
	send_kernel_time(sampler, thread, 0);
	send_off(sampler, thread, 0, 0);
	send_off(sampler, thread, 1, 0);
	thread->has_ended = true;
}

static void on_end(struct perf_sampler *sampler, const struct perf_record *record)
{
	uint32_t *alive = &sampler->alive[record->pid % THREADS_MOST];

	end_thread(sampler, thread_of(sampler, record->pid, record->tid), record->time_ns);
	if (!*alive || --*alive)
		return;
	address_spaces_remove(sampler->spaces, record->pid);
	report_process(sampler, KERNEL_EVENT_EXIT, record->pid, 0);
}

static void on_record(void *context, const struct perf_record *record)
{
	struct perf_sampler *sampler = context;

	if (record->type == PERF_RECORD_LOST)
		sampler->counters.lost += record->lost;
	if (!record->tid || record->tid == UINT32_MAX) /* a thread that has no id any more */
		return;
	if (record->type == PERF_RECORD_SAMPLE)
		on_sample(sampler, record);
	else if (record->type == PERF_RECORD_SWITCH)
		on_switch(sampler, record);
	else if (record->type == PERF_RECORD_MMAP2)
		address_spaces_map(sampler->spaces, record);
	else if (record->type == PERF_RECORD_FORK)
		on_fork(sampler, record);
	else if (record->type == PERF_RECORD_EXIT)
		on_end(sampler, record);
	else if (record->type == PERF_RECORD_COMM && record->text) {
		struct thread *thread = thread_of(sampler, record->pid, record->tid);
		if (record->misc & PERF_RECORD_MISC_COMM_EXEC)
			address_spaces_remove(sampler->spaces, record->pid);
		snprintf(thread->command, sizeof(thread->command), "%s", record->text);
	}
}

/* ---- for the recorder ---- */

CLEANUP_DEFINE(folder, DIR *, closedir, NULL)

static int add_thread(struct perf_sampler *sampler, pid_t pid, pid_t tid, struct error *error)
{
	AUTO(text) char *name = text_format("/proc/%d/task/%d/comm", (int)pid, (int)tid);
	AUTO(file) FILE *comm = fopen(name, "re");
	struct thread *thread = thread_of(sampler, (uint32_t)pid, (uint32_t)tid);

	if (comm && fgets(thread->command, sizeof(thread->command), comm))
		thread->command[strcspn(thread->command, "\n")] = 0;
	sampler->alive[(uint32_t)pid % THREADS_MOST]++;
	return perf_rings_add(sampler->rings, tid, error);
}

int perf_sampler_add_process(struct perf_sampler *sampler, pid_t pid, struct error *error)
{
	AUTO(text) char *name = text_format("/proc/%d/task", (int)pid);
	AUTO(folder) DIR *folder = opendir(name);
	int code = 0;

	if (!folder)
		return error_set(error, errno, "cannot read the threads of process %d: %s",
				 (int)pid, strerror(errno));
	if (sampler->alive[(uint32_t)pid % THREADS_MOST])
		return 0; /* it is known already */
	for (struct dirent *entry; !code && (entry = readdir(folder));) {
		uint64_t tid;
		if (text_to_unsigned(entry->d_name, &tid))
			code = add_thread(sampler, pid, (pid_t)tid, error);
		code = code == -ESRCH ? 0 : code; /* it has ended meanwhile */
	}
	address_spaces_read(sampler->spaces, pid);
	return code;
}

void perf_sampler_start(struct perf_sampler *sampler)
{
	perf_rings_enable(sampler->rings, true);
	set_timer(sampler);
}

void perf_sampler_stop(struct perf_sampler *sampler)
{
	perf_rings_enable(sampler->rings, false);
}

void perf_sampler_flush(struct perf_sampler *sampler, const struct recorder_handler *handler)
{
	uint64_t now = clock_now_ns();

	sampler->handler = handler;
	for (size_t i = 0; i < sampler->threads.count; i++) {
		struct thread *thread = &sampler->threads.items[i];
		if (thread->has_ended)
			continue;
		if (thread->state != STATE_ON_CPU)
			account(thread, now);
		send_off(sampler, thread, 0, 0);
		send_off(sampler, thread, 1, 0);
	}
	sampler->handler = NULL;
}

void perf_sampler_name_object(struct perf_sampler *sampler, const struct wire_file *file,
			      uint32_t object)
{
	address_spaces_name(sampler->spaces, file, object);
}

void perf_sampler_set_unwind(struct perf_sampler *sampler, uint32_t object,
			     const struct wire_unwind_row *rows, size_t count)
{
	address_spaces_set_rows(sampler->spaces, object, rows, count);
}

void perf_sampler_drain(struct perf_sampler *sampler, const struct recorder_handler *handler)
{
	sampler->handler = handler;
	perf_rings_read(sampler->rings, on_record, sampler);
	sample_all_blocked(sampler);
	sampler->handler = NULL;
}

int perf_sampler_descriptor(const struct perf_sampler *sampler)
{
	return perf_rings_descriptor(sampler->rings);
}

void perf_sampler_counters(const struct perf_sampler *sampler, struct recorder_counters *counters)
{
	*counters = sampler->counters;
}

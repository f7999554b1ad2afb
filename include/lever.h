/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lever.h - annotations of programs: progress points for `lever run`, spans for `lever trace`.
 *
 * For C (from C99) and C++ (from C++11), gcc and clang, Linux on x86-64, aarch64 and riscv64. There
 * is nothing to link: include it and leave it in. A point costs less than 1 ns while nothing is
 * measured, less than 5 ns while `lever run` counts, and about 10 ns in `lever trace`.
 *
 *	#include <lever.h>
 *
 *	void serve(int connection)
 *	{
 *		LEVER_SPAN("request");           // how long does a request take?
 *		struct request *request = request_read(connection);
 *		request_answer(request);
 *		LEVER_PROGRESS_NAMED("requests"); // how many requests a second?
 *	}
 *
 *	$ lever run -- ./server
 *
 *	$ lever trace -- ./server
 *
 * Throughput: each visit is one unit of work done.
 *	LEVER_PROGRESS;             a point named after its line, "server.c:8"
 *	LEVER_PROGRESS_NAMED(name); a point with a name; equal names count as one point
 * Latency: work that begins at one place and ends at another, perhaps in another thread.
 *	LEVER_BEGIN(name);  LEVER_END(name);
 *	LEVER_SPAN(name);   begins here and ends where the enclosing block is left, also by return,
 *	                    break or exception (in C not by longjmp)
 *
 * On the timeline of `lever trace` the spans of a thread are nested from begin to end. For the
 * timeline alone there are:
 *	LEVER_INSTANT(name);         a moment
 *	LEVER_COUNTER(name, value);  a signed number, as a curve
 *	LEVER_FLOW_OUT(name, id);    from here ...
 *	LEVER_FLOW_IN(name, id);     ... to here: an arrow between threads, with an id of yours
 *	LEVER_THREAD_NAME(name);  LEVER_PROCESS_NAME(name);
 * and with an argument that the timeline shows, an unsigned number of 64 bits or a string:
 *	LEVER_BEGIN_VALUE(name, number);  LEVER_BEGIN_TEXT(name, string);
 *	LEVER_SPAN_VALUE(name, number);   LEVER_SPAN_TEXT(name, string);
 *	LEVER_INSTANT_VALUE(name, number);  LEVER_INSTANT_TEXT(name, string);
 *
 * Each is a statement and may be in any thread, signal handler, library or child process. `name` is
 * a string that is the same at each visit of its line, as a rule a literal. A process can have 64
 * points (a begin and an end are two), and 4096 names and strings on a timeline; `lever` reports
 * what did not fit. -DLEVER_DISABLE takes the points out. A library that is loaded by dlopen, and
 * then fails with "cannot allocate memory in static TLS block", needs
 * -DLEVER_TLS_MODEL='"global-dynamic"'; its points are slightly slower.
 *
 * Everything below the macros is implementation, and may change.
 */
#ifndef LEVER_H
#define LEVER_H

#if !defined(LEVER_DISABLE) && defined(__linux__) && defined(__LP64__) && \
	(defined(__x86_64__) || defined(__aarch64__) || defined(__riscv))
#define LEVER_ENABLED 1
#else
#define LEVER_ENABLED 0
#endif

#define LEVER_TEXT_OF(text) #text
#define LEVER_TEXT(text) LEVER_TEXT_OF(text)
#define LEVER_JOIN_OF(left, right) left##right
#define LEVER_JOIN(left, right) LEVER_JOIN_OF(left, right)

#define LEVER_PROGRESS LEVER_VISIT(__FILE__ ":" LEVER_TEXT(__LINE__), LEVER_POINT_PROGRESS)
#define LEVER_PROGRESS_NAMED(name) LEVER_VISIT(name, LEVER_POINT_PROGRESS)
#define LEVER_BEGIN(name) LEVER_VISIT(name, LEVER_POINT_BEGIN)
#define LEVER_END(name) LEVER_VISIT(name, LEVER_POINT_END)
#define LEVER_SPAN(name) LEVER_SPAN_WITH(name, 0, 0)

#define LEVER_BEGIN_VALUE(name, number) \
	LEVER_VISIT_WITH(name, LEVER_POINT_BEGIN, LEVER_MARK_VALUE, number)
#define LEVER_SPAN_VALUE(name, number) LEVER_SPAN_WITH(name, LEVER_MARK_VALUE, number)
#define LEVER_BEGIN_TEXT(name, string) \
	LEVER_VISIT_WITH(name, LEVER_POINT_BEGIN, LEVER_MARK_TEXT, lever_text(string))
#define LEVER_SPAN_TEXT(name, string) LEVER_SPAN_WITH(name, LEVER_MARK_TEXT, lever_text(string))

#define LEVER_INSTANT(name) LEVER_MARK(name, LEVER_MARK_INSTANT, 0)
#define LEVER_INSTANT_VALUE(name, number) \
	LEVER_MARK(name, LEVER_MARK_INSTANT | LEVER_MARK_VALUE, number)
#define LEVER_INSTANT_TEXT(name, string) \
	LEVER_MARK(name, LEVER_MARK_INSTANT | LEVER_MARK_TEXT, lever_text(string))
#define LEVER_COUNTER(name, value) LEVER_MARK(name, LEVER_MARK_COUNTER | LEVER_MARK_VALUE, value)
#define LEVER_FLOW_OUT(name, id) LEVER_MARK(name, LEVER_MARK_FLOW_OUT | LEVER_MARK_VALUE, id)
#define LEVER_FLOW_IN(name, id) LEVER_MARK(name, LEVER_MARK_FLOW_IN | LEVER_MARK_VALUE, id)
#define LEVER_THREAD_NAME(name) LEVER_MARK(name, LEVER_MARK_THREAD_NAME, 0)
#define LEVER_PROCESS_NAME(name) LEVER_MARK(name, LEVER_MARK_PROCESS_NAME, 0)

#if !LEVER_ENABLED

#define LEVER_VISIT(name, kind) ((void)sizeof(name))
#define LEVER_VISIT_WITH(name, kind, flag, value) ((void)sizeof(name), (void)sizeof(value))
#define LEVER_SPAN_WITH(name, flag, value) ((void)sizeof(name), (void)sizeof(value))
#define LEVER_MARK(name, kind, value) ((void)sizeof(name), (void)sizeof(value))
#define lever_text(string) (string)

#else

#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/syscall.h>

#define LEVER_VISIT(name, kind) LEVER_VISIT_WITH(name, kind, 0, 0)
#define LEVER_VISIT_WITH(name, kind, flag, value)                                         \
	do {                                                                              \
		static struct lever_site lever_site_here;                                 \
		if (__builtin_expect(lever_listening() != 0, 0))                          \
			(void)lever_visit_with(&lever_site_here, (name), (kind) | (flag), \
					       (unsigned long long)(value));              \
	} while (0)

#define LEVER_MARK(name, kind, value)                                                              \
	do {                                                                                       \
		static struct lever_site lever_site_here;                                          \
		if (__builtin_expect(lever_listening() != 0, 0))                                   \
			lever_mark(&lever_site_here, (name), (kind), (unsigned long long)(value)); \
	} while (0)

#ifdef __cplusplus
#define LEVER_SPAN_WITH(name, flag, value)                                                       \
	static struct lever_site LEVER_JOIN(lever_begin_, __LINE__),                             \
		LEVER_JOIN(lever_end_, __LINE__);                                                \
	const lever_span LEVER_JOIN(lever_span_,                                                 \
				    __LINE__)(&LEVER_JOIN(lever_begin_, __LINE__),               \
					      &LEVER_JOIN(lever_end_, __LINE__), (name), (flag), \
					      lever_listening() ? (unsigned long long)(value) : 0)
#else
#define LEVER_SPAN_WITH(name, flag, value)                                                     \
	static struct lever_site LEVER_JOIN(lever_begin_, __LINE__),                           \
		LEVER_JOIN(lever_end_, __LINE__);                                              \
	__attribute__((cleanup(lever_span_leave), unused)) const struct lever_span LEVER_JOIN( \
		lever_span_, __LINE__) =                                                       \
		lever_span_enter(&LEVER_JOIN(lever_begin_, __LINE__),                          \
				 &LEVER_JOIN(lever_end_, __LINE__), (name), (flag),            \
				 lever_listening() ? (unsigned long long)(value) : 0)
#endif

/*
 * How it works. A constructor maps memory at one of two fixed addresses, where the engine finds it
 * in any process: names, counts, and the state of the process. The layout is that of Lever's
 * src/wire/points.h. The first of the program and its libraries maps it, the others find it.
 * Without it, points do nothing.
 *
 * Each thread takes a seat: a stripe of counts to which only it adds, in one instruction without a
 * lock prefix, so that neither another thread nor its own signal handler can lose a count. A thread
 * without a seat adds atomically to the last stripe, which is shared.
 *
 * Nothing here takes a lock, allocates, waits or changes errno: system calls are made directly. The
 * functions are weak and hidden, so each program and each library has them once.
 */
#define LEVER_POINTS_ADDRESS 0x4c45560000ULL
#define LEVER_POINTS_ADDRESS_OTHER 0x3e4c45560000ULL
#define LEVER_POINTS_MAGIC 0x5245564cU
#define LEVER_POINTS_VERSION 1U
#define LEVER_POINTS_MOST 64U
#define LEVER_STRIPES 16U
#define LEVER_SHARED_STRIPE 15U
#define LEVER_NAME_BYTES 47U
#define LEVER_PATH_BYTES 40U

#define LEVER_POINT_PROGRESS 1
#define LEVER_POINT_BEGIN 2
#define LEVER_POINT_END 3

/* Of a site: 0: not registered; 1 + the index of its entry; LEVER_SITE_DROPPED: none was free. */
#define LEVER_SITE_DROPPED 0xffffffffU
struct lever_site {
	unsigned int point; /* of its entry in the page of points */
	unsigned int name;  /* of its name in the memory of a trace */
	unsigned int span;  /* of the entry of its begin */
};

/* Bits of lever_head.listening. */
#define LEVER_LISTEN_COUNT 1U
#define LEVER_LISTEN_TRACE 2U
#define LEVER_LISTEN_SPANS 4U

/* Kinds of marks in a trace, beside LEVER_POINT_*; then bits that are added to a kind. */
#define LEVER_MARK_INSTANT 4U
#define LEVER_MARK_COUNTER 5U
#define LEVER_MARK_FLOW_OUT 6U
#define LEVER_MARK_FLOW_IN 7U
#define LEVER_MARK_THREAD_NAME 8U
#define LEVER_MARK_PROCESS_NAME 9U
#define LEVER_MARK_CONTINUED 15U
#define LEVER_MARK_KINDS 15U
#define LEVER_MARK_VALUE 16U
#define LEVER_MARK_TEXT 32U
#define LEVER_MARK_WIDE 64U

#define LEVER_TRACE_MAGIC 0x5254564cU
#define LEVER_TRACE_VERSION 1U
#define LEVER_TRACE_NAMES 4096U
#define LEVER_TRACE_NAME_BYTES 112U
#define LEVER_TRACE_HEAD_BYTES 4096U
#define LEVER_ROOM_ANY 0xffffffffU

#ifndef LEVER_TLS_MODEL
#ifdef __GLIBC__
#define LEVER_TLS_MODEL "initial-exec"
#else
#define LEVER_TLS_MODEL "global-dynamic" /* musl loads no library of the other model by dlopen */
#endif
#endif

#define LEVER_SHARED_BY_OBJECT __attribute__((weak, visibility("hidden")))
#define LEVER_COLD __attribute__((weak, visibility("hidden"), noinline, cold))
#define LEVER_CALLED __attribute__((weak, visibility("hidden"), noinline))
#define LEVER_HOT static __inline__ __attribute__((always_inline, unused))
#define LEVER_HELPER static __inline__ __attribute__((unused))
#define LEVER_MEMBER __inline__ __attribute__((always_inline))

#ifdef __cplusplus
extern "C" {
#endif

struct lever_head {
	unsigned int magic, version, listening, generation, count, stripes, shared, dropped;
};

struct lever_entry {
	unsigned long long hash;
	unsigned char kind;
	char name[LEVER_NAME_BYTES];
};

struct lever_points {
	struct lever_head head;
	unsigned long long trace;          /* address of the memory of a trace, or 0 */
	unsigned long long stamp;          /* of this program image */
	unsigned long long opens;          /* address of the stacks of open spans, or 0 */
	char trace_path[LEVER_PATH_BYTES]; /* where the memory of a trace is to be found */
	struct lever_entry entries[LEVER_POINTS_MOST];
	unsigned long long serials;   /* address of the serial numbers of open spans, or 0 */
	unsigned long long lock_word; /* from the thread pointer to what lock it waits for, or 0 */
	char pad[8192 - sizeof(struct lever_head) - 80 -
		 LEVER_POINTS_MOST * sizeof(struct lever_entry)];
	/* From here on, a forked child has zeros. */
	unsigned long long counts[LEVER_STRIPES][LEVER_POINTS_MOST];
	unsigned long long process;
	unsigned long long owner[LEVER_STRIPES];
	unsigned long long claim[LEVER_POINTS_MOST];
	unsigned char written[LEVER_POINTS_MOST];
	char process_pad[4096 - 8 - 8 * LEVER_STRIPES - 9 * LEVER_POINTS_MOST];
};

/* The open spans of each thread, as entries of their begins; a thread is found by its id. */
#define LEVER_OPENS 1024U
#define LEVER_OPEN_PROBES 16U
#define LEVER_OPEN_DEPTH 56U
struct lever_open {
	unsigned int tid, depth;
	unsigned char spans[LEVER_OPEN_DEPTH];
};
/* Serial numbers of open spans: how many spans the thread had begun. */
#define LEVER_SERIALS_DEPTH 15U
struct lever_span_serials {
	unsigned int begun;
	unsigned int at[LEVER_SERIALS_DEPTH]; /* of the outermost open spans */
};
/*
 * After so many ends without a begin, a span is taken to end in another thread, and is on no stack.
 */
#define LEVER_CROSSING 8U
struct lever_opens {
	unsigned char crossing[LEVER_POINTS_MOST]; /* consecutive ends without a begin */
	struct lever_open threads[LEVER_OPENS];
	struct lever_span_serials serials[LEVER_OPENS];
};

/*
 * The memory of a trace (src/wire/annotations.h): a head, names, and a ring of marks for each
 * thread. The engine makes it, and the constructor maps it where LEVER_TRACE names it.
 */
struct lever_name {
	unsigned long long hash;
	unsigned int is_written;
	unsigned int pad;
	char text[LEVER_TRACE_NAME_BYTES];
};

struct lever_trace_head {
	unsigned int magic, version, rings, ring_bytes;
	unsigned long long bytes;
	unsigned long long without_ring, without_name;
};

struct lever_trace {
	struct lever_trace_head head;
	char pad[LEVER_TRACE_HEAD_BYTES - sizeof(struct lever_trace_head)];
	struct lever_name names[LEVER_TRACE_NAMES];
};

struct lever_record {
	unsigned long long time, word;
};

struct lever_ring {
	unsigned long long owner, stamp, head, dropped, tail_seen;
	unsigned int mask, room, clock, is_left;
	unsigned long long is_over;
	unsigned long long tail, tail_pad[7];
	char pad_to_records[LEVER_TRACE_HEAD_BYTES - 128];
};

/* This thread's ring and its open spans, and of which process (page->process) they are. */
struct lever_track {
	unsigned long long process;
	struct lever_ring *ring;
	unsigned long long open_process;
	struct lever_open *open;
};
extern __thread struct lever_track lever_track __attribute__((tls_model(LEVER_TLS_MODEL)));
LEVER_SHARED_BY_OBJECT __thread struct lever_track lever_track
	__attribute__((tls_model(LEVER_TLS_MODEL))) = {0, 0, 0, 0};

/* Instead of the page until it is mapped: nothing listens. */
extern struct lever_head lever_unmapped;
LEVER_SHARED_BY_OBJECT struct lever_head lever_unmapped = {0, 0, 0, 0, 0, 0, 0, 0};

/* The head of the page of points. Never NULL. Written once, by the constructor. */
extern struct lever_head *lever_head;
LEVER_SHARED_BY_OBJECT struct lever_head *lever_head = &lever_unmapped;

/*
 * This thread's seat: the generation in which it was taken (high half) and the stripe. Without a
 * seat and in the shared stripe the high half is the generation's complement; no generation has
 * the high half that a new thread starts with.
 */
extern __thread unsigned long long lever_seat __attribute__((tls_model(LEVER_TLS_MODEL)));
LEVER_SHARED_BY_OBJECT __thread unsigned long long lever_seat
	__attribute__((tls_model(LEVER_TLS_MODEL))) = ~0ULL;

LEVER_COLD void lever_points_open(void) __attribute__((constructor(101)));
LEVER_COLD unsigned int lever_point_register(struct lever_points *page, const char *name,
					     unsigned char kind);
LEVER_COLD int lever_count_slowly(struct lever_points *page, unsigned int *site, const char *name,
				  unsigned char kind);
LEVER_COLD struct lever_ring *lever_ring_take(struct lever_points *page);
LEVER_COLD void lever_write_nowhere(struct lever_points *page, struct lever_ring *ring);
LEVER_COLD unsigned int lever_name_register(struct lever_points *page, const char *name);
LEVER_COLD struct lever_open *lever_open_take(struct lever_points *page);
LEVER_CALLED void lever_open_begin(struct lever_site *site, const char *name);
LEVER_CALLED void lever_open_end(struct lever_site *site, const char *name);
LEVER_CALLED void lever_write(struct lever_site *site, const char *name, unsigned int kind,
			      unsigned long long value);

/* A system call with up to six arguments. Returns its result or -errno. */
LEVER_HELPER long lever_system_call(long number, const long arguments[6])
{
#ifdef __x86_64__
	register long fourth __asm__("r10") = arguments[3];
	register long fifth __asm__("r8") = arguments[4];
	register long sixth __asm__("r9") = arguments[5];
	long result;

	__asm__ __volatile__("syscall"
			     : "=a"(result)
			     : "a"(number), "D"(arguments[0]), "S"(arguments[1]), "d"(arguments[2]),
			       "r"(fourth), "r"(fifth), "r"(sixth)
			     : "rcx", "r11", "cc", "memory");
	return result;
#elif defined(__riscv)
	register long which __asm__("a7") = number;
	register long first __asm__("a0") = arguments[0];
	register long second __asm__("a1") = arguments[1];
	register long third __asm__("a2") = arguments[2];
	register long fourth __asm__("a3") = arguments[3];
	register long fifth __asm__("a4") = arguments[4];
	register long sixth __asm__("a5") = arguments[5];

	__asm__ __volatile__("ecall"
			     : "+r"(first)
			     : "r"(which), "r"(second), "r"(third), "r"(fourth), "r"(fifth),
			       "r"(sixth)
			     : "memory");
	return first;
#else
	register long which __asm__("x8") = number;
	register long first __asm__("x0") = arguments[0];
	register long second __asm__("x1") = arguments[1];
	register long third __asm__("x2") = arguments[2];
	register long fourth __asm__("x3") = arguments[3];
	register long fifth __asm__("x4") = arguments[4];
	register long sixth __asm__("x5") = arguments[5];

	__asm__ __volatile__("svc #0"
			     : "+r"(first)
			     : "r"(which), "r"(second), "r"(third), "r"(fourth), "r"(fifth),
			       "r"(sixth)
			     : "cc", "memory");
	return first;
#endif
}

LEVER_HELPER long lever_call_1(long number, unsigned long first)
{
	const long arguments[6] = {(long)first, 0, 0, 0, 0, 0};
	return lever_system_call(number, arguments);
}

LEVER_HELPER long lever_call_3(long number, unsigned long first, unsigned long second,
			       unsigned long third)
{
	const long arguments[6] = {(long)first, (long)second, (long)third, 0, 0, 0};
	return lever_system_call(number, arguments);
}

/* Adds 1. No other thread adds here; a signal handler of this thread may. */
LEVER_HOT void lever_add_alone(unsigned long long *count)
{
#ifdef __x86_64__
	__asm__ __volatile__("{addq $1, %0|add %0, 1}" : "+m"(*count) : : "cc");
#else
	__atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
#endif
}

/* Counts a visit, listened to or not. Returns 0 if the point was dropped, else 1. */
LEVER_HOT int lever_count(struct lever_points *page, unsigned int *site, const char *name,
			  unsigned char kind)
{
	unsigned int index = __atomic_load_n(site, __ATOMIC_RELAXED) - 1;
	unsigned long long seat = __atomic_load_n(&lever_seat, __ATOMIC_RELAXED);
	unsigned long long process = __atomic_load_n(&page->process, __ATOMIC_RELAXED);

	if (__builtin_expect(index >= LEVER_POINTS_MOST || (seat ^ process) >> 32, 0))
		return lever_count_slowly(page, site, name, kind);
	lever_add_alone(&page->counts[(unsigned int)seat][index]);
	return 1;
}

/* LEVER_LISTEN_*; 0: nothing is measured. */
LEVER_HOT unsigned int lever_listening(void)
{
	return __atomic_load_n(&lever_head->listening, __ATOMIC_RELAXED);
}

/*
 * A visit; `kind` is LEVER_POINT_* with bits of LEVER_MARK_*. Returns LEVER_LISTEN_* of the uses
 * that have recorded it.
 */
LEVER_HOT unsigned int lever_visit_with(struct lever_site *site, const char *name,
					unsigned int kind, unsigned long long value)
{
	unsigned int listening = lever_listening(), recorded = listening & LEVER_LISTEN_TRACE;

	if (__builtin_expect(recorded != 0, 0))
		lever_write(site, name, kind, value);
	if (__builtin_expect((listening & LEVER_LISTEN_SPANS) != 0, 0)) {
		recorded |= LEVER_LISTEN_SPANS;
		if ((kind & LEVER_MARK_KINDS) == LEVER_POINT_BEGIN)
			lever_open_begin(site, name);
		else if ((kind & LEVER_MARK_KINDS) == LEVER_POINT_END)
			lever_open_end(site, name);
	}
	if (listening & LEVER_LISTEN_COUNT &&
	    lever_count((struct lever_points *)lever_head, &site->point, name,
			(unsigned char)(kind & LEVER_MARK_KINDS)))
		recorded |= LEVER_LISTEN_COUNT;
	return recorded;
}

/* A visit without a value. Returns as lever_visit_with. */
LEVER_HOT unsigned int lever_visit(struct lever_site *site, const char *name, unsigned char kind)
{
	return lever_listening() ? lever_visit_with(site, name, kind, 0) : 0;
}

/* What is on the timeline only. */
LEVER_HOT void lever_mark(struct lever_site *site, const char *name, unsigned int kind,
			  unsigned long long value)
{
	if (lever_listening() & LEVER_LISTEN_TRACE)
		lever_write(site, name, kind, value);
}

/* The page of points, or NULL if this process has none. */
LEVER_HELPER struct lever_points *lever_points_page(void)
{
	return lever_head == &lever_unmapped ? NULL : (struct lever_points *)lever_head;
}

/* Maps fresh memory for a page. Returns where it is, or -errno: -EEXIST where something else is. */
LEVER_HELPER long lever_memory_map(unsigned long address)
{
	/* PROT_READ|WRITE; MAP_PRIVATE|ANONYMOUS|NORESERVE|FIXED_NOREPLACE: <sys/mman.h> hides
	 * some of them from -std=c99. */
	const long arguments[6] = {(long)address,
				   sizeof(struct lever_points),
				   0x1 | 0x2,
				   0x2 | 0x20 | 0x4000 | 0x100000,
				   -1,
				   0};
	return lever_system_call(SYS_mmap, arguments);
}

LEVER_HELPER void lever_memory_unmap(long address)
{
	if (address > 0)
		lever_call_3(SYS_munmap, (unsigned long)address, sizeof(struct lever_points), 0);
}

/* Whether reading at the address is safe: the kernel reads it before it sees the nonsense. */
LEVER_HELPER int lever_memory_is_readable(unsigned long address)
{
	const long arguments[6] = {-1, (long)address, 0, 8, 0, 0};
	const long bad_address = -14; /* -EFAULT */
	return lever_system_call(SYS_rt_sigprocmask, arguments) != bad_address;
}

/* The page that another part of the program has mapped at the address, or NULL. */
LEVER_HELPER struct lever_points *lever_points_find(unsigned long address)
{
	struct lever_points *page = (struct lever_points *)address;
	long fresh = lever_memory_map(address);

	lever_memory_unmap(fresh);
	if (fresh > 0 || !lever_memory_is_readable(address))
		return NULL;
	if (__atomic_load_n(&page->head.magic, __ATOMIC_ACQUIRE) != LEVER_POINTS_MAGIC ||
	    page->head.version != LEVER_POINTS_VERSION)
		return NULL;
	return page;
}

/*
 * The generation (high half) and the id of the process that counts in this memory. It is 0 after a
 * fork, and the first visit begins a new generation. The counter of generations is inherited, so
 * they are unique in a line of ancestors, and a seat from before a fork is recognised as old. A
 * child of vfork or of clone with CLONE_VM is in its parent's generation.
 */
LEVER_HELPER unsigned long long lever_process_begin(struct lever_points *page)
{
	unsigned long long process = __atomic_load_n(&page->process, __ATOMIC_ACQUIRE), mine;

	if (process)
		return process;
	mine = __atomic_add_fetch(&page->head.generation, 1, __ATOMIC_RELAXED);
	mine = mine << 32 | (unsigned long long)lever_call_1(SYS_getpid, 0);
	if (__atomic_compare_exchange_n(&page->process, &process, mine, 0, __ATOMIC_ACQ_REL,
					__ATOMIC_ACQUIRE))
		return mine;
	return process;
}

/* NULL in a set-user-ID program and the like, whose caller must not choose what it maps. */
LEVER_HELPER const char *lever_environment(const char *name)
{
	return getauxval(AT_SECURE) ? (const char *)0 : getenv(name);
}

/* The environment variable LEVER_LISTEN, as a number. */
LEVER_HELPER unsigned int lever_listen_asked(void)
{
	const char *listen = lever_environment("LEVER_LISTEN");

	return listen && listen[0] > '0' && listen[0] <= '7' && !listen[1] ?
		       (unsigned int)(listen[0] - '0') :
		       0;
}

/* A cheap clock; the engine converts it. */
LEVER_HOT unsigned long long lever_ticks(void)
{
#ifdef __x86_64__
	return __builtin_ia32_rdtsc();
#else
	unsigned long long ticks;
#ifdef __riscv
	__asm__ __volatile__("rdtime %0" : "=r"(ticks));
#else
	__asm__ __volatile__("mrs %0, cntvct_el0" : "=r"(ticks));
#endif
	return ticks;
#endif
}

/* Maps the engine's memory for marks. Returns whether it is mapped. */
LEVER_HELPER int lever_trace_map(struct lever_points *page, const char *path)
{
	struct lever_trace_head head;
	const long at_fdcwd = -100, read_write_cloexec = 02 | 02000000;
	const long open[6] = {at_fdcwd, (long)path, read_write_cloexec, 0, 0, 0};
	long descriptor = path && *path ? lever_system_call(SYS_openat, open) : -1, memory;
	unsigned long long none = 0;

	if (descriptor < 0)
		return 0;
	if (lever_call_3(SYS_read, (unsigned long)descriptor, (unsigned long)&head, sizeof(head)) ==
		    sizeof(head) &&
	    head.magic == LEVER_TRACE_MAGIC && head.version == LEVER_TRACE_VERSION) {
		/* PROT_READ|WRITE; MAP_SHARED */
		const long map[6] = {0, (long)head.bytes, 0x1 | 0x2, 0x1, descriptor, 0};
		memory = lever_system_call(SYS_mmap, map);
		if (memory > 0) {
			const unsigned long dont_dump = 16; /* MADV_DONTDUMP */
			lever_call_3(SYS_madvise, (unsigned long)memory, head.bytes, dont_dump);
			/* Another thread may have mapped it first. */
			if (!__atomic_compare_exchange_n(&page->trace, &none,
							 (unsigned long long)memory, 0,
							 __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
				lever_call_3(SYS_munmap, (unsigned long)memory, head.bytes, 0);
		}
	}
	lever_call_1(SYS_close, (unsigned long)descriptor);
	return page->trace != 0;
}

LEVER_HELPER void lever_path_keep(struct lever_points *page, const char *path)
{
	unsigned int i;

	for (i = 0; path && path[i] && i + 1 < LEVER_PATH_BYTES; i++)
		page->trace_path[i] = path[i];
}

/* The engine has ended, or its memory is not for this process. */
LEVER_HELPER void lever_trace_forget(struct lever_points *page)
{
	__atomic_fetch_and(&page->head.listening, ~LEVER_LISTEN_TRACE, __ATOMIC_RELAXED);
}

/* Maps the page at the address. NULL: that is not possible. */
LEVER_HELPER struct lever_points *lever_points_make(unsigned long address)
{
	struct lever_points *page = (struct lever_points *)address;
	long fresh = lever_memory_map(address);
	unsigned long wiped_bytes = sizeof(page->counts) + 4096;
	const unsigned long wipe_on_fork = 18; /* MADV_WIPEONFORK */
	unsigned int listening = lever_listen_asked();

	/* Before Linux 4.17 the kernel may choose another address. */
	if (fresh != (long)address ||
	    lever_call_3(SYS_madvise, (unsigned long)page->counts, wiped_bytes, wipe_on_fork)) {
		lever_memory_unmap(fresh);
		return NULL;
	}
	page->head.version = LEVER_POINTS_VERSION;
	lever_process_begin(page);
	page->stamp = lever_ticks();
	if (listening & LEVER_LISTEN_TRACE) {
		lever_path_keep(page, lever_environment("LEVER_TRACE"));
		if (!lever_trace_map(page, page->trace_path))
			listening &= ~LEVER_LISTEN_TRACE;
	}
	page->head.listening = listening;
	__atomic_store_n(&page->head.magic, LEVER_POINTS_MAGIC, __ATOMIC_RELEASE);
	return page;
}

/* Runs before main, once for each source file that includes this header. */
void lever_points_open(void)
{
	struct lever_points *page;

	if (lever_head != &lever_unmapped)
		return;
	page = lever_points_find(LEVER_POINTS_ADDRESS);
	if (!page)
		page = lever_points_find(LEVER_POINTS_ADDRESS_OTHER);
	if (!page)
		page = lever_points_make(LEVER_POINTS_ADDRESS);
	if (!page)
		page = lever_points_make(LEVER_POINTS_ADDRESS_OTHER);
	if (page)
		lever_head = &page->head;
}

LEVER_HELPER void lever_raise(unsigned int *mark, unsigned int to)
{
	unsigned int was = __atomic_load_n(mark, __ATOMIC_RELAXED);

	while (was < to &&
	       !__atomic_compare_exchange_n(mark, &was, to, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
}

/* FNV-1a, 64 bits. */
LEVER_HELPER unsigned long long lever_name_hash(const char *name, unsigned char kind)
{
	const unsigned long long prime = 0x100000001b3ULL;
	unsigned long long hash = (0xcbf29ce484222325ULL ^ kind) * prime;

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * prime;
	return hash ? hash : 1;
}

/*
 * Writes an entry. Of a name that is too long, leading directories are cut ("/long/path/main.c:42"
 * must keep its end), or else its end. Two threads that write the entry at once write the same.
 */
LEVER_HELPER void lever_entry_write(struct lever_entry *entry, unsigned long long hash,
				    const char *name, unsigned char kind)
{
	const char *start = name, *end = name + __builtin_strlen(name);
	unsigned int i;

	while (start < end &&
	       (end - start >= (long)LEVER_NAME_BYTES || (start > name && start[-1] != '/')))
		start++;
	if (start == end)
		start = name;
	for (i = 0; i + 1 < LEVER_NAME_BYTES && start[i]; i++)
		__atomic_store_n(&entry->name[i], start[i], __ATOMIC_RELAXED);
	for (; i < LEVER_NAME_BYTES; i++)
		__atomic_store_n(&entry->name[i], (char)0, __ATOMIC_RELAXED);
	__atomic_store_n(&entry->kind, kind, __ATOMIC_RELAXED);
	__atomic_store_n(&entry->hash, hash, __ATOMIC_RELAXED);
}

/* Marks an entry as complete, and moves count over all complete entries. */
LEVER_HELPER void lever_entry_publish(struct lever_points *page, unsigned int index)
{
	unsigned int count;

	__atomic_store_n(&page->written[index], (unsigned char)1, __ATOMIC_SEQ_CST);
	count = __atomic_load_n(&page->head.count, __ATOMIC_SEQ_CST);
	while (count < LEVER_POINTS_MOST &&
	       __atomic_load_n(&page->written[count], __ATOMIC_SEQ_CST)) {
		lever_raise(&page->head.count, count + 1);
		count = __atomic_load_n(&page->head.count, __ATOMIC_SEQ_CST);
	}
}

/*
 * Finds or adds the entry of a name. Returns its index, or LEVER_POINTS_MOST if none is free.
 *
 * Many threads may do this at once. An entry below count never changes. An entry above belongs to
 * the first hash in its claim; claims stay, so all threads of a process find the same entry for the
 * same name. A fork clears the claims: in the child, entries above count are free.
 */
unsigned int lever_point_register(struct lever_points *page, const char *name, unsigned char kind)
{
	unsigned long long hash = lever_name_hash(name, kind), found;
	unsigned int i;

	for (i = 0; i < LEVER_POINTS_MOST; i++) {
		if (i < __atomic_load_n(&page->head.count, __ATOMIC_ACQUIRE)) {
			if (__atomic_load_n(&page->entries[i].hash, __ATOMIC_RELAXED) == hash)
				return i;
			continue;
		}
		found = 0;
		if (!__atomic_compare_exchange_n(&page->claim[i], &found, hash, 0, __ATOMIC_ACQ_REL,
						 __ATOMIC_ACQUIRE) &&
		    found != hash)
			continue;
		lever_entry_write(&page->entries[i], hash, name, kind);
		lever_entry_publish(page, i);
		return i;
	}
	__atomic_fetch_add(&page->head.dropped, 1, __ATOMIC_RELAXED);
	return LEVER_POINTS_MOST;
}

/*
 * The value for a site. 0 for an entry above count, which waits for an earlier one of another
 * thread: a child that is forked now would find it free.
 */
LEVER_HELPER unsigned int lever_site_register(struct lever_points *page, unsigned int *site,
					      const char *name, unsigned char kind)
{
	unsigned int registered = lever_point_register(page, name, kind) + 1;

	if (registered > LEVER_POINTS_MOST)
		registered = LEVER_SITE_DROPPED;
	if (registered == LEVER_SITE_DROPPED ||
	    registered <= __atomic_load_n(&page->head.count, __ATOMIC_ACQUIRE))
		__atomic_store_n(site, registered, __ATOMIC_RELAXED);
	return registered;
}

LEVER_HELPER int lever_thread_is_gone(unsigned int pid, unsigned int tid)
{
	const long no_such_thread = -3; /* -ESRCH */
	return lever_call_3(SYS_tgkill, pid, tid, 0) == no_such_thread;
}

/*
 * Makes the thread the owner of a stripe of `before`. Fails if the stripe has another owner by now.
 * An owner is a thread id and, in the high half, the number of times that the stripe has been
 * taken, since ids are reused and the exchange must fail then.
 */
LEVER_HELPER int lever_stripe_own(struct lever_points *page, unsigned int stripe,
				  unsigned long long owner, unsigned int tid)
{
	unsigned long long mine = ((owner >> 32) + 1) << 32 | tid;

	if (!__atomic_compare_exchange_n(&page->owner[stripe], &owner, mine, 0, __ATOMIC_ACQ_REL,
					 __ATOMIC_RELAXED))
		return 0;
	lever_raise(&page->head.stripes, stripe + 1);
	return 1;
}

/*
 * Takes a stripe: the one that the thread has in another library, else a free one or one whose
 * owner has ended; its counts continue. The shared one if there is none.
 */
LEVER_HELPER unsigned int lever_stripe_take(struct lever_points *page, unsigned int pid)
{
	unsigned int tid = (unsigned int)lever_call_1(SYS_gettid, 0), stripe, other;
	unsigned long long owner;

	for (stripe = 0; stripe < LEVER_SHARED_STRIPE; stripe++) {
		owner = __atomic_load_n(&page->owner[stripe], __ATOMIC_ACQUIRE);
		if ((unsigned int)owner == tid && lever_stripe_own(page, stripe, owner, tid))
			return stripe;
	}
	for (stripe = 0; stripe < LEVER_SHARED_STRIPE; stripe++) {
		owner = __atomic_load_n(&page->owner[stripe], __ATOMIC_ACQUIRE);
		other = (unsigned int)owner;
		if ((!other || other == tid || lever_thread_is_gone(pid, other)) &&
		    lever_stripe_own(page, stripe, owner, tid))
			return stripe;
	}
	return LEVER_SHARED_STRIPE;
}

/*
 * The stripe in which the calling thread counts. The child of a vfork has the thread-local memory
 * of its parent, which must not own a stripe by the child's id: a process that did not begin the
 * generation uses the shared stripe.
 */
LEVER_HELPER unsigned int lever_stripe_of_thread(struct lever_points *page)
{
	unsigned long long process = lever_process_begin(page);
	unsigned int generation = (unsigned int)(process >> 32), pid = (unsigned int)process;
	unsigned long long seat = __atomic_load_n(&lever_seat, __ATOMIC_RELAXED);
	unsigned int stripe;

	if (seat >> 32 == generation || seat >> 32 == (unsigned int)~generation)
		return (unsigned int)seat;
	if (lever_call_1(SYS_getpid, 0) != (long)pid)
		return LEVER_SHARED_STRIPE;
	stripe = lever_stripe_take(page, pid);
	if (stripe == LEVER_SHARED_STRIPE)
		generation = ~generation;
	__atomic_store_n(&lever_seat, (unsigned long long)generation << 32 | stripe,
			 __ATOMIC_RELAXED);
	return stripe;
}

int lever_count_slowly(struct lever_points *page, unsigned int *site, const char *name,
		       unsigned char kind)
{
	unsigned int registered = __atomic_load_n(site, __ATOMIC_RELAXED), stripe;

	if (!registered)
		registered = lever_site_register(page, site, name, kind);
	if (registered == LEVER_SITE_DROPPED)
		return 0;
	stripe = lever_stripe_of_thread(page);
	if (stripe != LEVER_SHARED_STRIPE) {
		lever_add_alone(&page->counts[stripe][registered - 1]);
		return 1;
	}
	lever_raise(&page->head.shared, 1);
	__atomic_fetch_add(&page->counts[LEVER_SHARED_STRIPE][registered - 1], 1, __ATOMIC_RELAXED);
	return 1;
}

/* Maps the stacks of open spans, once. NULL if there is no memory. */
LEVER_HELPER struct lever_opens *lever_opens_make(struct lever_points *page)
{
	/* PROT_READ|WRITE; MAP_PRIVATE|ANONYMOUS|NORESERVE */
	const long map[6] = {0, sizeof(struct lever_opens), 0x1 | 0x2, 0x2 | 0x20 | 0x4000, -1, 0};
	const unsigned long wipe_on_fork = 18; /* MADV_WIPEONFORK */
	unsigned long long opens = __atomic_load_n(&page->opens, __ATOMIC_ACQUIRE), none = 0;
	long memory;

	if (opens)
		return (struct lever_opens *)opens;
	memory = lever_system_call(SYS_mmap, map);
	if (memory <= 0)
		return 0;
	lever_call_3(SYS_madvise, (unsigned long)memory, sizeof(struct lever_opens), wipe_on_fork);
	if (__atomic_compare_exchange_n(&page->opens, &none, (unsigned long long)memory, 0,
					__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
		opens = (unsigned long long)((struct lever_opens *)memory)->serials;
		__atomic_store_n(&page->serials, opens, __ATOMIC_RELEASE);
		return (struct lever_opens *)memory;
	}
	lever_call_3(SYS_munmap, (unsigned long)memory, sizeof(struct lever_opens), 0);
	return (struct lever_opens *)none;
}

/* The calling thread's entry: its own, a free one, or that of a thread that has ended. */
struct lever_open *lever_open_take(struct lever_points *page)
{
	unsigned long long process = lever_process_begin(page);
	struct lever_opens *opens = lever_opens_make(page);
	unsigned int tid = (unsigned int)lever_call_1(SYS_gettid, 0), probe, was;
	struct lever_open *open = 0, *other;

	for (probe = 0; opens && !open && probe < LEVER_OPEN_PROBES; probe++) {
		other = &opens->threads[(tid + probe) % LEVER_OPENS];
		was = __atomic_load_n(&other->tid, __ATOMIC_ACQUIRE);
		if (was != tid && was && !lever_thread_is_gone((unsigned int)process, was))
			continue;
		if (__atomic_compare_exchange_n(&other->tid, &was, tid, 0, __ATOMIC_ACQ_REL,
						__ATOMIC_RELAXED))
			open = other;
	}
	if (open)
		__atomic_store_n(&open->depth, 0U, __ATOMIC_RELEASE);
	lever_track.open = open;
	lever_track.open_process = process;
	return open;
}

/* The thread's open spans and the entry of this one, or NULL. */
LEVER_HELPER struct lever_open *lever_open_of(struct lever_points *page, struct lever_site *site,
					      const char *name, unsigned int *entry)
{
	unsigned int registered = __atomic_load_n(&site->span, __ATOMIC_RELAXED);

	if (!registered)
		registered = lever_site_register(page, &site->span, name, LEVER_POINT_BEGIN);
	*entry = registered - 1;
	if (registered == LEVER_SITE_DROPPED)
		return 0;
	if (lever_track.open_process == __atomic_load_n(&page->process, __ATOMIC_RELAXED))
		return lever_track.open;
	return lever_open_take(page);
}

/* None, if a library with an older lever.h has mapped the memory. */
LEVER_HELPER void lever_span_serials_begin(struct lever_points *page, const struct lever_open *open,
					   unsigned int depth)
{
	struct lever_span_serials *serials = (struct lever_span_serials *)page->serials, *of_thread;

	if (!serials || depth >= LEVER_SERIALS_DEPTH)
		return;
	of_thread = &serials[open - ((struct lever_opens *)page->opens)->threads];
	__atomic_store_n(&of_thread->at[depth], ++of_thread->begun, __ATOMIC_RELAXED);
}

/* The engine reads at any time: first the entry is written, then the depth that includes it. */
void lever_open_begin(struct lever_site *site, const char *name)
{
	struct lever_points *page = (struct lever_points *)lever_head;
	unsigned int entry, depth;
	struct lever_open *open = lever_open_of(page, site, name, &entry);
	const unsigned char *crossing;

	if (!open)
		return;
	crossing = ((struct lever_opens *)page->opens)->crossing;
	/* Spans that end in another thread would stay on the stack. */
	for (depth = open->depth; depth && depth <= LEVER_OPEN_DEPTH &&
				  crossing[open->spans[depth - 1]] >= LEVER_CROSSING;)
		depth--;
	if (crossing[entry] < LEVER_CROSSING) {
		if (depth < LEVER_OPEN_DEPTH)
			__atomic_store_n(&open->spans[depth], (unsigned char)entry,
					 __ATOMIC_RELAXED);
		lever_span_serials_begin(page, open, depth);
		depth++;
	}
	__atomic_store_n(&open->depth, depth, __ATOMIC_RELEASE);
}

/* Ends the innermost span of this name, and the spans within it. */
void lever_open_end(struct lever_site *site, const char *name)
{
	struct lever_points *page = (struct lever_points *)lever_head;
	unsigned int entry, depth;
	struct lever_open *open = lever_open_of(page, site, name, &entry);
	unsigned char *crossing;

	if (!open)
		return;
	crossing = &((struct lever_opens *)page->opens)->crossing[entry];
	if (*crossing >= LEVER_CROSSING)
		return;
	depth = open->depth;
	if (depth > LEVER_OPEN_DEPTH) {
		__atomic_store_n(&open->depth, depth - 1, __ATOMIC_RELEASE);
		return;
	}
	while (depth && open->spans[depth - 1] != entry)
		depth--;
	if (!depth) {
		++*crossing;
		return;
	}
	__atomic_store_n(&open->depth, depth - 1, __ATOMIC_RELEASE);
	if (*crossing)
		*crossing = 0;
}

LEVER_HELPER struct lever_ring *lever_ring_at(struct lever_trace *trace, unsigned int index)
{
	return (struct lever_ring *)((char *)trace + sizeof(*trace) +
				     (unsigned long)index * trace->head.ring_bytes);
}

/*
 * The ring of the calling thread: the one that it has in another library, else a free one. A ring
 * from before an exec is given up. NULL: there is none, or the process is a child of vfork, which
 * has its parent's thread-local memory.
 */
LEVER_HELPER struct lever_ring *lever_ring_find(struct lever_points *page, unsigned long long mine)
{
	struct lever_trace *trace = (struct lever_trace *)page->trace;
	struct lever_ring *ring;
	unsigned long long owner;
	unsigned int i;

	for (i = 0; i < trace->head.rings; i++) {
		ring = lever_ring_at(trace, i);
		if (__atomic_load_n(&ring->owner, __ATOMIC_ACQUIRE) != mine)
			continue;
		if (ring->stamp == page->stamp)
			return ring;
		__atomic_store_n(&ring->is_left, 1U, __ATOMIC_RELEASE);
	}
	for (i = 0; i < trace->head.rings; i++) {
		ring = lever_ring_at(trace, i);
		owner = 0;
		if (!__atomic_load_n(&ring->owner, __ATOMIC_RELAXED) &&
		    __atomic_compare_exchange_n(&ring->owner, &owner, mine, 0, __ATOMIC_ACQ_REL,
						__ATOMIC_RELAXED)) {
			ring->stamp = page->stamp;
			return ring;
		}
	}
	return 0;
}

/* True if the process has the same id in the engine's namespace. */
LEVER_HELPER int lever_process_is_known(unsigned int pid)
{
	char target[16] = "";
	const long at_fdcwd = -100;
	const long arguments[6] = {
		at_fdcwd, (long)"/proc/self", (long)target, (long)sizeof(target) - 1, 0, 0};
	unsigned int i, known = 0;

	if (lever_system_call(SYS_readlinkat, arguments) <= 0)
		return 0;
	for (i = 0; target[i] >= '0' && target[i] <= '9'; i++)
		known = known * 10 + (unsigned int)(target[i] - '0');
	return known == pid;
}

struct lever_ring *lever_ring_take(struct lever_points *page)
{
	unsigned long long process = lever_process_begin(page);
	unsigned int pid = (unsigned int)process;
	struct lever_trace *trace;
	struct lever_ring *ring = 0;

	/* An engine that has attached later has written its path. */
	if (!__atomic_load_n(&page->trace, __ATOMIC_ACQUIRE) &&
	    !lever_trace_map(page, page->trace_path)) {
		lever_trace_forget(page);
		return 0;
	}
	trace = (struct lever_trace *)__atomic_load_n(&page->trace, __ATOMIC_ACQUIRE);
	if (!trace)
		return 0;
	if (lever_track.process == process && lever_track.ring)
		return lever_track.ring;
	/* After a failure, only one mark in a thousand tries again. */
	if (lever_track.process == process &&
	    __atomic_add_fetch(&trace->head.without_ring, 1, __ATOMIC_RELAXED) % 1024)
		return 0;
	if (lever_call_1(SYS_getpid, 0) == (long)pid) {
		if (lever_process_is_known(pid))
			ring = lever_ring_find(page,
					       (unsigned long long)pid << 32 |
						       (unsigned long long)lever_call_1(SYS_gettid,
											0));
		if (!ring && lever_track.process != process)
			__atomic_fetch_add(&trace->head.without_ring, 1, __ATOMIC_RELAXED);
		lever_track.ring = ring;
		lever_track.process = process;
	} else if (lever_track.process != process) {
		__atomic_fetch_add(&trace->head.without_ring, 1, __ATOMIC_RELAXED);
	}
	return ring;
}

/*
 * Finds or adds a name; 1 + its index, or 0 if there is no room. The first hash has the entry;
 * threads that find the text missing write the same.
 */
unsigned int lever_name_register(struct lever_points *page, const char *name)
{
	struct lever_trace *trace = (struct lever_trace *)page->trace;
	unsigned long long hash = lever_name_hash(name, 0), found;
	unsigned int probe, i, index;
	struct lever_name *entry;

	for (probe = 0; trace && probe < 256; probe++) {
		index = (unsigned int)((hash + probe) % LEVER_TRACE_NAMES);
		entry = &trace->names[index];
		found = 0;
		if (!__atomic_compare_exchange_n(&entry->hash, &found, hash, 0, __ATOMIC_ACQ_REL,
						 __ATOMIC_ACQUIRE) &&
		    found != hash)
			continue;
		if (!__atomic_load_n(&entry->is_written, __ATOMIC_ACQUIRE)) {
			for (i = 0; i + 1 < LEVER_TRACE_NAME_BYTES && name[i]; i++)
				__atomic_store_n(&entry->text[i], name[i], __ATOMIC_RELAXED);
			__atomic_store_n(&entry->is_written, 1U, __ATOMIC_RELEASE);
		}
		return index + 1;
	}
	if (trace)
		__atomic_fetch_add(&trace->head.without_name, 1, __ATOMIC_RELAXED);
	return 0;
}

/* A text as the value of a mark: 1 + the index of its name. */
LEVER_HELPER unsigned long long lever_text(const char *text)
{
	if (!(lever_listening() & LEVER_LISTEN_TRACE))
		return 0;
	return lever_name_register((struct lever_points *)lever_head, text ? text : "");
}

/* Adds, and returns the value before. Only this thread and its signal handlers add here. */
LEVER_HOT unsigned long long lever_take_alone(unsigned long long *count, unsigned long long by)
{
#ifdef __x86_64__
	__asm__ __volatile__("{xaddq %0, %1|xadd %1, %0}" : "+r"(by), "+m"(*count) : : "cc");
	return by;
#else
	return __atomic_fetch_add(count, by, __ATOMIC_RELAXED);
#endif
}

/* Nanoseconds, where the cheap clock is not constant (ring->clock). */
LEVER_HELPER unsigned long long lever_nanoseconds(void)
{
	long time[2] = {0, 0};

	lever_call_3(SYS_clock_gettime, 1 /* CLOCK_MONOTONIC */, (unsigned long)time, 0);
	return (unsigned long long)time[0] * 1000000000ULL + (unsigned long long)time[1];
}

/* The bit of the lap marks the record as complete: see src/wire/annotations.h. */
LEVER_HOT void lever_record_write(struct lever_ring *ring, unsigned long long at,
				  unsigned long long time, unsigned long long word)
{
	struct lever_record *record = (struct lever_record *)(ring + 1) + (at & ring->mask);

	/* The engine has read the next cache lines: they are fetched before they are written. */
	__builtin_prefetch(record + 32, 1);
	__atomic_store_n(&record->time, time, __ATOMIC_RELAXED);
	__atomic_store_n(&record->word, word | !(at & ((unsigned long long)ring->mask + 1)),
			 __ATOMIC_RELEASE);
}

/*
 * A mark without room: it is dropped, or the engine has ended, which is checked now and then. Then
 * the thread takes another ring when an engine attaches again.
 */
void lever_write_nowhere(struct lever_points *page, struct lever_ring *ring)
{
	const long at_fdcwd = -100;
	const long arguments[6] = {at_fdcwd, (long)page->trace_path, 0, 0, 0, 0};

	if (!__atomic_load_n(&ring->is_over, __ATOMIC_ACQUIRE)) {
		lever_add_alone(&ring->dropped);
		if (ring->dropped % 65536 || !lever_system_call(SYS_faccessat, arguments))
			return;
		lever_trace_forget(page);
	}
	lever_track.ring = 0;
	lever_track.process = 0;
}

/*
 * Writes a mark into this thread's ring, or counts it as dropped. 64 records are kept free for
 * signal handlers that run between the check and the reservation.
 */
void lever_write(struct lever_site *site, const char *name, unsigned int kind,
		 unsigned long long value)
{
	struct lever_points *page = (struct lever_points *)lever_head;
	struct lever_ring *ring = lever_track.ring;
	unsigned int name_id = __atomic_load_n(&site->name, __ATOMIC_RELAXED);
	unsigned long long at, time, is_wide = value >> 32 != 0;

	if (__builtin_expect(!ring || lever_track.process !=
					      __atomic_load_n(&page->process, __ATOMIC_RELAXED),
			     0)) {
		ring = lever_ring_take(page);
		if (!ring)
			return;
	}
	if (__builtin_expect(!name_id, 0)) {
		name_id = lever_name_register(page, name);
		if (!name_id)
			return;
		__atomic_store_n(&site->name, name_id, __ATOMIC_RELAXED);
	}
	at = __atomic_load_n(&ring->head, __ATOMIC_RELAXED);
	if (__builtin_expect(at - ring->tail_seen > ring->room, 0)) {
		ring->tail_seen = __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE);
		if (at - ring->tail_seen > ring->room) {
			lever_write_nowhere(page, ring);
			return;
		}
	}
	at = lever_take_alone(&ring->head, 1 + is_wide);
#ifndef __x86_64__
	/* A reader of an overwritten record must see it by head. */
	if (ring->room == LEVER_ROOM_ANY)
		__atomic_thread_fence(__ATOMIC_RELEASE);
#endif
	time = __builtin_expect(ring->clock != 0, 0) ? lever_nanoseconds() : lever_ticks();
	lever_record_write(ring, at, time,
			   (value & 0xffffffffULL) << 32 | (unsigned long long)(name_id - 1) << 16 |
				   (kind | (is_wide ? LEVER_MARK_WIDE : 0)) << 1);
	if (is_wide)
		lever_record_write(ring, at + 1, value, LEVER_MARK_CONTINUED << 1);
}

/* The end of a span goes where its begin went. */
LEVER_HOT void lever_span_end(struct lever_site *site, const char *name, unsigned int begun)
{
	if (begun & LEVER_LISTEN_TRACE)
		lever_write(site, name, LEVER_POINT_END, 0);
	if (begun & LEVER_LISTEN_SPANS)
		lever_open_end(site, name);
	if (begun & LEVER_LISTEN_COUNT)
		lever_count((struct lever_points *)lever_head, &site->point, name, LEVER_POINT_END);
}

#ifdef __cplusplus
} /* extern "C" */

class lever_span
{
      public:
	LEVER_MEMBER lever_span(struct lever_site *begin, struct lever_site *end,
				const char *span_name, unsigned int flag, unsigned long long value)
	    : site(end), name(span_name),
	      begun(lever_listening() ?
			    lever_visit_with(begin, span_name, LEVER_POINT_BEGIN | flag, value) :
			    0)
	{
	}
	LEVER_MEMBER ~lever_span()
	{
		if (__builtin_expect(begun != 0, 0))
			lever_span_end(site, name, begun);
	}
	lever_span(const lever_span &) = delete;
	lever_span &operator=(const lever_span &) = delete;

      private:
	struct lever_site *site;
	const char *name;
	unsigned int begun;
};
#else
struct lever_span {
	struct lever_site *site;
	const char *name;
	unsigned int begun;
};

LEVER_HOT struct lever_span lever_span_enter(struct lever_site *begin, struct lever_site *end,
					     const char *name, unsigned int flag,
					     unsigned long long value)
{
	struct lever_span span = {end, name, 0};

	if (__builtin_expect(lever_listening() != 0, 0))
		span.begun = lever_visit_with(begin, name, LEVER_POINT_BEGIN | flag, value);
	return span;
}

LEVER_HOT void lever_span_leave(const struct lever_span *span)
{
	if (__builtin_expect(span->begun != 0, 0))
		lever_span_end(span->site, span->name, span->begun);
}
#endif

#endif /* LEVER_ENABLED */
#endif /* LEVER_H */

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * points - lever.h in one process and its children: nothing is lost, nothing is counted twice,
 * nothing of the program's is touched.
 */
#include <lever.h>

#include "check.h"
#include "reader.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>

#define THREADS_MOST 128

static void listen_now(unsigned listening)
{
	reader_own()->names.listening = listening;
}

/* Runs it in a child and returns what it returns (0 to 99), or 100 and more if it dies. */
static int in_child(int (*function)(void))
{
	int status = 0;
	fflush(stdout);
	pid_t pid = fork();
	if (pid < 0)
		return 100;
	if (!pid) {
		alarm(60);
		_exit(function());
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 100 + WTERMSIG(status);
}

static void *count_many(void *times)
{
	for (long i = 0; i < (long)times; i++)
		LEVER_PROGRESS_NAMED("many");
	return NULL;
}

/* Returns how many threads ran. */
static unsigned threads_run(unsigned threads, void *(*function)(void *), long argument)
{
	pthread_t thread[THREADS_MOST];
	unsigned started = 0;
	while (started < threads &&
	       !pthread_create(&thread[started], NULL, function, (void *)argument))
		started++;
	for (unsigned i = 0; i < started; i++)
		pthread_join(thread[i], NULL);
	return started;
}

TEST("the page is mapped before main, at the known address")
{
	struct points_page page;
	CHECK(reader_copy(getpid(), &page));
	CHECK(reader_own());
}

TEST("nothing is counted or registered without LEVER_LISTEN")
{
	listen_now(0);
	unsigned count = reader_own()->names.count;
	count_many((void *)10);
	{
		LEVER_SPAN("silent span");
	}
	CHECK_EQUAL(reader_own()->names.count, count);
	CHECK_EQUAL(reader_progress("many"), 0);
}

TEST("one thread's visits are all counted")
{
	listen_now(1);
	count_many((void *)100000);
	CHECK_EQUAL(reader_progress("many"), 100000);
	CHECK_EQUAL(reader_own()->names.stripes, 1);
	CHECK_EQUAL(reader_own()->names.shared, 0);
}

TEST("a point without a name is named after its file and line")
{
	const int line = __LINE__ + 1;
	LEVER_PROGRESS;
	const char *file = strrchr(__FILE__, '/') ? strrchr(__FILE__, '/') + 1 : __FILE__;
	const char *last = reader_own()->names.entries[reader_own()->names.count - 1].name;
	char wanted[100];
	snprintf(wanted, sizeof(wanted), "%s:%d", file, line);
	CHECK(strlen(last) >= strlen(wanted));
	CHECK_TEXT(last + strlen(last) - strlen(wanted), wanted);
	CHECK_EQUAL(reader_progress(last), 1);
}

TEST("a thousand threads one after the other lose no count and share no stripe")
{
	long long before = reader_progress("many");
	for (int i = 0; i < 1000; i++)
		CHECK_EQUAL(threads_run(1, count_many, 101), 1);
	CHECK_EQUAL(reader_progress("many") - before, 101000);
	CHECK_EQUAL(reader_own()->names.shared, 0);
}

TEST("eight threads with a million visits each lose no count")
{
	long long before = reader_progress("many");
	CHECK_EQUAL(threads_run(8, count_many, 1000000), 8);
	CHECK_EQUAL(reader_progress("many") - before, 8000000);
	CHECK(reader_own()->names.stripes <= 1 + 8 + 1);
}

static pthread_barrier_t everybody;

static void *count_together(void *times)
{
	LEVER_PROGRESS_NAMED("many");
	pthread_barrier_wait(&everybody);
	return count_many(times);
}

TEST("a hundred threads at once lose no count, and those without a seat share a stripe")
{
	long long before = reader_progress("many");
	pthread_barrier_init(&everybody, NULL, 100);
	CHECK_EQUAL(threads_run(100, count_together, 9999), 100);
	pthread_barrier_destroy(&everybody);
	CHECK_EQUAL(reader_progress("many") - before, 1000000);
	CHECK_EQUAL(reader_own()->names.shared, 1);
	CHECK_EQUAL(reader_own()->names.stripes, POINTS_SHARED_STRIPE);
}

TEST("equal names are one point; each kind is a point of its own")
{
	for (int i = 0; i < 3; i++) {
		LEVER_PROGRESS_NAMED("same");
		LEVER_PROGRESS_NAMED("same");
		LEVER_BEGIN("same");
	}
	LEVER_END("same");
	CHECK_EQUAL(reader_visits(reader_own(), "same", POINTS_PROGRESS), 6);
	CHECK_EQUAL(reader_visits(reader_own(), "same", POINTS_BEGIN), 3);
	CHECK_EQUAL(reader_visits(reader_own(), "same", POINTS_END), 1);
	for (int kind = POINTS_PROGRESS; kind <= POINTS_END; kind++)
		CHECK_EQUAL(reader_entries(reader_own(), "same", kind), 1);
}

static int span_left_early(int way)
{
	for (int i = 0; i < 2; i++) {
		LEVER_SPAN("span");
		if (way == 1)
			return 1;
		if (way == 2)
			break;
	}
	return 0;
}

TEST("a span ends where its block is left, in any way")
{
	span_left_early(0);
	span_left_early(1);
	span_left_early(2);
	CHECK_EQUAL(reader_visits(reader_own(), "span", POINTS_BEGIN), 4);
	CHECK_EQUAL(reader_visits(reader_own(), "span", POINTS_END), 4);
}

TEST("the end of a span is counted if and only if its begin was")
{
	listen_now(0);
	{
		LEVER_SPAN("half heard");
		listen_now(1);
	}
	CHECK_EQUAL(reader_visits(reader_own(), "half heard", POINTS_END), 0);
	{
		LEVER_SPAN("half heard");
		listen_now(0);
	}
	listen_now(1);
	CHECK_EQUAL(reader_visits(reader_own(), "half heard", POINTS_BEGIN), 1);
	CHECK_EQUAL(reader_visits(reader_own(), "half heard", POINTS_END), 1);
}

TEST("a long path loses leading directories, another long name its end")
{
	LEVER_PROGRESS_NAMED("/home/somebody/projects/server/source/network/connection.c:1234");
	LEVER_PROGRESS_NAMED("a name without any slash that is longer than its entry");
	LEVER_PROGRESS_NAMED("forty-six bytes are as long as a name may be..");
	CHECK_EQUAL(reader_progress("server/source/network/connection.c:1234"), 1);
	CHECK_EQUAL(reader_progress("a name without any slash that is longer than i"), 1);
	CHECK_EQUAL(reader_progress("forty-six bytes are as long as a name may be.."), 1);
}

TEST("two long names that are cut to the same text are two points")
{
	LEVER_PROGRESS_NAMED("/one/twenty-one-characters-x/file-number-one.c:12");
	LEVER_PROGRESS_NAMED("/two/twenty-one-characters-x/file-number-one.c:12");
	const char *name = "twenty-one-characters-x/file-number-one.c:12";
	CHECK_EQUAL(reader_entries(reader_own(), name, POINTS_PROGRESS), 2);
}

TEST("errno is left as it was, also where a point is registered and a seat is taken")
{
	errno = 77;
	LEVER_PROGRESS_NAMED("errno");
	LEVER_PROGRESS_NAMED("errno");
	CHECK_EQUAL(errno, 77);
}

/* Counts in the main thread and in two others at once: would two of them use one stripe, some
 * visits would be lost. */
static int child_counts(void)
{
	pthread_t threads[2];
	if (reader_progress("many") != 0)
		return 1;
	for (int i = 0; i < 2; i++)
		if (pthread_create(&threads[i], NULL, count_many, (void *)300000L))
			return 2;
	count_many((void *)300000L);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return reader_progress("many") == 900000 ? 0 : 3;
}

TEST("a forked child counts from 0, with all its threads, and the parent keeps its counts")
{
	count_many((void *)10);
	long long before = reader_progress("many");
	CHECK_EQUAL(in_child(child_counts), 0);
	CHECK_EQUAL(reader_progress("many"), before);
	count_many((void *)10);
	CHECK_EQUAL(reader_progress("many"), before + 10);
}

static int child_forks(void)
{
	count_many((void *)5);
	int deeper = in_child(child_counts);
	count_many((void *)5);
	return deeper ? deeper : reader_progress("many") == 10 ? 0 : 4;
}

TEST("a child's child counts from 0 too")
{
	CHECK_EQUAL(in_child(child_forks), 0);
}

static int child_has_all_seats(void)
{
	const struct points_page *page = reader_own();
	pthread_barrier_init(&everybody, NULL, 15);
	if (threads_run(15, count_together, 1000) != 15)
		return 1;
	for (unsigned i = 0; i < page->names.count; i++)
		if (page->counts.counts[POINTS_SHARED_STRIPE][i])
			return 2;
	return reader_progress("many") == 15015 ? 0 : 3;
}

TEST("the stripes of the parent's threads are free in a child")
{
	CHECK_EQUAL(in_child(child_has_all_seats), 0);
}

static int stop;

static void *count_until_stopped(void *counted)
{
	unsigned long mine = 0;
	for (; !__atomic_load_n(&stop, __ATOMIC_RELAXED); mine++)
		LEVER_PROGRESS_NAMED("many");
	__atomic_fetch_add((unsigned long *)counted, mine, __ATOMIC_RELAXED);
	return NULL;
}

TEST("forks while other threads count lose nothing on either side")
{
	pthread_t threads[3];
	unsigned long counted = 0;
	int wrong = 0;
	long long before = reader_progress("many");
	stop = 0;
	for (int i = 0; i < 3; i++)
		CHECK(!pthread_create(&threads[i], NULL, count_until_stopped, &counted));
	for (int i = 0; i < 20; i++)
		wrong += in_child(child_counts) != 0;
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	CHECK_EQUAL(wrong, 0);
	CHECK_EQUAL(reader_progress("many") - before, counted);
}

/*
 * The first visit of an even thread is made by its vfork child, which runs on its thread-local
 * memory and ends. The odd ones look for a seat after that: they must not sit where it counts.
 */
static void *count_in_vfork(void *number)
{
	int status;
	pid_t pid = (long)number % 2 ? 0 : vfork();
	if (!pid && (long)number % 2 == 0) {
		LEVER_PROGRESS_NAMED("many");
		_exit(0);
	}
	if (pid)
		waitpid(pid, &status, 0);
	pthread_barrier_wait(&everybody);
	return count_many((void *)300000L);
}

TEST("visits of a vfork child count in its parent, and its stripe is not used twice")
{
	pthread_t threads[8];
	long long before = reader_progress("many");
	pthread_barrier_init(&everybody, NULL, 8);
	for (long i = 0; i < 8; i++)
		CHECK(!pthread_create(&threads[i], NULL, count_in_vfork, (void *)i));
	for (int i = 0; i < 8; i++)
		pthread_join(threads[i], NULL);
	pthread_barrier_destroy(&everybody);
	CHECK_EQUAL(reader_progress("many") - before, 8 * 300000 + 4);
}

static unsigned long handled;

static void handle(int number)
{
	(void)number;
	for (int i = 0; i < 3; i++)
		LEVER_PROGRESS_NAMED("many");
	__atomic_fetch_add(&handled, 3, __ATOMIC_RELAXED);
}

/* Signals come every 50 µs of CPU time. */
static void signals_begin(void)
{
	struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};
	struct itimerval timer = {{0, 50}, {0, 50}};
	handled = 0;
	sigaction(SIGPROF, &action, NULL);
	setitimer(ITIMER_PROF, &timer, NULL);
}

static void signals_end(void)
{
	struct itimerval off = {{0, 0}, {0, 0}};
	setitimer(ITIMER_PROF, &off, NULL);
	signal(SIGPROF, SIG_IGN);
}

TEST("visits of a signal handler and of the code that it interrupts are all counted")
{
	long long before = reader_progress("many"), counted = 0;
	signals_begin();
	for (; counted < 1000000000 && handled < 300; counted += 1000000)
		count_many((void *)1000000);
	for (int i = 0; i < 300; i++)
		counted += 100 * threads_run(4, count_many, 100);
	signals_end();
	CHECK(handled >= 300);
	CHECK_EQUAL(reader_progress("many") - before, counted + (long long)handled);
}

static void *raise_first(void *unused)
{
	(void)unused;
	raise(SIGUSR1);
	LEVER_PROGRESS_NAMED("many");
	raise(SIGUSR1);
	return NULL;
}

TEST("a thread's first visit may be in a signal handler")
{
	long long before = reader_progress("many");
	signal(SIGUSR1, handle);
	for (int i = 0; i < 50; i++)
		threads_run(4, raise_first, 0);
	CHECK_EQUAL(reader_progress("many") - before, 50 * 4 * 7);
}

static const char *const crowd[] = {"c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8", "c9"};
enum { CROWD = sizeof(crowd) / sizeof(crowd[0]) };

/* Each thread registers all names in an order of its own. */
static void *register_crowd(void *turn)
{
	struct lever_site site[CROWD] = {{0, 0, 0}};
	pthread_barrier_wait(&everybody);
	for (unsigned i = 0; i < CROWD; i++) {
		unsigned which = (i * 3 + (unsigned)(long)turn) % CROWD;
		lever_visit(&site[which], crowd[which], LEVER_POINT_PROGRESS);
	}
	return NULL;
}

static int child_registers_crowd(void)
{
	pthread_t threads[8];
	pthread_barrier_init(&everybody, NULL, 8);
	unsigned before = reader_own()->names.count;
	for (long i = 0; i < 8; i++)
		if (pthread_create(&threads[i], NULL, register_crowd, (void *)i))
			return 1;
	for (int i = 0; i < 8; i++)
		pthread_join(threads[i], NULL);
	if (reader_own()->names.count != before + CROWD)
		return 2;
	for (unsigned i = 0; i < CROWD; i++)
		if (reader_entries(reader_own(), crowd[i], POINTS_PROGRESS) != 1 ||
		    reader_progress(crowd[i]) != 8)
			return 3;
	return 0;
}

TEST("threads that register the same names at once get one entry for each")
{
	for (int i = 0; i < 50; i++)
		CHECK_EQUAL(in_child(child_registers_crowd), 0);
}

static void be_patient(void)
{
	LEVER_PROGRESS_NAMED("patient");
}

/* The entry after the unfinished one is free here, also for the place that had it in the parent. */
static int child_finds_free_entries(void)
{
	LEVER_PROGRESS_NAMED("born later");
	be_patient();
	return reader_progress("born later") == 1 && reader_progress("patient") == 1 ? 0 : 1;
}

static int child_waits_for_writer(void)
{
	struct points_page *page = reader_own();
	unsigned first = page->names.count;
	page->process.claim[first] = 42; /* a thread that was stopped in the middle */
	for (int i = 0; i < 3; i++)
		be_patient();
	if (page->names.count != first || reader_progress("patient") != 0)
		return 1;
	if (in_child(child_finds_free_entries))
		return 2;
	lever_entry_publish((struct lever_points *)page, first); /* and goes on */
	return page->names.count == first + 2 && reader_progress("patient") == 3 ? 0 : 3;
}

TEST("an entry that is not finished holds back those after it, without a lock, but not in a child")
{
	CHECK_EQUAL(in_child(child_waits_for_writer), 0);
}

static int child_fills_table(void)
{
	static char names[POINTS_MOST + 6][16];
	static struct lever_site sites[POINTS_MOST + 6];
	struct points_page *page = reader_own();
	unsigned free_entries = POINTS_MOST - page->names.count;
	for (unsigned visit = 0; visit < 2; visit++)
		for (unsigned i = 0; i < POINTS_MOST + 6; i++) {
			snprintf(names[i], sizeof(names[i]), "point %u", i);
			lever_visit(&sites[i], names[i], LEVER_POINT_PROGRESS);
		}
	if (page->names.count != POINTS_MOST)
		return 1;
	if (page->names.dropped != POINTS_MOST + 6 - free_entries)
		return 2;
	count_many((void *)7);
	return reader_progress("many") == 7 && reader_progress("point 0") == 2 ? 0 : 3;
}

TEST("points beyond the last entry are counted as dropped, and the others count on")
{
	CHECK_EQUAL(in_child(child_fills_table), 0);
}

/* Starts this program anew with LEVER_LISTEN as given, and reads what it counted from outside. */
static long long visits_of_new_program(const char *listen)
{
	int from[2], to[2], status;
	char ready = 0;
	if (pipe2(from, O_CLOEXEC) || pipe2(to, O_CLOEXEC))
		return -2;
	fflush(stdout);
	pid_t pid = fork();
	if (!pid) {
		dup2(to[0], 0);
		dup2(from[1], 1);
		setenv("LEVER_LISTEN", listen, 1);
		setenv("TEST_COUNT_AND_WAIT", "1", 1);
		execl("/proc/self/exe", "points", (char *)NULL);
		_exit(127);
	}
	long long visits =
		read(from[0], &ready, 1) == 1 ? reader_visits_of(pid, "many", POINTS_PROGRESS) : -3;
	for (int i = 0; i < 2; i++) {
		close(from[i]);
		close(to[i]);
	}
	waitpid(pid, &status, 0);
	return visits;
}

__attribute__((constructor)) static void count_and_wait(void)
{
	char end;
	if (!getenv("TEST_COUNT_AND_WAIT"))
		return;
	count_many((void *)1234);
	_exit(write(1, "r", 1) != 1 || read(0, &end, 1) != 0);
}

TEST("a program started by exec has a page of its own and listens where LEVER_LISTEN is 1")
{
	count_many((void *)3);
	CHECK_EQUAL(visits_of_new_program("1"), 1234);
	CHECK_EQUAL(visits_of_new_program("0"), 0);
	CHECK_EQUAL(visits_of_new_program(""), 0);
	CHECK_EQUAL(visits_of_new_program("11"), 0);
}

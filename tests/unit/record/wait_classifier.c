/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * wait_classifier - which wait is of which class, by the built-in rules and by a table of one's
 * own.
 */
#include "check.h"

#include "base/cleanup.h"
#include "record/wait_classifier.h"
#include "symbolize/kernel/system_calls.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

CLEANUP_DEFINE(wait_classifier, struct wait_classifier *, wait_classifier_free, NULL)

static bool is_judged(const struct wait_classifier *classifier, bool is_io_wait,
		      const char *function, const char *call, enum sample_class class,
		      const char *subclass)
{
	struct wait_site site = {is_io_wait, function, call};
	struct off_cpu_class verdict = wait_classifier_classify(classifier, &site);
	bool same = subclass ? verdict.subclass && !strcmp(verdict.subclass, subclass) :
			       !verdict.subclass;
	if (verdict.class == class && same)
		return true;
	printf("# %s in %s is %s/%s\n", function ? function : "?", call ? call : "?",
	       sample_class_name(verdict.class), verdict.subclass ? verdict.subclass : "");
	return false;
}

/* The wait_classifier with a table of this content; NULL and the error if it is refused. */
static struct wait_classifier *classes_of(const char *table, struct error *error)
{
	char path[] = "/tmp/lever-classes-XXXXXX";
	struct wait_classifier *classifier = NULL;
	AUTO(fd) int fd = mkstemp(path);
	if (fd < 0 || write(fd, table, strlen(table)) != (ssize_t)strlen(table))
		return NULL;
	wait_classifier_new(path, &classifier, error);
	unlink(path);
	return classifier;
}

TEST("built-in rules classify locks, I/O and other waits")
{
	AUTO(wait_classifier) struct wait_classifier *classifier = NULL;
	CHECK_EQUAL(wait_classifier_new(NULL, &classifier, NULL), 0);
	CHECK(is_judged(classifier, false, "futex_wait_queue", "futex", CLASS_LOCK, "futex"));
	CHECK(is_judged(classifier, false, "futex_do_wait", "futex", CLASS_LOCK, "futex"));
	CHECK(is_judged(classifier, false, "__mutex_lock.constprop.0", "write", CLASS_LOCK,
			"mutex"));
	CHECK(is_judged(classifier, false, "rwsem_down_write_slowpath", "mmap", CLASS_LOCK,
			"rwsem"));
	CHECK(is_judged(classifier, true, "__iomap_dio_rw", "pread64", CLASS_IO, "disk"));
	CHECK(is_judged(classifier, false, "jbd2_log_wait_commit", "fsync", CLASS_IO, "journal"));
	CHECK(is_judged(classifier, false, "do_nanosleep", "clock_nanosleep", CLASS_OTHER,
			"sleep"));
	CHECK(is_judged(classifier, false, "pipe_read", "read", CLASS_OTHER, "pipe"));
	CHECK(is_judged(classifier, false, "anon_pipe_read", "read", CLASS_OTHER, "pipe"));
	CHECK(is_judged(classifier, false, "do_epoll_wait", "epoll_wait", CLASS_OTHER, "poll"));
	CHECK(is_judged(classifier, false, "do_wait", "wait4", CLASS_OTHER, "process"));
	CHECK(is_judged(classifier, false, NULL, NULL, CLASS_OTHER, NULL));
}

TEST("waits that the scheduler counts as I/O are of class I in any function")
{
	AUTO(wait_classifier) struct wait_classifier *classifier = NULL;
	CHECK_EQUAL(wait_classifier_new(NULL, &classifier, NULL), 0);
	CHECK(is_judged(classifier, true, "something_new", NULL, CLASS_IO, NULL));
	CHECK(is_judged(classifier, true, "__mutex_lock", NULL, CLASS_IO, NULL));
	CHECK(is_judged(classifier, true, "something_new", "fsync", CLASS_IO, "disk"));
}

TEST("a mutex within an fsync is a lock: the function decides before the system call")
{
	AUTO(wait_classifier) struct wait_classifier *classifier = NULL;
	CHECK_EQUAL(wait_classifier_new(NULL, &classifier, NULL), 0);
	CHECK(is_judged(classifier, false, "__mutex_lock", "fsync", CLASS_LOCK, "mutex"));
	CHECK(is_judged(classifier, false, "something_new", "fsync", CLASS_IO, "disk"));
}

TEST("rules of a file come first, even before the scheduler's I/O flag")
{
	struct error error = {0};
	AUTO(wait_classifier)
	struct wait_classifier *classifier = classes_of("# ours\n\n"
							"B/ours  *dio_rw*  call:mq_* # two\n"
							"L\tmy_*\n",
							&error);
	CHECK(classifier);
	CHECK(is_judged(classifier, true, "__iomap_dio_rw", "pread64", CLASS_OTHER, "ours"));
	CHECK(is_judged(classifier, false, "x", "mq_timedsend", CLASS_OTHER, "ours"));
	CHECK(is_judged(classifier, false, "my_wait", NULL, CLASS_LOCK, NULL));
	CHECK(is_judged(classifier, false, "futex_do_wait", "futex", CLASS_LOCK, "futex"));
}

TEST("a line that is not a rule is refused with its number")
{
	static const char *const tables[] = {"B/x\n", "X/x *\n", "S/ *\n", "cpu *\n", "user *\n"};
	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++) {
		struct error error = {0};
		AUTO(text) char *table = text_format("# first\n%s", tables[i]);
		AUTO(wait_classifier)
		struct wait_classifier *classifier = classes_of(table, &error);
		CHECK(!classifier);
		CHECK_EQUAL(error.code, -EINVAL);
		CHECK(strstr(error.text, ":2: not a rule"));
	}
}

TEST("functions that only wait are skipped, their callers are not")
{
	static const char *const passed[] = {"__schedule", "schedule", "schedule_timeout",
					     "io_schedule", "schedule_hrtimeout_range_clock"};
	static const char *const kept[] = {"futex_do_wait", "do_nanosleep", "pipe_read", "do_wait"};
	for (size_t i = 0; i < sizeof(passed) / sizeof(*passed); i++)
		CHECK(wait_classifier_is_wait_function(passed[i]));
	for (size_t i = 0; i < sizeof(kept) / sizeof(*kept); i++)
		CHECK(!wait_classifier_is_wait_function(kept[i]));
}

TEST("system calls have the names of their numbers")
{
	CHECK_TEXT(system_call_name(SYS_read), "read");
	CHECK_TEXT(system_call_name(SYS_fdatasync), "fdatasync");
	CHECK_TEXT(system_call_name(SYS_futex), "futex");
	CHECK_TEXT(system_call_name(-1), NULL);
	CHECK_TEXT(system_call_name(1 << 20), NULL);
}

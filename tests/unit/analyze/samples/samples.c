/* SPDX-License-Identifier: BSD-2-Clause */
/* samples - sums, filters, uncertainty and trees of made-up samples. */
#include "check.h"

#include "analyze/samples/locks.h"
#include "base/cleanup.h"

CLEANUP_DEFINE(recording, struct recording *, recording_free, NULL)
CLEANUP_DEFINE(samples, struct samples *, samples_free, NULL)

static void add_frame(struct recording *recording, enum frame_kind kind, const char *function,
		      unsigned line, const char *object)
{
	int64_t id = (int64_t)recording->frames.count + 1;
	*array_add(&recording->frames) =
		(struct recording_frame){.id = id,
					 .kind = kind,
					 .function = text_copy(function),
					 .file = text_copy(line ? "/src/a.c" : NULL),
					 .line = line,
					 .object = text_copy(object)};
}

static void add_moment(struct recording *recording, uint64_t stack, enum sample_class class,
		       unsigned samples)
{
	int64_t id = (int64_t)recording->stack_samples.count + 1;
	*array_add(&recording->stack_samples) =
		(struct recording_stack_sample){.id = id,
						.run_id = 1,
						.thread_id = 1 + id % 2,
						.stack_id = stack,
						.class = class,
						.samples = samples,
						.weight_ns = samples * 1000u,
						.variance = samples * 1e6};
}

/* main calls work at two lines, and read of the system's library, which waits in the kernel. */
static struct recording *made(void)
{
	struct recording *recording = memory_new(1, sizeof(*recording));
	static const struct recording_stack stacks[] = {
		{1, 0, 1}, {2, 1, 2}, {3, 1, 3}, {4, 1, 4}, {5, 4, 5}};

	array_add(&recording->runs)->id = 1;
	add_frame(recording, FRAME_USER, "main", 10, "/opt/a");
	add_frame(recording, FRAME_USER, "work", 20, "/opt/a");
	add_frame(recording, FRAME_USER, "work", 21, "/opt/a");
	add_frame(recording, FRAME_USER, "read", 99, "/usr/lib/libc.so.6");
	add_frame(recording, FRAME_KERNEL, "pipe_read", 0, NULL);
	for (size_t i = 0; i < sizeof(stacks) / sizeof(*stacks); i++)
		*array_add(&recording->stacks) = stacks[i];
	for (unsigned i = 1; i <= 2; i++)
		*array_add(&recording->threads) =
			(struct recording_thread){i, 1, 7, 7 + i,
						  text_copy(i == 1 ? "one" : "two")};
	add_moment(recording, 2, CLASS_USER, 300);
	add_moment(recording, 3, CLASS_USER, 100);
	add_moment(recording, 5, CLASS_OTHER, 600);
	return recording;
}

static const struct samples_filter everything = {.classes = SAMPLES_ALL_CLASSES};

TEST("shares are parts of all time, with the binomial error where weights are equal")
{
	AUTO(recording) struct recording *recording = made();
	AUTO(samples) struct samples *samples = samples_new(recording, &everything);
	CHECK_EQUAL(samples->all.weight_ns, 1000000);
	CHECK_NEAR(samples->classes[CLASS_USER].share, 0.4, 1e-12);
	CHECK_NEAR(samples->classes[CLASS_USER].half_interval, 1.959964 * sqrt(0.4 * 0.6 / 1000),
		   1e-6);
	CHECK_NEAR(samples->classes[CLASS_IO].share, 0, 0);
}

TEST("functions are added up over their lines, lines are not")
{
	AUTO(recording) struct recording *recording = made();
	AUTO(samples) struct samples *samples = samples_new(recording, &everything);
	struct samples_rows functions = samples_group(samples, SAMPLES_BY_FUNCTION);
	struct samples_rows lines = samples_group(samples, SAMPLES_BY_LINE);
	CHECK_EQUAL(functions.count, 2);
	CHECK_TEXT(functions.items[0].first->user->function, "read");
	CHECK_TEXT(functions.items[0].first->kernel->function, "pipe_read");
	CHECK_NEAR(functions.items[1].sum.share, 0.4, 1e-12);
	CHECK_EQUAL(lines.count, 3);
	CHECK_NEAR(lines.items[1].sum.share, 0.3, 1e-12);
	samples_rows_clear(&functions);
	samples_rows_clear(&lines);
}

TEST("only waits for locks are added up by lock")
{
	AUTO(recording) struct recording *recording = made();
	for (size_t i = 0; i < 2; i++) {
		recording->stack_samples.items[i].class = CLASS_LOCK;
		recording->stack_samples.items[i].address = 0x1000;
	}
	AUTO(samples) struct samples *samples = samples_new(recording, &everything);
	struct samples_locks locks = samples_locks(samples);
	uint64_t both = recording->stack_samples.items[0].weight_ns +
			recording->stack_samples.items[1].weight_ns;
	CHECK_EQUAL(locks.count, 1);
	CHECK_EQUAL(locks.items[0].sum.weight_ns, both);
	samples_locks_clear(&locks);
}

TEST("code that takes or releases a lock is the caller of functions that do only that")
{
	AUTO(recording) struct recording *recording = made();
	static const char *const covers[] = {"pthreadMutexLeave", "port::Mutex::Unlock()",
					     "cache_unlock", "Guard::~Guard()"};
	for (size_t i = 0; i < sizeof(covers) / sizeof(*covers); i++) {
		free(recording->frames.items[1].function);
		recording->frames.items[1].function = text_copy(covers[i]);
		CHECK_TEXT(samples_lock_place(recording, 2)->function, "main");
	}
	CHECK_TEXT(samples_lock_place(recording, 3)->function, "work");
	free(recording->frames.items[1].function);
	recording->frames.items[1].function = text_copy("read_block");
	CHECK_TEXT(samples_lock_place(recording, 2)->function, "read_block");
	/* Nothing else is there: then the function itself; the system's code never. */
	free(recording->frames.items[0].function);
	recording->frames.items[0].function = text_copy("lock");
	CHECK_TEXT(samples_lock_place(recording, 1)->function, "lock");
	free(recording->frames.items[0].object);
	recording->frames.items[0].object = text_copy("/usr/lib/libc.so.6");
	CHECK(!samples_lock_place(recording, 1));
}

TEST("locks without a name are told by the line that waits most, and who wakes by address")
{
	AUTO(recording) struct recording *recording = made();
	static const uint64_t addresses[] = {0x1000, 0x2000, 0x1000};
	for (size_t i = 0; i < 3; i++) {
		recording->stack_samples.items[i].class = CLASS_LOCK;
		recording->stack_samples.items[i].address = addresses[i];
		recording->stack_samples.items[i].stack_id = i < 2 ? 2 : 3;
	}
	*array_add(&recording->wakeups) =
		(struct recording_wakeup){1, 1, 2, 1, 7, 0x1000, 5, 600000};
	*array_add(&recording->wakeups) =
		(struct recording_wakeup){2, 1, 2, 1, 7, 0x3000, 5, 500000};
	AUTO(samples) struct samples *samples = samples_new(recording, &everything);
	struct samples_locks locks = samples_locks(samples);
	CHECK_EQUAL(locks.count, 2);
	/* 0x1000 waits 300 at one line and 600 at the other. */
	CHECK_EQUAL(locks.items[0].sum.weight_ns, 900000);
	CHECK_EQUAL(locks.items[0].place->line, 21);
	CHECK_EQUAL(locks.items[0].wakers.count, 1);
	CHECK_EQUAL(locks.items[0].woken_ns, 600000);
	CHECK_TEXT(locks.items[0].wakers.items[0].place->function, "main");
	CHECK_EQUAL(locks.items[1].wakers.count, 0);
	samples_locks_clear(&locks);
}

TEST("waits for a monitor of Java are one row by the line that enters it, Object.wait another")
{
	AUTO(recording) struct recording *recording = made();
	static const struct recording_stack stacks[] = {{6, 2, 6}, {7, 6, 8}, {8, 2, 7}, {9, 8, 8}};
	static const uint64_t addresses[] = {0x1000, 0x2000, 0x1000}, waits[] = {7, 7, 9};

	add_frame(recording, FRAME_USER, "ObjectMonitor::EnterI(JavaThread*)", 0,
		  "/usr/lib/jvm/libjvm.so");
	add_frame(recording, FRAME_USER, "ObjectMonitor::wait(long, bool, JavaThread*)", 0,
		  "/usr/lib/jvm/libjvm.so");
	add_frame(recording, FRAME_USER, "__pthread_cond_wait_common", 0, "/usr/lib/libc.so.6");
	for (size_t i = 0; i < sizeof(stacks) / sizeof(*stacks); i++)
		*array_add(&recording->stacks) = stacks[i];
	for (size_t i = 0; i < 3; i++) {
		recording->stack_samples.items[i].class = CLASS_LOCK;
		recording->stack_samples.items[i].address = addresses[i];
		recording->stack_samples.items[i].stack_id = waits[i];
	}
	AUTO(samples) struct samples *samples = samples_new(recording, &everything);
	struct samples_locks locks = samples_locks(samples);
	CHECK_EQUAL(locks.count, 2);
	CHECK_TEXT(locks.items[0].kind, "Object.wait of Java");
	CHECK_EQUAL(locks.items[0].sum.weight_ns, 600000);
	CHECK_TEXT(locks.items[1].kind, "monitor of Java");
	CHECK_EQUAL(locks.items[1].sum.weight_ns, 400000);
	CHECK_TEXT(locks.items[1].place->function, "work");
	CHECK(!samples_lock_is_object(&locks.items[1])); /* each thread has an address of its own */
	samples_locks_clear(&locks);
}

TEST("a wait in a library of the system is at the program's line that called it")
{
	AUTO(recording) struct recording *recording = made();
	AUTO(samples) struct samples *samples = samples_new(recording, &everything);
	CHECK_EQUAL(samples->entries[2].site->line, 10);
	CHECK_EQUAL(samples->entries[0].site->line, 20);
}

TEST("an entry passes if it fits all filters")
{
	AUTO(recording) struct recording *recording = made();
	static const struct {
		struct samples_filter filter;
		uint64_t left_ns;
	} cases[] = {
		{{.classes = 1u << CLASS_OTHER}, 600000},
		{{.classes = SAMPLES_ALL_CLASSES, .function = "wo*"}, 400000},
		{{.classes = SAMPLES_ALL_CLASSES, .function = "pipe_*"}, 600000},
		{{.classes = SAMPLES_ALL_CLASSES, .tid = 8}, 100000},
		{{.classes = SAMPLES_ALL_CLASSES, .pid = 7}, 1000000},
		{{.classes = SAMPLES_ALL_CLASSES, .pid = 8}, 0},
		{{.classes = SAMPLES_ALL_CLASSES, .command = "t?o"}, 900000},
		{{.classes = 1u << CLASS_USER, .command = "two"}, 300000},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		AUTO(samples) struct samples *samples = samples_new(recording, &cases[i].filter);
		CHECK_EQUAL(samples->all.weight_ns, cases[i].left_ns);
		CHECK_EQUAL(samples->recorded_ns, 1000000);
	}
}

TEST("trees go from the outermost function in, and from the innermost out")
{
	AUTO(recording) struct recording *recording = made();
	AUTO(samples) struct samples *samples = samples_new(recording, &everything);
	struct samples_node *in = samples_tree(samples, false), *out = samples_tree(samples, true);
	CHECK_EQUAL(in->children.count, 1);
	CHECK_TEXT(in->children.items[0]->frame->function, "main");
	CHECK_NEAR(in->children.items[0]->sum.share, 1, 1e-12);
	CHECK_EQUAL(in->children.items[0]->children.count, 2);
	CHECK_EQUAL(out->children.count, 2);
	CHECK_TEXT(out->children.items[0]->frame->function, "pipe_read");
	CHECK_TEXT(out->children.items[1]->frame->function, "work");
	CHECK_EQUAL(out->children.items[1]->own_ns, 0);
	CHECK_EQUAL(out->children.items[1]->children.items[0]->own_ns, 400000);
	samples_tree_free(in);
	samples_tree_free(out);
}

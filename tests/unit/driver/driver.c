/* SPDX-License-Identifier: BSD-2-Clause */
/* driver - the steps of a verb, in their order, around programs that end by themselves. */
#include "driver/driver.h"

#include "base/cleanup.h"
#include "check.h"
#include "driver/live_processes.h"

#include <errno.h>
#include <string.h>

#define PROFILE_PATH "/tmp/lever-test-driver.lever"

static char steps[512], said[512];
static const char *failing; /* the step that fails */

static int note_step(const char *name)
{
	snprintf(steps + strlen(steps), sizeof(steps) - strlen(steps), "%s ", name);
	return failing && !strcmp(failing, name) ? -EIO : 0;
}

#define STEP(name)                                                        \
	static int name(struct driver *driver, struct error *error)       \
	{                                                                 \
		(void)driver;                                             \
		int code = note_step(#name);                              \
		return code ? error_set(error, code, #name " fails") : 0; \
	}
STEP(check)
STEP(open)
STEP(prepare)
STEP(begin)
STEP(add)
STEP(attach)
STEP(start)
STEP(stop)
STEP(verify)
STEP(finish)

static void describe(struct driver *driver)
{
	driver->run.engine = (char *)"none";
	note_step("describe");
}

static void set_environment(struct driver *driver, struct environment *environment)
{
	(void)driver;
	environment_add(environment, "LEVER_TEST_VALUE=7");
}

static void end(struct driver *driver)
{
	(void)driver;
	note_step("end");
}

static void release(struct driver *driver)
{
	(void)driver;
	note_step("release");
}

static bool has_answer(const struct driver *driver)
{
	return driver->run.finished;
}

static int record_twice(struct driver *driver, struct error *error)
{
	int code = driver_record(driver, error);

	return code ? code : driver_record(driver, error);
}

static struct driver_verb verb = {
	.kind = RUN_SAMPLES,
	.over_message = "it runs on",
	.check = check,
	.open = open,
	.prepare = prepare,
	.describe = describe,
	.begin = begin,
	.environment = set_environment,
	.add_program = add,
	.attach = attach,
	.start = start,
	.stop = stop,
	.verify = verify,
	.finish = finish,
	.end = end,
	.has_answer = has_answer,
	.close = release,
};

static void keep_message(void *context, const char *sentence)
{
	(void)context;
	snprintf(said, sizeof(said), "%s", sentence);
}

/* Runs a command by sh, or `program` alone; NULL: none is started. */
static struct driver_result drive(const char *program, const char *command, double seconds)
{
	char *arguments[] = {(char *)program, (char *)"-c", (char *)command, NULL};
	struct driver_options options = {.arguments = program ? arguments : NULL,
					 .selection.is_system_wide = !program,
					 .version = "test",
					 .output = PROFILE_PATH,
					 .fresh = true,
					 .seconds = seconds,
					 .message = keep_message};
	struct driver driver = {.poll_ms = 5};
	struct driver_result result;
	struct error error = {0};

	*steps = *said = 0;
	driver_prepare_signals();
	driver_run(&driver, &verb, &options, &result, &error);
	unlink(PROFILE_PATH);
	return result;
}

TEST("the steps come in their order, and the program's status is kept")
{
	struct driver_result result = drive("sh", "exit $((LEVER_TEST_VALUE - 4))", 0);

	CHECK_TEXT(steps, "check open prepare describe begin add start stop verify finish end "
			  "release ");
	CHECK_EQUAL(result.end, DRIVER_ANSWERED);
	CHECK_EQUAL(result.status, 3 << 8);
	CHECK_TEXT(said, "");
}

TEST("without a program the verb attaches, and time ends the recording")
{
	struct driver_result result = drive(NULL, NULL, 0.02);

	CHECK_TEXT(steps, "check open prepare describe begin attach start stop verify finish end "
			  "release ");
	CHECK_EQUAL(result.end, DRIVER_ANSWERED);
	CHECK_EQUAL(result.status, -1);
}

TEST("a program that outlives the recording is waited for, with a message")
{
	struct driver_result result = drive("sh", "sleep 0.3", 0.05);

	CHECK_EQUAL(result.end, DRIVER_ANSWERED);
	CHECK_EQUAL(result.status, 0);
	CHECK_TEXT(said, "it runs on");
}

TEST("a program that cannot be found ends before anything is opened")
{
	struct driver_result result = drive("/no/such/program", NULL, 0);

	CHECK_EQUAL(result.end, DRIVER_NOT_STARTED);
	CHECK_EQUAL(result.exit_code, 127);
	CHECK_TEXT(steps, "check release ");
}

TEST("a failure releases what was made, and tells wrong usage from other failures")
{
	static const struct {
		const char *step, *steps;
		bool attaches;
		enum driver_end end;
	} cases[] = {
		{"check", "check release ", false, DRIVER_WRONG_USAGE},
		{"open", "check open release ", false, DRIVER_FAILED},
		{"begin", "check open prepare describe begin end release ", false, DRIVER_FAILED},
		{"attach", "check open prepare describe begin attach end release ", true,
		 DRIVER_WRONG_USAGE},
		{"verify",
		 "check open prepare describe begin add start stop verify finish end release ",
		 false, DRIVER_FAILED},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		failing = cases[i].step;
		struct driver_result result = drive(cases[i].attaches ? NULL : "sh", "true", 0);
		CHECK_EQUAL(result.end, cases[i].end);
		CHECK_TEXT(steps, cases[i].steps);
	}
	failing = NULL;
}

TEST("a verb may make several recordings of one program")
{
	verb.sequence = record_twice;
	struct driver_result result = drive("sh", "true", 0);
	verb.sequence = NULL;

	CHECK_EQUAL(result.end, DRIVER_ANSWERED);
	CHECK_TEXT(steps,
		   "check open prepare describe begin add start stop verify finish end prepare "
		   "describe begin add start stop verify finish end release ");
}

TEST("processes live until the kernel says that they do not")
{
	struct live_processes processes = {0};

	CHECK(!live_processes_any(&processes));
	live_processes_add(&processes, getpid());
	live_processes_add(&processes, getpid());
	CHECK_EQUAL(processes.count, 1);
	CHECK(live_processes_has(&processes, getpid()));
	CHECK(live_processes_any(&processes));
	live_processes_remove(&processes, getpid());
	live_processes_add(&processes, 0x3ffffff0); /* beyond pid_max */
	CHECK(!live_processes_any(&processes));
	live_processes_release(&processes);
}

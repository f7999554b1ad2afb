/* SPDX-License-Identifier: BSD-2-Clause */
/* run_options - what `lever run` understands, and what it refuses before anything runs. */
#include "cli/commands/run_options.h"

#include "base/cleanup.h"
#include "check.h"
#include "cli/commands/commands.h"
#include "experiment/progress/progress_kinds.h"

#include <errno.h>

static struct run_options options;
static struct error error;
static bool help;

static int parse(const char *line)
{
	static char copy[512], *words[32];
	int count = 0;
	snprintf(copy, sizeof(copy), "run %s", line);
	for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
		words[count++] = word;
	words[count] = NULL;
	run_options_free(&options);
	help = false;
	error = (struct error){0};
	run_options_init(&options);
	int code = common_options_parse(&run_page, count, words, &options.common, &help, &error);
	return code || help ? code : run_options_check(&options.common, &error);
}

TEST("the defaults are a new profile in lever.lever, by line, at 0 to 100 percent in steps of 5")
{
	CHECK_EQUAL(parse("program"), 0);
	CHECK_TEXT(options.common.output, "lever.lever");
	CHECK_EQUAL(options.granularity, -1);
	CHECK(run_options_leave_kind_open(&options));
	CHECK_EQUAL(options.engine, RUN_ENGINE_AUTO);
	CHECK_EQUAL(options.speedups.count, 21);
	CHECK_NEAR(options.speedups.items[0], 0, 0);
	CHECK_NEAR(options.speedups.items[3], 0.15, 1e-12);
	CHECK_NEAR(options.speedups.items[20], 1, 0);
	CHECK(!options.seed.is_given && !options.common.fresh && !options.common.quiet);
	CHECK_EQUAL(options.period_ns + options.window_ns, 0);
}

TEST("the program begins at the first operand and keeps its options")
{
	CHECK_EQUAL(parse("-q -- program --quiet -x"), 0);
	CHECK_TEXT(options.common.program[0], "program");
	CHECK_TEXT(options.common.program[1], "--quiet");
	CHECK_TEXT(options.common.program[2], "-x");
	CHECK_TEXT(options.common.program[3], NULL);
}

TEST("the form of a progress point decides on its kind")
{
	CHECK_EQUAL(parse("-p main.c:42 -p ns::work -p usdt:lib:done "
			  "-p tracepoint:syscalls:sys_exit_fsync -p sampled:a.c:7 x"),
		    0);
	CHECK_EQUAL(options.progress.count, 5);
	const struct point_spec *progress = options.progress.items;
	CHECK(progress[0].kind == &progress_line);
	CHECK_TEXT(progress[0].name, "main.c:42");
	CHECK(progress[1].kind == &progress_function);
	CHECK_TEXT(progress[1].name, "ns::work");
	CHECK(progress[2].kind == &progress_usdt);
	CHECK_TEXT(progress[2].group, "lib");
	CHECK_TEXT(progress[2].name, "done");
	CHECK_TEXT(progress[2].text, "usdt:lib:done");
	CHECK(progress[3].kind == &progress_tracepoint);
	CHECK_TEXT(progress[3].group, "syscalls");
	CHECK_TEXT(progress[3].name, "sys_exit_fsync");
	CHECK(progress[4].kind == &progress_sampled);
	CHECK_TEXT(progress[4].name, "a.c:7");
}

TEST("a latency point has a beginning and an end of any kind but sampled")
{
	CHECK_EQUAL(parse("-l a.c:1,usdt:lib:done -l begin,end x"), 0);
	CHECK_EQUAL(options.latency.count, 2);
	CHECK_TEXT(options.latency.items[0].text, "a.c:1,usdt:lib:done");
	CHECK(options.latency.items[0].begin.kind == &progress_line);
	CHECK_TEXT(options.latency.items[0].begin.name, "a.c:1");
	CHECK(options.latency.items[0].end.kind == &progress_usdt);
	CHECK_TEXT(options.latency.items[1].end.name, "end");
	CHECK_EQUAL(parse("-l sampled:a.c:1,b x"), -EINVAL);
}

TEST("speedups are sorted, without repetitions, and include 0")
{
	CHECK_EQUAL(parse("--speedups 50,25%,50,12.5 x"), 0);
	CHECK_EQUAL(options.speedups.count, 4);
	CHECK_NEAR(options.speedups.items[0], 0, 0);
	CHECK_NEAR(options.speedups.items[1], 0.125, 0);
	CHECK_NEAR(options.speedups.items[2], 0.25, 0);
	CHECK_NEAR(options.speedups.items[3], 0.5, 0);
	CHECK_EQUAL(parse("--speedups 0 x"), 0);
	CHECK_EQUAL(options.speedups.count, 1);
}

TEST("scopes and exclusions keep their order")
{
	CHECK_EQUAL(parse("--scope src/* -x func:main --scope=bin:libz* x"), 0);
	CHECK_EQUAL(options.scopes.count, 3);
	CHECK_TEXT(options.scopes.items[0].pattern, "src/*");
	CHECK(options.scopes.items[0].include);
	CHECK_TEXT(options.scopes.items[1].pattern, "func:main");
	CHECK(!options.scopes.items[1].include);
	CHECK(options.scopes.items[2].include);
}

TEST("patterns of one run are of one kind, and have no class")
{
	CHECK_EQUAL(parse("-t store::* -t main -t get_? x"), 0);
	CHECK_EQUAL(parse("-t store::* -t syscall:f* x"), -EINVAL);
	CHECK_EQUAL(parse("-t store::* --class L x"), -EINVAL);
}

TEST("values of a wrong form are refused")
{
	static const char *const wrong[] = {
		"--speedups 0,101 x", "--speedups -5 x",
		"--speedups 5,,6 x",  "--speedups 1e1 x",
		"-p usdt:lib x",      "-p usdt::done x",
		"-p tracepoint:a: x", "-p tracepoint:a:b:c x",
		"-p sampled:work x",  "-p sampled: x",
		"-l begin x",         "-l begin, x",
		"-l a,b,c x",         "--granularity file x",
		"--engine magic x",   "--scope bin: x",
	};
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		if (parse(wrong[i]) != -EINVAL)
			printf("# accepted: %s\n", wrong[i]);
		CHECK_EQUAL(error.code, -EINVAL);
		CHECK(error.text[0]);
	}
}

TEST("options that exclude each other are refused")
{
	static const char *const wrong[] = {
		"--end-to-end -p a x",
		"--end-to-end -l a,b x",
		"--runs 3 x",
		"--quiet --verbose x",
		"--end-to-end --window 1s x",
		"--end-to-end --max-slowdown 10% x",
		"--engine runtime --pid 1",
		"--engine runtime --kernel x",
	};
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		CHECK_EQUAL(parse(wrong[i]), -EINVAL);
	CHECK_EQUAL(parse("--end-to-end --runs 3 x"), 0);
	CHECK_EQUAL(options.runs, 3);
}

TEST("a program is needed, but not for help")
{
	CHECK_EQUAL(parse("-q"), -EINVAL);
	CHECK(strstr(error.text, "no program to run"));
	CHECK_EQUAL(parse("--help"), 0);
	CHECK(help);
}

TEST("running processes are chosen by id, port, cgroup or name, or all of them")
{
	CHECK_EQUAL(parse("--pid 17,18 --pid 19"), 0);
	CHECK_EQUAL(options.common.processes.count, 3);
	CHECK_EQUAL(options.common.processes.items[2], 19);
	CHECK_EQUAL(options.common.program == NULL, true);
	CHECK_EQUAL(parse("--cgroup docker/x --comm a*,c --comm !b"), 0);
	CHECK_TEXT(options.common.cgroup, "docker/x");
	CHECK_EQUAL(options.common.names.count, 3);
	CHECK_TEXT(options.common.names.items[1], "c");
	CHECK_EQUAL(parse("--port 80,5432 --no-children"), 0);
	CHECK_EQUAL(options.common.ports.count, 2);
	CHECK_EQUAL(options.common.ports.items[1], 5432);
	CHECK(options.common.without_children);
	CHECK_EQUAL(parse("--system"), 0);
	CHECK(options.common.is_system_wide);
	CHECK_EQUAL(parse("--comm worker -- program"), 0);
	CHECK_TEXT(options.common.program[0], "program");
}

TEST("--pid, --port, --cgroup and --system exclude a program and --end-to-end")
{
	static const char *const wrong[] = {
		"--pid 17 -- program",
		"--cgroup x -- program",
		"--system -- program",
		"--system --pid 17",
		"--system --cgroup x",
		"--pid 0",
		"--pid x",
		"--pid 17,",
		"--port 80 -- program",
		"--port 80 --system",
		"--port 0",
		"--port 65536",
		"--port http",
		"--comm a,,b",
		"--no-children -- program",
		"--no-children --cgroup x",
		"--pid 17 --end-to-end",
	};
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		CHECK_EQUAL(parse(wrong[i]), -EINVAL);
}

TEST("no two options of a command share a name or a letter")
{
	const struct command_page *pages[] = {&run_page,   &record_page, &trace_page,
					      &scale_page, &report_page, &check_page};
	const struct option *a, *b;

	for (size_t page = 0; page < sizeof(pages) / sizeof(*pages); page++)
		for (size_t i = 0; (a = command_page_option(pages[page], i)); i++)
			for (size_t j = 0; j < i; j++) {
				b = command_page_option(pages[page], j);
				CHECK(strcmp(a->name, b->name));
				CHECK(!a->letter || a->letter != b->letter);
			}
}

TEST("--with joins the target before it, and a member may have a percentage")
{
	CHECK_EQUAL(parse("-t main.c:4 -w f:50% -t g -t h --with i x"), 0);
	const struct session_named_target *named = options.targets.items;
	CHECK_EQUAL(options.targets.count, 5);
	CHECK_EQUAL(named[0].set, 1);
	CHECK_EQUAL(named[1].set, 1);
	CHECK_TEXT(named[1].name, "f");
	CHECK_NEAR(named[1].level, 0.5, 1e-12);
	CHECK_EQUAL(named[2].set, 0);
	CHECK_EQUAL(named[3].set, 2);
	CHECK_EQUAL(named[4].set, 2);
	CHECK_EQUAL(parse("-w f x"), -EINVAL);
	CHECK_EQUAL(parse("-t f:50% x"), -EINVAL);
	CHECK_EQUAL(parse("-t f -w g:0% x"), -EINVAL);
	CHECK_EQUAL(parse("-t f -w g:101% x"), -EINVAL);
	CHECK_EQUAL(parse("-t f -w g --class L x"), -EINVAL);
}

TEST("the search for sets is switched off by --no-set-search")
{
	CHECK_EQUAL(parse("x"), 0);
	CHECK(!options.without_set_search);
	CHECK_EQUAL(parse("--no-set-search x"), 0);
	CHECK(options.without_set_search);
}

TEST("--as-one makes one set of all targets, and of what patterns match")
{
	CHECK_EQUAL(parse("--as-one -t f* -t g x"), 0);
	CHECK_EQUAL(options.targets.items[0].set, 1);
	CHECK_EQUAL(options.targets.items[1].set, 1);
	CHECK_EQUAL(parse("--as-one x"), -EINVAL);
}

TEST("--assume takes names with percentages, and no patterns")
{
	CHECK_EQUAL(parse("--assume main.c:4:30% --assume f x"), 0);
	CHECK_TEXT(options.assumed.items[0].name, "main.c:4");
	CHECK_NEAR(options.assumed.items[0].level, 0.3, 1e-12);
	CHECK_NEAR(options.assumed.items[1].level, 1, 0);
	CHECK_EQUAL(parse("--assume f*:50% x"), -EINVAL);
}

TEST("func: stands before a function wherever a target is named, and before nothing else")
{
	CHECK_EQUAL(parse("--as-one -t func:compress_* -w func:f:50% --assume func:g:30% x"), 0);
	CHECK_TEXT(options.targets.items[0].name, "compress_*");
	CHECK_TEXT(options.targets.items[1].name, "f");
	CHECK_NEAR(options.targets.items[1].level, 0.5, 1e-12);
	CHECK_TEXT(options.assumed.items[0].name, "g");
	CHECK_EQUAL(parse("--focus func:f x"), 0);
	CHECK_TEXT(options.focus, "f");
	CHECK_EQUAL(parse("-t func::f x"), 0); /* of a namespace */
	CHECK_TEXT(options.targets.items[0].name, "func::f");
	CHECK_EQUAL(parse("-t func:main.c:42 x"), -EINVAL);
	CHECK_EQUAL(parse("-t func:kernel:f x"), -EINVAL);
	CHECK_EQUAL(parse("-t func: x"), -EINVAL);
	CHECK_EQUAL(parse("--focus func: x"), -EINVAL);
}

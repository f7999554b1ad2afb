/* SPDX-License-Identifier: BSD-2-Clause */
/* first_screen - hot functions without an answer are named, with the reason. */
#include "report/causal/first_screen.h"
#include "report/causal/unanswered.h"

#include "base/cleanup.h"
#include "base/text.h"

#include "check.h"

#include <stdlib.h>

enum { LINE, FUNCTION, NAP, SYSTEM_CALL, TARGETS };

/* Main sleeps by a system call that was tried; this part of main's time is in it. */
static bool tells_of_main(double part_in_nap)
{
	static struct recording_target named[TARGETS] = {
		[LINE] = {.id = 1,
			  .kind = TARGET_LINE,
			  .name = (char *)"serve.c:6",
			  .function = (char *)"main"},
		[FUNCTION] = {.id = 2,
			      .kind = TARGET_INCLUSIVE,
			      .name = (char *)"inclusive:main",
			      .function = (char *)"main"},
		[NAP] = {.id = 3,
			 .kind = TARGET_INCLUSIVE,
			 .name = (char *)"inclusive:clock_nanosleep",
			 .function = (char *)"clock_nanosleep"},
		[SYSTEM_CALL] = {.id = 4,
				 .kind = TARGET_SYSTEM_CALL,
				 .name = (char *)"syscall:clock_nanosleep"},
	};
	struct causal_target targets[TARGETS];
	struct recording_sample sample = {.target_id = 2, .sampled_ns = 1000};
	struct recording_call_edge edge = {.outer_id = 2,
					   .inner_id = 3,
					   .sampled_ns = (uint64_t)(1000 * part_in_nap)};
	struct recording_point point = {.kind = POINT_THROUGHPUT, .name = (char *)"unit"};
	struct recording_run run = {.id = 1, .options = (char *)"[]", .command = (char *)"[\"a\"]"};
	struct causal_effect effect = {.point = &point};
	struct recording recording = {.runs = {&run, 1, 1},
				      .targets = {named, TARGETS, TARGETS},
				      .samples = {&sample, 1, 1},
				      .call_edges = {&edge, 1, 1}};
	struct causal causal = {.targets = targets, .count = TARGETS};
	struct report report = {.recording = &recording, .causal = &causal};
	AUTO(text) char *text = NULL;
	size_t size;

	for (int i = 0; i < TARGETS; i++)
		targets[i] = (struct causal_target){.target = &named[i], .share = 0.36};
	targets[SYSTEM_CALL].experiments = 20;
	struct target_verdict verdict = {.target = &targets[SYSTEM_CALL],
					 .effect = &effect,
					 .outcome = OUTCOME_CONTENTION,
					 .at = {.gain = -0.3, .low = -0.3, .high = -0.3}};
	const struct target_verdicts verdicts = {.items = &verdict, .count = 1};
	FILE *out = open_memstream(&text, &size);
	first_screen_print(out, &report, &verdicts);
	fclose(out);
	return strstr(text, "no answer    main (36 % of the time, not tried)");
}

TEST("a function that does more than what was tried is told")
{
	CHECK(tells_of_main(0.5));
}

TEST("a function that does nothing but what was tried is not")
{
	CHECK(!tells_of_main(0.98));
}

TEST("a call of a library's function, by code without a name, is no target that a name finds")
{
	struct recording_target named = {.kind = TARGET_FUNCTION,
					 .name = (char *)"__overflow",
					 .file = (char *)"/lib/libc.so.6",
					 .object = (char *)"/bin/cut"};
	const struct causal_target target = {.target = &named};
	const struct unanswered_place place = {.target = &target};

	CHECK(!unanswered_option(&place));
	named.line = 730;
	CHECK_TEXT(unanswered_option(&place), "__overflow");
}

/* A call of a library's function, of whose time this part is in a function that has an answer. */
static bool tells_of_import(const char *function, double part_inside)
{
	enum { IMPORT, INSIDE, BOTH };
	static struct recording_target named[BOTH] = {
		[IMPORT] = {.id = 1,
			    .kind = TARGET_FUNCTION,
			    .object = (char *)"/bin/a",
			    .file = (char *)"/lib/b.so"},
		[INSIDE] = {.id = 2,
			    .kind = TARGET_INCLUSIVE,
			    .name = (char *)"inclusive:MD5_Update",
			    .function = (char *)"MD5_Update"},
	};
	named[IMPORT].name = named[IMPORT].function = (char *)(uintptr_t)function;
	struct causal_target targets[BOTH] = {
		[IMPORT] = {.target = &named[IMPORT], .share = 0.78},
		[INSIDE] = {.target = &named[INSIDE], .share = 0.77, .experiments = 20},
	};
	struct recording_sample sample = {.target_id = 1, .sampled_ns = 1000};
	struct recording_call_edge edge = {.outer_id = 1,
					   .inner_id = 2,
					   .sampled_ns = (uint64_t)(1000 * part_inside)};
	struct recording_point point = {.kind = POINT_THROUGHPUT, .name = (char *)"unit"};
	struct recording_run run = {.id = 1, .options = (char *)"[]", .command = (char *)"[\"a\"]"};
	struct causal_effect effect = {.point = &point};
	struct recording recording = {.runs = {&run, 1, 1},
				      .targets = {named, BOTH, BOTH},
				      .samples = {&sample, 1, 1},
				      .call_edges = {&edge, 1, 1}};
	struct causal causal = {.targets = targets, .count = BOTH};
	struct report report = {.recording = &recording, .causal = &causal};
	struct target_verdict verdict = {.target = &targets[INSIDE],
					 .effect = &effect,
					 .outcome = OUTCOME_UNSURE};
	const struct target_verdicts verdicts = {.items = &verdict, .count = 1};

	return unanswered_of(&report, &verdicts).count;
}

TEST("a library's function that ends in a jump to one with an answer is answered")
{
	CHECK(!tells_of_import("EVP_DigestUpdate", 0.98));
	CHECK(tells_of_import("EVP_DigestUpdate", 0.5));
}

TEST("a thread that sleeps by a library's function lacks no answer")
{
	CHECK(!tells_of_import("nanosleep", 0.5));
	CHECK(tells_of_import("nanosecond", 0.5));
}

/* Of a part of a function with an answer that has this share, after so many experiments. */
static char *screen_of_part(double share, unsigned experiments, bool has_answer)
{
	enum { AROUND, PART_LINE, PART, PARTS };
	static struct recording_target named[PARTS] = {
		[AROUND] = {.id = 1,
			    .kind = TARGET_INCLUSIVE,
			    .name = (char *)"inclusive:worker",
			    .function = (char *)"worker"},
		[PART_LINE] = {.id = 2,
			       .kind = TARGET_LINE,
			       .name = (char *)"map.c:6",
			       .function = (char *)"store"},
		[PART] = {.id = 3,
			  .kind = TARGET_INCLUSIVE,
			  .name = (char *)"inclusive:store",
			  .function = (char *)"store"},
	};
	struct causal_target targets[PARTS] = {
		[AROUND] = {.target = &named[AROUND], .share = 0.9, .experiments = 20},
		[PART_LINE] = {.target = &named[PART_LINE], .share = share},
		[PART] = {.target = &named[PART], .share = share, .experiments = experiments},
	};
	struct recording_point point = {.kind = POINT_THROUGHPUT, .name = (char *)"unit"};
	struct recording_run run = {.id = 1, .options = (char *)"[]", .command = (char *)"[\"a\"]"};
	struct causal_effect effect = {.point = &point, .ceiling = 0.3};
	struct recording recording = {.runs = {&run, 1, 1}, .targets = {named, PARTS, PARTS}};
	struct causal causal = {.targets = targets, .count = PARTS};
	struct report report = {.recording = &recording,
				.causal = &causal,
				.options = {.columns = 200}};
	char *text = NULL;
	size_t size;

	targets[PART_LINE].outer = targets[PART].outer = &targets[AROUND];
	struct target_verdict items[] = {
		{.target = &targets[AROUND], .effect = &effect, .outcome = OUTCOME_UNSURE},
		{.target = &targets[PART], .effect = &effect, .outcome = OUTCOME_UNSURE},
	};
	const struct target_verdicts verdicts = {.items = items, .count = has_answer ? 2 : 1};
	FILE *out = open_memstream(&text, &size);
	first_screen_print(out, &report, &verdicts);
	fclose(out);
	return text;
}

TEST("a hot part of a function with an answer is named where it was not tried")
{
	AUTO(text) char *hot = screen_of_part(0.06, 0, false);
	AUTO(text) char *cool = screen_of_part(0.04, 0, false);
	AUTO(text) char *answered = screen_of_part(0.06, 9, true);

	CHECK(strstr(hot, "no answer    store (6 % of the time, not tried)"));
	CHECK(strstr(hot, "--target map.c:6 the first"));
	CHECK(!strstr(cool, "no answer"));
	CHECK(!strstr(answered, "no answer"));
}

TEST("a hot part that had too few experiments for an answer is named")
{
	AUTO(text) char *text = screen_of_part(0.06, 3, false);

	CHECK(strstr(text, "store (6 % of the time, 3 experiments are too few)"));
}

/* A function that gains, whose line has this part of its time and was not tried. */
static char *screen_of_function(double part_in_line)
{
	enum { FIND, FIND_LINE, FIND_TARGETS };
	static struct recording_target named[FIND_TARGETS] = {
		[FIND] = {.id = 1,
			  .kind = TARGET_INCLUSIVE,
			  .name = (char *)"inclusive:find",
			  .function = (char *)"find"},
		[FIND_LINE] = {.id = 2,
			       .kind = TARGET_LINE,
			       .name = (char *)"orders.c:86",
			       .function = (char *)"find"},
	};
	struct causal_target targets[FIND_TARGETS] = {
		[FIND] = {.target = &named[FIND], .share = 0.6, .experiments = 20},
		[FIND_LINE] = {.target = &named[FIND_LINE], .share = 0.6 * part_in_line},
	};
	struct recording_point point = {.kind = POINT_THROUGHPUT, .name = (char *)"unit"};
	struct recording_run run = {.id = 1, .options = (char *)"[]", .command = (char *)"[\"a\"]"};
	struct causal_effect effect = {.point = &point,
				       .ceiling = 0.8,
				       .slope = {0.6, 0.5, 0.7, 20}};
	struct recording recording = {.runs = {&run, 1, 1},
				      .targets = {named, FIND_TARGETS, FIND_TARGETS}};
	struct causal causal = {.targets = targets, .count = FIND_TARGETS};
	struct report report = {.recording = &recording,
				.causal = &causal,
				.options = {.columns = 200}};
	char *text = NULL;
	size_t size;

	targets[FIND_LINE].outer = &targets[FIND];
	struct target_verdict verdict = {
		.target = &targets[FIND],
		.effect = &effect,
		.outcome = OUTCOME_GAIN,
		.at = {.speedup = 0.25, .gain = 0.15, .low = 0.12, .high = 0.18}};
	const struct target_verdicts verdicts = {.items = &verdict, .count = 1};
	FILE *out = open_memstream(&text, &size);
	first_screen_print(out, &report, &verdicts);
	fclose(out);
	return text;
}

TEST("a line that is nearly all of the function that gains is named beside it")
{
	AUTO(text) char *one = screen_of_function(0.97);
	AUTO(text) char *several = screen_of_function(0.6);

	CHECK(strstr(one, "nearly all of its time is in orders.c:86"));
	CHECK(strstr(several, "find"));
	CHECK(!strstr(several, "orders.c:86"));
}

/* Code without names that the program in the file makes as it runs, with this part of the time. */
static char *screen_of_made_code(const char *file, double share)
{
	struct recording_target maker = {.id = 2,
					 .kind = TARGET_INCLUSIVE,
					 .name = (char *)"inclusive:main",
					 .function = (char *)"main",
					 .object = (char *)file};
	struct recording_target named = {.id = 1,
					 .kind = TARGET_INCLUSIVE,
					 .name = (char *)"inclusive:JIT code",
					 .function = (char *)"JIT code",
					 .object = (char *)RECORDING_JIT_OBJECT};
	struct causal_target targets[] = {{.target = &named, .share = share}, {.target = &maker}};
	struct recording_run run = {.id = 1, .options = (char *)"[]", .command = (char *)"[\"a\"]"};
	struct recording recording = {.runs = {&run, 1, 1}, .targets = {&named, 1, 1}};
	struct causal causal = {.targets = targets, .count = 2};
	struct report report = {.recording = &recording,
				.causal = &causal,
				.options = {.columns = 300}};
	struct recording_point point = {.kind = POINT_THROUGHPUT, .name = (char *)"unit"};
	struct causal_effect effect = {.point = &point};
	struct target_verdict verdict = {.target = &targets[0],
					 .effect = &effect,
					 .outcome = OUTCOME_UNSURE};
	const struct target_verdicts verdicts = {.items = &verdict, .count = 1};
	char *text = NULL;
	size_t size;

	FILE *out = open_memstream(&text, &size);
	first_screen_print(out, &report, &verdicts);
	fclose(out);
	return text;
}

TEST("code that is made as the program runs, and has no names, is told with what names it")
{
	AUTO(text) char *node = screen_of_made_code("/usr/bin/node", 0.97);
	AUTO(text) char *guile = screen_of_made_code("/usr/bin/guile", 0.97);
	AUTO(text) char *little = screen_of_made_code("/usr/bin/node", 0.1);

	CHECK(strstr(node, "no names     code that the program made as it ran, with 97 % of"));
	CHECK(strstr(node, "--interpreted-frames-native-stack"));
	CHECK(strstr(guile, "no names     code that the program made as it ran, with 97 % of"));
	CHECK(!strstr(guile, "node") && strstr(guile, "lever help languages"));
	CHECK(!strstr(little, "no names"));
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* causes - what is around the whole program, or has no name, is left out for its parts. */
#include "report/causal/causes.h"

#include "check.h"

#define MOST 6

struct place {
	struct recording_target named;
	struct causal_target target;
	struct causal_effect effect;
	struct target_verdict verdict;
};

struct made {
	struct place places[MOST];
	unsigned count;
	struct advice advice;
};

/* A place with this share, which gains as much. `outer`: -1: it stands in none. */
static void add(struct made *made, const char *function, double share, int outer)
{
	struct place *place = &made->places[made->count++];

	place->named = (struct recording_target){.function = (char *)(uintptr_t)function};
	place->target =
		(struct causal_target){.target = &place->named,
				       .share = share,
				       .outer = outer < 0 ? NULL : &made->places[outer].target};
	place->effect = (struct causal_effect){.slope = {.slope = share}};
	place->verdict = (struct target_verdict){.target = &place->target,
						 .effect = &place->effect,
						 .at = {.low = share / 4}};
	made->advice.all_gains[made->advice.all_gains_count++] = &place->verdict;
}

/* "main(0) parse(1)" */
static void check_causes(const struct made *made, const char *expected)
{
	struct causes causes = causes_of(&made->advice);
	char text[200] = "";

	for (unsigned i = 0; i < causes.count; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s(%u)", i ? " " : "",
			 causes.items[i].verdict->target->target->function, causes.items[i].depth);
	CHECK_TEXT(text, expected);
}

TEST("parts stand in their place, the largest first")
{
	struct made made = {0};

	add(&made, "serve", 0.8, -1);
	add(&made, "write", 0.2, 0);
	add(&made, "parse", 0.5, 0);
	add(&made, "log", 0.1, -1);
	check_causes(&made, "serve(0) parse(1) write(1) log(0)");
}

TEST("a place around the whole program is left out if its parts have names")
{
	struct made made = {0};

	add(&made, "loop", 0.97, -1);
	add(&made, "parse", 0.6, 0);
	add(&made, "write", 0.2, 0);
	check_causes(&made, "parse(0) write(0)");
}

TEST("the whole program is the time in code, and a system call is a part with a name")
{
	struct made made = {.advice = {.waiting_share = 0.28}};

	add(&made, "serve", 0.7, -1);
	add(&made, NULL, 0.4, 0);
	made.places[1].named.kind = TARGET_SYSTEM_CALL;
	check_causes(&made, "(null)(0)");
	made.advice.waiting_share = 0.1;
	check_causes(&made, "serve(0) (null)(1)");
}

TEST("it stays if it alone has a name, or has no parts")
{
	struct made made = {0}, alone = {0};

	add(&made, "encode", 0.97, -1);
	add(&made, "libx.so+0x100", 0.6, 0);
	check_causes(&made, "encode(0) libx.so+0x100(1)");
	add(&alone, "encode", 0.97, -1);
	check_causes(&alone, "encode(0)");
}

TEST("code without a name is left out if a part with a name has most of its gain")
{
	struct made most = {0}, little = {0};

	add(&most, "git+0x100", 0.85, -1);
	add(&most, "git+0x200", 0.8, 0);
	add(&most, "deflate", 0.7, 1);
	check_causes(&most, "deflate(0)");
	most.places[1].target.is_all_of_named = true;
	check_causes(&most, "git+0x200(0) deflate(1)");
	add(&little, "git+0x100", 0.8, -1);
	add(&little, "deflate", 0.2, 0);
	check_causes(&little, "git+0x100(0) deflate(1)");
}

TEST("a function is left out if it only calls another one, or if threads that idle hide its share")
{
	struct made wrapped = {0}, idle = {0}, lines = {0};

	add(&wrapped, "once", 0.8, -1);
	add(&wrapped, "sort", 0.75, 0);
	add(&wrapped, "sort", 0.7, 1);
	wrapped.places[1].named.kind = TARGET_INCLUSIVE;
	wrapped.places[2].named.kind = TARGET_LINE;
	check_causes(&wrapped, "sort(0) sort(1)");

	add(&idle, "start", 0.6, -1);
	add(&idle, "render", 0.3, 0);
	idle.places[0].effect.slope.slope = 1.0;
	idle.places[1].named.kind = TARGET_INCLUSIVE;
	check_causes(&idle, "render(0)");

	add(&lines, "parse", 0.6, -1);
	add(&lines, "parse", 0.55, 0);
	lines.places[0].effect.slope.slope = 1.0;
	lines.places[1].named.kind = TARGET_LINE;
	check_causes(&lines, "parse(0) parse(1)");
}

TEST("a place around the whole program stays if it does most of the work itself")
{
	struct made made = {0};
	struct recording_target called = {.kind = TARGET_INCLUSIVE};
	struct causal_target all[] = {{.target = &called, .share = 0.17}};
	const struct causal causal = {.targets = all, .count = 1};

	made.advice.causal = &causal;
	add(&made, "execute", 1.0, -1);
	add(&made, "php+0x200", 0.96, 0);
	add(&made, "string_equal", 0.17, 1);
	all[0].outer = &made.places[1].target;
	made.places[1].named.kind = TARGET_INCLUSIVE;
	check_causes(&made, "execute(0) php+0x200(1) string_equal(2)");
	all[0].share = 0.6;
	check_causes(&made, "string_equal(0)");
}

TEST("a place with less than the whole program stays around its parts")
{
	struct made made = {0};

	add(&made, "ecdsa_sign", 0.87, -1);
	add(&made, "mul", 0.51, 0);
	add(&made, "invert", 0.28, 0);
	made.places[1].named.kind = made.places[2].named.kind = TARGET_INCLUSIVE;
	check_causes(&made, "ecdsa_sign(0) mul(1) invert(1)");
}

TEST("a library's function around the whole program stays if its parts tell only some of it")
{
	struct made some = {0}, nearly_all = {0};
	char library[] = "/usr/lib/libxml2.so.2.9.14", program[] = "/opt/a.so/merge.sort";

	add(&some, "xmlXPathCompiledEval", 0.99, -1);
	add(&some, "xmlXPathEqualValues", 0.39, 0);
	add(&some, "malloc and free", 0.26, 0);
	some.places[0].named.object = library;
	check_causes(&some, "xmlXPathCompiledEval(0) xmlXPathEqualValues(1) malloc and free(1)");
	some.places[0].named.object = program;
	check_causes(&some, "xmlXPathEqualValues(0) malloc and free(0)");

	add(&nearly_all, "event_loop", 0.99, -1);
	add(&nearly_all, "serve", 0.8, 0);
	nearly_all.places[0].named.object = library;
	check_causes(&nearly_all, "serve(0)");
}

TEST("a line or a function of a script is not told by what its interpreter does for it")
{
	struct made line = {0}, function = {0}, around = {0};
	char script[] = RECORDING_PYTHON_OBJECT;

	add(&line, "load", 0.64, -1);
	add(&line, "_PyFunction_Vectorcall", 0.6, 0);
	line.places[1].named.kind = TARGET_INCLUSIVE;
	check_causes(&line, "_PyFunction_Vectorcall(0)");
	line.places[0].named.object = script;
	check_causes(&line, "load(0) _PyFunction_Vectorcall(1)");
	line.places[1].named.object = script;
	check_causes(&line, "load(0) _PyFunction_Vectorcall(1)");

	add(&around, "read", 0.65, -1);
	add(&around, "read", 0.64, 0);
	add(&around, "_PyFunction_Vectorcall", 0.6, 1);
	around.places[2].named.kind = TARGET_INCLUSIVE;
	around.places[0].named.object = around.places[1].named.object = script;
	check_causes(&around, "read(0) _PyFunction_Vectorcall(1)");

	add(&function, "encode", 0.97, -1);
	add(&function, "PyIter_Send", 0.9, 0);
	function.places[0].named.kind = function.places[1].named.kind = TARGET_INCLUSIVE;
	function.places[0].named.object = script;
	check_causes(&function, "encode(0) PyIter_Send(1)");
	function.places[1].named.object = script;
	check_causes(&function, "PyIter_Send(0)");
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* skid - a line without samples whose samples stand at the next instruction's line is told. */
#include "report/causal/skid.h"

#include "check.h"

static struct recording_target line(char *function, unsigned number)
{
	return (struct recording_target){.kind = TARGET_LINE,
					 .function = function,
					 .file = (char *)"chase.c",
					 .line = number};
}

static struct recording_target lines[4];
static struct causal_target targets[4];
static struct causal causal = {.targets = targets, .count = 4};

static void make(double own, double beside)
{
	lines[0] = line((char *)"chase", 12);
	lines[1] = line((char *)"chase", 11);
	lines[2] = line((char *)"other", 13);
	lines[3] = line((char *)"chase", 30);
	for (int i = 0; i < 4; i++)
		targets[i] = (struct causal_target){.target = &lines[i], .share = 0.6};
	targets[0].share = own;
	targets[0].experiments = 5;
	targets[1].share = beside;
}

TEST("a load's samples stand at the line of the instruction behind it")
{
	make(0.001, 0.45);
	CHECK(skid_of(&causal, &targets[0]) == &targets[1]);
}

TEST("a line that has samples, or that was not tried, lacks none")
{
	make(0.1, 0.45);
	CHECK(!skid_of(&causal, &targets[0]));
	make(0.001, 0.45);
	targets[0].experiments = 0;
	CHECK(!skid_of(&causal, &targets[0]));
}

TEST("lines far away, of other functions or with few samples are not meant")
{
	make(0.001, 0.04);
	CHECK(!skid_of(&causal, &targets[0]));
	lines[0].line = 28;
	CHECK(skid_of(&causal, &targets[0]) == &targets[3]);
}

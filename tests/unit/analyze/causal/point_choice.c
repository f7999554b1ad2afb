/* SPDX-License-Identifier: BSD-2-Clause */
/* point_choice - of the points that Lever found, one is used with which others agree. */
#include "check.h"

#include "analyze/causal/causal.h"

#include <stdlib.h>

#define TARGETS 3
#define POINTS 3

/* Slopes by point and target; an interval of +-`half` each. */
struct made {
	struct recording_point points[POINTS];
	struct recording recording;
	struct causal_target targets[TARGETS];
};

static void make(struct made *made, double slopes[POINTS][TARGETS], const double half[POINTS])
{
	*made = (struct made){0};
	for (int i = 0; i < POINTS; i++)
		made->points[i] = (struct recording_point){.id = i + 1, .is_found = true};
	made->points[2].kind = POINT_SAMPLED;
	made->recording.points.items = made->points;
	made->recording.points.count = POINTS;
	for (int i = 0; i < TARGETS; i++) {
		made->targets[i].effects = calloc(POINTS, sizeof(struct causal_effect));
		made->targets[i].count = POINTS;
		for (int j = 0; j < POINTS; j++)
			made->targets[i].effects[j] = (struct causal_effect){
				.point = &made->points[j],
				.slope = {slopes[j][i], slopes[j][i] - half[j],
					  slopes[j][i] + half[j], 9},
			};
	}
}

static void release(struct made *made)
{
	for (int i = 0; i < TARGETS; i++)
		free(made->targets[i].effects);
}

TEST("the point that another one supports is used, and the third contradicts it")
{
	double slopes[POINTS][TARGETS] = {{0.0, 0.5, 0.1}, {0.6, 0.0, 0.1}, {0.61, 0.01, 0.1}};
	struct made made;

	make(&made, slopes, (const double[]){0.02, 0.02, 0.02});
	struct point_choice choice = point_choice_make(&made.recording, made.targets, TARGETS);
	CHECK(choice.used == &made.points[1]);
	CHECK(choice.agreeing == &made.points[2]);
	CHECK(choice.opposing == &made.points[0]);
	for (int i = 0; i < TARGETS; i++) {
		CHECK_EQUAL(made.targets[i].count, 1);
		CHECK(made.targets[i].effects[0].point == choice.used);
	}
	release(&made);
}

TEST("CPU time is used where it agrees and a unit tells far less")
{
	double slopes[POINTS][TARGETS] = {{0.6, 0.0, 0.1}, {0.6, 0.0, 0.1}, {0.61, 0.01, 0.1}};
	struct made made;

	make(&made, slopes, (const double[]){0.5, 0.4, 0.02});
	CHECK(point_choice_make(&made.recording, made.targets, TARGETS).used == &made.points[2]);
	release(&made);
	make(&made, slopes, (const double[]){0.5, 0.04, 0.02});
	CHECK(point_choice_make(&made.recording, made.targets, TARGETS).used == &made.points[1]);
	release(&made);
}

TEST("a point that each run counted is used, as the others have no answer for one run's targets")
{
	double slopes[POINTS][TARGETS] = {{0.6, 0.0, 0.1}, {0.6, 0.0, 0.1}, {0.61, 0.01, 0.1}};
	struct recording_run runs[] = {{.id = 1}, {.id = 2}};
	struct recording_visit first[] = {{.point_id = 1}, {.point_id = 3}},
			       second[] = {{.point_id = 2}, {.point_id = 3}};
	struct recording_experiment windows[] = {{.run_id = 1}, {.run_id = 2}};
	struct made made;

	windows[0].visits.items = first;
	windows[1].visits.items = second;
	windows[0].visits.count = windows[1].visits.count = 2;
	make(&made, slopes, (const double[]){0.02, 0.04, 0.05});
	CHECK(point_choice_make(&made.recording, made.targets, TARGETS).used == &made.points[0]);
	release(&made);
	make(&made, slopes, (const double[]){0.02, 0.04, 0.05});
	made.recording.runs.items = runs;
	made.recording.experiments.items = windows;
	made.recording.runs.count = made.recording.experiments.count = 2;
	CHECK(point_choice_make(&made.recording, made.targets, TARGETS).used == &made.points[2]);
	CHECK_EQUAL(made.targets[0].count, 1);
	release(&made);
}

TEST("a unit of the program's start is not used, as later code has no effect at it")
{
	double slopes[POINTS][TARGETS] = {{0.6, 0.0, 0.1}, {0.6, 0.0, 0.1}, {0.61, 0.01, 0.1}};
	struct recording_visit first[] = {{.point_id = 1, .visits = 9},
					  {.point_id = 3, .visits = 9}},
			       later[] = {{.point_id = 1}, {.point_id = 3, .visits = 9}};
	struct recording_experiment windows[] = {{.id = 1, .visits = {first, 2, 2}},
						 {.id = 2, .visits = {later, 2, 2}},
						 {.id = 3, .visits = {later, 2, 2}}};
	struct made made;

	make(&made, slopes, (const double[]){0.01, 0.01, 0.02});
	made.recording.experiments.items = windows;
	made.recording.experiments.count = 3;
	CHECK(point_choice_make(&made.recording, made.targets, TARGETS).used == &made.points[2]);
	release(&made);
}

/* Three windows each without a speedup and at 0.75, with so many visits of the first point. */
static const struct recording_point *choose_of_batches(struct made *made, double baseline,
						       double speedup)
{
	struct recording_visit visits[6][2];
	struct recording_experiment windows[6];
	double slopes[POINTS][TARGETS] = {{0.9, 0.0, 0.1}, {0.6, 0.0, 0.1}, {0.4, 0.01, 0.1}};

	for (int i = 0; i < 6; i++) {
		visits[i][0] = (struct recording_visit){.point_id = 1,
							.visits = i % 2 ? speedup : baseline,
							.duration_ns = 100};
		visits[i][1] =
			(struct recording_visit){.point_id = 3, .visits = 50, .duration_ns = 100};
		windows[i] = (struct recording_experiment){.id = i + 1,
							   .target_id = 1,
							   .speedup = i % 2 ? 0.75 : 0,
							   .duration_ns = 100,
							   .sampled_ns = 100,
							   .visits = {visits[i], 2, 2}};
	}
	make(made, slopes, (const double[]){0.02, 0.02, 0.05});
	made->points[1].is_found = false; /* and without effects, so it is no one's choice */
	for (int i = 0; i < TARGETS; i++)
		made->targets[i].effects[1].slope.windows = 0;
	made->recording.experiments.items = windows;
	made->recording.experiments.count = 6;
	return point_choice_make(&made->recording, made->targets, TARGETS).used;
}

TEST("a found unit that holds less than a third of its work under a speedup is a batch, not used")
{
	struct made made;

	CHECK(choose_of_batches(&made, 10, 31) == &made.points[2]);
	release(&made);
	CHECK(choose_of_batches(&made, 10, 29) == &made.points[0]);
	release(&made);
}

#define CONTROLS 40

/* So many of the windows have no visit of the first point; the program keeps so many cores busy. */
static bool chooses_cpu_time(int without_visits, double cores)
{
	static struct recording_visit visits[CONTROLS][2];
	static struct recording_experiment windows[CONTROLS];
	double slopes[POINTS][TARGETS] = {{0.6, 0.0, 0.1}, {0.6, 0.0, 0.1}, {0.58, 0.01, 0.1}};
	struct made made;

	for (int i = 0; i < CONTROLS; i++) {
		visits[i][0] = (struct recording_visit){.point_id = 1,
							.visits = i < without_visits ? 0 : 40,
							.duration_ns = 80000000};
		visits[i][1] = (struct recording_visit){.point_id = 3,
							.visits = 100,
							.duration_ns = 80000000};
		windows[i] =
			(struct recording_experiment){.id = i + 1,
						      .target_id = 1,
						      .duration_ns = 90000000,
						      .delay_ns = 10000000,
						      .sampled_ns = (uint64_t)(cores * 80000000) +
								    5000000,
						      .waited_ns = 5000000,
						      .visits = {visits[i], 2, 2}};
	}
	make(&made, slopes, (const double[]){0.02, 0.02, 0.05});
	for (int i = 0; i < TARGETS; i++)
		made.targets[i].effects[1].slope.windows = 0;
	made.recording.experiments.items = windows;
	made.recording.experiments.count = CONTROLS;
	const struct recording_point *used =
		point_choice_make(&made.recording, made.targets, TARGETS).used;
	bool is_cpu_time = used == &made.points[2];
	release(&made);
	return is_cpu_time;
}

TEST("a unit that comes in a part of the time leaves the choice to CPU time of one thread")
{
	CHECK(chooses_cpu_time(6, 1));
	CHECK(!chooses_cpu_time(2, 1));
	CHECK(!chooses_cpu_time(6, 1.6));
	CHECK(!chooses_cpu_time(6, 0.5));
}

TEST("a point that was named is no guess: the found ones are dropped, and nothing is chosen")
{
	double slopes[POINTS][TARGETS] = {{0.0, 0.5, 0.1}, {0.6, 0.0, 0.1}, {0.61, 0.01, 0.1}};
	struct made made;

	make(&made, slopes, (const double[]){0.02, 0.02, 0.02});
	made.points[0].is_found = false;
	struct point_choice choice = point_choice_make(&made.recording, made.targets, TARGETS);
	CHECK(!choice.used && !choice.agreeing && !choice.opposing);
	CHECK_EQUAL(made.targets[0].count, 1);
	CHECK(made.targets[0].effects[0].point == &made.points[0]);
	release(&made);
}

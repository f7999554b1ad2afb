/* SPDX-License-Identifier: BSD-2-Clause */
/* rate_mix - times by place in two kinds of windows. */
#include "experiment/rate_mix.h"

#include <math.h>

#define WINDOWS_LEAST 4 /* of each kind */
#define WINDOWS_MOST 16
#define CONTRAST_LEAST 1.15 /* of the rates: else windows may hold whole cycles, ... */
#define WHOLE_LEAST 0.5     /* ... unless they are shorter than this part of one */
#define REST_MOST 0.1       /* of the sampled time in a while, that may lack at a low rate */
#define DISTANCE_MOST 0.05  /* a gain is off by at most this part of its speedup */
#define EXCESS_MOST 0.05    /* of the time */
#define SLOWED_LEAST 0.5    /* of the work of a thread: the rest takes as long on a slower core */
#define DEVIATION_MOST 0.4  /* slow cores at half of their speed, for a while, make 0.35 */

static struct rate_mix_place *place_of(struct rate_mix *mix, uint32_t place)
{
	uint32_t index = hash_map_get(&mix->indices, place, 0);

	if (index == HASH_MAP_NONE) {
		index = (uint32_t)mix->places.count;
		*array_add(&mix->places) = (struct rate_mix_place){0};
		hash_map_set(&mix->indices, place, 0, index);
	}
	return &mix->places.items[index];
}

void rate_mix_begin(struct rate_mix *mix)
{
	for (size_t i = 0; i < mix->places.count; i++)
		mix->places.items[i].now_ns = 0;
	mix->now_samples = 0;
}

void rate_mix_add(struct rate_mix *mix, uint32_t place, double ns)
{
	place_of(mix, place)->now_ns += ns;
	mix->now_samples++;
}

void rate_mix_end(struct rate_mix *mix, double rate, double time_ns)
{
	double mean = (mix->low_rates + mix->high_rates + rate) / (mix->low + mix->high + 1);
	bool is_high = rate > mean;

	for (size_t i = 0; i < mix->places.count; i++) {
		struct rate_mix_place *place = &mix->places.items[i];
		*(is_high ? &place->high_ns : &place->low_ns) += place->now_ns;
	}
	*(is_high ? &mix->high : &mix->low) += 1;
	*(is_high ? &mix->high_rates : &mix->low_rates) += rate;
	*(is_high ? &mix->high_visits : &mix->low_visits) += rate * time_ns;
	*(is_high ? &mix->high_time_ns : &mix->low_time_ns) += time_ns;
	*(is_high ? &mix->high_samples : &mix->low_samples) += mix->now_samples;
	rate_mix_begin(mix);
}

static bool is_known(const struct rate_mix *mix)
{
	return mix->low >= WINDOWS_LEAST && mix->high >= WINDOWS_LEAST && mix->low_samples > 0 &&
	       mix->high_samples > 0;
}

bool rate_mix_is_settled(const struct rate_mix *mix)
{
	return is_known(mix) || mix->low + mix->high >= WINDOWS_MOST;
}

static void sum_up(const struct rate_mix *mix, double *low_ns, double *high_ns)
{
	*low_ns = *high_ns = 0;
	for (size_t i = 0; i < mix->places.count; i++) {
		*low_ns += mix->places.items[i].low_ns;
		*high_ns += mix->places.items[i].high_ns;
	}
}

/*
 * At a low rate less runs than at a high one, and less than `threads`. Waits are not sampled by
 * each engine, nor of all code.
 */
static bool rests(const struct rate_mix *mix, double threads)
{
	double low_ns, high_ns;

	sum_up(mix, &low_ns, &high_ns);
	return low_ns / mix->low_time_ns <
	       (1 - REST_MOST) * fmin(threads, high_ns / mix->high_time_ns);
}

/* Of a part of the time, by which two parts differ by chance. */
static double chance_of(const struct rate_mix *mix, double part)
{
	return sqrt(2 / M_PI * part * (1 - part) * (1 / mix->low_samples + 1 / mix->high_samples));
}

double rate_mix_distance(const struct rate_mix *mix)
{
	double low_ns, high_ns, distance = 0;

	sum_up(mix, &low_ns, &high_ns);
	if (!(low_ns > 0) || !(high_ns > 0))
		return 1;
	for (size_t i = 0; i < mix->places.count; i++) {
		const struct rate_mix_place *place = &mix->places.items[i];
		double low = place->low_ns / low_ns, high = place->high_ns / high_ns;
		double part = (place->low_ns + place->high_ns) / (low_ns + high_ns);
		distance += (fabs(high - low) - chance_of(mix, part)) / 2;
	}
	return fmax(distance, 0);
}

double rate_mix_excess(const struct rate_mix *mix)
{
	double low_ns, high_ns, excess = 0;
	double contrast = mix->high_visits / mix->high_time_ns * mix->low_time_ns / mix->low_visits;
	double slowest = 1 + (contrast - 1) / SLOWED_LEAST;

	sum_up(mix, &low_ns, &high_ns);
	if (!(low_ns > 0) || !(high_ns > 0) || !(contrast > 0))
		return 1;
	for (size_t i = 0; i < mix->places.count; i++) {
		const struct rate_mix_place *place = &mix->places.items[i];
		double slower = place->high_ns * slowest * mix->low_visits / mix->high_visits;
		double faster = place->low_ns * mix->high_visits / mix->low_visits;
		double beyond = fmax((place->low_ns - slower) / low_ns,
				     (place->high_ns - faster) / high_ns);
		double part = (place->low_ns + place->high_ns) / (low_ns + high_ns);
		excess += fmax(beyond - chance_of(mix, part), 0);
	}
	return excess;
}

static bool may_hold_cycles(const struct rate_mix *mix, double length_ns)
{
	double window_ns = (mix->low_time_ns + mix->high_time_ns) / (mix->low + mix->high);

	return mix->high_rates / mix->high < CONTRAST_LEAST * mix->low_rates / mix->low &&
	       window_ns >= WHOLE_LEAST * length_ns;
}

bool rate_mix_is_same(const struct rate_mix *mix, double deviation, double length_ns)
{
	if (!is_known(mix) || may_hold_cycles(mix, length_ns))
		return false;
	return (!rests(mix, INFINITY) && rate_mix_distance(mix) <= DISTANCE_MOST) ||
	       (deviation <= DEVIATION_MOST && !rests(mix, 1) &&
		rate_mix_excess(mix) <= EXCESS_MOST);
}

void rate_mix_release(struct rate_mix *mix)
{
	hash_map_clear(&mix->indices);
	array_free(&mix->places);
}

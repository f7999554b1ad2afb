/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hosts - several simulated machines whose programs send each other messages, and a copy of G on
 * each.
 *
 * Every host has its own engine. Each `report_ns` it sends its G to the coordinator, which merges
 * what it has heard by maximum and sends that to all. Both ways take as long as the program's own
 * messages do, and may be lost. Clocks of hosts are apart and drift; only ARRIVAL_TOLD reads them.
 */
#pragma once

#include "machine.h"

#define HOSTS_MOST 128

struct hosts_settings {
	struct machine_settings machine; /* of each host */
	struct engine_settings engine;
	uint32_t count;
	uint64_t seed;
	uint64_t delay_ns;    /* of a message, one way; drawn up to a quarter longer */
	uint64_t report_ns;   /* from one report of G to the next */
	uint64_t handling_ns; /* what agents and coordinator add to a report's way */
	double loss;          /* share of messages that are lost: */
	uint64_t repeat_ns;   /* the program's come this much later, reports never */
	uint64_t clock_apart_ns;
	double clock_drift;
};

/* The programs of a job, one per host. */
struct job {
	char name[24];
	uint32_t count;
	struct program programs[HOSTS_MOST];
};

struct hosts;

struct hosts *hosts_new(void);
void hosts_free(struct hosts *hosts);
void hosts_start(struct hosts *hosts, const struct hosts_settings *settings, const struct job *job);
void hosts_run(struct hosts *hosts, uint64_t length_ns);
uint64_t hosts_now(const struct hosts *hosts);
struct machine *hosts_machine(struct hosts *hosts, uint32_t host);
/* Reaches each host after a message's way. */
void hosts_set_speedup(struct hosts *hosts, double speedup);
/* By how much the copies of G are apart now. */
uint64_t hosts_lag(struct hosts *hosts);
uint64_t hosts_reports(const struct hosts *hosts); /* so far, both ways */

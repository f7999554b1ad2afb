/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * engine - the kernel engine's state, for the files of collect/kernel.
 */
#pragma once

#include "collect/bpf/clocks.h"
#include "collect/engine.h"
#include "wire/hosts.h"
#include "wire/requests.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#pragma GCC diagnostic push /* made by bpftool */
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Woverlength-strings"
#include "lever.skel.h"
#pragma GCC diagnostic pop

#define KERNEL_LINKS_MOST 4096

struct kernel_engine {
	struct collector collector; /* first */
	struct lever_bpf *bpf;
	struct ring_buffer *ring;
	const struct collector_handler *handler; /* while draining */
	struct clocks clocks;
	struct bpf_link *links[KERNEL_LINKS_MOST];
	size_t link_count;
	uint64_t probed_points;               /* bits of those in code */
	uint64_t first_probe_ns;              /* when the first of them was set */
	bool has_given_period;                /* by the user: it stays */
	bool misses_exits;                    /* cannot read counters when a process ends */
	uint64_t pair_ended[WIRE_PAIRS_MOST]; /* until the window opened; then: in it */
	struct wire_span_lengths lengths[WIRE_PAIRS_MOST];
};

static inline struct kernel_engine *kernel_of(const struct collector *collector)
{
	return (struct kernel_engine *)(uintptr_t)collector;
}

/*
 * links.c. Keeps a link until the engine closes, and frees one for which there is no room. NULL
 * gives -errno.
 */
int kernel_add_link(struct kernel_engine *kernel, struct bpf_link *link);
/* Attaches a program to CATEGORY:NAME on all cores; the caller owns the link. */
int kernel_attach_tracepoint(struct bpf_program *program, const char *category, const char *name,
			     uint64_t cookie, struct bpf_link **link, struct error *error);

/* probe_cost.c. Adds a line for each point whose visits cost much. */
void kernel_note_probe_cost(struct kernel_engine *kernel, char **text);

/* hosts.c */
int kernel_hosts_open(struct kernel_engine *kernel, const struct collector_hosts *hosts,
		      struct error *error);
void kernel_host_messages(const struct collector *collector, uint64_t *sent, uint64_t *received,
			  uint64_t *refused);

/* clock.c */
int kernel_clock_open(struct kernel_engine *kernel, uint64_t period_ns, struct error *error);
/* Measures what a tick costs and fills in facts; the clocks must be open. */
int kernel_clock_calibrate(struct kernel_engine *kernel, struct error *error);

/* What the other files give to the table of struct engine. */
void kernel_set_period(struct collector *collector, uint64_t period_ns);

int kernel_add_task(struct collector *collector, int pidfd, struct error *error);
/* While ticks are measured: this thread, and none that it or its process starts. */
int kernel_mark_itself(struct collector *collector, int pidfd, struct error *error);
int kernel_add_process(struct collector *collector, pid_t pid, struct error *error);
int kernel_add_peer(struct collector *collector, pid_t pid, struct error *error);
int kernel_exclude_process(struct collector *collector, pid_t pid, struct error *error);
void kernel_follow_all(struct collector *collector);
int kernel_filter_name(struct collector *collector, const char *name, bool is_wanted);
void kernel_announce_names(struct collector *collector);

int kernel_add_point_uprobe(struct collector *collector, const char *name,
			    const struct collector_code *code, unsigned *index,
			    struct error *error);
int kernel_add_point_tracepoint(struct collector *collector, const char *category,
				const char *tracepoint, const char *name, unsigned *index,
				struct error *error);
int kernel_add_point_requests(struct collector *collector, const char *name,
			      const struct collector_connections *connections, unsigned *index,
			      struct error *error);
void kernel_add_listening_port(struct collector *collector, uint16_t port);
void kernel_service(const struct collector *collector, struct collector_service *service);
void kernel_each_peer(const struct collector *collector,
		      void (*found)(void *context, const struct collector_peer *peer),
		      void *context);
void kernel_each_visiting_process(const struct collector *collector, unsigned index,
				  void (*found)(void *context, pid_t pid, const char *command,
						uint64_t visits),
				  void *context);
void kernel_count_calls(struct collector *collector, struct collector_calls *counted, size_t count,
			const struct collector_slices *slices);

void kernel_sum_pairs(const struct collector *collector, uint64_t sums[WIRE_PAIRS_MOST],
		      uint64_t *weight_ns);
void kernel_lengths_begin(struct collector *collector);
void kernel_lengths_end(struct collector *collector);
struct collector_lengths kernel_pair_lengths(const struct collector *collector, unsigned pair);
struct collector_visits kernel_window_visits(const struct collector *collector, unsigned point);

/* SPDX-License-Identifier: BSD-2-Clause */
/* requests - points that count requests, and the program's peers (bpf/messages.h). */
#include "collect/kernel/engine.h"

#include "base/clock.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* With the first point; the programs that this kernel has no tracepoints for are not loaded. */
static int attach_requests(struct kernel_engine *kernel, struct error *error)
{
	struct bpf_program *programs[] = {kernel->bpf->progs.sock_recv_length,
					  kernel->bpf->progs.sock_send_length,
					  kernel->bpf->progs.message_call,
					  kernel->bpf->progs.peer_waking};

	for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++) {
		if (!bpf_program__autoload(programs[i]))
			continue;
		int code = kernel_add_link(kernel, bpf_program__attach(programs[i]));
		if (code)
			return error_set(error, code, "cannot attach to the tracepoint %s: %s",
					 bpf_program__name(programs[i]), strerror(-code));
	}
	return 0;
}

static int add_port(const struct kernel_engine *kernel, uint32_t port, uint32_t bits)
{
	int map = bpf_map__fd(kernel->bpf->maps.request_ports);
	uint32_t mask = 0;

	bpf_map_lookup_elem(map, &port, &mask);
	mask |= bits;
	return bpf_map_update_elem(map, &port, &mask, BPF_ANY) ? -errno : 0;
}

/* Abstract addresses begin with a zero instead of the @. */
static void set_path(struct wire_request_point *point, const char *path)
{
	size_t length = strnlen(path, sizeof(point->path) - 1);

	memcpy(point->path, path, length);
	if (*path == '@')
		point->path[0] = 0;
}

int kernel_add_point_requests(struct collector *collector, const char *name,
			      const struct collector_connections *connections, unsigned *index,
			      struct error *error)
{
	struct kernel_engine *kernel = kernel_of(collector);
	uint32_t count = kernel->bpf->bss->request_point_count;
	int code = count ? 0 : attach_requests(kernel, error);

	if (!code && count == WIRE_REQUESTS_MOST)
		return error_set(error, -E2BIG, "more than %d points that count requests",
				 WIRE_REQUESTS_MOST);
	code = code ? code : engine_take_point(collector, name, WIRE_POINT_ENGINE, index, error);
	if (code)
		return code;
	struct wire_request_point *point = &kernel->bpf->bss->request_points[count];
	point->point = *index;
	if (connections->path)
		set_path(point, connections->path);
	else
		point->is_any = !connections->port;
	if (connections->port)
		code = add_port(kernel, connections->port, 1u << count);
	__atomic_store_n(&kernel->bpf->bss->request_point_count, count + 1, __ATOMIC_RELEASE);
	return code ? error_set(error, code, "cannot set the progress point %s: %s", name,
				strerror(-code)) :
		      0;
}

void kernel_add_listening_port(struct collector *collector, uint16_t port)
{
	const struct kernel_engine *kernel = kernel_of(collector);
	uint32_t bits = 0;

	for (uint32_t i = 0; i < kernel->bpf->bss->request_point_count; i++)
		bits |= (uint32_t)kernel->bpf->bss->request_points[i].is_any << i;
	if (bits)
		add_port(kernel, port, bits);
}

void kernel_each_peer(const struct collector *collector,
		      void (*found)(void *context, const struct collector_peer *peer),
		      void *context)
{
	int map = bpf_map__fd(kernel_of(collector)->bpf->maps.peers);
	uint32_t process, *last = NULL;

	for (unsigned i = 0; i < KERNEL_PEERS_MOST && !bpf_map_get_next_key(map, last, &process);
	     i++) {
		struct kernel_peer seen;
		last = &process;
		if (bpf_map_lookup_elem(map, &process, &seen))
			continue;
		struct collector_peer peer = {.pid = (pid_t)process,
					      .sent = seen.sent,
					      .woken_by_message = seen.woken_by_message,
					      .woken_otherwise = seen.woken_otherwise};
		found(context, &peer);
	}
}

/* The middle of a bucket. */
static double bucket_ns(unsigned bucket)
{
	unsigned bits = KERNEL_SERVICE_LEAST_BITS + (bucket >> KERNEL_SERVICE_FINE_BITS);
	unsigned fine = bucket & ((1 << KERNEL_SERVICE_FINE_BITS) - 1);

	return ldexp(1 + (fine + 0.5) / (1 << KERNEL_SERVICE_FINE_BITS), (int)bits);
}

static double quantile_ns(const struct kernel_serving *serving, uint64_t all, double share)
{
	double below = 0;
	unsigned bucket = 0;

	for (; bucket < KERNEL_SERVICE_BUCKETS - 1; bucket++) {
		below += (double)serving->answered[bucket];
		if (below >= share * (double)all)
			break;
	}
	return bucket_ns(bucket);
}

void kernel_service(const struct collector *collector, struct collector_service *service)
{
	const struct kernel_serving *serving = &kernel_of(collector)->bpf->bss->serving;
	double lived_ns = (double)serving->ended_ns - (double)serving->since_ns +
			  (double)(serving->threads - serving->ended) * (double)clock_now_ns();

	service->threads = (unsigned)serving->threads;
	if (serving->threads && lived_ns > 0)
		service->waiting_share = fmin(1, (double)serving->waited_ns / lived_ns);
	for (unsigned i = 0; i < KERNEL_SERVICE_BUCKETS; i++)
		service->answered += serving->answered[i];
	if (!service->answered)
		return;
	service->p50_ns = quantile_ns(serving, service->answered, 0.5);
	service->p99_ns = quantile_ns(serving, service->answered, 0.99);
}

/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * hosts - messages between the hosts of a job carry their sender's L (wire/hosts.h): written into
 * the header of each TCP segment to another host, and read before the segment wakes its receiver.
 */
#pragma once

#include "bpf/pause.h"
#include "wire/hosts.h"

#include <bpf/bpf_endian.h>

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, HOSTS_ADDRESSES_MOST);
	__type(key, struct hosts_address);
	__type(value, u32); /* unused */
} hosts SEC(".maps");

struct hosts_settings hosts_settings __attribute__((aligned(256)));
struct hosts_totals hosts_totals __attribute__((aligned(256)));

/*
 * Written on the core that handles a segment. The wake-up that follows it on that core is the
 * message's (is_by_message).
 */
static __always_inline void message_arrives(u64 delay)
{
	struct kernel_cpu *cpu = this_cpu();

	__sync_fetch_and_add(&hosts_totals.received, 1);
	global_delay_raise(delay);
	cpu->has_message = 1;
	cpu->message_delay_ns = delay;
}

/*
 * In a softirq, or in a task that is none of the program's: a kernel thread that polls a device, a
 * virtual one's process. A member takes what came while it read, and wakes no task by that.
 */
static __always_inline bool is_by_message(const struct kernel_cpu *cpu, bool is_of_member)
{
	return cpu->has_message && !cpu->hard_interrupts && (cpu->is_receiving || !is_of_member);
}

/* What the woken task owes by the message that has just arrived: what G has grown by since. */
static __always_inline u64 message_gap(const struct kernel_cpu *cpu, u64 global)
{
	u64 since = delay_later(settings.delay.generation_delay_ns, cpu->message_delay_ns);

	return delay_not_negative(global - since);
}

/* In a tick of the program: G follows the other hosts. By itself: the stack of `tick` is full. */
__noinline int hosts_follow(void)
{
	u64 told = *(volatile u64 *)&hosts_settings.told_delay_ns;

	if (delay_later(told, global_delay()) == told)
		global_delay_raise(told);
	return 0;
}

static __always_inline void option_read(struct bpf_sock_ops *context)
{
	struct hosts_option option = {.kind = HOSTS_OPTION_KIND,
				      .length = 4, /* of what it is searched by */
				      .experiment = bpf_htons(HOSTS_OPTION_EXPERIMENT)};

	if (bpf_load_hdr_opt(context, &option, sizeof(option), 0) != sizeof(option))
		return;
	if (option.tag != hosts_settings.tag ||
	    (s64)(option.delay_ns - global_delay()) > (s64)HOSTS_AHEAD_MOST_NS) {
		__sync_fetch_and_add(&hosts_totals.refused, 1);
		return;
	}
	message_arrives(option.delay_ns);
}

/* A segment that no task of the program sends now, as the window had no room for it: G. */
static __always_inline u64 sender_delay(void)
{
	struct kernel_cpu *cpu = this_cpu();
	u64 global = global_delay();

	if (cpu->is_receiving || cpu->hard_interrupts || cpu->soft_interrupts)
		return global;
	return global - delay_not_negative(core_gap(cpu, global));
}

static __always_inline void option_write(struct bpf_sock_ops *context)
{
	struct hosts_option option = {.kind = HOSTS_OPTION_KIND,
				      .length = sizeof(option),
				      .experiment = bpf_htons(HOSTS_OPTION_EXPERIMENT),
				      .tag = hosts_settings.tag,
				      .delay_ns = sender_delay()};

	if (!bpf_store_hdr_opt(context, &option, sizeof(option), 0))
		__sync_fetch_and_add(&hosts_totals.sent, 1);
}

static __always_inline void connection_begin(struct bpf_sock_ops *context)
{
	/* All are read, word by word: the verifier takes no address that depends on a choice. */
	const volatile struct bpf_sock_ops *given = context;
	struct hosts_address four = {.words = {0, 0, bpf_htonl(0xffff), given->remote_ip4}};
	struct hosts_address six = {.words = {given->remote_ip6[0], given->remote_ip6[1],
					      given->remote_ip6[2], given->remote_ip6[3]}};
	struct hosts_address remote = given->family == 10 /* AF_INET6 */ ? six : four;

	if (!bpf_map_lookup_elem(&hosts, &remote))
		return;
	bpf_sock_ops_cb_flags_set(context, context->bpf_sock_ops_cb_flags |
						   BPF_SOCK_OPS_WRITE_HDR_OPT_CB_FLAG |
						   BPF_SOCK_OPS_PARSE_ALL_HDR_OPT_CB_FLAG);
}

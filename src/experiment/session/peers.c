/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * peers - other processes of this machine that exchange messages with the program: clients, load
 * generators, databases.
 *
 * One that the program's messages wake is in a closed loop with it: it sends the next request after
 * an answer. Its time is part of each request's, so it must pause as the program does, or it would
 * seem to be sped up with every target. One that a clock wakes sets the rate itself, and pauses
 * would only make it send late.
 */
#include "experiment/session/state.h"

#include "base/cleanup.h"
#include "base/memory.h"
#include "collect/process/tree.h"
#include "collect/requests.h"

#define MESSAGES_LEAST 30       /* wake-ups by the program's messages before one is judged */
#define SENT_SHARE_LEAST 0.25   /* messages sent for each such wake-up: it answers, or asks */
#define CLOSED_SHARE_LEAST 0.75 /* of its wake-ups are by the program's messages */
#define ALL_LEAST 0.8           /* of the requests; the first ones came before they were known */

static void tell(struct session *session, pid_t pid, bool is_closed)
{
	AUTO(text) char *name = process_name(pid);
	AUTO(text)
	char *sentence =
		is_closed ?
			text_format("%s (process %d) waits for the program's messages and sends "
				    "its own then: it pauses with the program (--no-peers: it does "
				    "not)",
				    name ? name : "?", (int)pid) :
			text_format("%s (process %d) sends to the program at times of its own: if "
				    "that sets the rate, no target can change it; use a client "
				    "that waits for answers, or --latency",
				    name ? name : "?", (int)pid);

	driver_message(&session->driver, sentence);
}

static void on_peer(void *context, const struct collector_peer *peer)
{
	struct session *session = context;
	double woken = (double)(peer->woken_by_message + peer->woken_otherwise);
	bool is_closed = (double)peer->woken_by_message >= CLOSED_SHARE_LEAST * woken;

	if (peer->woken_by_message < MESSAGES_LEAST ||
	    (double)peer->sent < SENT_SHARE_LEAST * (double)peer->woken_by_message)
		return;
	session->sent_by_peers += is_closed ? peer->sent : 0;
	if (process_list_has(&session->peers, peer->pid))
		return;
	*array_add(&session->peers) = peer->pid;
	if (session_processes_take_in(session, peer->pid))
		return;
	if (is_closed && collector_add_peer(session->collector, peer->pid, NULL))
		return;
	tell(session, peer->pid, is_closed);
}

void session_peers_refresh(struct session *session)
{
	if (session->options->without_peers)
		return;
	session->sent_by_peers = 0;
	collector_each_peer(session->collector, on_peer, session);
}

bool session_peers_send_all(const struct session *session)
{
	uint64_t requests = progress_points_requests(session->points);

	return requests && (double)session->sent_by_peers >= ALL_LEAST * (double)requests;
}

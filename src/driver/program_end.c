/* SPDX-License-Identifier: BSD-2-Clause */
/* program_end - the signals, by time. */
#include "driver/program_end.h"

#include "base/clock.h"
#include "base/memory.h"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#define OTHERS_AFTER_NS 2000000000ull
#define KILL_AFTER_NS 5000000000ull

/* All that runs now, the program itself left out. */
static void others_of(const struct program *program, const struct process_list *known,
		      struct process_list *others)
{
	struct process_table table;

	process_table_read(&table);
	if (!program->has_ended)
		*array_add(others) = program->pid;
	for (size_t i = 0; known && i < known->count; i++)
		if (known->items[i] != program->pid && process_table_has(&table, known->items[i]))
			*array_add(others) = known->items[i];
	process_table_add_descendants(&table, others);
	process_table_release(&table);
	for (size_t i = 0; i < others->count; i++)
		if (others->items[i] == program->pid)
			others->items[i--] = others->items[--others->count];
}

static void signal_program(const struct program *program, int number)
{
	if (!program->has_ended)
		syscall(SYS_pidfd_send_signal, program->pidfd, number, NULL, 0);
}

bool program_end_continue(struct program_end *end, const struct program *program,
			  const struct process_list *known)
{
	uint64_t now = clock_now_ns();
	struct process_list others = {0};

	if (!end->began_ns) {
		end->began_ns = now;
		signal_program(program, SIGTERM);
	}
	bool kills = now - end->began_ns >= KILL_AFTER_NS;
	if (!kills && !program->has_ended && now - end->began_ns < OTHERS_AFTER_NS)
		return false;
	others_of(program, known, &others);
	if (kills)
		signal_program(program, SIGKILL);
	for (size_t i = 0; i < others.count; i++) {
		if (!kills && process_list_has(&end->asked, others.items[i]))
			continue;
		kill(others.items[i], kills ? SIGKILL : SIGTERM);
		*array_add(&end->asked) = others.items[i];
	}
	bool is_first = kills && !end->has_killed && (others.count || !program->has_ended);
	end->has_killed |= is_first;
	process_list_release(&others);
	return is_first;
}

void program_end_release(struct program_end *end)
{
	process_list_release(&end->asked);
}

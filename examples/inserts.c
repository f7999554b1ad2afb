/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * inserts - puts rows into an SQLite database, as many as it can: a program that mostly waits.
 *
 *	inserts SECONDS FILE [ROWS [PRAGMA...]]
 *
 * ROWS is how many rows a transaction has (1); PRAGMA is such as journal_mode=WAL. FILE is made
 * anew. Prints rows a second. A row is a unit of work.
 */
#include "lever.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double seconds_now(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void run(sqlite3 *database, const char *words)
{
	if (sqlite3_exec(database, words, NULL, NULL, NULL) == SQLITE_OK)
		return;
	fprintf(stderr, "inserts: %s: %s\n", words, sqlite3_errmsg(database));
	exit(1);
}

/* The contents of a row. */
static void make_row(char *text, size_t bytes, unsigned long number)
{
	unsigned long state = number * 2654435761u + 1;

	for (size_t i = 0; i + 1 < bytes; i++) {
		state = state * 6364136223846793005u + 1442695040888963407u;
		text[i] = (char)('a' + (state >> 33) % 26);
	}
	text[bytes - 1] = 0;
}

static void insert(sqlite3_stmt *statement, unsigned long number)
{
	char text[400];

	make_row(text, sizeof(text), number);
	sqlite3_bind_int64(statement, 1, (sqlite3_int64)number);
	sqlite3_bind_text(statement, 2, text, -1, SQLITE_TRANSIENT);
	if (sqlite3_step(statement) != SQLITE_DONE)
		exit(1);
	sqlite3_reset(statement);
	LEVER_PROGRESS_NAMED("rows");
}

static sqlite3 *open_new(const char *path, char *const *pragmas)
{
	static const char *const leftovers[] = {"", "-journal", "-wal", "-shm"};
	sqlite3 *database;
	char text[4096];

	for (int i = 0; i < 4; i++) {
		snprintf(text, sizeof(text), "%s%s", path, leftovers[i]);
		remove(text);
	}
	if (sqlite3_open(path, &database) != SQLITE_OK)
		exit(1);
	for (; *pragmas; pragmas++) {
		snprintf(text, sizeof(text), "PRAGMA %s", *pragmas);
		run(database, text);
	}
	run(database, "CREATE TABLE entry (number INTEGER PRIMARY KEY, text TEXT)");
	run(database, "CREATE INDEX by_text ON entry (text)");
	return database;
}

int main(int argc, char **argv)
{
	static char *const none[] = {NULL};
	unsigned long number = 0, rows = argc > 3 ? strtoul(argv[3], NULL, 10) : 1;
	sqlite3_stmt *statement;

	if (argc < 3 || !rows) {
		fputs("inserts SECONDS FILE [ROWS [PRAGMA...]]\n", stderr);
		return 2;
	}
	sqlite3 *database = open_new(argv[2], argc > 4 ? argv + 4 : none);
	sqlite3_prepare_v2(database, "INSERT INTO entry VALUES (?, ?)", -1, &statement, NULL);
	double start = seconds_now(), over = start + atof(argv[1]);
	while (seconds_now() < over) {
		if (rows > 1)
			run(database, "BEGIN");
		for (unsigned long i = 0; i < rows; i++)
			insert(statement, number++);
		if (rows > 1)
			run(database, "COMMIT");
	}
	printf("%.0f rows a second\n", (double)number / (seconds_now() - start));
	sqlite3_finalize(statement);
	sqlite3_close(database);
	return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* job_command - command lines of the launchers of Open MPI, MPICH and Slurm. */
#include "collect/process/job_command.h"

#include "base/cleanup.h"
#include "base/memory.h"
#include "check.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define WORDS_MOST 32

static char *split_text;

static char **words_of(const char *text)
{
	static char *words[WORDS_MOST];
	char *rest = NULL;
	int count = 0;

	free(split_text);
	split_text = text_copy(text);
	for (char *word = strtok_r(split_text, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		words[count++] = word;
	words[count] = NULL;
	return words;
}

/* Joined by spaces; the array is freed. */
static char *text_of(char **words)
{
	char *text = text_copy(words[0]);

	for (char **word = words + 1; *word; word++) {
		char *longer = text_format("%s %s", text, *word);
		free(text);
		text = longer;
	}
	free(words);
	return text;
}

static void expect_prefix(const char *given, const char *expected)
{
	const char *const prefix[] = {"join", NULL};
	struct error error = {0};
	char **made;

	CHECK_EQUAL(job_command_with_prefix(words_of(given), prefix, &made, &error), 0);
	AUTO(text) char *text = text_of(made);
	CHECK_TEXT(text, expected);
}

TEST("the program is what follows the launcher's options and their values")
{
	expect_prefix("mpirun -np 4 --host a,b --mca btl tcp,self true -n 3",
		      "mpirun -np 4 --host a,b --mca btl tcp,self join true -n 3");
	expect_prefix("mpiexec.hydra -genv A 1 -hosts a,b -ppn 2 -prepend-rank true",
		      "mpiexec.hydra -genv A 1 -hosts a,b -ppn 2 -prepend-rank join true");
	expect_prefix("srun -N 2 --ntasks=4 -l true x", "srun -N 2 --ntasks=4 -l join true x");
	expect_prefix("/usr/bin/mpirun true", "/usr/bin/mpirun join true");
}

TEST("a job of several programs has the prefix before each")
{
	expect_prefix("mpirun -np 1 true a : -np 2 -host b false c",
		      "mpirun -np 1 join true a : -np 2 -host b join false c");
}

TEST("another program takes the place of each with its arguments")
{
	const char *const program[] = {"where", NULL};
	struct error error = {0};
	char **made;

	CHECK_EQUAL(job_command_with_program(words_of("mpirun -np 1 true a : -np 2 false c"),
					     program, &made, &error),
		    0);
	AUTO(text) char *text = text_of(made);
	CHECK_TEXT(text, "mpirun -np 1 where : -np 2 where");
}

TEST("a word that cannot be executed is no program, nor is none")
{
	const char *const prefix[] = {"join", NULL};
	struct error error = {0};
	char **made;

	CHECK_EQUAL(job_command_with_prefix(words_of("mpirun --unknown 5 true"), prefix, &made,
					    &error),
		    -EINVAL);
	free(made);
	CHECK(strstr(error.text, "cannot tell the program"));
	CHECK_EQUAL(job_command_with_prefix(words_of("mpirun -np"), prefix, &made, &error),
		    -EINVAL);
	free(made);
}

TEST("a job names hosts by its options or its environment; a launcher is known by its name")
{
	CHECK(job_command_is(words_of("/opt/bin/mpiexec true")));
	CHECK(!job_command_is(words_of("make mpirun")));
	CHECK(job_command_names_hosts(words_of("mpirun --hostfile f true")));
	CHECK(job_command_names_hosts(words_of("mpirun -np 1 true : -host b true")));
	CHECK(!job_command_names_hosts(words_of("mpirun -np 2 true -host b")));
	setenv("SLURM_JOB_ID", "7", 1);
	CHECK(job_command_names_hosts(words_of("mpirun -np 2 true")));
	unsetenv("SLURM_JOB_ID");
}

TEST("an agent is started as the job reaches its hosts, one process on one host")
{
	char **made = job_command_launcher(
		words_of("mpirun -np 4 --mca plm_rsh_agent x --bind-to none --prefix /o true"));
	AUTO(text) char *text = text_of(made);

	CHECK_TEXT(text, "mpirun --mca plm_rsh_agent x --prefix /o -np 1 -host %h");
	AUTO(text) char *slurm = text_of(job_command_launcher(words_of("srun -n 4 true")));
	CHECK_TEXT(slurm, "srun --overlap --quiet --nodes=1 --ntasks=1 --nodelist %h");
	free(split_text);
}

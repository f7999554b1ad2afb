/* SPDX-License-Identifier: BSD-2-Clause */
/* job_command - the command line of a parallel job. */
#include "collect/process/job_command.h"

#include "base/cleanup.h"
#include "base/memory.h"
#include "collect/process/program.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

enum option_use {
	USE_PLACE = 1,  /* names hosts */
	USE_LAUNCH = 2, /* how hosts are reached */
};

/* Options with values in the next words, without dashes; all others have none. */
struct launcher_option {
	const char *name;
	unsigned values, use;
};

static const struct launcher_option mpi_options[] = {
	{"H", 1, USE_PLACE},
	{"host", 1, USE_PLACE},
	{"hosts", 1, USE_PLACE},
	{"f", 1, USE_PLACE},
	{"hostfile", 1, USE_PLACE},
	{"machinefile", 1, USE_PLACE},
	{"default-hostfile", 1, USE_PLACE},
	{"app", 1, USE_PLACE},
	{"configfile", 1, USE_PLACE},
	{"mca", 2, USE_LAUNCH},
	{"gmca", 2, USE_LAUNCH},
	{"prefix", 1, USE_LAUNCH},
	{"launcher", 1, USE_LAUNCH},
	{"launcher-exec", 1, USE_LAUNCH},
	{"launch-agent", 1, USE_LAUNCH},
	{"rmk", 1, USE_LAUNCH},
	{"iface", 1, USE_LAUNCH},
	{"allow-run-as-root", 0, USE_LAUNCH},
	{"n", 1, 0},
	{"np", 1, 0},
	{"c", 1, 0},
	{"N", 1, 0},
	{"ppn", 1, 0},
	{"npernode", 1, 0},
	{"npersocket", 1, 0},
	{"map-by", 1, 0},
	{"rank-by", 1, 0},
	{"bind-to", 1, 0},
	{"membind", 1, 0},
	{"topolib", 1, 0},
	{"cpu-set", 1, 0},
	{"cpu-list", 1, 0},
	{"cpus-per-proc", 1, 0},
	{"cpus-per-rank", 1, 0},
	{"ppr", 1, 0},
	{"rf", 1, 0},
	{"rankfile", 1, 0},
	{"max-vm-size", 1, 0},
	{"hnp", 1, 0},
	{"output-filename", 1, 0},
	{"stdin", 1, 0},
	{"xml-file", 1, 0},
	{"xterm", 1, 0},
	{"path", 1, 0},
	{"preload-files", 1, 0},
	{"wd", 1, 0},
	{"wdir", 1, 0},
	{"x", 1, 0},
	{"am", 1, 0},
	{"tune", 1, 0},
	{"debugger", 1, 0},
	{"timeout", 1, 0},
	{"cf", 1, 0},
	{"cartofile", 1, 0},
	{"max-restarts", 1, 0},
	{"ompi-server", 1, 0},
	{"personality", 1, 0},
	{"report-events", 1, 0},
	{"report-pid", 1, 0},
	{"report-uri", 1, 0},
	{"genv", 2, 0},
	{"env", 2, 0},
	{"genvlist", 1, 0},
	{"envlist", 1, 0},
	{"demux", 1, 0},
	{"prepend-pattern", 1, 0},
	{"outfile-pattern", 1, 0},
	{"errfile-pattern", 1, 0},
	{"nameserver", 1, 0},
	{"order-nodes", 1, 0},
	{"localhost", 1, 0},
	{"usize", 1, 0},
	{"pmi-port", 1, 0},
	{"gpus-per-proc", 1, 0},
	{NULL, 0, 0},
};

/* Long ones with `=` are one word. */
static const struct launcher_option srun_options[] = {
	{"w", 1, USE_PLACE},
	{"nodelist", 1, USE_PLACE},
	{"N", 1, USE_PLACE},
	{"nodes", 1, USE_PLACE},
	{"mpi", 1, 0},
	{"n", 1, 0},
	{"ntasks", 1, 0},
	{"c", 1, 0},
	{"cpus-per-task", 1, 0},
	{"x", 1, 0},
	{"exclude", 1, 0},
	{"p", 1, 0},
	{"partition", 1, 0},
	{"A", 1, 0},
	{"account", 1, 0},
	{"t", 1, 0},
	{"time", 1, 0},
	{"J", 1, 0},
	{"job-name", 1, 0},
	{"jobid", 1, USE_LAUNCH},
	{"o", 1, 0},
	{"output", 1, 0},
	{"e", 1, 0},
	{"error", 1, 0},
	{"i", 1, 0},
	{"input", 1, 0},
	{"D", 1, 0},
	{"chdir", 1, 0},
	{"m", 1, 0},
	{"distribution", 1, 0},
	{"C", 1, 0},
	{"constraint", 1, 0},
	{"G", 1, 0},
	{"gpus", 1, 0},
	{"gres", 1, 0},
	{"mem", 1, 0},
	{"mem-per-cpu", 1, 0},
	{"ntasks-per-node", 1, 0},
	{"q", 1, 0},
	{"qos", 1, 0},
	{"r", 1, 0},
	{"relative", 1, 0},
	{"export", 1, 0},
	{"cpu-bind", 1, 0},
	{"het-group", 1, 0},
	{NULL, 0, 0},
};

static const char *name_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool is_srun(char *const *words)
{
	return !strcmp(name_of(words[0]), "srun");
}

bool job_command_is(char *const *words)
{
	static const char *const names[] = {
		"mpirun",       "mpiexec",       "mpirun.openmpi", "mpiexec.openmpi",
		"mpirun.mpich", "mpiexec.mpich", "mpiexec.hydra",  "orterun",
		"prterun",      "srun",
	};

	for (size_t i = 0; words && words[0] && i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(name_of(words[0]), names[i]))
			return true;
	return false;
}

static const struct launcher_option *option_of(char *const *words, const char *word)
{
	static const struct launcher_option unknown = {"", 0, 0};
	const struct launcher_option *options = is_srun(words) ? srun_options : mpi_options;

	word += strspn(word, "-");
	for (; options->name; options++)
		if (!strcmp(options->name, word))
			return options;
	return &unknown;
}

/* Behind an option and its values. */
static size_t after_option(char *const *words, size_t at)
{
	unsigned values = option_of(words, words[at])->values;

	at++;
	while (values-- && words[at])
		at++;
	return at;
}

static bool is_option(const char *word)
{
	return word[0] == '-' && word[1];
}

static bool is_separator(const char *word)
{
	return !strcmp(word, ":");
}

/* Of the part of the job that begins at `at`: where its program stands; else at the end. */
static size_t program_at(char *const *words, size_t at)
{
	while (words[at] && is_option(words[at]))
		at = after_option(words, at);
	return at;
}

static size_t part_end(char *const *words, size_t at)
{
	while (words[at] && !is_separator(words[at]))
		at++;
	return at;
}

static bool is_place(char *const *words, const char *word)
{
	const char *equals = strchr(word, '=');
	AUTO(text)
	char *name = equals ? text_format("%.*s", (int)(equals - word), word) : text_copy(word);
	bool is_attached = is_srun(words) && (!strncmp(word, "-N", 2) || !strncmp(word, "-w", 2));

	return is_attached || option_of(words, name)->use == USE_PLACE;
}

bool job_command_names_hosts(char *const *words)
{
	static const char *const allocations[] = {"SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID",
						  "OAR_JOBID", "PE_HOSTFILE"};

	for (size_t i = 0; i < sizeof(allocations) / sizeof(*allocations); i++)
		if (getenv(allocations[i]))
			return true;
	for (size_t at = 1; words[at];) {
		if (is_separator(words[at])) {
			at++;
		} else if (is_option(words[at])) {
			if (is_place(words, words[at]))
				return true;
			at = after_option(words, at);
		} else {
			at = part_end(words, at);
		}
	}
	return is_srun(words);
}

struct rewriting {
	ARRAY(char *) words;
};

static void add_words(struct rewriting *made, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count && words[i]; i++)
		*array_add(&made->words) = (char *)(uintptr_t)words[i];
}

static void add_own(struct rewriting *made, char *const *words, size_t count)
{
	add_words(made, (const char *const *)words, count);
}

static int check_program(char *const *words, const char *program, struct error *error)
{
	struct error why = {0};
	int code = 0;

	if (!program || is_separator(program))
		return error_set(error, -EINVAL, "'%s' names no program", words[0]);
	AUTO(text) char *path = program_find(program, &code, &why);
	return path ? 0 :
		      error_set(error, -EINVAL,
				"cannot tell the program of '%s': %s; name hosts by --hosts, or "
				"write options of the launcher as --option=value",
				words[0], why.text);
}

/* `inserted` before each program, which stays if `is_kept`. */
static int rewrite(char *const *words, const char *const *inserted, bool is_kept, char ***result,
		   struct error *error)
{
	struct rewriting made = {0};
	int code = 0;

	for (size_t at = 0; words[at] && !code;) {
		size_t program = program_at(words, at + 1), end = part_end(words, program);
		add_own(&made, words + at, program - at);
		code = check_program(words, words[program], error);
		add_words(&made, inserted, SIZE_MAX);
		if (is_kept)
			add_own(&made, words + program, end - program);
		at = end;
	}
	*array_add(&made.words) = NULL;
	*result = made.words.items;
	return code;
}

int job_command_with_prefix(char *const *words, const char *const *prefix, char ***made,
			    struct error *error)
{
	return rewrite(words, prefix, true, made, error);
}

int job_command_with_program(char *const *words, const char *const *program, char ***made,
			     struct error *error)
{
	return rewrite(words, program, false, made, error);
}

char **job_command_launcher(char *const *words)
{
	static const char *const one_task[] = {"--overlap",  "--quiet", "--nodes=1", "--ntasks=1",
					       "--nodelist", "%h",      NULL};
	static const char *const one_rank[] = {"-np", "1", "-host", "%h", NULL};
	struct rewriting made = {0};

	*array_add(&made.words) = words[0];
	for (size_t at = 1; words[at] && is_option(words[at]);) {
		size_t next = after_option(words, at);
		if (option_of(words, words[at])->use == USE_LAUNCH)
			add_own(&made, words + at, next - at);
		at = next;
	}
	add_words(&made, is_srun(words) ? one_task : one_rank, SIZE_MAX);
	*array_add(&made.words) = NULL;
	return made.words.items;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * trouble - profiles that are torn, foreign, newer, locked, out of reach, or on a full disk.
 *
 * Each must be read as far as it was committed, or be refused by a sentence that tells what to do.
 */
#include "check.h"
#include "sample_recording.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static bool write_file(const char *path, const char *content, size_t size_bytes)
{
	FILE *file = fopen(path, "wb");
	if (!file)
		return false;
	bool written = fwrite(content, 1, size_bytes, file) == size_bytes;
	return fclose(file) == 0 && written;
}

/* The error of a read that must fail; code 0 if it did not. */
static struct error read_error(const char *path)
{
	struct error error = {0};
	struct recording *recording = NULL;
	profile_read(path, &recording, &error);
	recording_free(recording);
	return error;
}

/* Runs `work` in a child that then waits to be killed; returns once the work is done. */
static pid_t start_child(int (*work)(const char *), const char *path)
{
	int ready[2];
	if (pipe(ready))
		return -1;
	pid_t pid = fork();
	if (!pid) {
		char result = work(path) ? 'n' : 'y';
		if (write(ready[1], &result, 1) == 1)
			pause();
		_exit(1);
	}
	char result = 'n';
	ssize_t got = read(ready[0], &result, 1);
	close(ready[0]);
	close(ready[1]);
	return got == 1 && result == 'y' ? pid : -1;
}

static void kill_child(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* Leaves 200 experiments committed and one more not, and the file open. */
static int record_and_stay(const char *path)
{
	struct profile *profile = NULL;
	struct sample sample;
	int code = sample_begin(path, false, &profile, &sample, NULL);
	for (unsigned i = 0; i < 200 && !code; i++) {
		code = sample_experiment(profile, &sample, i, NULL);
		if (!code)
			code = profile_commit(profile, NULL);
	}
	return code ? code : sample_experiment(profile, &sample, 200, NULL);
}

TEST("after kill -9 of a recorder all commits are read, and the file is unchanged")
{
	char *path = sample_path();
	pid_t pid = start_child(record_and_stay, path);
	CHECK(pid > 0);
	kill_child(pid);
	unsigned files = sample_files(path);
	CHECK(files > 1);
	for (unsigned i = 0; i < 2; i++) {
		struct error error = {0};
		struct recording *recording = NULL;
		CHECK_EQUAL(profile_read(path, &recording, &error), 0);
		CHECK_EQUAL(recording->experiments.count, 200);
		recording_free(recording);
		CHECK_EQUAL(sample_files(path), files);
	}
	sample_remove(path);
}

TEST("a recorder continues the file of a killed one")
{
	char *path = sample_path();
	struct error error = {0};
	pid_t pid = start_child(record_and_stay, path);
	CHECK(pid > 0);
	kill_child(pid);
	CHECK_EQUAL(sample_write(path, 10, &error), 0);
	CHECK_EQUAL(sample_files(path), 1);
	struct recording *recording = NULL;
	CHECK_EQUAL(profile_read(path, &recording, &error), 0);
	CHECK_EQUAL(recording->runs.count, 2);
	CHECK_EQUAL(recording->experiments.count, 210);
	recording_free(recording);
	sample_remove(path);
}

TEST("a file is read while its recorder writes")
{
	char *path = sample_path();
	struct error error = {0};
	pid_t pid = start_child(record_and_stay, path);
	CHECK(pid > 0);
	struct recording *recording = NULL;
	int code = profile_read(path, &recording, &error);
	kill_child(pid);
	CHECK_EQUAL(code, 0);
	CHECK_EQUAL(recording->experiments.count, 200);
	recording_free(recording);
	sample_remove(path);
}

TEST("a second recorder on the same file is refused")
{
	char *path = sample_path();
	struct error error = {0};
	struct profile *profile = NULL;
	pid_t pid = start_child(record_and_stay, path);
	CHECK(pid > 0);
	int code = profile_create(path, false, &profile, &error);
	kill_child(pid);
	CHECK_EQUAL(code, -EBUSY);
	CHECK(strstr(error.text, "another lever"));
	CHECK(strstr(error.text, "-o"));
	sample_remove(path);
}

/* Reads the file as cut to `size_bytes`: must give 0 ... most experiments, or an error. */
static bool survives_cut(const char *path, const char *torn, off_t size_bytes, size_t most)
{
	if (truncate(torn, size_bytes))
		return false;
	struct error error = {0};
	struct recording *recording = NULL;
	int code = profile_read(path, &recording, &error);
	bool fine = code ? code == error.code && strstr(error.text, path) != NULL :
			   recording->experiments.count <= most;
	if (!fine)
		printf("# cut at %lld: %d %s\n", (long long)size_bytes, code, error.text);
	recording_free(recording);
	return fine;
}

TEST("a log truncated anywhere gives the commits before the end")
{
	char *path = sample_path();
	AUTO(text) char *wal = text_format("%s-wal", path);
	pid_t pid = start_child(record_and_stay, path);
	CHECK(pid > 0);
	kill_child(pid);
	struct stat status;
	CHECK_EQUAL(stat(wal, &status), 0);
	CHECK(status.st_size > 100000);
	size_t before = 200;
	for (off_t size = status.st_size; size > 0; size -= 4096 + 61) {
		struct error error = {0};
		struct recording *recording = NULL;
		CHECK_EQUAL(truncate(wal, size), 0);
		CHECK_EQUAL(profile_read(path, &recording, &error), 0);
		CHECK(recording->experiments.count <= before);
		before = recording->experiments.count;
		recording_free(recording);
	}
	CHECK_EQUAL(before, 0);
	CHECK(survives_cut(path, wal, 0, 200));
	sample_remove(path);
}

TEST("a file truncated anywhere is read or refused with an error")
{
	char *path = sample_path();
	struct error error = {0};
	CHECK_EQUAL(sample_write(path, 500, &error), 0);
	struct stat status;
	CHECK_EQUAL(stat(path, &status), 0);
	unsigned refused = 0;
	for (off_t size = status.st_size - 1; size > 16; size -= size > 4096 ? 777 : 61) {
		CHECK(survives_cut(path, path, size, 500));
		refused += read_error(path).code != 0;
	}
	CHECK(refused > 10);
	sample_remove(path);
	path = sample_path();
	CHECK_EQUAL(sample_write(path, 1, &error), 0);
	CHECK(survives_cut(path, path, 16, 0));
	CHECK_EQUAL(read_error(path).code, -EBADMSG);
	for (off_t size = 15; size >= 0; size -= 5)
		CHECK(survives_cut(path, path, size, 0));
	sample_remove(path);
}

TEST("a file with altered bytes is read or refused with an error")
{
	char *path = sample_path();
	struct error error = {0};
	CHECK_EQUAL(sample_write(path, 100, &error), 0);
	size_t size;
	AUTO(text) char *content = file_read(path, &size, &error);
	CHECK(content);
	uint64_t state = 1;
	for (unsigned i = 0; i < 400; i++) {
		state = state * 6364136223846793005u + 1442695040888963407u;
		size_t at = 100 + (size_t)(state >> 33) % (size - 100);
		char old = content[at];
		content[at] = (char)(old ^ (char)(1 + (state >> 20) % 255));
		CHECK(write_file(path, content, size));
		CHECK(survives_cut(path, path, (off_t)size, 100000));
		content[at] = old;
	}
	sample_remove(path);
}

TEST("a truncated file is not added to")
{
	char *path = sample_path();
	struct error error = {0};
	CHECK_EQUAL(sample_write(path, 500, &error), 0);
	CHECK_EQUAL(truncate(path, 4096 * 5), 0);
	CHECK_EQUAL(sample_write(path, 1, &error), -EBADMSG);
	CHECK(strstr(error.text, "damaged"));
	CHECK(strstr(error.text, "--fresh"));
	struct profile *profile = NULL;
	CHECK_EQUAL(profile_create(path, true, &profile, &error), 0);
	profile_close(profile);
	sample_remove(path);
}

TEST("a profile of a newer lever is refused for reading and writing")
{
	char *path = sample_path();
	struct error error = {0};
	CHECK_EQUAL(sample_write(path, 1, &error), 0);
	int fd = open(path, O_WRONLY);
	CHECK(fd >= 0 && pwrite(fd, "\0\0\0\143", 4, 60) == 4 && close(fd) == 0);
	error = read_error(path);
	CHECK_EQUAL(error.code, -EPROTONOSUPPORT);
	CHECK(strstr(error.text, "newer lever"));
	struct profile *profile = NULL;
	CHECK_EQUAL(profile_create(path, false, &profile, &error), -EPROTONOSUPPORT);
	sample_remove(path);
}

TEST("other files are neither read nor added to nor replaced")
{
	char *path = sample_path();
	static const char text[] = "int main(void) { return 0; }\n";
	CHECK(write_file(path, text, sizeof(text) - 1));
	struct error error = read_error(path);
	CHECK_EQUAL(error.code, -EINVAL);
	CHECK(strstr(error.text, "not a Lever profile"));
	struct profile *profile = NULL;
	CHECK_EQUAL(profile_create(path, false, &profile, &error), -EEXIST);
	CHECK_EQUAL(profile_create(path, true, &profile, &error), -EEXIST);
	AUTO(text) char *content = file_read(path, NULL, &error);
	CHECK_TEXT(content, text);
	sample_remove(path);
}

TEST("the database of another program is neither read nor added to nor replaced")
{
	char *path = sample_path();
	CHECK(sample_execute(path, "CREATE TABLE run(x)"));
	struct error error = read_error(path);
	CHECK_EQUAL(error.code, -EINVAL);
	struct profile *profile = NULL;
	CHECK_EQUAL(profile_create(path, false, &profile, &error), -EEXIST);
	CHECK_EQUAL(profile_create(path, true, &profile, &error), -EEXIST);
	sample_remove(path);
}

/* Changes a valid file by SQL; returns the error of reading it. */
static struct error error_after(const char *sql)
{
	char *path = sample_path();
	struct error error = {0};
	bool is_changed = !sample_write(path, 3, &error) && sample_execute(path, sql);

	error = read_error(path);
	if (!is_changed)
		snprintf(error.text, sizeof(error.text), "the SQL failed: %s", sql);
	sample_remove(path);
	return error;
}

TEST("invalid rows are refused as damage")
{
	static const char *const changes[] = {
		"UPDATE experiment SET target_id = 99",
		"UPDATE experiment SET run_id = 99",
		"UPDATE experiment SET speedup = 1.5",
		"UPDATE experiment SET speedup = 9e999",
		"UPDATE experiment SET speedup = -0.5",
		"UPDATE experiment SET duration_ns = -1",
		"UPDATE experiment SET verdict = 'maybe'",
		"UPDATE target SET kind = 'elephant'",
		"UPDATE target SET line = 5000000000",
		"UPDATE visit SET point_id = 99",
		"UPDATE run SET finished = 7",
		"DELETE FROM experiment WHERE id = 2",
		"INSERT INTO total VALUES(5, 1, 1)",
		"INSERT INTO sample VALUES(1, 9, 1, 1, 1, 1)",
		"DROP TABLE visit",
		"ALTER TABLE run RENAME COLUMN note TO remark",
		"DROP TABLE total;"
		"CREATE VIEW total AS SELECT 1 AS run_id, 1 AS point_id, 2 AS visits",
		"DROP TABLE total; CREATE TABLE total(run_id, point_id, visits);"
		"INSERT INTO total VALUES(x'00', 'text', NULL)",
	};
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		struct error error = error_after(changes[i]);
		if (error.code != -EBADMSG)
			printf("# %s: %s\n", changes[i], error.text);
		CHECK_EQUAL(error.code, -EBADMSG);
		CHECK(strstr(error.text, "damaged"));
	}
}

TEST("an empty file is reported as empty")
{
	char *path = sample_path();
	CHECK(write_file(path, "", 0));
	struct error error = read_error(path);
	CHECK_EQUAL(error.code, -ENODATA);
	CHECK(strstr(error.text, "is empty"));
	CHECK_EQUAL(sample_write(path, 1, &error), 0);
	sample_remove(path);
}

TEST("missing files and directories are reported with a remedy")
{
	char *path = sample_path();
	AUTO(text) char *directory = sample_directory(path);
	AUTO(text) char *nowhere = text_format("%s/no/x.lever", directory);
	struct error error = read_error(path);
	CHECK_EQUAL(error.code, -ENOENT);
	CHECK(strstr(error.text, "lever run"));
	CHECK_EQUAL(read_error(directory).code, -EINVAL);
	struct profile *profile = NULL;
	CHECK_EQUAL(profile_create(nowhere, false, &profile, &error), -ENOENT);
	CHECK(strstr(error.text, "directory does not exist"));
	CHECK_EQUAL(profile_create(directory, false, &profile, &error), -EISDIR);
	CHECK_EQUAL(profile_create("/dev/null", true, &profile, &error), -EINVAL);
	CHECK_EQUAL(sample_files(path), 0);
	sample_remove(path);
}

/* The result of `work` in a child without root's rights. */
static int without_rights(int (*work)(const char *), const char *path)
{
	pid_t pid = fork();
	if (!pid) {
		if (geteuid() == 0 && (setgid(65534) || setuid(65534)))
			_exit(99);
		_exit(work(path) ? 1 : 0);
	}
	int status = -1;
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int read_200(const char *path)
{
	struct error error = {0};
	struct recording *recording = NULL;
	if (profile_read(path, &recording, &error)) {
		printf("# %s\n", error.text);
		return 1;
	}
	int code = recording->experiments.count != 200;
	recording_free(recording);
	return code;
}

static int is_refused_to_write(const char *path)
{
	struct error error = {0};
	struct profile *profile = NULL;
	int code = profile_create(path, false, &profile, &error);
	printf("# %s\n", error.text);
	return code != -EACCES || !strstr(error.text, "-o");
}

TEST("in a read-only directory files are read, truncated or whole, and not changed")
{
	char *path = sample_path();
	AUTO(text) char *directory = sample_directory(path);
	struct error error = {0};
	pid_t pid = start_child(record_and_stay, path);
	CHECK(pid > 0);
	kill_child(pid);
	CHECK_EQUAL(chmod(directory, 0555), 0);
	unsigned files = sample_files(path);
	CHECK_EQUAL(without_rights(read_200, path), 0);
	CHECK_EQUAL(sample_files(path), files);
	CHECK_EQUAL(chmod(directory, 0755), 0);
	struct profile *profile = NULL;
	CHECK_EQUAL(profile_create(path, false, &profile, &error), 0);
	profile_close(profile);
	CHECK_EQUAL(sample_files(path), 1);
	CHECK_EQUAL(chmod(directory, 0555), 0);
	CHECK_EQUAL(without_rights(read_200, path), 0);
	CHECK_EQUAL(sample_files(path), 1);
	AUTO(text) char *other = text_format("%s.other", path);
	CHECK_EQUAL(without_rights(is_refused_to_write, other), 0);
	CHECK_EQUAL(chmod(path, 0444), 0);
	CHECK_EQUAL(without_rights(is_refused_to_write, path), 0);
	CHECK_EQUAL(chmod(directory, 0755), 0);
	sample_remove(path);
}

TEST("under sudo the file belongs to the user who called it")
{
	if (geteuid() != 0)
		SKIP("only root can give files away");
	if (syscall(SYS_openat2, AT_FDCWD, "/", NULL, 0) && errno == ENOSYS)
		SKIP("no openat2 here");
	char *path = sample_path();
	struct error error = {0};
	setenv("SUDO_UID", "12345", 1);
	setenv("SUDO_GID", "54321", 1);
	int code = sample_write(path, 1, &error);
	unsetenv("SUDO_UID");
	unsetenv("SUDO_GID");
	CHECK_EQUAL(code, 0);
	struct stat status;
	CHECK_EQUAL(stat(path, &status), 0);
	CHECK_EQUAL(status.st_uid, 12345);
	CHECK_EQUAL(status.st_gid, 54321);
	sample_remove(path);
}

TEST("under sudo a killed recording in /tmp is continued")
{
	if (geteuid() != 0)
		SKIP("only root can give files away");
	char *path = sample_path();
	AUTO(text) char *directory = sample_directory(path);
	struct error error = {0};
	CHECK_EQUAL(chmod(directory, 01777), 0); /* where fs.protected_regular holds */
	setenv("SUDO_UID", "12345", 1);
	setenv("SUDO_GID", "54321", 1);
	pid_t pid = start_child(record_and_stay, path);
	if (pid > 0)
		kill_child(pid);
	int code = sample_write(path, 1, &error);
	unsetenv("SUDO_UID");
	unsetenv("SUDO_GID");
	CHECK_TEXT(error.text, "");
	CHECK_EQUAL(code, 0);
	CHECK_EQUAL(sample_files(path), 1);
	CHECK_EQUAL(read_error(path).code, 0);
	sample_remove(path);
}

TEST("a full disk is reported, and commits are kept")
{
	char *path = sample_path();
	AUTO(text) char *directory = sample_directory(path);
	if (mount("lever-test", directory, "tmpfs", 0, "size=400k")) {
		sample_remove(path);
		SKIP("no right to mount a small tmpfs");
	}
	struct error error = {0};
	struct profile *profile = NULL;
	struct sample sample;
	size_t committed = 0;
	int code = sample_begin(path, false, &profile, &sample, &error);
	for (unsigned i = 0; i < 100000 && !code; i++) {
		code = sample_experiment(profile, &sample, i, &error);
		if (!code)
			code = profile_commit(profile, &error);
		committed += !code;
	}
	profile_close(profile);
	struct recording *recording = NULL;
	struct error second = {0};
	int read_code = profile_read(path, &recording, &second);
	size_t found = recording ? recording->experiments.count : 0;
	recording_free(recording);
	umount(directory);
	sample_remove(path);
	CHECK_EQUAL(code, -ENOSPC);
	CHECK(strstr(error.text, "disk is full"));
	CHECK(committed > 10);
	CHECK_TEXT(second.text, "");
	CHECK_EQUAL(read_code, 0);
	CHECK_EQUAL(found, committed);
}

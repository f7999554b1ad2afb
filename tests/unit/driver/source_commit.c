/* SPDX-License-Identifier: BSD-2-Clause */
/* source_commit - the commit of working trees whose files of git are written here. */
#include "driver/source_commit.h"

#include "base/cleanup.h"
#include "base/text.h"
#include "check.h"

#include <sys/stat.h>
#include <unistd.h>

#define COMMIT "0123456789abcdef0123456789abcdef01234567"
#define OTHER "fedcba9876543210fedcba9876543210fedcba98"

static char folder[] = "/tmp/lever-test-commit-XXXXXX";

/* Makes a new, empty folder the current one. */
static void enter_folder(void)
{
	strcpy(folder + strlen(folder) - 6, "XXXXXX");
	if (!mkdtemp(folder) || chdir(folder))
		abort();
}

static void leave_folder(void)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -r %s", folder);
	if (chdir("/") || system(command))
		abort();
}

static void write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "we");

	if (!file || fputs(text, file) < 0 || fclose(file))
		abort();
}

static void make_folders(const char *const *paths)
{
	for (; *paths; paths++)
		if (mkdir(*paths, 0755))
			abort();
}

static void make_tree(const char *head)
{
	enter_folder();
	make_folders((const char *[]){".git", ".git/refs", ".git/refs/heads", "src", NULL});
	write_file(".git/HEAD", head);
}

TEST("a branch's commit is found from a folder within the tree")
{
	make_tree("ref: refs/heads/main\n");
	write_file(".git/refs/heads/main", COMMIT "\n");
	AUTO(text) char *commit = source_commit_of_folder("src");
	leave_folder();
	CHECK(text_equals(commit, COMMIT));
}

TEST("a commit without a branch, and a packed branch, are found")
{
	make_tree(OTHER "\n");
	AUTO(text) char *detached = source_commit_of_folder(".");
	write_file(".git/HEAD", "ref: refs/heads/main\n");
	write_file(".git/packed-refs",
		   "# pack-refs with: peeled\n" OTHER " refs/heads/maintenance\n"
		   "^" OTHER "\n" COMMIT " refs/heads/main\n");
	AUTO(text) char *packed = source_commit_of_folder(".");
	leave_folder();
	CHECK(text_equals(detached, OTHER));
	CHECK(text_equals(packed, COMMIT));
}

TEST("a further working tree shares the branches of the first")
{
	make_tree(OTHER "\n");
	make_folders((const char *[]){".git/worktrees", ".git/worktrees/second", "second", NULL});
	write_file(".git/worktrees/second/HEAD", "ref: refs/heads/second\n");
	write_file(".git/worktrees/second/commondir", "../..\n");
	write_file(".git/refs/heads/second", COMMIT "\n");
	write_file("second/.git", "gitdir: ../.git/worktrees/second\n");
	AUTO(text) char *commit = source_commit_of_folder("second");
	leave_folder();
	CHECK(text_equals(commit, COMMIT));
}

TEST("the program's tree comes before the current folder's")
{
	make_tree(OTHER "\n");
	make_folders((const char *[]){"inner", "inner/.git", NULL});
	write_file("inner/.git/HEAD", COMMIT "\n");
	write_file("inner/program", "");
	AUTO(text) char *by_program = source_commit("inner/program");
	AUTO(text) char *by_folder = source_commit("program-in-the-path");
	leave_folder();
	CHECK(text_equals(by_program, COMMIT));
	CHECK(text_equals(by_folder, OTHER));
}

TEST("no tree, a text that is no commit, a branch outside git's folder and a pipe are none")
{
	make_tree("ref: refs/heads/../../../secret\n");
	write_file("secret", COMMIT "\n");
	AUTO(text) char *outside = source_commit_of_folder(".");
	write_file(".git/HEAD", "0123 root:x:0:0\n");
	AUTO(text) char *text = source_commit_of_folder(".");
	if (unlink(".git/HEAD") || mkfifo(".git/HEAD", 0644))
		abort();
	AUTO(text) char *pipe = source_commit_of_folder(".");
	leave_folder();
	AUTO(text) char *none = source_commit_of_folder("/proc/self");
	CHECK(text_equals(outside, NULL));
	CHECK(text_equals(text, NULL));
	CHECK(text_equals(pipe, NULL));
	CHECK(text_equals(none, NULL));
}

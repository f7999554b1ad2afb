/* SPDX-License-Identifier: BSD-2-Clause */
/* kallsyms - the kernel's functions by address. */
#include "check.h"

#include "base/cleanup.h"
#include "symbolize/kernel/kallsyms.h"

#include <errno.h>
#include <unistd.h>

CLEANUP_DEFINE(kallsyms, struct kallsyms *, kallsyms_free, NULL)

static struct kallsyms *kallsyms_of(const char *content, struct error *error)
{
	char path[] = "/tmp/lever-kallsyms-XXXXXX";
	struct kallsyms *kallsyms = NULL;
	AUTO(fd) int fd = mkstemp(path);
	if (fd < 0 || write(fd, content, strlen(content)) != (ssize_t)strlen(content))
		return NULL;
	kallsyms_read(path, &kallsyms, error);
	unlink(path);
	return kallsyms;
}

static const char content[] = "ffffffff81000200 T second\n"
			      "ffffffff81000000 T first\n"
			      "ffffffff81000100 d data\n"
			      "ffffffffc0000000 t probe\t[ext4]\n"
			      "garbage\n"
			      "\n";

TEST("an address belongs to the function that begins last before it; data does not count")
{
	struct error error = {0};
	AUTO(kallsyms) struct kallsyms *kallsyms = kallsyms_of(content, &error);
	CHECK(kallsyms);
	CHECK_TEXT(kallsyms_at(kallsyms, 0xffffffff81000000)->name, "first");
	CHECK_TEXT(kallsyms_at(kallsyms, 0xffffffff810001ff)->name, "first");
	CHECK_TEXT(kallsyms_at(kallsyms, 0xffffffff81000200)->name, "second");
	CHECK_TEXT(kallsyms_at(kallsyms, 0xffffffff81000200)->module, NULL);
	CHECK_TEXT(kallsyms_at(kallsyms, 0xffffffffc0000010)->name, "probe");
	CHECK_TEXT(kallsyms_at(kallsyms, 0xffffffffc0000010)->module, "ext4");
	CHECK(!kallsyms_at(kallsyms, 0xffffffff80ffffff));
	CHECK(!kallsyms_at(NULL, 0xffffffff81000000));
}

TEST("a function ends at the next one, or at a maximum length")
{
	struct error error = {0};
	AUTO(kallsyms) struct kallsyms *kallsyms = kallsyms_of(content, &error);
	CHECK(kallsyms_at(kallsyms, 0xffffffff81000200 + 0xfffff));
	CHECK(!kallsyms_at(kallsyms, 0xffffffff81000200 + 0x100000));
	CHECK(kallsyms_at(kallsyms, 0xffffffffc0000000 + 0x3ffff));
	CHECK(!kallsyms_at(kallsyms, 0xffffffffc0000000 + 0x40000));
}

TEST("names of loaded code are added, names of unloaded code are kept")
{
	char path[] = "/tmp/lever-kallsyms-XXXXXX";
	struct kallsyms *kallsyms = NULL;
	AUTO(fd) int fd = mkstemp(path);
	const char *before = "ffffffff81000000 T _stext\nffffffff81000100 T _etext\n"
			     "ffffffffc0000000 t going\t[old]\nffffffffc0001000 t staying\t[one]\n";
	const char *after = "ffffffff81000000 T _stext\nffffffff81000100 T _etext\n"
			    "ffffffffc0001000 t staying\t[one]\n"
			    "ffffffffc0900000 t coming\t[newer]\nffffffffc0901000 t next\t[bpf]\n";
	CHECK(write(fd, before, strlen(before)) == (ssize_t)strlen(before));
	CHECK_EQUAL(kallsyms_read(path, &kallsyms, NULL), 0);
	CHECK(!kallsyms_refresh(kallsyms, 0xffffffffc0900010)); /* just read */
	CHECK(!ftruncate(fd, 0) && pwrite(fd, after, strlen(after), 0) == (ssize_t)strlen(after));
	sleep(1);
	usleep(100000);
	CHECK(!kallsyms_refresh(kallsyms, 0xffffffff81000010));
	CHECK(!kallsyms_refresh(kallsyms, 0xffffffffc0000010)); /* has a name */
	CHECK(!kallsyms_at(kallsyms, 0xffffffffc0900010));
	CHECK(kallsyms_refresh(kallsyms, 0xffffffffc0900010));
	CHECK(kallsyms_at(kallsyms, 0xffffffffc0900010));
	CHECK_TEXT(kallsyms_at(kallsyms, 0xffffffffc0900010)->name, "coming");
	CHECK_TEXT(kallsyms_at(kallsyms, 0xffffffffc0901010)->module, "bpf");
	CHECK_TEXT(kallsyms_at(kallsyms, 0xffffffffc0000010)->name, "going");
	CHECK_TEXT(kallsyms_at(kallsyms, 0xffffffffc0001010)->name, "staying");
	unlink(path);
	kallsyms_free(kallsyms);
}

TEST("hidden addresses are refused, with the remedy")
{
	struct error error = {0};
	CHECK(!kallsyms_of("0000000000000000 T first\n0000000000000000 T second\n", &error));
	CHECK_EQUAL(error.code, -EACCES);
	CHECK(strstr(error.text, "kptr_restrict"));
}

TEST("a missing file is an error")
{
	struct error error = {0};
	struct kallsyms *kallsyms = NULL;
	CHECK(kallsyms_read("/nowhere/kallsyms", &kallsyms, &error));
	CHECK(!kallsyms);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* kallsyms - the kernel's functions by address. */
#include "check.h"

#include "base/own.h"
#include "symbolize/kallsyms.h"

#include <errno.h>
#include <unistd.h>

OWN_DEFINE(kallsyms, struct kallsyms *, kallsyms_free, NULL)

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

TEST("hidden addresses are refused, with the remedy")
{
	struct error error = {0};
	CHECK(!kallsyms_of("0000000000000000 T first\n0000000000000000 T second\n", &error));
	CHECK_EQUAL(error.code, -EACCES);
	CHECK(strstr(error.text, "kptr_restrict"));
}

TEST("a file that is not there is an error")
{
	struct error error = {0};
	struct kallsyms *kallsyms = NULL;
	CHECK(kallsyms_read("/nowhere/kallsyms", &kallsyms, &error));
	CHECK(!kallsyms);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* error - negative codes, whole sentences, places in front. */
#include "base/error.h"

#include "check.h"

#include <errno.h>

TEST("a positive errno is stored and returned negative")
{
	struct error error = {0};
	CHECK_EQUAL(error_set(&error, ENOENT, "no file %s", "a"), -ENOENT);
	CHECK_EQUAL(error.code, -ENOENT);
	CHECK_TEXT(error.text, "no file a");
}

TEST("a negative errno stays as it is")
{
	struct error error = {0};
	CHECK_EQUAL(error_set(&error, -EPERM, "no"), -EPERM);
}

TEST("without an error to fill, the code is still returned")
{
	CHECK_EQUAL(error_set(NULL, EIO, "nobody reads this"), -EIO);
}

TEST("places are put before the sentence, the outermost first")
{
	struct error error = {0};
	error_set(&error, EIO, "the disk is on fire");
	CHECK_EQUAL(error_add_place(&error, "sector %d", 7), -EIO);
	CHECK_EQUAL(error_add_place(&error, "disk"), -EIO);
	CHECK_TEXT(error.text, "disk: sector 7: the disk is on fire");
}

TEST("a remedy stands behind the sentence, and one is enough")
{
	struct error error = {0};
	error_set(&error, EIO, "the disk is on fire");
	CHECK_EQUAL(error_add_remedy(&error, "take disk %d", 2), -EIO);
	CHECK_EQUAL(error_add_remedy(&error, "buy another"), -EIO);
	CHECK_TEXT(error.text, "the disk is on fire; take disk 2");
}

TEST("a sentence that is too long is cut and ends with a zero")
{
	struct error error = {0};
	error_set(&error, EIO, "%2000s", "x");
	CHECK_EQUAL(strlen(error.text), sizeof(error.text) - 1);
	error_add_place(&error, "place");
	CHECK_EQUAL(strlen(error.text), sizeof(error.text) - 1);
	CHECK(!strncmp(error.text, "place: ", 7));
}

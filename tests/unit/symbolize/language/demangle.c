/* SPDX-License-Identifier: BSD-2-Clause */
/* demangle - linker names as users write them, and matching of typed names. */
#include "symbolize/language/demangle.h"

#include "base/cleanup.h"
#include "base/memory.h"

#include "check.h"

#include <string.h>
#include <unistd.h>

static int says(const char *mangled, const char *expected)
{
	AUTO(text) char *name = demangle(mangled);
	if (strcmp(name, expected) == 0)
		return 1;
	printf("# %s gives %s\n", mangled, name);
	return 0;
}

static int is_plainly(const char *name, const char *expected)
{
	AUTO(text) char *plain = demangle_plain(name);
	if (strcmp(plain, expected) == 0)
		return 1;
	printf("# %s is plainly %s\n", name, plain);
	return 0;
}

static int has_base(const char *name, const char *expected)
{
	AUTO(text) char *base = demangle_base(name);
	if (strcmp(base, expected) == 0)
		return 1;
	printf("# the base of %s is %s\n", name, base);
	return 0;
}

TEST("C names stay, C++ and both kinds of Rust names are spelled out")
{
	CHECK(says("main", "main"));
	CHECK(says("_start", "_start"));
	CHECK(says("_ZN3app5totalEii", "app::total(int, int)"));
	CHECK(says("_ZN4core3fmt5write17h0123456789abcdefE", "core::fmt::write"));
	CHECK(says("_RNvCs15kBYyAo9fc_7mycrate7example", "mycrate::example"));
	CHECK(says("_Znot_a_name", "_Znot_a_name"));
	CHECK(says("", ""));
}

TEST("procedures of Fortran modules are told with their module")
{
	CHECK(says("__work_MOD_first", "work::first"));
	CHECK(says("__work_MOD_", "__work_MOD_"));
	CHECK(says("___MOD_first", "___MOD_first"));
	CHECK(says("its_MOD_first", "its_MOD_first"));
}

TEST("compiler suffixes are dropped")
{
	CHECK(says("work.part.0", "work"));
	CHECK(says("work.constprop.0.isra.0", "work"));
	CHECK(says("_ZN3app5totalEii.cold", "app::total(int, int)"));
	CHECK(says("main.go.func1", "main.go.func1"));
	CHECK(says("work.partial", "work.partial"));
}

TEST("a name matches better the more of it was typed")
{
	const char *name = "int app::list<int>::find<char>(char, int) const";
	CHECK_EQUAL(demangle_fits(name, name), FIT_EXACT);
	CHECK_EQUAL(demangle_fits(name, "app::list<int>::find<char>"), FIT_NO_PARAMETERS);
	CHECK_EQUAL(demangle_fits(name, "app::list::find"), FIT_NO_TEMPLATE);
	CHECK_EQUAL(demangle_fits(name, "list::find"), FIT_TAIL);
	CHECK_EQUAL(demangle_fits(name, "find"), FIT_BASE);
	CHECK_EQUAL(demangle_fits(name, "ist::find"), FIT_NONE);
	CHECK_EQUAL(demangle_fits("work", "work"), FIT_EXACT);
	CHECK_EQUAL(demangle_fits("work", "wor"), FIT_NONE);
	CHECK_EQUAL(demangle_fits("crate::inner::work", "inner::work"), FIT_TAIL);
	CHECK_EQUAL(demangle_fits("crate::fetch::{{closure}}", "fetch"), FIT_ASYNC);
	CHECK_EQUAL(demangle_fits("crate::fetch::{closure#0}", "crate::fetch"), FIT_ASYNC);
	CHECK_EQUAL(demangle_fits("crate::fetch::{closure#0}", "crate::fetch::{closure#0}"),
		    FIT_EXACT);
	CHECK_EQUAL(demangle_fits("crate::fetch::{closure#0}::{closure#0}", "fetch"), FIT_NONE);
	CHECK_EQUAL(demangle_fits("crate::fetch::{closure#1}", "fetch"), FIT_NONE);
}

TEST("a glob matches with and without parameters, template arguments and return type")
{
	const char *name = "int app::list<int>::find<char>(char, int) const";
	CHECK(demangle_matches_glob(name, "int app::*"));
	CHECK(demangle_matches_glob(name, "app::*"));
	CHECK(demangle_matches_glob(name, "app::list::f*"));
	CHECK(demangle_matches_glob(name, "fin?"));
	CHECK(demangle_matches_glob(name, "*::find<char>"));
	CHECK(!demangle_matches_glob(name, "list::*"));
	CHECK(!demangle_matches_glob(name, "char*"));
	CHECK(demangle_matches_glob("work", "w*"));
	CHECK(!demangle_matches_glob("work", "*::w*"));
}

TEST("the base of a name is its plain identifier")
{
	CHECK(has_base("app::list<int>::push(int)", "push"));
	CHECK(has_base("int app::sum<int>(std::vector<int, std::allocator<int> > const&)", "sum"));
	CHECK(has_base("app::f(void (*)(int))", "f"));
	CHECK(has_base("app::holder::~holder()", "~holder"));
	CHECK(has_base("work", "work"));
	CHECK(has_base("crate::inner::work", "work"));
	CHECK(has_base("(anonymous namespace)::quiet(int)", "quiet"));
}

/* std::pair<T, T> nested `depth` times, by substitutions: its readable name has 2^depth parts. */
static char *doubling_name(unsigned depth)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	char *name = text_copy("_Z1fSt4pairIiiE");

	for (unsigned i = 0; i < depth; i++) {
		AUTO(text) char *before = name;
		AUTO(text)
		char *number =
			i < 36 ? text_format("%c", digits[i]) : text_format("1%c", digits[i - 36]);
		name = text_format("%sS_IS%s_S%s_E", before, number, number);
	}
	return name;
}

TEST("a short name that stands for a name of terabytes is left as it is, at once")
{
	AUTO(text) char *small = doubling_name(3);
	AUTO(text) char *readable = demangle(small);
	CHECK(strlen(readable) > strlen(small) && strstr(readable, "std::pair<std::pair"));
	AUTO(text) char *large = doubling_name(40);
	alarm(20);
	AUTO(text) char *left = demangle(large);
	alarm(0);
	CHECK_TEXT(left, large);
}

TEST("a plain name is without parameters, template arguments and return type")
{
	CHECK(is_plainly("app::list<int>::push(int)", "app::list::push"));
	CHECK(is_plainly("int app::sum<int>(std::vector<int, std::allocator<int> > const&)",
			 "app::sum"));
	CHECK(is_plainly("app::f(void (*)(int)) const", "app::f"));
	CHECK(is_plainly("work", "work"));
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* scope - patterns that include and exclude. */
#include "symbolize/scope.h"

#include "check.h"

TEST("without patterns the main executable and all but the system's sources are in scope")
{
	struct scope *scope = scope_new();
	CHECK(scope_has_object(scope, "/home/u/app", true));
	CHECK(!scope_has_object(scope, "/usr/lib/libc.so.6", false));
	CHECK(scope_has_source(scope, "/home/u/main.c", "main"));
	CHECK(scope_has_source(scope, NULL, "main"));
	CHECK(scope_has_source(scope, NULL, NULL));
	CHECK(!scope_has_source(scope, "/usr/include/c++/12/bits/stl_algo.h", "std::sort"));
	CHECK(!scope_has_source(scope, "/usr/lib/gcc/x86_64-linux-gnu/12/include/emmintrin.h",
				NULL));
	CHECK(!scope_has_source(scope, "/rustc/59807616e/library/core/src/iter/range.rs", NULL));
	CHECK(!scope_has_source(scope, "/usr/src/rustc-1.63.0/library/core/src/num/mod.rs", NULL));
	scope_free(scope);
}

TEST("a glob without a slash matches the file name, one with a slash the end of the path")
{
	struct scope *scope = scope_new();
	scope_add(scope, "parse*.c", true);
	scope_add(scope, "lib/core/*", true);
	CHECK(scope_has_source(scope, "/home/u/src/parser.c", NULL));
	CHECK(scope_has_source(scope, "/home/u/lib/core/a.c", NULL));
	CHECK(!scope_has_source(scope, "/home/u/mylib/core/a.c", NULL));
	CHECK(!scope_has_source(scope, "/home/u/src/print.c", NULL));
	CHECK(!scope_has_source(scope, NULL, "f"));
	scope_free(scope);
}

TEST("an exclude wins over an include")
{
	struct scope *scope = scope_new();
	scope_add(scope, "*.c", true);
	scope_add(scope, "bad.c", false);
	scope_add(scope, "func:slow*", false);
	CHECK(scope_has_source(scope, "/x/good.c", "fast"));
	CHECK(!scope_has_source(scope, "/x/bad.c", "fast"));
	CHECK(!scope_has_source(scope, "/x/good.c", "slow_path"));
	CHECK(scope_names_functions(scope));
	scope_free(scope);
}

TEST("binaries named are in scope instead of the main executable")
{
	struct scope *scope = scope_new();
	scope_add(scope, "bin:libz*", true);
	CHECK(scope_has_object(scope, "/usr/lib/x86_64-linux-gnu/libz.so.1", false));
	CHECK(!scope_has_object(scope, "/home/u/app", true));
	scope_add(scope, "bin:*.so.1", false);
	CHECK(!scope_has_object(scope, "/usr/lib/x86_64-linux-gnu/libz.so.1", false));
	scope_free(scope);
}

TEST("included functions may be in any binary, unless binaries are included, too")
{
	struct scope *scope = scope_new();
	scope_add(scope, "func:deflate", true);
	CHECK(scope_asks_functions(scope));
	CHECK(scope_has_object(scope, "/usr/lib/x86_64-linux-gnu/libz.so.1", false));
	CHECK(scope_has_object(scope, "/home/u/app", true));
	CHECK(!scope_has_source(scope, NULL, NULL));
	scope_add(scope, "bin:app", true);
	CHECK(!scope_has_object(scope, "/usr/lib/x86_64-linux-gnu/libz.so.1", false));
	scope_free(scope);
	scope = scope_new();
	scope_add(scope, "func:slow", false);
	CHECK(!scope_asks_functions(scope));
	CHECK(!scope_has_object(scope, "/usr/lib/x86_64-linux-gnu/libz.so.1", false));
	scope_free(scope);
}

TEST("a function pattern matches with and without parameters and namespaces, in any source")
{
	struct scope *scope = scope_new();
	scope_add(scope, "func:sort", true);
	CHECK(scope_has_source(scope, "/usr/include/c++/12/bits/stl_algo.h",
			       "std::sort(int*, int*)"));
	CHECK(scope_has_source(scope, NULL, "sort"));
	CHECK(!scope_has_source(scope, NULL, "std::stable_sort(int*, int*)"));
	CHECK(!scope_has_source(scope, "/home/u/a.c", NULL));
	scope_free(scope);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* call_edges - of each location the edges with most time, in both directions. */
#include "check.h"

#include "experiment/target/call_edges.h"

TEST("an edge's times are added up, and the larger one is the main one")
{
	struct call_edges edges = {0};

	call_edges_add(&edges, 1, 2, 5);
	call_edges_add(&edges, 1, 3, 6);
	CHECK_EQUAL(call_edges_main_inner(&edges, 1)->inner, 3);
	call_edges_add(&edges, 1, 2, 5);
	CHECK_EQUAL(call_edges_main_inner(&edges, 1)->inner, 2);
	CHECK(call_edges_main_inner(&edges, 1)->time_ns == 10);
	call_edges_release(&edges);
}

TEST("the main outer location of one that several lead to")
{
	struct call_edges edges = {0};

	call_edges_add(&edges, 7, 2, 5);
	call_edges_add(&edges, 900, 2, 6);
	CHECK_EQUAL(call_edges_main_outer(&edges, 2)->outer, 900);
	CHECK_EQUAL(call_edges_main_inner(&edges, 7)->inner, 2);
	call_edges_release(&edges);
}

TEST("a location without edges has none")
{
	struct call_edges edges = {0};

	CHECK(!call_edges_main_inner(&edges, 4));
	call_edges_add(&edges, 9, 8, 1);
	CHECK(!call_edges_main_inner(&edges, 4));
	CHECK(!call_edges_main_inner(&edges, 8));
	CHECK(!call_edges_main_outer(&edges, 9));
	CHECK(!call_edges_main_outer(&edges, 1000));
	call_edges_release(&edges);
}

TEST("all edges from a location are found, and no others")
{
	struct call_edges edges = {0};
	unsigned inner = 0, count = 0;

	call_edges_add(&edges, 4, 2, 5);
	call_edges_add(&edges, 5, 1, 1);
	call_edges_add(&edges, 4, 900, 6);
	call_edges_add(&edges, 4, 2, 5);
	for (const struct call_edge *edge = call_edges_first_inner(&edges, 4); edge;
	     edge = call_edges_next_inner(&edges, edge), count++)
		inner += edge->inner;
	CHECK_EQUAL(count, 2);
	CHECK_EQUAL(inner, 902);
	CHECK(!call_edges_first_inner(&edges, 2));
	CHECK(!call_edges_first_inner(&edges, 10000));
	call_edges_release(&edges);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* tree - one line a function, with the share of its branch. */
#include "report/samples/tree.h"

#include "base/cleanup.h"
#include "report/display.h"
#include "report/samples/names.h"
#include "report/terminal.h"

#define SHARE_COLUMNS 8
#define INDENT 2
#define DEPTH_MOST 160 /* frames of a chain: user and kernel */

struct branch {
	FILE *out;
	const struct report_options *options;
	double least;
};

static void print_node(const struct branch *branch, const struct samples_node *node, unsigned depth)
{
	unsigned indent = depth * INDENT;
	unsigned room = branch->options->columns - SHARE_COLUMNS - 2 * INDENT - 4;

	indent = indent > room / 2 ? room / 2 : indent; /* deeper lines are not indented further */
	AUTO(text) char *function = samples_function_name(node->frame);
	AUTO(text) char *fitted = display_fit(function, room - indent);
	fprintf(branch->out, "%6.1f %%  %s %*s%s%s\n", 100 * node->sum.share,
		samples_class_mark(samples_main_class(node->by_class_ns)), (int)indent, "", fitted,
		node->frame->kind == FRAME_KERNEL ? " [k]" : "");
}

static void print_branch(const struct branch *branch, const struct samples_node *node,
			 unsigned depth)
{
	size_t left_out = 0;
	double left_share = 0;

	if (depth > DEPTH_MOST)
		return;
	for (size_t i = 0; i < node->children.count; i++) {
		const struct samples_node *child = node->children.items[i];
		if (child->sum.share < branch->least) {
			left_out++;
			left_share += child->sum.share;
			continue;
		}
		print_node(branch, child, depth);
		print_branch(branch, child, depth + 1);
	}
	if (left_out && left_share >= branch->least)
		fprintf(branch->out, "%6.1f %%      %*s(%zu smaller branches)\n", 100 * left_share,
			(int)(depth * INDENT), "", left_out);
}

void samples_tree_print(FILE *out, const struct samples *samples, enum report_tree tree,
			double least, const struct report_options *options)
{
	struct samples_node *root = samples_tree(samples, tree == REPORT_TREE_CALLERS);
	struct branch branch = {.out = out, .options = options, .least = least};

	terminal_style(out, options, "2");
	fprintf(out, "%s\n",
		tree == REPORT_TREE_CALLERS ?
			"   share       function, and below it its callers" :
			"   share       function, and below it what it calls");
	terminal_style(out, options, NULL);
	print_branch(&branch, root, 0);
	samples_tree_free(root);
}

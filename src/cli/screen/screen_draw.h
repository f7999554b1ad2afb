/* SPDX-License-Identifier: BSD-2-Clause */
/* screen_draw - the screen's three pictures, by ncurses. */
#pragma once

#include "cli/screen/screen_model.h"

enum screen_page { SCREEN_TABLE, SCREEN_DETAIL, SCREEN_HELP };

struct screen_state {
	struct screen_model model;
	enum screen_page page;
	size_t top;                           /* first row shown */
	bool is_frozen, is_ending, is_typing; /* typing: the filter */
};

void screen_draw_colours(void); /* once */
void screen_draw(struct screen_state *state);
/* Rows of the table that fit. */
long screen_draw_rows(void);

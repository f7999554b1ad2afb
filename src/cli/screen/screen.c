/* SPDX-License-Identifier: BSD-2-Clause */
/* screen - keys, and the file read each second. */
#include "cli/screen/screen.h"

#include "base/clock.h"
#include "cli/screen/screen_draw.h"

#include <curses.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>

#define LOAD_NS 1000000000u
#define POLL_MS 200
#define KEY_ESCAPE 27
#define KEY_CONTROL_L 12
#define KEY_CONTROL_Z 26

bool screen_is_built(void)
{
	return true;
}

bool screen_suits_terminal(void)
{
	static char cursor[] = "cup", screen[] = "clear";
	int problem;

	if (setupterm(NULL, STDERR_FILENO, &problem) != OK)
		return false;
	const char *moves = tigetstr(cursor), *clears = tigetstr(screen);
	bool suits = moves && moves != (char *)-1 && clears && clears != (char *)-1;
	del_curterm(cur_term);
	return suits;
}

static void type(struct screen_state *state, int key)
{
	char *filter = state->model.filter;
	size_t length = strlen(filter);

	if (key == '\n' || key == '\r' || key == KEY_ENTER || key == KEY_ESCAPE) {
		state->is_typing = false;
		if (key == KEY_ESCAPE)
			filter[0] = '\0';
	} else if ((key == KEY_BACKSPACE || key == 127 || key == '\b') && length) {
		filter[length - 1] = '\0';
	} else if (key >= ' ' && key < 127 && length + 1 < sizeof(state->model.filter)) {
		filter[length] = (char)key;
		filter[length + 1] = '\0';
	}
	screen_model_arrange(&state->model);
}

/* True: the key chose another row. */
static bool move_by_key(struct screen_state *state, int key)
{
	long rows = screen_draw_rows(), all = (long)state->model.rows.count;
	static const struct {
		int key, other;
		int pages, steps; /* steps of 0 and pages of 2: to an end */
	} moves[] = {
		{KEY_UP, 'k', 0, -1}, {KEY_DOWN, 'j', 0, 1},  {KEY_PPAGE, 0, -1, 0},
		{KEY_NPAGE, 0, 1, 0}, {KEY_HOME, 'g', -2, 0}, {KEY_END, 'G', 2, 0},
	};

	for (size_t i = 0; i < sizeof(moves) / sizeof(*moves); i++) {
		long pages = moves[i].pages;
		if (key != moves[i].key && (!moves[i].other || key != moves[i].other))
			continue;
		screen_model_move(&state->model,
				  moves[i].steps + (pages == 2 || pages == -2 ? pages / 2 * all :
										pages * rows));
		return true;
	}
	return false;
}

static void sort_by_next(struct screen_state *state)
{
	state->model.order = (state->model.order + 1) % SCREEN_ORDERS;
	screen_model_arrange(&state->model);
}

static void end_recording(struct screen_state *state, int stop)
{
	state->is_ending = write(stop, "s", 1) == 1;
}

/* Ctrl-Z is a key here: the terminal must be the shell's again before anything stops. */
static void suspend(void)
{
	endwin();
	signal(SIGTSTP, SIG_DFL);
	kill(0, SIGTSTP);
	signal(SIGTSTP, SIG_IGN);
	clearok(curscr, TRUE);
}

static void read_suspension_as_key(int terminal)
{
	struct termios modes;

	if (tcgetattr(terminal, &modes))
		return;
	modes.c_cc[VSUSP] = _POSIX_VDISABLE;
	tcsetattr(terminal, TCSANOW, &modes);
	def_prog_mode();
}

static void press(struct screen_state *state, int key, int stop)
{
	if (key == KEY_CONTROL_Z) {
		suspend();
		return;
	}
	if (state->is_typing) {
		type(state, key);
		return;
	}
	if (move_by_key(state, key))
		return;
	switch (key) {
	case 'q':
	case KEY_F(10):
		end_recording(state, stop);
		break;
	case 's':
	case '>':
	case KEY_F(6):
		sort_by_next(state);
		break;
	case '/':
	case KEY_F(4):
		state->is_typing = true;
		state->page = SCREEN_TABLE;
		break;
	case 'F':
	case 'f':
	case ' ':
		state->is_frozen = !state->is_frozen;
		break;
	case '\n':
	case '\r':
	case KEY_ENTER:
	case KEY_RIGHT:
		state->page = SCREEN_DETAIL;
		break;
	case 'h':
	case '?':
	case KEY_F(1):
		state->page = state->page == SCREEN_HELP ? SCREEN_TABLE : SCREEN_HELP;
		break;
	case KEY_CONTROL_L: /* something else wrote to the terminal */
		clearok(curscr, TRUE);
		break;
	case KEY_ESCAPE:
	case KEY_LEFT:
		state->page = SCREEN_TABLE;
		break;
	default:
		break;
	}
}

static void loop(struct screen_state *state, int terminal, int stop, int until)
{
	struct pollfd polled[] = {{.fd = terminal, .events = POLLIN}, {.fd = until}};
	uint64_t loaded_ns = 0;

	for (;;) {
		int key;
		if (!state->is_frozen && clock_now_ns() - loaded_ns > LOAD_NS) {
			screen_model_load(&state->model);
			loaded_ns = clock_now_ns();
		}
		screen_draw(state);
		poll(polled, 2, POLL_MS);
		if (polled[1].revents || polled[0].revents & POLLHUP)
			return;
		while ((key = getch()) != ERR)
			press(state, key, stop);
	}
}

/* Characters beyond ASCII need a locale that has them. */
static void choose_locale(void)
{
	setlocale(LC_CTYPE, "");
	if (strcmp(nl_langinfo(CODESET), "UTF-8") != 0)
		setlocale(LC_CTYPE, "C.UTF-8");
}

int screen_run(const char *path, int stop, int until)
{
	struct screen_state state = {.model = {.path = path}};
	FILE *terminal = fopen("/dev/tty", "r+e");

	if (!terminal)
		return 1;
	choose_locale();
	SCREEN *screen = newterm(NULL, terminal, terminal);
	if (!screen)
		return 1;
	set_term(screen);
	cbreak();
	noecho();
	nodelay(stdscr, TRUE);
	keypad(stdscr, TRUE);
	set_escdelay(50);
	curs_set(0);
	read_suspension_as_key(fileno(terminal));
	screen_draw_colours();
	loop(&state, fileno(terminal), stop, until);
	endwin();
	delscreen(screen);
	fclose(terminal);
	screen_model_release(&state.model);
	return 0;
}

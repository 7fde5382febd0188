/*
 * The terminal: taken over, drawn on, given back. The only room that includes curses. I/O.
 *
 * Signals stay with the app: ncurses catches SIGTSTP, SIGINT and SIGTERM only where they are still at their default
 * when the screen is opened. SIGWINCH is caught here, which wakes the app's poll; the size is read in keys.c.
 */
#include "screen.h"
#include "type.h"

#include <langinfo.h>
#include <locale.h>
#include <ncurses.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

#define ESC_DELAY 25 /* ms in which an escape sequence has to follow */

/* ---- opening and closing --------------------------------------------------------------------- */

/* Keys come from the terminal also where standard input is a file or a pipe. */
static enum err open_input(struct term *t, struct err_info *info) {
    t->input = STDIN_FILENO;
    if (isatty(STDIN_FILENO)) {
        return ERR_OK;
    }
    t->own_input = fopen("/dev/tty", "re");
    if (!t->own_input) {
        return type_refuse(info, "no terminal to read keys from", NULL);
    }
    t->input = fileno(t->own_input);
    return ERR_OK;
}

/* A window of some program, no wire: major numbers of Documentation/admin-guide/devices.txt. */
static bool is_pseudo(int fd) {
    struct stat st;
    return fstat(fd, &st) == 0 && S_ISCHR(st.st_mode) && major(st.st_rdev) >= 136 &&
           major(st.st_rdev) <= 143;
}

/* Ctrl-Z is a key: the app stops itself, after it gave the terminal back. Ctrl-S is one too where nobody but a person
 * sends it; on a wire it stops output until the next key. A write that waits for ever would hold the end too. */
static void set_line(const struct term *t) {
    struct termios mode;
    if (tcgetattr(t->input, &mode) == 0) {
        mode.c_cc[VSUSP] = _POSIX_VDISABLE;
        mode.c_iflag |= IXANY;
        mode.c_iflag &= is_pseudo(t->input) ? ~(tcflag_t)IXON : ~(tcflag_t)0;
        tcsetattr(t->input, TCSADRAIN, &mode);
        def_prog_mode();
    }
}

/* Where it cannot be hidden it stands where it should. */
static void set_cursor(struct term *t) {
    t->shows_cursor = curs_set(t->options.cursor ? 1 : 0) == ERR || t->options.cursor;
    leaveok(stdscr, t->shows_cursor ? FALSE : TRUE);
}

static void set_modes(struct term *t) {
    cbreak();
    noecho();
    nonl();
    intrflush(stdscr, FALSE);
    meta(stdscr, TRUE);
    keypad(stdscr, TRUE);
    nodelay(stdscr, TRUE);
    set_escdelay(ESC_DELAY);
    set_cursor(t);
    set_line(t);
}

static void on_resize(int number) {
    (void)number;
}

/* A hostile size is not ncurses' to read: caught here, SIGWINCH is not its own; and at the start it takes the usual
 * size, which the first wake corrects (keys.c). */
static void refuse_size(const struct term *t) {
    const struct sigaction act = {.sa_handler = on_resize};
    struct winsize size;
    (void)sigaction(SIGWINCH, &act, NULL);
    if (ioctl(t->input, TIOCGWINSZ, &size) == 0 &&
        (size.ws_row > SIDE_MAX || size.ws_col > SIDE_MAX)) {
        use_env(FALSE);
    }
}

enum err term_open(const struct term_options *o, struct term **out, struct err_info *info) {
    const char *name = getenv("TERM");
    if (!isatty(STDOUT_FILENO)) {
        return type_refuse(info, "standard output is not a terminal", NULL);
    }
    enum err e = type_check(name, info);
    if (e != ERR_OK) {
        return e;
    }
    struct term *t = calloc(1, sizeof *t);
    if (!t) {
        return err_set(info, ERR_NOMEM, 0, "no memory for the screen", NULL);
    }
    e = open_input(t, info);
    if (e == ERR_OK) {
        fflush(stdout);
        refuse_size(t);
        t->screen = newterm(name, stdout, t->own_input ? t->own_input : stdin);
        e = t->screen ? ERR_OK : type_refuse(info, "this terminal can show no screen: TERM", name);
    }
    if (e != ERR_OK) {
        term_close(t);
        return e;
    }
    t->is_unicode = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
    t->redraw = true;
    t->options = *o;
    t->cursor_row = -1;
    set_modes(t);
    theme_init(t);
    pointer_set(t, o->mouse);
    title_init(t, name);
    *out = t;
    return ERR_OK;
}

void term_close(struct term *t) {
    if (!t) {
        return;
    }
    if (t->screen) {
        pointer_set(t, false);
        curs_set(1);
        endwin();
        title_leave(t);
        delscreen(t->screen);
    }
    if (t->own_input) {
        fclose(t->own_input);
    }
    free(t->drawn);
    free(t);
}

void term_suspend(struct term *t) {
    curs_set(1);
    endwin();
    title_leave(t);
}

void term_resume(struct term *t) {
    t->redraw = true;
    reset_prog_mode();
    set_cursor(t);
}

void term_change(struct term *t, const struct term_options *o) {
    struct term_options old = t->options;
    t->options = *o;
    if (o->theme != old.theme || o->no_color != old.no_color) {
        theme_init(t);
        t->redraw = true;
    }
    if (o->mouse != old.mouse) {
        pointer_set(t, o->mouse);
    }
    if (o->cursor != old.cursor) {
        set_cursor(t);
    }
}

/* ---- asking ---------------------------------------------------------------------------------- */

static int side(int n) {
    return n < 1 ? 1 : n > SIDE_MAX ? SIDE_MAX : n;
}

void term_size(struct term *t, int *rows, int *columns) {
    (void)t;
    *rows = side(LINES);
    *columns = side(COLS);
}

bool term_is_unicode(const struct term *t) {
    return t->is_unicode;
}

int term_fd(const struct term *t) {
    return t->input;
}

void term_redraw(struct term *t) {
    t->redraw = true;
}

int64_t term_now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* ---- drawing --------------------------------------------------------------------------------- */

/* Bytes of the longest start of a cluster that the C library, and so ncurses, finds as wide as the
 * grid does: all of it, its first character, or nothing. */
static size_t drawable(const struct cell *c) {
    mbstate_t state = {0};
    size_t first = 0, at = 0;
    int columns = 0;
    while (at < c->len) {
        wchar_t wide;
        size_t n = mbrtowc(&wide, c->bytes + at, c->len - at, &state);
        int w = n > 0 && n <= c->len - at ? wcwidth(wide) : -1;
        if (w < 0) {
            return first;
        }
        columns += w;
        at += n;
        first = first == 0 && columns == c->columns ? at : first;
    }
    return columns == c->columns ? at : first;
}

static void draw_strange(const struct term *t, const struct cell *c) {
    size_t n = t->is_unicode ? drawable(c) : 0;
    if (n > 0) {
        addnstr(c->bytes, (int)n);
    } else {
        addstr(c->columns == 2 ? "??" : "?");
    }
}

/* A whole row: ncurses sends only what differs. The cursor is set anew behind each character that
 * is not ASCII, so that one width judged differently does not shift the rest. */
static void draw_row(const struct term *t, const struct grid *g, int row) {
    const struct cell *cells = g->cells + (size_t)row * (size_t)g->columns;
    unsigned role = ROLE_COUNT;
    move(row, 0);
    for (int column = 0; column < g->columns; column++) {
        const struct cell *c = &cells[column];
        if (c->len == 0) {
            continue;
        }
        if (column + c->columns > COLS) {
            break; /* the terminal shrank meanwhile: nothing may wrap */
        }
        if (c->role != role) {
            role = c->role;
            attrset((int)t->looks[role < ROLE_COUNT ? role : ROLE_NORMAL]);
        }
        if (c->len == 1 && (unsigned char)c->bytes[0] < 0x80) {
            addch((unsigned char)c->bytes[0] >= ' ' && c->bytes[0] != 0x7f
                      ? (unsigned char)c->bytes[0]
                      : '?');
        } else {
            draw_strange(t, c);
            move(row, column + c->columns);
        }
    }
}

/* Room to remember a grid of this size; false without memory: then everything is drawn each time. */
static bool remember(struct term *t, const struct grid *g) {
    void *drawn = t->drawn;
    uint32_t cells = (uint32_t)(g->rows * g->columns);
    bool enough = vec_reserve(&drawn, &t->drawn_cap, cells, sizeof *t->drawn) == ERR_OK;
    t->drawn = drawn;
    t->redraw |= !enough || t->rows != g->rows || t->columns != g->columns;
    t->rows = g->rows;
    t->columns = g->columns;
    return enough;
}

void term_cursor(struct term *t, int row, int column) {
    t->cursor_row = row;
    t->cursor_column = column;
}

static void place_cursor(const struct term *t) {
    if (t->shows_cursor) {
        bool is_inside = t->cursor_row >= 0 && t->cursor_row < LINES && t->cursor_column >= 0 &&
                         t->cursor_column < COLS;
        move(is_inside ? t->cursor_row : LINES - 1, is_inside ? t->cursor_column : 0);
    }
}

void term_draw(struct term *t, const struct grid *g) {
    bool kept = remember(t, g);
    size_t row_bytes = (size_t)g->columns * sizeof *g->cells;
    bool all = t->redraw;
    if (all) {
        erase();
        clearok(curscr, TRUE);
    }
    for (int row = 0; row < g->rows && row < LINES; row++) {
        size_t at = (size_t)row * (size_t)g->columns;
        if (!all && memcmp(t->drawn + at, g->cells + at, row_bytes) == 0) {
            continue;
        }
        draw_row(t, g, row);
        if (kept) {
            memcpy(t->drawn + at, g->cells + at, row_bytes);
        }
    }
    t->redraw = !kept;
    place_cursor(t);
    refresh();
    title_tell(t);
}

/* The real program on a terminal of its own (a pty), and everything it writes there. */
#ifndef TEST_TERMINAL_H
#define TEST_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <termios.h>

#include "program.h"

struct terminal;

/* Seconds that nothing takes, however slow the machine: all that a test waits for is waited for so long. */
#define TERMINAL_LONG_S 60.0

/* Starts it in a session of its own with this terminal; NULL where there is no pty. */
struct terminal *terminal_start(const struct program *p, int rows, int columns);
/* Reads until nothing came for `quiet_s` seconds, at most `most_s`. False once the program's side is closed. */
bool terminal_pump(struct terminal *t, double quiet_s, double most_s);
/* Reads until the output holds `text`; false if it does not within `most_s`. */
bool terminal_expect(struct terminal *t, const char *text, double most_s);
/* Reads until the program has nothing left to do: it took all keys, wrote all that follows from them and waits for more,
 * Escapes and changes of the size included. What its threads or its next tick may bring is not waited for. False once
 * it has ended, or where it does not come to rest within a long time. */
bool terminal_settle(struct terminal *t);
/* Reads until the program has stopped itself, as by Ctrl-Z; false if it ends instead, or goes on for a long time. */
bool terminal_stopped(struct terminal *t);
void terminal_send(struct terminal *t, const char *keys);
/* Seconds from sending keys to the first byte that comes then; below 0 where none does within `most_s`. What came
 * before is read first. */
double terminal_answer(struct terminal *t, const char *keys, double most_s);
void terminal_resize(struct terminal *t, int rows, int columns);
pid_t terminal_pid(const struct terminal *t);
/* All output so far, NUL-terminated; forget starts anew. */
const char *terminal_output(const struct terminal *t, size_t *n);
void terminal_forget(struct terminal *t);
/* The modes of the terminal as it was before the program, and now. */
const struct termios *terminal_before(const struct terminal *t);
void terminal_now(const struct terminal *t, struct termios *out);
/* The terminal goes away, as when a window is closed. */
void terminal_hang_up(struct terminal *t);
/* Reads on until the program has ended; its status as program_wait gives it. */
int terminal_wait(struct terminal *t, double most_s, bool *timed_out);
void terminal_finish(struct terminal *t);

#endif

/* What the screen's keys wish of the rest of the program, and the answers. */
#include "screen_wish.h"

#include "config.h"
#include "kill.h"
#include "setup.h"

struct term_options wisher_term_options(const struct options *o, const struct settings *s) {
    return (struct term_options){
        .no_color = color_refused(o) || s->number[SETTING_COLOR] != 0,
        .theme = (unsigned)s->number[SETTING_THEME],
        .mouse = s->number[SETTING_MOUSE] != 0,
        .cursor = s->number[SETTING_PLAIN] != 0,
    };
}

static void say(struct wisher *w, bool is_bad) {
    buf_char(&w->text, '\0');
    ui_say(w->ui, is_bad, w->text.failed ? "out of memory" : w->text.p);
}

static void send_signal(struct wisher *w, int number) {
    uint32_t count;
    bool is_bad = false;
    const struct ui_target *targets = ui_targets(w->ui, &count);
    buf_clear(&w->text);
    if (w->choice->settings.number[SETTING_READONLY]) {
        buf_text(&w->text, "no signals with --readonly");
        is_bad = true;
    } else {
        kill_targets(targets, count, number, &w->text, &is_bad);
    }
    say(w, is_bad);
}

static void look_at(struct wisher *w) {
    struct err_info info = {0};
    uint32_t count;
    const struct ui_target *targets = ui_targets(w->ui, &count);
    if (!w->look && look_start(&w->look, w->choice->options->root, &info) != ERR_OK) {
        ui_say(w->ui, true, info.text);
        return;
    }
    if (count > 0)
        look_ask(w->look, targets);
}

static void save(struct wisher *w) {
    struct err_info info = {0};
    const char *path = w->choice->save_path;
    buf_clear(&w->text);
    if (!path) {
        ui_say(w->ui, true, "there is no file to save to");
        return;
    }
    bool is_bad = config_save(path, ui_settings(w->ui), &info) != ERR_OK;
    buf_text(&w->text, is_bad ? "not saved: " : "saved to ");
    buf_text(&w->text, is_bad ? info.text : path);
    say(w, is_bad);
}

static void change(struct wisher *w) {
    const struct settings *s = ui_settings(w->ui);
    struct term_options how = wisher_term_options(w->choice->options, s);
    term_change(w->term, &how);
    if (!s->number[SETTING_TITLE])
        term_title(w->term, (struct span){"", 0});
    if (w->feed->ops->set_delay)
        w->feed->ops->set_delay(w->feed, s->number[SETTING_DELAY]);
}

bool wisher_take(struct wisher *w, struct ui_command c) {
    switch (c.action) {
    case UI_SIGNAL:
        send_signal(w, (int)c.amount);
        return true;
    case UI_LOOK:
        look_at(w);
        return true;
    case UI_SAVE:
        save(w);
        return true;
    case UI_SETTINGS:
        change(w);
        return true;
    default:
        return false;
    }
}

int wisher_fd(const struct wisher *w) {
    return w->look ? look_fd(w->look) : -1;
}

void wisher_answer(struct wisher *w) {
    struct ui_target of;
    struct ui_files files;
    while (w->look && look_take(w->look, &of, &files))
        ui_take_files(w->ui, &of, &files);
}

void wisher_finish(struct wisher *w) {
    look_stop(w->look);
    buf_finish(&w->text);
}

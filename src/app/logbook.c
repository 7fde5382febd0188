/* See logbook.h. */
#include "logbook.h"

const struct ui_log *logbook_read(struct logbook *b) {
    uint64_t count = log_count();
    if (b->log.lines && count == b->log.count)
        return &b->log;
    b->log = (struct ui_log){.count = count, .lines = b->lines};
    uint32_t there = count < UI_LOG_LINES ? (uint32_t)count : UI_LOG_LINES;
    for (uint32_t i = 0; i < there; i++) {
        enum log_level level;
        char *text = b->text[i];
        if (!log_get(there - 1 - i, &level, text, LOGBOOK_BYTES))
            break;
        b->lines[i] = (struct ui_log_line){span_of(text), (uint8_t)level};
        b->log.kept++;
    }
    return &b->log;
}

/* Reasons for which units are malformed or cut; the others are of units that were accepted or ignored as well. */
static const enum reason damages[] = {REASON_NO_COLON,      REASON_BAD_NUMBER,  REASON_OUT_OF_RANGE,
                                      REASON_BAD_NAME,      REASON_TOO_MANY,    REASON_CUT,
                                      REASON_BAD_TEXT,      REASON_TABLE_CUT,   REASON_TABLE_SIZE,
                                      REASON_TABLE_VERSION, REASON_RECORD_SIZE, REASON_BLOCK_TYPE,
                                      REASON_UNKNOWN_KIND};

_Static_assert(REASON_COUNT <= 64, "a bit for each reason");

void logbook_count(struct logbook *b, const struct counts *c) {
    for (size_t i = 0; i < sizeof damages / sizeof damages[0]; i++) {
        uint64_t bit = UINT64_C(1) << damages[i];
        if (c->reasons[damages[i]] == 0 || (b->reasons & bit))
            continue;
        b->reasons |= bit;
        log_line(LOG_WARN, "something cannot be read: %s (said once)", reason_text(damages[i]));
    }
}

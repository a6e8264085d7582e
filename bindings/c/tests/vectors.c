/*
 * Runs test cases through the C door: vectors CASES.jsonl OUT
 *
 * Writes one line a case: the bytes of the result, or the error as JSON.
 */

#include "dives.h"

static int same(const json *a, const json *b) {
    if (a == NULL || b == NULL || a->kind != b->kind || a->len != b->len) {
        return a == b;
    }
    if (a->kind == JSON_TEXT || a->kind == JSON_NUMBER) {
        return a->len == 0 || memcmp(a->text, b->text, a->len) == 0;
    }
    for (size_t at = 0; at < a->len; ++at) {
        if (!same(&a->values[at], &b->values[at])) {
            return 0;
        }
    }
    return 1;
}

/* The millionths of a decimal number as the engine prints it. */
static int64_t millionths(snm_text text) {
    uint64_t value = 0;
    int decimals = -1;
    const int negative = text.len > 0 && text.data[0] == '-';
    for (size_t at = (size_t)negative; at < text.len; ++at) {
        if (text.data[at] == '.') {
            decimals = 0;
        } else {
            value = value * 10 + (uint64_t)(text.data[at] - '0');
            decimals += decimals >= 0;
        }
    }
    for (int place = decimals < 0 ? 0 : decimals; place < 6; ++place) {
        value *= 10;
    }
    return negative ? (int64_t)(0 - value) : (int64_t)value;
}

static snm_options options_of(const json *view) {
    snm_options options = SNM_OPTIONS_INIT;
    if (view == NULL) {
        return options;
    }
    const json *profile = json_get(view, "profile");
    if (json_is(profile, "detailed")) {
        options.profile = SNM_PROFILE_DETAILED;
    } else if (json_is(profile, "discovery")) {
        options.profile = SNM_PROFILE_DISCOVERY;
    } else if (!json_is(profile, "raw")) {
        json_fail("an unknown profile");
    }
    const json *offsets = json_get(view, "offsets");
    if (json_is(offsets, "bytes")) {
        options.offsets = SNM_OFFSETS_BYTES;
    } else if (json_is(offsets, "chars")) {
        options.offsets = SNM_OFFSETS_CHARS;
    } else if (json_is(offsets, "utf16")) {
        options.offsets = SNM_OFFSETS_UTF16;
    } else if (offsets != NULL) {
        json_fail("an unknown unit");
    }
    const json *flow = json_get(view, "flow");
    if (flow != NULL) {
        const json *primary = json_get(flow, "primary");
        options.flow = primary == NULL ? SNM_ASK_YES : SNM_ASK_WITH;
        options.primary = text_of(primary);
    }
    const json *temporal = json_get(view, "temporal");
    if (temporal != NULL) {
        const json *window = json_get(temporal, "window");
        options.temporal = window == NULL ? SNM_ASK_YES : SNM_ASK_WITH;
        options.window = window == NULL ? 0 : millionths(text_of(window));
    }
    return options;
}

static snm_status target_of(const json *source, const json *shelf, snm_target **out, snm_error **error) {
    size_t count = 0;
    snm_text *texts = texts_of(shelf, &count);
    const snm_text text = text_of(source);
    const snm_status status = snm_target_read(text.data, text.len, texts, count, out, error);
    free(texts);
    return status;
}

/* An error as JSON, with the places of options as requests over HTTP and the vectors name them. */
static void tell(const snm_error *error, FILE *out) {
    static const char *const requested[][2] = {
        {"options.mask_key", "mask_key"},
        {"options.flow", "v1_5.actant.analyze_flow"},
        {"options.primary", "v1_5.actant.primary"},
        {"options.temporal", "v1_5.temporal.analyze_dynamics"},
        {"options.window", "v1_5.temporal.window_seconds"},
    };
    const char *json = snm_error_json(error);
    const char *place = snm_error_place(error);
    for (size_t at = 0; at < sizeof requested / sizeof *requested; ++at) {
        if (strcmp(place, requested[at][0]) == 0) {
            /* The place is the last value. */
            fwrite(json, 1, strlen(json) - strlen(place) - 2, out);
            fprintf(out, "%s\"}", requested[at][1]);
            return;
        }
    }
    fputs(json, out);
}

static snm_status whole(const snm_target *target, const json *line, snm_result **result, snm_error **error) {
    const snm_options options = options_of(json_get(line, "view"));
    const snm_text first = text_of(json_get(line, "interaction"));
    const json *other = json_get(line, "interaction_b");
    snm_interaction *a = NULL;
    snm_interaction *b = NULL;
    snm_status status = SNM_STATUS_OK;
    if (other != NULL) {
        status = snm_interaction_json(other->text, other->len, &b, error);
    }
    if (status == SNM_STATUS_OK) {
        status = snm_interaction_json(first.data, first.len, &a, error);
    }
    if (status == SNM_STATUS_OK) {
        status = other == NULL ? snm_sense(target, a, &options, result, error)
                               : snm_compare(target, a, b, &options, result, error);
    }
    snm_interaction_free(a);
    snm_interaction_free(b);
    return status;
}

/* Gives what comes of a call to `status`, and frees the step. */
static snm_status stepped(snm_status status, snm_result **step) {
    snm_result_free(*step);
    *step = NULL;
    return status;
}

/* Pushes a text in pieces: bytes, words with the space behind them, or all of it. */
static snm_status push(snm_session *session, snm_text text, const json *feed, snm_error **error) {
    snm_status status = SNM_STATUS_OK;
    size_t from = 0;
    do {
        size_t to = text.len;
        if (json_is(feed, "byte")) {
            to = from < text.len ? from + 1 : from;
        } else if (json_is(feed, "token") && from < text.len) {
            const char *space = memchr(text.data + from, ' ', text.len - from);
            to = space == NULL ? text.len : (size_t)(space - text.data) + 1;
        }
        snm_result *step = NULL;
        /* An empty text comes in too. */
        const char *bytes = text.len == 0 ? NULL : text.data + from;
        status = stepped(snm_session_push(session, bytes, to - from, &step, error), &step);
        from = to;
    } while (status == SNM_STATUS_OK && from < text.len);
    return status;
}

/* The same through a session: what comes in is cut here. */
static snm_status fed(const snm_target *target, const json *line, snm_result **result, snm_error **error) {
    const snm_options options = options_of(json_get(line, "view"));
    const json *feed = json_get(line, "feed");
    json talk;
    json_read(json_get(line, "interaction")->text, &talk);
    const json *segments = json_get(&talk, "segments");
    snm_session *session = NULL;
    snm_status status = snm_session_open(target, &options, &session, error);
    if (status == SNM_STATUS_OK && segments == NULL) {
        status = push(session, text_of(json_get(&talk, "content")), feed, error);
    }
    for (size_t at = 0; status == SNM_STATUS_OK && segments != NULL && at < segments->len; ++at) {
        const json *segment = &segments->values[at];
        const json *time = json_get(segment, "timestamp");
        snm_segment plain = {text_of(json_get(segment, "role")), text_of(json_get(segment, "content")), SNM_NO_TIME};
        if (time != NULL) {
            plain.timestamp = millionths(text_of(time));
        }
        snm_result *step = NULL;
        if (json_is(feed, "segment")) {
            status = stepped(snm_session_push_segment(session, &plain, &step, error), &step);
            continue;
        }
        status = snm_session_begin_segment(session, plain.role.data, plain.role.len, plain.timestamp, &step, error);
        status = stepped(status, &step);
        if (status == SNM_STATUS_OK) {
            status = push(session, plain.content, feed, error);
        }
    }
    if (status == SNM_STATUS_OK) {
        status = snm_session_finish(session, result, error);
    }
    snm_session_free(session);
    json_free(&talk);
    return status;
}

/* Cases of one target stand together: it is read once for them. */
typedef struct known_target {
    json source;
    json shelf;
    snm_target *target;
} known_target;

/* Moves a value out of a case, which is freed without it. */
static void keep(json *kept, const json *value) {
    json_free(kept);
    if (value != NULL) {
        *kept = *value;
        memset((json *)value, 0, sizeof *value);
    }
}

static snm_status sensed(known_target *known, const json *given, line *answer, snm_error **error) {
    const json *source = json_get(given, "target");
    const json *shelf = json_get(given, "shelf");
    const json *feed = json_get(given, "feed");
    const int at_once = feed == NULL || json_is(feed, "whole");
    if (!at_once && !json_is(feed, "byte") && !json_is(feed, "token") && !json_is(feed, "segment")) {
        json_fail("an unknown feed");
    }
    snm_status status = SNM_STATUS_OK;
    if (known->target == NULL || !same(source, &known->source) || !same(shelf, &known->shelf)) {
        snm_target_free(known->target);
        status = target_of(source, shelf, &known->target, error);
        keep(&known->source, source);
        keep(&known->shelf, shelf);
    }
    snm_result *result = NULL;
    if (status == SNM_STATUS_OK) {
        status = at_once ? whole(known->target, given, &result, error) : fed(known->target, given, &result, error);
    }
    if (status == SNM_STATUS_OK) {
        size_t len = 0;
        const char *bytes = snm_result_bytes(result, &len);
        line_bytes(answer, bytes, len);
    }
    snm_result_free(result);
    return status;
}

/* A line of any length, without its end; NULL at the end of the file. */
static char *read_line(FILE *file, char **memory, size_t *room) {
    size_t len = 0;
    for (int byte = getc(file); byte != EOF && byte != '\n'; byte = getc(file)) {
        if (len + 2 > *room) {
            *room = *room * 2 + 4096;
            *memory = json_grown(*memory, *room);
        }
        (*memory)[len++] = (char)byte;
    }
    if (len == 0) {
        return NULL;
    }
    (*memory)[len] = '\0';
    return *memory;
}

int main(int count, char **arguments) {
    FILE *in = count == 3 ? fopen(arguments[1], "rb") : NULL;
    FILE *out = in != NULL ? fopen(arguments[2], "wb") : NULL;
    if (out == NULL) {
        fputs("usage: vectors CASES.jsonl OUT\n", stderr);
        return 2;
    }
    if (snm_abi_version() != SNM_ABI_VERSION) {
        fputs("the library is not the one of the header\n", stderr);
        return 2;
    }
    char *memory = NULL;
    size_t room = 0;
    known_target known;
    memset(&known, 0, sizeof known);
    known_stages stages = {NULL, 0};
    while (read_line(in, &memory, &room) != NULL) {
        json given;
        json_read(memory, &given);
        const json *play = json_get(&given, "dive");
        const json *proof = json_get(&given, "card");
        line answer = {NULL, 0};
        snm_error *error = NULL;
        snm_status status = SNM_STATUS_OK;
        if (play != NULL) {
            status = dived(&stages, play, &answer, &error);
        } else if (proof != NULL) {
            status = proved(&stages, proof, &answer, &error);
        } else {
            status = sensed(&known, &given, &answer, &error);
        }
        if (status == SNM_STATUS_OK) {
            fwrite(answer.text, 1, answer.len, out);
        } else {
            tell(error, out);
        }
        putc('\n', out);
        free(answer.text);
        snm_error_free(error);
        json_free(&given);
    }
    stages_free(&stages);
    json_free(&known.source);
    json_free(&known.shelf);
    snm_target_free(known.target);
    free(memory);
    fclose(in);
    return fclose(out) == 0 ? 0 : 2;
}

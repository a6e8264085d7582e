/*
 * Runs test cases through the C door: vectors CASES.jsonl OUT
 *
 * Writes one line a case: the bytes of the result, or the error as JSON.
 */

#include "json.h"

#include <sonometer.h>

static snm_text text_of(const json *value) {
    snm_text text = {NULL, 0};
    if (value != NULL && value->kind == JSON_TEXT) {
        text.data = value->text;
        text.len = value->len;
    }
    return text;
}

static int same(const json *a, const json *b) {
    if (a == NULL || b == NULL || a->kind != b->kind || a->len != b->len) {
        return a == b;
    }
    if (a->kind == JSON_TEXT) {
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
    const size_t count = shelf == NULL ? 0 : shelf->len;
    snm_text *texts = json_grown(NULL, (count + 1) * sizeof *texts);
    for (size_t at = 0; at < count; ++at) {
        texts[at] = text_of(&shelf->values[at]);
    }
    const snm_text text = text_of(source);
    const snm_status status = snm_target_read(text.data, text.len, texts, count, out, error);
    free(texts);
    return status;
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
    /* Cases of one target stand together: it is read once for them. */
    json before;
    memset(&before, 0, sizeof before);
    snm_target *target = NULL;
    while (read_line(in, &memory, &room) != NULL) {
        json line;
        json_read(memory, &line);
        const json *source = json_get(&line, "target");
        const json *shelf = json_get(&line, "shelf");
        const json *feed = json_get(&line, "feed");
        snm_error *error = NULL;
        snm_result *result = NULL;
        snm_status status = SNM_STATUS_OK;
        if (target == NULL || !same(source, json_get(&before, "target")) ||
            !same(shelf, json_get(&before, "shelf"))) {
            snm_target_free(target);
            status = target_of(source, shelf, &target, &error);
        }
        if (feed != NULL && !json_is(feed, "whole")) {
            json_fail("an unknown feed");
        }
        if (status == SNM_STATUS_OK) {
            status = whole(target, &line, &result, &error);
        }
        size_t len = 0;
        const char *bytes = snm_result_bytes(result, &len);
        if (status == SNM_STATUS_OK) {
            fwrite(bytes, 1, len, out);
        } else {
            fputs(snm_error_json(error), out);
        }
        putc('\n', out);
        snm_result_free(result);
        snm_error_free(error);
        json_free(&before);
        before = line;
    }
    json_free(&before);
    snm_target_free(target);
    free(memory);
    fclose(in);
    return fclose(out) == 0 ? 0 : 2;
}

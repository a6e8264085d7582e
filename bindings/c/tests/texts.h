/*
 * Texts of test cases in the form in which the library takes them.
 */
#ifndef TESTS_TEXTS_H
#define TESTS_TEXTS_H

#include "json.h"

#include <sonometer.h>

/* A text or number; NULL where there is none. */
static snm_text text_of(const json *value) {
    snm_text text = {NULL, 0};
    if (value != NULL && (value->kind == JSON_TEXT || value->kind == JSON_NUMBER)) {
        text.data = value->text;
        text.len = value->len;
    }
    return text;
}

/* A list of texts, for the caller to free; their number goes to `count`. */
static snm_text *texts_of(const json *list, size_t *count) {
    *count = list == NULL ? 0 : list->len;
    snm_text *texts = json_grown(NULL, (*count + 1) * sizeof *texts);
    for (size_t at = 0; at < *count; ++at) {
        texts[at] = text_of(&list->values[at]);
    }
    return texts;
}

static int same_text(snm_text a, snm_text b) {
    return a.len == b.len && (a.len == 0 || memcmp(a.data, b.data, a.len) == 0);
}

#endif

/*
 * Just enough JSON to read test cases: null, true, false, numbers as they are written, texts, lists and objects. A text keeps its length,
 * for there may be NULs in it. Whatever is not JSON ends the program: the cases are made by another program.
 */
#ifndef TESTS_JSON_H
#define TESTS_JSON_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum json_kind { JSON_NULL, JSON_TRUE, JSON_FALSE, JSON_NUMBER, JSON_TEXT, JSON_LIST, JSON_OBJECT };

typedef struct json {
    enum json_kind kind;
    char *text; /* of a text or number */
    size_t len; /* bytes of a text or number, values of a list, members of an object */
    struct json *values;
    struct json *keys; /* of an object, one for each value */
} json;

static void json_fail(const char *why) {
    fprintf(stderr, "a case is not as expected: %s\n", why);
    exit(2);
}

static void *json_grown(void *memory, size_t bytes) {
    void *grown = realloc(memory, bytes);
    if (grown == NULL) {
        json_fail("out of memory");
    }
    return grown;
}

static void json_free(json *value) {
    for (size_t at = 0; at < value->len && value->kind >= JSON_LIST; ++at) {
        json_free(&value->values[at]);
        if (value->kind == JSON_OBJECT) {
            json_free(&value->keys[at]);
        }
    }
    free(value->text);
    free(value->values);
    free(value->keys);
    memset(value, 0, sizeof *value);
}

static const char *json_space(const char *at) {
    while (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n') {
        ++at;
    }
    return at;
}

static unsigned json_hex(const char *at) {
    unsigned value = 0;
    for (int digit = 0; digit < 4; ++digit) {
        const char *digits = "0123456789abcdef";
        const char *found = at[digit] == '\0' ? NULL : strchr(digits, at[digit]);
        if (found == NULL) {
            json_fail("four hexadecimal digits are missing");
        }
        value = value * 16 + (unsigned)(found - digits);
    }
    return value;
}

static size_t json_utf8(unsigned point, char *out) {
    if (point < 0x80) {
        out[0] = (char)point;
        return 1;
    }
    if (point < 0x800) {
        out[0] = (char)(0xc0 | point >> 6);
        out[1] = (char)(0x80 | (point & 0x3f));
        return 2;
    }
    if (point < 0x10000) {
        out[0] = (char)(0xe0 | point >> 12);
        out[1] = (char)(0x80 | (point >> 6 & 0x3f));
        out[2] = (char)(0x80 | (point & 0x3f));
        return 3;
    }
    out[0] = (char)(0xf0 | point >> 18);
    out[1] = (char)(0x80 | (point >> 12 & 0x3f));
    out[2] = (char)(0x80 | (point >> 6 & 0x3f));
    out[3] = (char)(0x80 | (point & 0x3f));
    return 4;
}

/* `at` is behind the opening quote. */
static const char *json_text(const char *at, json *value) {
    value->kind = JSON_TEXT;
    size_t room = 0;
    for (; *at != '"'; ++at) {
        if (value->len + 5 > room) {
            room = room * 2 + 64;
            value->text = json_grown(value->text, room);
        }
        if (*at == '\0') {
            json_fail("a text does not end");
        }
        if (*at != '\\') {
            value->text[value->len++] = *at;
            continue;
        }
        ++at;
        const char *escapes = "\"\\/bfnrt";
        const char *plain = strchr(escapes, *at);
        if (*at == 'u') {
            unsigned point = json_hex(at + 1);
            at += 4;
            if (point >= 0xd800 && point < 0xdc00 && at[1] == '\\' && at[2] == 'u') {
                point = 0x10000 + ((point - 0xd800) << 10) + (json_hex(at + 3) - 0xdc00);
                at += 6;
            }
            value->len += json_utf8(point, value->text + value->len);
        } else if (*at != '\0' && plain != NULL) {
            value->text[value->len++] = "\"\\/\b\f\n\r\t"[plain - escapes];
        } else {
            json_fail("an unknown escape");
        }
    }
    /* For those who read a text as JSON: it has no NUL of its own then. */
    value->text = json_grown(value->text, value->len + 1);
    value->text[value->len] = '\0';
    return at + 1;
}

static const char *json_read(const char *at, json *value) {
    memset(value, 0, sizeof *value);
    at = json_space(at);
    if (*at == '"') {
        return json_text(at + 1, value);
    }
    if (strncmp(at, "null", 4) == 0) {
        return at + 4;
    }
    if (strncmp(at, "true", 4) == 0) {
        value->kind = JSON_TRUE;
        return at + 4;
    }
    if (strncmp(at, "false", 5) == 0) {
        value->kind = JSON_FALSE;
        return at + 5;
    }
    const size_t digits = strspn(at, "-+.0123456789eE");
    if (digits > 0) {
        value->kind = JSON_NUMBER;
        value->len = digits;
        value->text = json_grown(NULL, digits);
        memcpy(value->text, at, digits);
        return at + digits;
    }
    if (*at != '[' && *at != '{') {
        json_fail("an unexpected character");
    }
    const char end = *at == '[' ? ']' : '}';
    value->kind = *at == '[' ? JSON_LIST : JSON_OBJECT;
    at = json_space(at + 1);
    while (*at != end) {
        value->values = json_grown(value->values, (value->len + 1) * sizeof *value->values);
        if (end == '}') {
            value->keys = json_grown(value->keys, (value->len + 1) * sizeof *value->keys);
            at = json_space(json_read(at, &value->keys[value->len]));
            if (*at++ != ':') {
                json_fail("a key without a colon");
            }
        }
        at = json_space(json_read(at, &value->values[value->len++]));
        if (*at == ',') {
            ++at;
        } else if (*at != end) {
            json_fail("a comma is missing");
        }
        at = json_space(at);
    }
    return at + 1;
}

/* The value of a key; NULL where there is none, or it is null. */
static const json *json_get(const json *object, const char *key) {
    for (size_t at = 0; at < object->len && object->kind == JSON_OBJECT; ++at) {
        const json *found = &object->keys[at];
        if (found->len == strlen(key) && memcmp(found->text, key, found->len) == 0) {
            return object->values[at].kind == JSON_NULL ? NULL : &object->values[at];
        }
    }
    return NULL;
}

static int json_is(const json *value, const char *text) {
    return value != NULL && value->kind == JSON_TEXT && value->len == strlen(text) &&
           memcmp(value->text, text, value->len) == 0;
}

#endif

/*
 * What tests in C are made of. `main` runs them by `run` and is wrong where there are `failures`.
 */
#ifndef TESTS_CHECK_H
#define TESTS_CHECK_H

#include <sonometer.h>
#include <stdio.h>
#include <string.h>

static int failures = 0;
static int right = 1;

static void check(int holds, const char *what, int line) {
    if (!holds) {
        printf("  line %d: %s\n", line, what);
        right = 0;
    }
}

#define CHECK(condition) check((condition), #condition, __LINE__)

static void run(const char *name, void (*test)(void)) {
    right = 1;
    test();
    printf("%s %s\n", right ? "ok" : "not ok", name);
    failures += !right;
}

static void *anything(void) {
    static char place;
    return &place;
}

/* An error is there, with this status and place, and out is NULL. */
static void refused(snm_status status, snm_status wanted, const void *out, snm_error *error, const char *place) {
    CHECK(status == wanted);
    CHECK(out == NULL);
    CHECK(error != NULL && snm_error_status(error) == wanted);
    CHECK(strlen(snm_error_message(error)) > 0);
    if (strcmp(snm_error_place(error), place) != 0) {
        printf("  place `%s`, not `%s`\n", snm_error_place(error), place);
        right = 0;
    }
    if (status != wanted) {
        printf("  %s\n", snm_error_json(error));
    }
    snm_error_free(error);
}

#endif

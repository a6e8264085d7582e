/*
 * What callers get wrong, and many threads on one target. Prints `ok NAME` or `not ok NAME` for each test.
 */
#define _POSIX_C_SOURCE 200809L

#include "check.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static const char PROTOCOL[] =
    "{\"sonometer\":1,\"id\":\"thanks\",\"version\":\"1.0\",\"taxonomy\":\"Signal\",\"fidelity\":{\"sufficient\":0},"
    "\"score\":\"any\",\"markers\":[{\"label\":\"gratitude\",\"strong\":\"thank you\",\"hit\":\"thank you\"}]}";

static snm_target *thanks(void) {
    snm_target *target = NULL;
    CHECK(snm_target_read(PROTOCOL, strlen(PROTOCOL), NULL, 0, &target, NULL) == SNM_STATUS_OK);
    return target;
}

static snm_interaction *text(const char *words) {
    snm_interaction *interaction = NULL;
    CHECK(snm_interaction_text(words, strlen(words), &interaction, NULL) == SNM_STATUS_OK);
    return interaction;
}

static void null_is_freed(void) {
    snm_target_free(NULL);
    snm_interaction_free(NULL);
    snm_result_free(NULL);
    snm_error_free(NULL);
}

static void null_is_asked(void) {
    size_t size = 7;
    CHECK(snm_result_bytes(NULL, &size) == NULL && size == 0);
    CHECK(snm_result_bytes(NULL, NULL) == NULL);
    CHECK(snm_error_status(NULL) == SNM_STATUS_OK);
    CHECK(strcmp(snm_error_code(NULL), "") == 0);
    CHECK(strcmp(snm_error_message(NULL), "") == 0);
    CHECK(strcmp(snm_error_place(NULL), "") == 0);
    CHECK(strcmp(snm_error_json(NULL), "") == 0);
}

static void null_is_given(void) {
    snm_target *target = thanks();
    snm_interaction *talk = text("thank you");
    void *out = anything();
    snm_error *error = NULL;
    snm_status status = snm_sense(NULL, talk, NULL, (snm_result **)&out, &error);
    CHECK(strstr(snm_error_message(error), "look at the status") != NULL);
    refused(status, SNM_STATUS_INVALID_ARGUMENT, out, error, "target");
    out = anything();
    status = snm_sense(target, NULL, NULL, (snm_result **)&out, &error);
    refused(status, SNM_STATUS_INVALID_ARGUMENT, out, error, "interaction");
    status = snm_sense(target, talk, NULL, NULL, &error);
    refused(status, SNM_STATUS_INVALID_ARGUMENT, NULL, error, "out");
    CHECK(snm_sense(NULL, NULL, NULL, NULL, NULL) == SNM_STATUS_INVALID_ARGUMENT);
    out = anything();
    status = snm_compare(target, talk, NULL, NULL, (snm_result **)&out, &error);
    refused(status, SNM_STATUS_INVALID_ARGUMENT, out, error, "b");
    out = anything();
    status = snm_target_score_meaning(NULL, (snm_result **)&out, &error);
    refused(status, SNM_STATUS_INVALID_ARGUMENT, out, error, "target");
    snm_sufficiency enough = {1, 2, 3, true};
    status = snm_fidelity(NULL, talk, &enough, &error);
    refused(status, SNM_STATUS_INVALID_ARGUMENT, NULL, error, "target");
    CHECK(enough.index == 0 && !enough.sufficient);
    status = snm_fidelity(target, talk, NULL, &error);
    refused(status, SNM_STATUS_INVALID_ARGUMENT, NULL, error, "out");
    out = anything();
    status = snm_target_shipped(NULL, 3, (snm_target **)&out, &error);
    refused(status, SNM_STATUS_INVALID_ARGUMENT, out, error, "name");
    out = anything();
    status = snm_target_read(PROTOCOL, strlen(PROTOCOL), NULL, 2, (snm_target **)&out, &error);
    refused(status, SNM_STATUS_INVALID_ARGUMENT, out, error, "shelf");
    out = anything();
    status = snm_interaction_segments(NULL, 1, (snm_interaction **)&out, &error);
    refused(status, SNM_STATUS_INVALID_ARGUMENT, out, error, "segments");
    out = anything();
    status = snm_interaction_segments(NULL, 0, (snm_interaction **)&out, &error);
    refused(status, SNM_STATUS_INVALID_REQUEST, out, error, "segments");
    /* NULL and nothing is a text without words. */
    snm_interaction *empty = NULL;
    CHECK(snm_interaction_text(NULL, 0, &empty, NULL) == SNM_STATUS_OK);
    snm_interaction_free(empty);
    snm_interaction_free(talk);
    snm_target_free(target);
}

static void write_file(const char *path, const char *text) {
    FILE *file = fopen(path, "wb");
    CHECK(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
}

static void files(void) {
    void *out = anything();
    snm_error *error = NULL;
    snm_status status = snm_target_load("no/such/file.yaml", 17, NULL, 0, (snm_target **)&out, &error);
    CHECK(strstr(snm_error_message(error), "no/such/file.yaml") != NULL);
    refused(status, SNM_STATUS_INVALID_REQUEST, out, error, "path");
    /* It has no end. */
    out = anything();
    status = snm_target_load("/dev/zero", 9, NULL, 0, (snm_target **)&out, &error);
    CHECK(strstr(snm_error_message(error), "larger than 16 MiB") != NULL);
    refused(status, SNM_STATUS_PAYLOAD_TOO_LARGE, out, error, "path");
    const char *temporary = getenv("TMPDIR");
    char folder[1024], protocol[1100], list[1100];
    int fits = snprintf(folder, sizeof folder, "%s/sonometer-files-XXXXXX", temporary != NULL ? temporary : "/tmp");
    CHECK(fits > 0 && (size_t)fits < sizeof folder && mkdtemp(folder) != NULL);
    snprintf(protocol, sizeof protocol, "%s/met.json", folder);
    snprintf(list, sizeof list, "%s/names.txt", folder);
    write_file(protocol, "{\"sonometer\":1,\"id\":\"met\",\"version\":\"1\",\"taxonomy\":\"Signal\",\"fidelity\":{\"sufficient\":0},"
                         "\"list_files\":{\"name\":\"names.txt\"},\"markers\":[{\"label\":\"met\",\"strong\":\"met @name\"}]}");
    /* Its list file is missing, and then beside it. */
    out = anything();
    status = snm_target_load(protocol, strlen(protocol), NULL, 0, (snm_target **)&out, &error);
    CHECK(strstr(snm_error_message(error), "names.txt") != NULL);
    CHECK(status == SNM_STATUS_INVALID_PROTOCOL && out == NULL);
    snm_error_free(error);
    write_file(list, "Anna\n");
    snm_target *target = NULL;
    CHECK(snm_target_load(protocol, strlen(protocol), NULL, 0, &target, NULL) == SNM_STATUS_OK);
    snm_interaction *talk = NULL;
    CHECK(snm_interaction_text("I met Anna.", 11, &talk, NULL) == SNM_STATUS_OK);
    snm_result *result = NULL;
    CHECK(snm_sense(target, talk, NULL, &result, NULL) == SNM_STATUS_OK);
    CHECK(strstr(snm_result_bytes(result, NULL), "met Anna") != NULL);
    snm_result_free(result);
    snm_interaction_free(talk);
    snm_target_free(target);
    CHECK(unlink(list) == 0 && unlink(protocol) == 0 && rmdir(folder) == 0);
}

static void not_utf_8(void) {
    void *out = anything();
    snm_error *error = NULL;
    snm_status status = snm_interaction_text("thank \xff you", 11, (snm_interaction **)&out, &error);
    CHECK(strcmp(snm_error_code(error), "invalid_request") == 0);
    refused(status, SNM_STATUS_INVALID_UTF8, out, error, "byte 6");
    /* A sequence that is cut off, and half of a surrogate pair. */
    out = anything();
    status = snm_interaction_json("{\"content\": \"\xe4\xbd", 14, (snm_interaction **)&out, &error);
    refused(status, SNM_STATUS_INVALID_UTF8, out, error, "byte 13");
    out = anything();
    status = snm_target_read("\xed\xa0\x80", 3, NULL, 0, (snm_target **)&out, &error);
    refused(status, SNM_STATUS_INVALID_UTF8, out, error, "byte 0");
    out = anything();
    const snm_segment segment = {{"agent", 5}, {"a\xc0\xaf", 3}, SNM_NO_TIME};
    status = snm_interaction_segments(&segment, 1, (snm_interaction **)&out, &error);
    CHECK(strstr(snm_error_message(error), "segments[0].content") != NULL);
    refused(status, SNM_STATUS_INVALID_UTF8, out, error, "byte 1");
}

static void odd_lengths(void) {
    void *out = anything();
    snm_error *error = NULL;
    snm_status status = snm_interaction_text("a", SIZE_MAX, (snm_interaction **)&out, &error);
    refused(status, SNM_STATUS_INVALID_ARGUMENT, out, error, "content");
    out = anything();
    status = snm_interaction_segments(anything(), SIZE_MAX / 8, (snm_interaction **)&out, &error);
    refused(status, SNM_STATUS_INVALID_ARGUMENT, out, error, "segments");
    status = snm_batch(NULL, NULL, SIZE_MAX, NULL, 0, anything(), NULL, &error);
    refused(status, SNM_STATUS_INVALID_ARGUMENT, NULL, error, "results");
}

static void odd_options(void) {
    snm_target *target = thanks();
    snm_interaction *talk = text("thank you");
    snm_error *error = NULL;
    void *out = anything();
    snm_options options;
    memset(&options, 0, sizeof options);
    snm_status status = snm_sense(target, talk, &options, (snm_result **)&out, &error);
    refused(status, SNM_STATUS_INVALID_ARGUMENT, out, error, "options.size");
    const snm_options plain = SNM_OPTIONS_INIT;
    options = plain;
    options.profile = 77;
    status = snm_sense(target, talk, &options, (snm_result **)&out, &error);
    CHECK(strstr(snm_error_message(error), "`SNM_PROFILE_DISCOVERY`") != NULL);
    refused(status, SNM_STATUS_INVALID_ARGUMENT, out, error, "options.profile");
    options = plain;
    options.flow = SNM_ASK_YES;
    status = snm_sense(target, talk, &options, (snm_result **)&out, &error);
    refused(status, SNM_STATUS_INVALID_REQUEST, out, error, "options.flow");
    options = plain;
    options.temporal = SNM_ASK_YES;
    status = snm_sense(target, talk, &options, (snm_result **)&out, &error);
    refused(status, SNM_STATUS_INVALID_REQUEST, out, error, "options.temporal");
    snm_target *newer = NULL;
    CHECK(snm_target_shipped("courtesy@2.0", 12, &newer, NULL) == SNM_STATUS_OK);
    options = plain;
    options.flow = SNM_ASK_WITH; /* and no role */
    status = snm_sense(newer, talk, &options, (snm_result **)&out, &error);
    refused(status, SNM_STATUS_INVALID_REQUEST, out, error, "options.primary");
    options = plain;
    options.temporal = SNM_ASK_WITH; /* and no window */
    status = snm_session_open(newer, &options, (snm_session **)&out, &error);
    refused(status, SNM_STATUS_INVALID_REQUEST, out, error, "options.window");
    snm_target_free(newer);
    options = plain;
    options.mask.data = "keyed"; /* and no key */
    options.mask.len = 5;
    status = snm_sense(target, talk, &options, (snm_result **)&out, &error);
    refused(status, SNM_STATUS_INVALID_REQUEST, out, error, "options.mask_key");
    options = plain;
    options.flow = SNM_ASK_WITH;
    options.primary.data = "\xff";
    options.primary.len = 1;
    status = snm_sense(target, talk, &options, (snm_result **)&out, &error);
    refused(status, SNM_STATUS_INVALID_UTF8, out, error, "byte 0");
    snm_interaction_free(talk);
    snm_target_free(target);
}

static void odd_inputs(void) {
    void *out = anything();
    snm_error *error = NULL;
    snm_status status = snm_interaction_json("{\"contents\": \"a\"}", 17, (snm_interaction **)&out, &error);
    refused(status, SNM_STATUS_INVALID_REQUEST, out, error, "contents");
    out = anything();
    status = snm_target_shipped("courtsey", 8, (snm_target **)&out, &error);
    CHECK(strstr(snm_error_message(error), "did you mean `courtesy`?") != NULL);
    refused(status, SNM_STATUS_TARGET_NOT_FOUND, out, error, "target");
    out = anything();
    status = snm_target_find("courtsey", 8, (snm_target **)&out, &error); /* the former name */
    refused(status, SNM_STATUS_TARGET_NOT_FOUND, out, error, "target");
    out = anything();
    status = snm_stage_find("nothing", 7, (snm_stage **)&out, &error);
    refused(status, SNM_STATUS_TARGET_NOT_FOUND, out, error, "stage");
    out = anything();
    status = snm_stage_shipped("billing-disput", 14, (snm_stage **)&out, &error);
    CHECK(strstr(snm_error_message(error), "did you mean `billing-dispute`?") != NULL);
    refused(status, SNM_STATUS_TARGET_NOT_FOUND, out, error, "stage");
    /* A path where a name is wanted, and a name where a path is. */
    out = anything();
    status = snm_target_shipped("house/rules.yaml", 16, (snm_target **)&out, &error);
    CHECK(strstr(snm_error_message(error), "`snm_target_load`") != NULL);
    refused(status, SNM_STATUS_TARGET_NOT_FOUND, out, error, "target");
    out = anything();
    status = snm_stage_shipped("house/desk.yaml", 15, (snm_stage **)&out, &error);
    CHECK(strstr(snm_error_message(error), "`snm_stage_load`") != NULL);
    refused(status, SNM_STATUS_TARGET_NOT_FOUND, out, error, "stage");
    out = anything();
    status = snm_target_load("courtesy", 8, NULL, 0, (snm_target **)&out, &error);
    CHECK(strstr(snm_error_message(error), "`snm_target_shipped`") != NULL);
    refused(status, SNM_STATUS_INVALID_REQUEST, out, error, "path");
    out = anything();
    status = snm_stage_load("billing-dispute", 15, NULL, 0, (snm_stage **)&out, &error);
    CHECK(strstr(snm_error_message(error), "`snm_stage_shipped`") != NULL);
    refused(status, SNM_STATUS_INVALID_REQUEST, out, error, "path");
    out = anything();
    status = snm_target_read("courtesy", 8, NULL, 0, (snm_target **)&out, &error);
    CHECK(strstr(snm_error_message(error), "`snm_target_shipped`") != NULL);
    refused(status, SNM_STATUS_INVALID_PROTOCOL, out, error, "line 1, column 1");
    out = anything();
    status = snm_target_read("house/rules.yaml", 16, NULL, 0, (snm_target **)&out, &error);
    CHECK(strstr(snm_error_message(error), "`snm_target_load`") != NULL);
    refused(status, SNM_STATUS_INVALID_PROTOCOL, out, error, "line 1, column 1");
    out = anything();
    status = snm_stage_read("billing-dispute", 15, NULL, 0, (snm_stage **)&out, &error);
    CHECK(strstr(snm_error_message(error), "`snm_stage_shipped`") != NULL);
    refused(status, SNM_STATUS_INVALID_PROTOCOL, out, error, "line 1, column 1");
    out = anything();
    status = snm_target_read("sonometer: 1\nid: [", 18, NULL, 0, (snm_target **)&out, &error);
    CHECK(strcmp(snm_error_code(error), "invalid_protocol") == 0);
    CHECK(strncmp(snm_error_json(error), "{\"code\":\"invalid_protocol\",\"message\":\"", 38) == 0);
    CHECK(strncmp(snm_error_place(error), "line ", 5) == 0);
    CHECK(status == SNM_STATUS_INVALID_PROTOCOL && out == NULL);
    snm_error_free(error);
    /* A NUL in a text is a character; one in a message is shown. */
    snm_interaction *talk = NULL;
    CHECK(snm_interaction_text("thank you\0thank you", 19, &talk, NULL) == SNM_STATUS_OK);
    snm_interaction_free(talk);
    status = snm_target_shipped("a\0b", 3, (snm_target **)&out, &error);
    CHECK(strstr(snm_error_message(error), "`a\xe2\x90\x80"
                                           "b`") != NULL);
    CHECK(strstr(snm_error_json(error), "`a\\u0000b`") != NULL);
    refused(status, SNM_STATUS_TARGET_NOT_FOUND, out, error, "target");
    const snm_segment late = {{"agent", 5}, {"a", 1}, INT64_MAX};
    status = snm_interaction_segments(&late, 1, (snm_interaction **)&out, &error);
    refused(status, SNM_STATUS_INVALID_REQUEST, out, error, "segments[0].timestamp");
    const snm_segment nobody = {{"", 0}, {"a", 1}, SNM_NO_TIME};
    status = snm_interaction_segments(&nobody, 1, (snm_interaction **)&out, &error);
    refused(status, SNM_STATUS_INVALID_REQUEST, out, error, "segments[0].role");
}

static void huge_inputs(void) {
    const size_t most = (size_t)64 << 20;
    char *words = malloc(most + 1);
    for (size_t at = 0; at <= most; ++at) {
        words[at] = "thank you. "[at % 11];
    }
    snm_error *error = NULL;
    void *out = anything();
    snm_status status = snm_interaction_text(words, most + 1, (snm_interaction **)&out, &error);
    refused(status, SNM_STATUS_PAYLOAD_TOO_LARGE, out, error, "content");
    snm_target *target = thanks();
    snm_interaction *talk = NULL;
    snm_result *result = NULL;
    const size_t much = (size_t)1 << 20;
    CHECK(snm_interaction_text(words, much, &talk, NULL) == SNM_STATUS_OK);
    CHECK(snm_sense(target, talk, NULL, &result, NULL) == SNM_STATUS_OK);
    size_t size = 0;
    const char *json = snm_result_bytes(result, &size);
    CHECK(json != NULL && size > 500 && json[size] == '\0' && strlen(json) == size);
    snm_result_free(result);
    snm_interaction_free(talk);
    snm_target_free(target);
    free(words);
}

enum { MANY = 500 };

static void many_at_once(void) {
    snm_target *target = thanks();
    snm_interaction *talks[MANY];
    snm_result *results[MANY];
    snm_error *errors[MANY];
    for (int at = 0; at < MANY; ++at) {
        char words[64];
        snprintf(words, sizeof words, "%s number %d", at % 3 == 0 ? "thank you" : "no", at);
        talks[at] = text(words);
        results[at] = anything();
        errors[at] = anything();
    }
    const size_t threads[] = {0, 1, 3, 100000};
    for (size_t round = 0; round < 4; ++round) {
        const snm_status status = snm_batch(target, (const snm_interaction *const *)talks, MANY, NULL,
                                            threads[round], results, errors, NULL);
        CHECK(status == SNM_STATUS_OK);
        for (int at = 0; at < MANY; ++at) {
            snm_result *alone = NULL;
            CHECK(snm_sense(target, talks[at], NULL, &alone, NULL) == SNM_STATUS_OK);
            CHECK(errors[at] == NULL);
            CHECK(strcmp(snm_result_bytes(results[at], NULL), snm_result_bytes(alone, NULL)) == 0);
            snm_result_free(alone);
            snm_result_free(results[at]);
        }
    }
    /* One that is not there: nothing is measured, and every place is cleared. */
    snm_interaction *last = talks[MANY - 1];
    talks[MANY - 1] = NULL;
    snm_error *error = NULL;
    snm_status status = snm_batch(target, (const snm_interaction *const *)talks, MANY, NULL, 0, results, NULL, &error);
    refused(status, SNM_STATUS_INVALID_ARGUMENT, results[0], error, "interactions[499]");
    /* What is wrong with one costs the others nothing. */
    talks[MANY - 1] = last;
    snm_target *calls = NULL;
    const char *source = "{\"sonometer\":1,\"id\":\"calls\",\"version\":\"1.0\",\"taxonomy\":\"Signal\",\"modalities\":"
                         "[\"transcript\"],\"fidelity\":{\"sufficient\":0},\"markers\":[{\"label\":\"gratitude\","
                         "\"strong\":\"thank you\",\"hit\":\"thank you\"}]}";
    CHECK(snm_target_read(source, strlen(source), NULL, 0, &calls, &error) == SNM_STATUS_OK);
    if (calls == NULL) {
        printf("  %s\n", snm_error_json(error));
    }
    CHECK(snm_batch(calls, (const snm_interaction *const *)talks, 2, NULL, 0, results, errors, NULL) == SNM_STATUS_OK);
    for (int at = 0; at < 2 && calls != NULL; ++at) {
        CHECK(results[at] == NULL && snm_error_status(errors[at]) == SNM_STATUS_INVALID_REQUEST);
        snm_error_free(errors[at]);
    }
    CHECK(snm_batch(target, NULL, 0, NULL, 0, NULL, NULL, NULL) == SNM_STATUS_OK);
    snm_target_free(calls);
    for (int at = 0; at < MANY; ++at) {
        snm_interaction_free(talks[at]);
    }
    snm_target_free(target);
}

struct shared {
    const snm_target *target;
    const snm_interaction *talk;
    const char *expected;
    int differences;
};

static void *sense_often(void *argument) {
    struct shared *shared = argument;
    for (int round = 0; round < 200; ++round) {
        snm_result *result = NULL;
        snm_error *error = NULL;
        snm_status status = snm_sense(shared->target, shared->talk, NULL, &result, &error);
        shared->differences += status != SNM_STATUS_OK || strcmp(snm_result_bytes(result, NULL), shared->expected) != 0;
        snm_result_free(result);
        snm_error_free(error);
    }
    return NULL;
}

static void many_threads(void) {
    enum { THREADS = 16 };
    snm_target *target = NULL;
    CHECK(snm_target_shipped("courtesy", 8, &target, NULL) == SNM_STATUS_OK);
    snm_interaction *talk = text("Thank you so much for your patience. Could you please tell me which version you use?");
    snm_result *expected = NULL;
    CHECK(snm_sense(target, talk, NULL, &expected, NULL) == SNM_STATUS_OK);
    struct shared shared[THREADS];
    pthread_t threads[THREADS];
    for (int at = 0; at < THREADS; ++at) {
        const struct shared one = {target, talk, snm_result_bytes(expected, NULL), 0};
        shared[at] = one;
        CHECK(pthread_create(&threads[at], NULL, sense_often, &shared[at]) == 0);
    }
    for (int at = 0; at < THREADS; ++at) {
        CHECK(pthread_join(threads[at], NULL) == 0 && shared[at].differences == 0);
    }
    snm_result_free(expected);
    snm_interaction_free(talk);
    snm_target_free(target);
}

static snm_session *open_session(const snm_target *target, const snm_options *options) {
    snm_session *session = NULL;
    CHECK(snm_session_open(target, options, &session, NULL) == SNM_STATUS_OK);
    return session;
}

static void sessions(void) {
    snm_target *target = thanks();
    const char *words = "Gr\xc3\xbc\xc3\x9f""e! It works \xf0\x9f\x98\x80, thank you. And thank you again";
    const size_t len = strlen(words);
    snm_interaction *talk = text(words);
    snm_result *whole = NULL;
    CHECK(snm_sense(target, talk, NULL, &whole, NULL) == SNM_STATUS_OK);
    snm_session *session = open_session(target, NULL);
    snm_place before = {0, 0};
    for (size_t at = 0; at < len; ++at) {
        snm_result *step = NULL;
        CHECK(snm_session_push(session, words + at, 1, &step, NULL) == SNM_STATUS_OK);
        CHECK(strncmp(snm_result_bytes(step, NULL), "{\"settled_to\":{", 15) == 0);
        CHECK(snm_result_released(step, 0, NULL, NULL) == NULL);
        snm_result_free(step);
        const snm_place settled = snm_session_settled_to(session);
        CHECK(settled.segment == 0 && settled.offset >= before.offset && settled.offset <= at + 1);
        const snm_place released = snm_session_released_to(session);
        CHECK(released.segment == 0 && released.offset == settled.offset);
        before = settled;
    }
    CHECK(before.offset > 0);
    /* The reading so far is that of what came so far, and the session goes on. */
    snm_result *so_far = NULL;
    CHECK(snm_session_so_far(session, &so_far, NULL) == SNM_STATUS_OK);
    CHECK(strcmp(snm_result_bytes(so_far, NULL), snm_result_bytes(whole, NULL)) == 0);
    snm_result_free(so_far);
    snm_result *finished = NULL;
    CHECK(snm_session_finish(session, &finished, NULL) == SNM_STATUS_OK);
    CHECK(strcmp(snm_result_bytes(finished, NULL), snm_result_bytes(whole, NULL)) == 0);
    snm_result_free(finished);
    /* What is over is over. */
    snm_error *error = NULL;
    void *out = anything();
    snm_status status = snm_session_finish(session, (snm_result **)&out, &error);
    refused(status, SNM_STATUS_INVALID_ARGUMENT, out, error, "session");
    out = anything();
    status = snm_session_push(session, "a", 1, (snm_result **)&out, &error);
    refused(status, SNM_STATUS_INVALID_ARGUMENT, out, error, "session");
    out = anything();
    status = snm_session_so_far(session, (snm_result **)&out, &error);
    refused(status, SNM_STATUS_INVALID_ARGUMENT, out, error, "session");
    CHECK(snm_session_settled_to(session).offset == 0);
    CHECK(snm_session_released_to(session).offset == 0);
    snm_session_free(session);
    snm_result_free(whole);
    snm_interaction_free(talk);
    snm_target_free(target);
}

static void sessions_misused(void) {
    snm_target *target = thanks();
    snm_error *error = NULL;
    void *out = anything();
    snm_status status = snm_session_open(NULL, NULL, (snm_session **)&out, &error);
    refused(status, SNM_STATUS_INVALID_ARGUMENT, out, error, "target");
    out = anything();
    status = snm_session_push(NULL, "a", 1, (snm_result **)&out, &error);
    refused(status, SNM_STATUS_INVALID_ARGUMENT, out, error, "session");
    snm_session *session = open_session(target, NULL);
    out = anything();
    status = snm_session_push(session, NULL, 3, (snm_result **)&out, &error);
    refused(status, SNM_STATUS_INVALID_ARGUMENT, out, error, "bytes");
    out = anything();
    status = snm_session_push_segment(session, NULL, (snm_result **)&out, &error);
    CHECK(strstr(snm_error_message(error), "`snm_segment`") != NULL);
    refused(status, SNM_STATUS_INVALID_ARGUMENT, out, error, "segment");
    snm_result *step = NULL;
    CHECK(snm_session_push(session, "thank \xe4\xbd", 8, &step, NULL) == SNM_STATUS_OK);
    snm_result_free(step);
    /* Bytes that cannot go on a character are not taken; what goes it on is. */
    status = snm_session_push(session, "you", 3, &step, &error);
    CHECK(status == SNM_STATUS_INVALID_REQUEST && step == NULL && error != NULL);
    snm_error_free(error);
    CHECK(snm_session_push(session, "\xa0 thank you", 11, &step, NULL) == SNM_STATUS_OK);
    snm_result_free(step);
    /* A text is no conversation. */
    status = snm_session_begin_segment(session, "agent", 5, SNM_NO_TIME, &step, &error);
    CHECK(status == SNM_STATUS_INVALID_REQUEST && step == NULL);
    snm_error_free(error);
    CHECK(snm_session_end(session, &step, NULL) == SNM_STATUS_OK);
    snm_result_free(step);
    status = snm_session_push(session, "more", 4, &step, &error);
    CHECK(status == SNM_STATUS_INVALID_REQUEST && step == NULL);
    snm_error_free(error);
    /* Freed without an end. */
    snm_session_free(session);
    session = open_session(target, NULL);
    const snm_segment segment = {{"agent", 5}, {"thank you", 9}, 1000000};
    CHECK(snm_session_push_segment(session, &segment, &step, NULL) == SNM_STATUS_OK);
    snm_result_free(step);
    const snm_segment nobody = {{" ", 1}, {"thank you", 9}, SNM_NO_TIME};
    status = snm_session_push_segment(session, &nobody, &step, &error);
    CHECK(status == SNM_STATUS_INVALID_REQUEST && step == NULL);
    snm_error_free(error);
    status = snm_session_push_segment(session, NULL, &step, &error);
    refused(status, SNM_STATUS_INVALID_ARGUMENT, step, error, "segment");
    snm_session_free(session);
    snm_session_free(NULL);
    snm_target_free(target);
}

static void guards(void) {
    snm_target *target = NULL;
    CHECK(snm_target_shipped("personal-data", 13, &target, NULL) == SNM_STATUS_OK);
    snm_options options = SNM_OPTIONS_INIT;
    options.release = 1;
    snm_session *session = open_session(target, &options);
    const char *words = "My card is 4111 1111 1111 1111, and that is all of it. Thank you for the help with it!";
    char shown[256] = "";
    for (size_t at = 0; at <= strlen(words); ++at) {
        snm_result *step = NULL;
        const int last = at == strlen(words);
        const snm_status status = last ? snm_session_end(session, &step, NULL)
                                       : snm_session_push(session, words + at, 1, &step, NULL);
        CHECK(status == SNM_STATUS_OK);
        size_t size = 0;
        size_t segment = 9;
        const char *part = snm_result_released(step, 0, &segment, &size);
        if (part != NULL) {
            CHECK(segment == 0);
            strncat(shown, part, size);
        }
        CHECK(snm_result_released(step, 1, &segment, &size) == NULL && segment == 0 && size == 0);
        snm_result_free(step);
    }
    CHECK(strlen(shown) == strlen(words) && strstr(shown, "4111 1111") == NULL && strstr(shown, "****") != NULL);
    CHECK(strncmp(shown, words, 11) == 0 && strstr(shown, "and that is all of it.") != NULL);
    snm_session_free(session);

    options.mask.data = "label";
    options.mask.len = 5;
    snm_interaction *said = NULL;
    snm_result *reading = NULL;
    CHECK(snm_interaction_text(words, strlen(words), &said, NULL) == SNM_STATUS_OK);
    CHECK(snm_sense(target, said, &options, &reading, NULL) == SNM_STATUS_OK);
    CHECK(strstr(snm_result_bytes(reading, NULL), "\"source\":\"<PAYMENT_CARD>\"") != NULL);
    snm_result_free(reading);
    // A key that is too short, and a kind that asks for one.
    snm_error *error = NULL;
    options.mask.data = "keyed";
    reading = NULL;
    snm_status status = snm_sense(target, said, &options, &reading, &error);
    refused(status, SNM_STATUS_INVALID_REQUEST, reading, error, "options.mask_key");
    options.mask_key.data = "short";
    options.mask_key.len = 5;
    error = NULL;
    status = snm_sense(target, said, &options, &reading, &error);
    refused(status, SNM_STATUS_INVALID_ARGUMENT, reading, error, "options.mask_key");
    snm_interaction_free(said);
    snm_target_free(target);
}

int main(void) {
    run("NULL is freed", null_is_freed);
    run("NULL is asked", null_is_asked);
    run("NULL is given", null_is_given);
    run("what is not UTF-8 is refused with its place", not_utf_8);
    run("a protocol from a file finds its list files beside it", files);
    run("lengths that cannot be", odd_lengths);
    run("options that mean nothing", odd_options);
    run("inputs that cannot be read", odd_inputs);
    run("huge inputs", huge_inputs);
    run("many at once are as one by one", many_at_once);
    run("a session cut anywhere is the whole", sessions);
    run("what a session refuses, it goes on without", sessions_misused);
    run("a guard lets nothing private through", guards);
    run("many threads share one target", many_threads);
    return failures == 0 ? 0 : 1;
}

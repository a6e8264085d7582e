/*
 * What callers get wrong with stages and dives, and threads that share a stage. Prints `ok NAME` or `not ok NAME` for each test.
 */
#define _POSIX_C_SOURCE 200809L

#include "porter.h"

#include <pthread.h>
#include <unistd.h>

static void null_is_freed(void) {
    snm_stage_free(NULL);
    snm_dive_free(NULL);
    snm_card_free(NULL);
    snm_key_free(NULL);
}

static void null_is_asked(void) {
    size_t size = 7;
    CHECK(snm_stage_id(NULL, &size) == NULL && size == 0);
    CHECK(snm_stage_version(NULL, NULL) == NULL && snm_stage_objective(NULL, NULL) == NULL);
    CHECK(snm_stage_digest(NULL, NULL) == NULL && snm_stage_checkpoint(NULL, 0, NULL) == NULL);
    CHECK(snm_stage_flag(NULL, 0, NULL) == NULL && snm_stage_envelope(NULL).max_turns == 0);
    size = 7;
    CHECK(snm_dive_observation(NULL, &size) == NULL && size == 0);
    CHECK(snm_dive_chain(NULL, NULL) == NULL && snm_dive_log_line(NULL, NULL) == NULL);
    CHECK(snm_dive_done(NULL) && snm_dive_turn(NULL) == 0);
    size = 7;
    CHECK(snm_card_json(NULL, &size) == NULL && size == 0 && !snm_card_passed(NULL));
    CHECK(snm_key_public(NULL, NULL) == NULL);
}

static void a_stage_is_asked(void) {
    snm_stage *stage = stage_of(STAGE);
    size_t size = 0;
    CHECK(strcmp(snm_stage_id(stage, &size), "door") == 0 && size == 4);
    CHECK(strcmp(snm_stage_version(stage, NULL), "1.0") == 0);
    CHECK(strcmp(snm_stage_objective(stage, &size), "Thank the porters.") == 0 && size == 18);
    CHECK(strncmp(snm_stage_digest(stage, &size), "sha256:", 7) == 0 && size == 71);
    CHECK(strcmp(snm_stage_checkpoint(stage, 0, NULL), "seen") == 0);
    CHECK(strcmp(snm_stage_checkpoint(stage, 1, NULL), "out") == 0);
    CHECK(snm_stage_checkpoint(stage, 2, &size) == NULL && size == 0);
    CHECK(strcmp(snm_stage_flag(stage, 0, NULL), "silent") == 0);
    CHECK(snm_stage_flag(stage, SIZE_MAX, NULL) == NULL);
    const snm_envelope bounds = snm_stage_envelope(stage);
    CHECK(bounds.max_turns == 5 && bounds.ics_budget == 200 && bounds.max_action_chars == 40);
    CHECK(bounds.share_scorecard);
    snm_stage_free(stage);
}

static void null_is_given(void) {
    snm_stage *stage = stage_of(STAGE);
    snm_dive *dive = open_dive(stage);
    snm_card *card = close_dive(dive);
    snm_error *error = NULL;
    void *out = anything();
    snm_status status = snm_stage_shipped(NULL, 3, (snm_stage **)&out, &error);
    refused(status, SNM_STATUS_INVALID_ARGUMENT, out, error, "name");
    out = anything();
    status = snm_stage_read(STAGE, strlen(STAGE), NULL, 1, (snm_stage **)&out, &error);
    refused(status, SNM_STATUS_INVALID_ARGUMENT, out, error, "shelf");
    out = anything();
    status = snm_stage_load(NULL, 1, NULL, 0, (snm_stage **)&out, &error);
    refused(status, SNM_STATUS_INVALID_ARGUMENT, out, error, "path");
    status = snm_stage_read(STAGE, strlen(STAGE), NULL, 0, NULL, &error);
    refused(status, SNM_STATUS_INVALID_ARGUMENT, NULL, error, "out");
    out = anything();
    status = snm_dive_open(NULL, 0, (snm_dive **)&out, &error);
    refused(status, SNM_STATUS_INVALID_ARGUMENT, out, error, "stage");
    out = anything();
    status = snm_dive_resume(NULL, "{}", 2, (snm_dive **)&out, &error);
    refused(status, SNM_STATUS_INVALID_ARGUMENT, out, error, "stage");
    out = anything();
    status = snm_dive_resume(stage, NULL, 2, (snm_dive **)&out, &error);
    refused(status, SNM_STATUS_INVALID_ARGUMENT, out, error, "saved");
    out = anything();
    status = snm_dive_act(NULL, "a", 1, (snm_result **)&out, &error);
    refused(status, SNM_STATUS_INVALID_ARGUMENT, out, error, "dive");
    out = anything();
    status = snm_dive_act(dive, NULL, 1, (snm_result **)&out, &error);
    refused(status, SNM_STATUS_INVALID_ARGUMENT, out, error, "action");
    /* Without a place for the step the action is not taken. */
    status = snm_dive_act(dive, "a", 1, NULL, &error);
    refused(status, SNM_STATUS_INVALID_ARGUMENT, NULL, error, "out");
    CHECK(snm_dive_turn(dive) == 0);
    out = anything();
    status = snm_dive_save(NULL, (snm_result **)&out, &error);
    refused(status, SNM_STATUS_INVALID_ARGUMENT, out, error, "dive");
    out = anything();
    status = snm_dive_close(dive, NULL, (snm_card **)&out, &error);
    refused(status, SNM_STATUS_INVALID_ARGUMENT, out, error, "closing");
    out = anything();
    status = snm_dive_close(NULL, NULL, (snm_card **)&out, &error);
    refused(status, SNM_STATUS_INVALID_ARGUMENT, out, error, "dive");
    out = anything();
    status = snm_card_read(NULL, 1, (snm_card **)&out, &error);
    refused(status, SNM_STATUS_INVALID_ARGUMENT, out, error, "text");
    out = anything();
    status = snm_card_sign(card, NULL, (snm_card **)&out, &error);
    refused(status, SNM_STATUS_INVALID_ARGUMENT, out, error, "key");
    out = anything();
    status = snm_card_sign(NULL, NULL, (snm_card **)&out, &error);
    refused(status, SNM_STATUS_INVALID_ARGUMENT, out, error, "card");
    status = snm_card_verify(NULL, "", 0, &error);
    refused(status, SNM_STATUS_INVALID_ARGUMENT, NULL, error, "card");
    status = snm_card_verify(card, NULL, 64, &error);
    refused(status, SNM_STATUS_INVALID_ARGUMENT, NULL, error, "keys");
    status = snm_card_replay(NULL, stage, "", 0, &error);
    refused(status, SNM_STATUS_INVALID_ARGUMENT, NULL, error, "card");
    status = snm_card_replay(card, stage, NULL, 9, &error);
    refused(status, SNM_STATUS_INVALID_ARGUMENT, NULL, error, "log");
    out = anything();
    status = snm_card_export(NULL, NULL, (snm_result **)&out, &error);
    refused(status, SNM_STATUS_INVALID_ARGUMENT, out, error, "card");
    out = anything();
    status = snm_key_new(NULL, SNM_KEY_BYTES, (snm_key **)&out, &error);
    refused(status, SNM_STATUS_INVALID_ARGUMENT, out, error, "secret");
    CHECK(snm_card_verify(NULL, NULL, 0, NULL) == SNM_STATUS_INVALID_ARGUMENT);
    snm_card_free(card);
    snm_dive_free(dive);
    snm_stage_free(stage);
}

static void not_utf_8(void) {
    snm_stage *stage = stage_of(STAGE);
    snm_dive *dive = open_dive(stage);
    snm_card *card = close_dive(dive);
    snm_error *error = NULL;
    void *out = anything();
    snm_status status = snm_stage_shipped("door\xff", 5, (snm_stage **)&out, &error);
    refused(status, SNM_STATUS_INVALID_UTF8, out, error, "byte 4");
    const snm_text shelf[] = {{PROTOCOL, strlen(PROTOCOL)}, {"ab\xc0", 3}};
    out = anything();
    status = snm_stage_read(STAGE, strlen(STAGE), shelf, 2, (snm_stage **)&out, &error);
    CHECK(strstr(snm_error_message(error), "shelf[1]") != NULL);
    refused(status, SNM_STATUS_INVALID_UTF8, out, error, "byte 2");
    out = anything();
    status = snm_dive_act(dive, "thank you \xe4\xbd", 12, (snm_result **)&out, &error);
    refused(status, SNM_STATUS_INVALID_UTF8, out, error, "byte 10");
    CHECK(snm_dive_turn(dive) == 0 && snm_dive_log_line(dive, NULL) == NULL);
    out = anything();
    status = snm_dive_resume(stage, "\x80", 1, (snm_dive **)&out, &error);
    refused(status, SNM_STATUS_INVALID_UTF8, out, error, "byte 0");
    out = anything();
    status = snm_card_read("{\xff}", 3, (snm_card **)&out, &error);
    refused(status, SNM_STATUS_INVALID_UTF8, out, error, "byte 1");
    status = snm_card_verify(card, "\xff", 1, &error);
    refused(status, SNM_STATUS_INVALID_UTF8, NULL, error, "byte 0");
    status = snm_card_replay(card, stage, "\n\xff", 2, &error);
    refused(status, SNM_STATUS_INVALID_UTF8, NULL, error, "byte 1");
    out = anything();
    status = snm_key_read("\xff", 1, (snm_key **)&out, &error);
    refused(status, SNM_STATUS_INVALID_UTF8, out, error, "byte 0");
    snm_closing closing = closing_of("dive-1");
    closing.summary.data = "a\xff";
    closing.summary.len = 2;
    out = anything();
    status = snm_dive_close(dive, &closing, (snm_card **)&out, &error);
    CHECK(strstr(snm_error_message(error), "closing.summary") != NULL);
    refused(status, SNM_STATUS_INVALID_UTF8, out, error, "byte 1");
    snm_card_free(card);
    snm_dive_free(dive);
    snm_stage_free(stage);
}

static void odd_lengths(void) {
    snm_stage *stage = stage_of(STAGE);
    snm_dive *dive = open_dive(stage);
    snm_error *error = NULL;
    void *out = anything();
    snm_status status = snm_dive_act(dive, "a", SIZE_MAX, (snm_result **)&out, &error);
    refused(status, SNM_STATUS_INVALID_ARGUMENT, out, error, "action");
    const size_t lengths[] = {0, 31, 33, 64, SIZE_MAX};
    uint8_t secret[64] = {0};
    for (size_t at = 0; at < sizeof lengths / sizeof *lengths; ++at) {
        out = anything();
        status = snm_key_new(secret, lengths[at], (snm_key **)&out, &error);
        refused(status, SNM_STATUS_INVALID_ARGUMENT, out, error, "secret");
    }
    out = anything();
    status = snm_stage_read(STAGE, strlen(STAGE), anything(), SIZE_MAX / 2, (snm_stage **)&out, &error);
    refused(status, SNM_STATUS_INVALID_ARGUMENT, out, error, "shelf");
    /* Half a stage, and one with its NUL. */
    out = anything();
    status = snm_stage_read(STAGE, strlen(STAGE) / 2, NULL, 0, (snm_stage **)&out, &error);
    CHECK(status == SNM_STATUS_INVALID_PROTOCOL && out == NULL);
    snm_error_free(error);
    out = anything();
    status = snm_stage_read(STAGE, sizeof STAGE, NULL, 0, (snm_stage **)&out, &error);
    CHECK(status == SNM_STATUS_INVALID_PROTOCOL && out == NULL);
    snm_error_free(error);
    /* No words, and a NUL among them, are actions. */
    snm_result *step = NULL;
    CHECK(snm_dive_act(dive, NULL, 0, &step, NULL) == SNM_STATUS_OK);
    snm_result_free(step);
    CHECK(snm_dive_act(dive, "a\0b", 3, &step, NULL) == SNM_STATUS_OK);
    CHECK(strstr(snm_dive_log_line(dive, NULL), "{\"action\":\"a\\u0000b\",") != NULL);
    snm_result_free(step);
    snm_dive_free(dive);
    snm_stage_free(stage);
}

static void odd_closings(void) {
    snm_stage *stage = stage_of(STAGE);
    snm_dive *dive = open_dive(stage);
    snm_error *error = NULL;
    void *out = anything();
    snm_closing closing;
    memset(&closing, 0, sizeof closing);
    snm_status status = snm_dive_close(dive, &closing, (snm_card **)&out, &error);
    refused(status, SNM_STATUS_INVALID_ARGUMENT, out, error, "closing.size");
    const snm_closing plain = SNM_CLOSING_INIT;
    closing = plain;
    out = anything();
    status = snm_dive_close(dive, &closing, (snm_card **)&out, &error);
    refused(status, SNM_STATUS_INVALID_ARGUMENT, out, error, "closing.dive_id");
    closing = closing_of("dive-1");
    closing.agent_version.data = "1.0";
    closing.agent_version.len = 3;
    out = anything();
    status = snm_dive_close(dive, &closing, (snm_card **)&out, &error);
    refused(status, SNM_STATUS_INVALID_ARGUMENT, out, error, "closing.agent_version");
    closing.agent.len = 3;
    out = anything();
    status = snm_dive_close(dive, &closing, (snm_card **)&out, &error);
    refused(status, SNM_STATUS_INVALID_ARGUMENT, out, error, "closing.agent");
    /* A newer program that asks for nothing new, and one that does. */
    struct {
        snm_closing known;
        size_t added;
    } newer;
    memset(&newer, 0, sizeof newer);
    newer.known = closing_of("dive-1");
    newer.known.size = sizeof newer;
    snm_card *card = NULL;
    CHECK(snm_dive_close(dive, &newer.known, &card, NULL) == SNM_STATUS_OK);
    snm_card_free(card);
    newer.added = 1;
    out = anything();
    status = snm_dive_close(dive, &newer.known, (snm_card **)&out, &error);
    refused(status, SNM_STATUS_INVALID_ARGUMENT, out, error, "closing");
    /* A text that is empty is there. */
    closing = closing_of("");
    closing.agent.data = "";
    CHECK(snm_dive_close(dive, &closing, &card, NULL) == SNM_STATUS_OK);
    CHECK(strncmp(snm_card_json(card, NULL), "{\"agent\":{\"id\":\"\"},", 19) == 0);
    CHECK(strstr(snm_card_json(card, NULL), "\"summary\"") == NULL);
    snm_card_free(card);
    snm_dive_free(dive);
    snm_stage_free(stage);
}

static void write_file(const char *folder, const char *name, const char *text) {
    char path[ROOM];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    CHECK(file != NULL);
    if (file != NULL) {
        fputs(text, file);
        CHECK(fclose(file) == 0);
    }
}

static void stages_and_where_they_come_from(void) {
    snm_error *error = NULL;
    void *out = anything();
    snm_status status = snm_stage_shipped("billing-dispute@9.9", 19, (snm_stage **)&out, &error);
    CHECK(strstr(snm_error_message(error), "has no version") != NULL);
    refused(status, SNM_STATUS_TARGET_NOT_FOUND, out, error, "stage");
    out = anything();
    status = snm_stage_read(STAGE, strlen(STAGE), NULL, 0, (snm_stage **)&out, &error);
    refused(status, SNM_STATUS_TARGET_NOT_FOUND, out, error, "protocol");
    const snm_text shelf[] = {{PROTOCOL, strlen(PROTOCOL)}, {"sonometer: 1\n", 13}};
    out = anything();
    status = snm_stage_read(STAGE, strlen(STAGE), shelf, 2, (snm_stage **)&out, &error);
    CHECK(strncmp(snm_error_place(error), "shelf[1], line ", 15) == 0);
    CHECK(status == SNM_STATUS_INVALID_PROTOCOL && out == NULL);
    snm_error_free(error);
    out = anything();
    status = snm_stage_load("no/such/file.yaml", 17, NULL, 0, (snm_stage **)&out, &error);
    CHECK(strstr(snm_error_message(error), "no/such/file.yaml") != NULL);
    refused(status, SNM_STATUS_INVALID_REQUEST, out, error, "path");
    out = anything();
    status = snm_stage_load("a\0b", 3, NULL, 0, (snm_stage **)&out, &error);
    refused(status, SNM_STATUS_INVALID_REQUEST, out, error, "path");

    const char *temporary = getenv("TMPDIR");
    char folder[ROOM / 2];
    int fits = snprintf(folder, sizeof folder, "%s/sonometer-misuse-XXXXXX", temporary != NULL ? temporary : "/tmp");
    CHECK(fits > 0 && (size_t)fits < sizeof folder);
    CHECK(mkdtemp(folder) != NULL);
    write_file(folder, "thanks.json", PROTOCOL);
    write_file(folder, "door.json", STAGE);
    write_file(folder, "bytes.json", "{\xff}");
    char path[ROOM];
    /* What it names lies beside it, unless there is a shelf. */
    snprintf(path, sizeof path, "%s/door.json", folder);
    snm_stage *stage = NULL;
    snm_stage *read = stage_of(STAGE);
    CHECK(snm_stage_load(path, strlen(path), NULL, 0, &stage, NULL) == SNM_STATUS_OK);
    CHECK(strcmp(snm_stage_digest(stage, NULL), snm_stage_digest(read, NULL)) == 0);
    snm_stage_free(stage);
    snm_stage_free(read);
    const char *other = "{\"sonometer\":1,\"id\":\"other\",\"version\":\"1.0\",\"taxonomy\":\"Signal\","
                        "\"markers\":[{\"label\":\"a\",\"strong\":\"a\",\"hit\":\"a\"}]}";
    const snm_text others = {other, strlen(other)};
    out = anything();
    status = snm_stage_load(path, strlen(path), &others, 1, (snm_stage **)&out, &error);
    refused(status, SNM_STATUS_TARGET_NOT_FOUND, out, error, "protocol");
    snprintf(path, sizeof path, "%s/bytes.json", folder);
    out = anything();
    status = snm_stage_load(path, strlen(path), NULL, 0, (snm_stage **)&out, &error);
    refused(status, SNM_STATUS_INVALID_UTF8, out, error, "byte 1");
    const char *names[] = {"thanks.json", "door.json", "bytes.json"};
    for (size_t at = 0; at < 3; ++at) {
        snprintf(path, sizeof path, "%s/%s", folder, names[at]);
        CHECK(unlink(path) == 0);
    }
    CHECK(rmdir(folder) == 0);
}

static void seeds(void) {
    snm_stage *stage = stage_of(STAGE);
    snm_dive *dive = NULL;
    CHECK(snm_dive_open(stage, SNM_MAX_SEED, &dive, NULL) == SNM_STATUS_OK);
    snm_card *card = close_dive(dive);
    CHECK(strstr(snm_card_json(card, NULL), "\"seed\":9007199254740991,") != NULL);
    snm_card_free(card);
    snm_dive_free(dive);
    const uint64_t none[] = {(uint64_t)SNM_MAX_SEED + 1, UINT64_MAX};
    for (size_t at = 0; at < 2; ++at) {
        snm_error *error = NULL;
        void *out = anything();
        const snm_status status = snm_dive_open(stage, none[at], (snm_dive **)&out, &error);
        refused(status, SNM_STATUS_INVALID_REQUEST, out, error, "seed");
    }
    snm_stage_free(stage);
}

static snm_result *save(const snm_dive *dive) {
    snm_result *saved = NULL;
    CHECK(snm_dive_save(dive, &saved, NULL) == SNM_STATUS_OK);
    return saved;
}

static void what_is_refused_changes_nothing(void) {
    snm_stage *stage = stage_of(STAGE);
    snm_dive *dive = open_dive(stage);
    /* A dive keeps what it needs. */
    snm_stage_free(stage);
    snm_error *error = NULL;
    void *out = anything();
    /* The euro sign is three bytes and one character. */
    char words[41 * 3 + 1] = "";
    for (int at = 0; at < 41; ++at) {
        strcat(words, "\xe2\x82\xac");
    }
    snm_status status = snm_dive_act(dive, words, strlen(words), (snm_result **)&out, &error);
    CHECK(strcmp(snm_error_code(error), "action_too_long") == 0);
    refused(status, SNM_STATUS_ACTION_TOO_LONG, out, error, "action");
    snm_result *step = NULL;
    CHECK(snm_dive_act(dive, words, strlen(words) - 3, &step, NULL) == SNM_STATUS_OK);
    CHECK(snm_dive_turn(dive) == 1 && !snm_dive_done(dive));
    snm_result_free(step);
    act(dive, "Thank you.");
    act(dive, "Thank you.");
    CHECK(snm_dive_done(dive) && snm_dive_turn(dive) == 3);
    char chain[65];
    size_t len = 0;
    strcpy(chain, snm_dive_chain(dive, &len));
    CHECK(len == 64);
    snm_result *before = save(dive);
    for (int again = 0; again < 2; ++again) {
        out = anything();
        status = snm_dive_act(dive, "Thank you.", 10, (snm_result **)&out, &error);
        CHECK(strcmp(snm_error_code(error), "dive_closed") == 0);
        refused(status, SNM_STATUS_DIVE_CLOSED, out, error, "action");
    }
    snm_result *after = save(dive);
    CHECK(strcmp(snm_result_bytes(before, NULL), snm_result_bytes(after, NULL)) == 0);
    CHECK(strcmp(snm_dive_chain(dive, NULL), chain) == 0);
    CHECK(strstr(snm_dive_log_line(dive, NULL), "\"turn\":3,") != NULL);
    CHECK(strstr(snm_dive_observation(dive, NULL), "{\"done\":true,\"turn\":3,") != NULL);
    snm_result_free(before);
    snm_result_free(after);
    snm_dive_free(dive);
}

static void a_dive_that_was_saved_goes_on(void) {
    snm_stage *stage = stage_of(STAGE);
    snm_dive *whole = open_dive(stage);
    snm_dive *dive = open_dive(stage);
    char log[ROOM];
    play(whole, log);
    for (size_t at = 0; at < sizeof SAID / sizeof *SAID; ++at) {
        snm_result *saved = save(dive);
        snm_dive_free(dive);
        size_t len = 0;
        const char *bytes = snm_result_bytes(saved, &len);
        CHECK(snm_dive_resume(stage, bytes, len, &dive, NULL) == SNM_STATUS_OK);
        snm_result_free(saved);
        CHECK(snm_dive_turn(dive) == at && snm_dive_log_line(dive, NULL) == NULL);
        act(dive, SAID[at]);
    }
    snm_card *a = close_dive(whole);
    snm_card *b = close_dive(dive);
    CHECK(snm_card_passed(a) && strcmp(snm_card_json(a, NULL), snm_card_json(b, NULL)) == 0);
    snm_card_free(a);
    snm_card_free(b);
    /* In another stage, changed, or no dive at all. */
    snm_result *saved = save(dive);
    const char *bytes = snm_result_bytes(saved, NULL);
    snm_stage *other = stage_of(OTHER_STAGE);
    snm_error *error = NULL;
    void *out = anything();
    snm_status status = snm_dive_resume(other, bytes, strlen(bytes), (snm_dive **)&out, &error);
    CHECK(strcmp(snm_error_code(error), "card_mismatch") == 0);
    refused(status, SNM_STATUS_CARD_MISMATCH, out, error, "stage");
    char text[ROOM];
    changed(bytes, "\"turns_here\":", "\"turns_hear\":", text);
    out = anything();
    status = snm_dive_resume(stage, text, strlen(text), (snm_dive **)&out, &error);
    refused(status, SNM_STATUS_CARD_MISMATCH, out, error, "turns_hear");
    out = anything();
    status = snm_dive_resume(stage, "", 0, (snm_dive **)&out, &error);
    refused(status, SNM_STATUS_CARD_MISMATCH, out, error, "");
    snm_result_free(saved);
    snm_stage_free(other);
    snm_dive_free(whole);
    snm_dive_free(dive);
    snm_stage_free(stage);
}

struct diver {
    const snm_stage *stage;
    const snm_card *expected;
    int differences;
};

static void *dive_often(void *argument) {
    struct diver *diver = argument;
    for (int round = 0; round < 20; ++round) {
        char log[ROOM];
        snm_card *card = signed_card(diver->stage, log);
        diver->differences += strcmp(snm_card_json(card, NULL), snm_card_json(diver->expected, NULL)) != 0;
        diver->differences += snm_card_replay(diver->expected, diver->stage, log, strlen(log), NULL) != SNM_STATUS_OK;
        snm_card_free(card);
    }
    return NULL;
}

static void threads_share_a_stage(void) {
    enum { THREADS = 8 };
    snm_stage *stage = stage_of(STAGE);
    char log[ROOM];
    snm_card *expected = signed_card(stage, log);
    struct diver divers[THREADS];
    pthread_t threads[THREADS];
    for (int at = 0; at < THREADS; ++at) {
        const struct diver one = {stage, expected, 0};
        divers[at] = one;
        CHECK(pthread_create(&threads[at], NULL, dive_often, &divers[at]) == 0);
    }
    for (int at = 0; at < THREADS; ++at) {
        CHECK(pthread_join(threads[at], NULL) == 0 && divers[at].differences == 0);
    }
    snm_card_free(expected);
    snm_stage_free(stage);
}

int main(void) {
    run("NULL is freed", null_is_freed);
    run("NULL is asked", null_is_asked);
    run("a stage says what it is", a_stage_is_asked);
    run("NULL is given", null_is_given);
    run("what is not UTF-8 is refused with its place", not_utf_8);
    run("lengths that cannot be", odd_lengths);
    run("closings that mean nothing", odd_closings);
    run("stages and where they come from", stages_and_where_they_come_from);
    run("seeds", seeds);
    run("what is refused changes nothing", what_is_refused_changes_nothing);
    run("a dive that was saved goes on", a_dive_that_was_saved_goes_on);
    run("threads share a stage", threads_share_a_stage);
    return failures == 0 ? 0 : 1;
}

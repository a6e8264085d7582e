/*
 * Cards, logs and keys that were changed, and what they are told with. Prints `ok NAME` or `not ok NAME` for each test.
 */
#include "porter.h"

static const uint8_t OTHER_SECRET[SNM_KEY_BYTES] = {3, 2, 1};

/* A card with a change is not read, at this place. */
static void unreadable(const char *json, const char *from, const char *to, const char *place) {
    char text[ROOM];
    changed(json, from, to, text);
    snm_error *error = NULL;
    void *out = anything();
    const snm_status status = snm_card_read(text, strlen(text), (snm_card **)&out, &error);
    refused(status, SNM_STATUS_CARD_MISMATCH, out, error, place);
}

/* A card with a change is read; what its signature and its log say of it. */
static void untrue(const snm_stage *stage, const char *json, const char *log, const char *from, const char *to,
                   const char *place) {
    char text[ROOM];
    changed(json, from, to, text);
    snm_key *key = key_of(SECRET);
    snm_card *card = NULL;
    snm_error *error = NULL;
    CHECK(snm_card_read(text, strlen(text), &card, NULL) == SNM_STATUS_OK);
    const char *public_key = snm_key_public(key, NULL);
    snm_status status = snm_card_verify(card, public_key, strlen(public_key), &error);
    refused(status, SNM_STATUS_CARD_MISMATCH, NULL, error, "signature");
    status = snm_card_replay(card, stage, log, strlen(log), &error);
    refused(status, SNM_STATUS_CARD_MISMATCH, NULL, error, place);
    snm_card_free(card);
    snm_key_free(key);
}

static void cards_that_were_changed(void) {
    snm_stage *stage = stage_of(STAGE);
    char log[ROOM];
    snm_card *card = signed_card(stage, log);
    const char *json = snm_card_json(card, NULL);
    unreadable(json, "\"turns\":3", "\"turns\":2", "totals.turns");
    unreadable("{\"a\":true}", "true", "nope", "line 1, column 7");
    unreadable(json, "\"reason\":\"passed\"", "\"reason\":\"passes\"", "verdict.reason");
    unreadable(json, "\"status\":\"closed\"", "\"status\":\"opened\"", "status");
    unreadable(json, "\"sha256:", "\"sha512:", "blueprint.digest");
    untrue(stage, json, log, "\"seed\":7", "\"seed\":5", "step 1");
    untrue(stage, json, log, "\"max_turns\":5", "\"max_turns\":6", "envelope.max_turns");
    untrue(stage, json, log, "\"checkpoints_hit\":[\"seen\"", "\"checkpoints_hit\":[\"seem\"", "verdict.checkpoints_hit");
    /* Whatever byte is another one, it shows. */
    snm_key *key = key_of(SECRET);
    const char *public_key = snm_key_public(key, NULL);
    char text[ROOM];
    const size_t len = strlen(json);
    for (size_t at = 0; at < len; at += 7) {
        memcpy(text, json, len);
        text[at] ^= 1;
        snm_card *read = NULL;
        snm_status status = snm_card_read(text, len, &read, NULL);
        if (status == SNM_STATUS_OK) {
            status = snm_card_verify(read, public_key, 64, NULL);
        }
        CHECK(status == SNM_STATUS_CARD_MISMATCH);
        snm_card_free(read);
    }
    snm_key_free(key);
    snm_card_free(card);
    snm_stage_free(stage);
}

static void signatures(void) {
    snm_stage *stage = stage_of(STAGE);
    char log[ROOM];
    snm_card *card = signed_card(stage, log);
    snm_key *key = key_of(SECRET);
    snm_key *other = key_of(OTHER_SECRET);
    snm_error *error = NULL;
    char keys[ROOM];
    /* One of several, with what people write between them. */
    const int len = snprintf(keys, sizeof keys, "# retired\n%s\n\n%s\n", snm_key_public(other, NULL),
                             snm_key_public(key, NULL));
    CHECK(snm_card_verify(card, keys, (size_t)len, NULL) == SNM_STATUS_OK);
    snm_status status = snm_card_verify(card, keys, (size_t)len - 66, &error);
    CHECK(strcmp(snm_error_code(error), "card_mismatch") == 0);
    refused(status, SNM_STATUS_CARD_MISMATCH, NULL, error, "signature");
    status = snm_card_verify(card, keys, (size_t)len - 2, &error);
    CHECK(strcmp(snm_error_code(error), "invalid_key") == 0);
    refused(status, SNM_STATUS_INVALID_KEY, NULL, error, "line 4");
    status = snm_card_verify(card, NULL, 0, &error);
    refused(status, SNM_STATUS_INVALID_KEY, NULL, error, "line 1");
    /* Signed anew, and signed again by the first: the same bytes. */
    snm_card *anew = NULL;
    snm_card *again = NULL;
    CHECK(snm_card_sign(card, other, &anew, NULL) == SNM_STATUS_OK);
    CHECK(strcmp(snm_card_json(card, NULL), snm_card_json(anew, NULL)) != 0);
    CHECK(snm_card_verify(anew, snm_key_public(other, NULL), 64, NULL) == SNM_STATUS_OK);
    CHECK(snm_card_sign(anew, key, &again, NULL) == SNM_STATUS_OK);
    CHECK(strcmp(snm_card_json(card, NULL), snm_card_json(again, NULL)) == 0);
    /* A key by its file. */
    char file[80] = "# secret\n010203";
    memset(file + strlen(file), '0', 58);
    snm_key *read = NULL;
    CHECK(snm_key_read(file, strlen(file), &read, NULL) == SNM_STATUS_OK);
    CHECK(strcmp(snm_key_public(read, NULL), snm_key_public(key, NULL)) == 0);
    snm_key_free(read);
    void *out = anything();
    status = snm_key_read(file, strlen(file) - 1, (snm_key **)&out, &error);
    refused(status, SNM_STATUS_INVALID_KEY, out, error, "line 2");
    /* For those who collect attestations. */
    snm_result *bare = NULL;
    snm_result *sealed = NULL;
    CHECK(snm_card_export(card, NULL, &bare, NULL) == SNM_STATUS_OK);
    CHECK(strstr(snm_result_bytes(bare, NULL), snm_card_json(card, NULL)) != NULL);
    CHECK(snm_card_export(card, key, &sealed, NULL) == SNM_STATUS_OK);
    CHECK(strncmp(snm_result_bytes(sealed, NULL), "{\"payload\":\"", 12) == 0);
    snm_result_free(bare);
    snm_result_free(sealed);
    snm_card_free(anew);
    snm_card_free(again);
    snm_card_free(card);
    snm_key_free(key);
    snm_key_free(other);
    snm_stage_free(stage);
}

static void logs(void) {
    snm_stage *stage = stage_of(STAGE);
    char log[ROOM];
    char text[ROOM];
    snm_card *card = signed_card(stage, log);
    snm_error *error = NULL;
    CHECK(snm_card_replay(card, stage, log, strlen(log), NULL) == SNM_STATUS_OK);
    changed(log, "And thank", "But thank", text);
    snm_status status = snm_card_replay(card, stage, text, strlen(text), &error);
    refused(status, SNM_STATUS_CARD_MISMATCH, NULL, error, "step 3");
    changed(log, "He nods.", "He naps.", text);
    status = snm_card_replay(card, stage, text, strlen(text), &error);
    refused(status, SNM_STATUS_CARD_MISMATCH, NULL, error, "step 2");
    const char *second = strchr(log, '\n') + 1;
    status = snm_card_replay(card, stage, second, strlen(second), &error);
    refused(status, SNM_STATUS_CARD_MISMATCH, NULL, error, "step 1");
    status = snm_card_replay(card, stage, log, (size_t)(second - log), &error);
    refused(status, SNM_STATUS_CARD_MISMATCH, NULL, error, "totals.turns");
    status = snm_card_replay(card, stage, NULL, 0, &error);
    refused(status, SNM_STATUS_CARD_MISMATCH, NULL, error, "totals.turns");
    status = snm_card_replay(card, stage, log, strlen(log) - 2, &error);
    CHECK(strncmp(snm_error_place(error), "line 3", 6) == 0);
    CHECK(status == SNM_STATUS_CARD_MISMATCH);
    snm_error_free(error);
    /* In another stage, and in none: this one does not ship. */
    snm_stage *other = stage_of(OTHER_STAGE);
    status = snm_card_replay(card, other, log, strlen(log), &error);
    refused(status, SNM_STATUS_CARD_MISMATCH, NULL, error, "stage.digest");
    status = snm_card_replay(card, NULL, log, strlen(log), &error);
    refused(status, SNM_STATUS_TARGET_NOT_FOUND, NULL, error, "stage");
    snm_stage_free(other);
    snm_card_free(card);
    snm_stage_free(stage);
}

static void a_stage_that_ships_is_found_by_its_card(void) {
    snm_stage *stage = NULL;
    CHECK(snm_stage_shipped("billing-dispute", 15, &stage, NULL) == SNM_STATUS_OK);
    snm_dive *dive = open_dive(stage);
    act(dive, "I am so sorry about this, it must be really frustrating.");
    snm_card *card = close_dive(dive);
    size_t len = 0;
    const char *log = snm_dive_log_line(dive, &len);
    CHECK(!snm_card_passed(card));
    CHECK(snm_card_replay(card, NULL, log, len, NULL) == SNM_STATUS_OK);
    snm_error *error = NULL;
    const snm_status status = snm_card_replay(card, NULL, "", 0, &error);
    refused(status, SNM_STATUS_CARD_MISMATCH, NULL, error, "totals.turns");
    snm_card_free(card);
    snm_dive_free(dive);
    snm_stage_free(stage);
}

int main(void) {
    run("cards that were changed are told with their place", cards_that_were_changed);
    run("signatures are by the keys that are given", signatures);
    run("logs that were changed are told with their step", logs);
    run("a stage that ships is found by its card", a_stage_that_ships_is_found_by_its_card);
    return failures == 0 ? 0 : 1;
}

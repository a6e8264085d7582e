/*
 * A small stage for tests, in which porters are thanked, and what is done with it again and again.
 */
#ifndef TESTS_PORTER_H
#define TESTS_PORTER_H

#include "check.h"

#include <stdlib.h>

static const char PROTOCOL[] =
    "{\"sonometer\":1,\"id\":\"thanks\",\"version\":\"1.0\",\"taxonomy\":\"Signal\",\"status\":\"published\","
    "\"language\":\"en\",\"fidelity\":{\"words\":1,\"sufficient\":0.1},"
    "\"markers\":[{\"label\":\"thanks\",\"strong\":\"thank you\",\"hit\":\"Thank you.\"}]}";

/* A porter whom one thanks twice; an action has at most 40 characters. */
#define DOOR(objective)                                                                                                \
    "{\"sonometer_stage\":1,\"id\":\"door\",\"version\":\"1.0\",\"protocol\":\"thanks@1.0\","                          \
    "\"objective\":\"" objective "\",\"envelope\":{\"max_turns\":5,\"max_action_chars\":40},\"start\":\"hall\","       \
    "\"lists\":{\"weather\":[\"rain\",\"snow\"]},\"checkpoints\":{\"seen\":\"reached(room)\",\"out\":\"reached(out)\"}," \
    "\"flags\":{\"silent\":{\"when\":\"times(thanks) = 0 and turn >= 3\"}},"                                           \
    "\"scenes\":{\"hall\":{\"world\":\"A porter, out of the {weather}.\",\"do\":["                                     \
    "{\"when\":\"fired(thanks)\",\"go\":\"room\",\"world\":\"He nods.\"},{\"otherwise\":\"stay\",\"world\":\"He waits.\"}]}," \
    "\"room\":{\"world\":\"Another porter.\",\"do\":["                                                                 \
    "{\"when\":\"fired(thanks)\",\"go\":\"out\"},{\"otherwise\":\"stay\",\"world\":\"She waits.\"}]},"                 \
    "\"out\":{\"end\":true,\"world\":\"You are out.\"}}}"

static const char STAGE[] = DOOR("Thank the porters.");
static const char OTHER_STAGE[] = DOOR("Thank the porters again.");
static const char *const SAID[] = {"Good evening.", "Thank you so much!", "And thank you, too."};
static const uint8_t SECRET[SNM_KEY_BYTES] = {1, 2, 3};

static snm_stage *stage_of(const char *source) {
    const snm_text shelf = {PROTOCOL, strlen(PROTOCOL)};
    snm_stage *stage = NULL;
    snm_error *error = NULL;
    if (snm_stage_read(source, strlen(source), &shelf, 1, &stage, &error) != SNM_STATUS_OK) {
        printf("  %s\n", snm_error_json(error));
        exit(1);
    }
    return stage;
}

static snm_dive *open_dive(const snm_stage *stage) {
    snm_dive *dive = NULL;
    CHECK(snm_dive_open(stage, 7, &dive, NULL) == SNM_STATUS_OK);
    return dive;
}

static snm_key *key_of(const uint8_t *secret) {
    snm_key *key = NULL;
    CHECK(snm_key_new(secret, SNM_KEY_BYTES, &key, NULL) == SNM_STATUS_OK);
    return key;
}

static snm_closing closing_of(const char *dive_id) {
    snm_closing closing = SNM_CLOSING_INIT;
    closing.dive_id.data = dive_id;
    closing.dive_id.len = strlen(dive_id);
    return closing;
}

static snm_card *close_dive(const snm_dive *dive) {
    const snm_closing closing = closing_of("dive-1");
    snm_card *card = NULL;
    CHECK(snm_dive_close(dive, &closing, &card, NULL) == SNM_STATUS_OK);
    return card;
}

static void act(snm_dive *dive, const char *action) {
    snm_result *step = NULL;
    CHECK(snm_dive_act(dive, action, strlen(action), &step, NULL) == SNM_STATUS_OK);
    CHECK(strncmp(snm_result_bytes(step, NULL), "{\"observation\":{", 16) == 0);
    snm_result_free(step);
}

/* Plays to the end; the log goes to `log`. */
static void play(snm_dive *dive, char *log) {
    log[0] = '\0';
    for (size_t at = 0; at < sizeof SAID / sizeof *SAID; ++at) {
        act(dive, SAID[at]);
        strcat(log, snm_dive_log_line(dive, NULL));
        strcat(log, "\n");
    }
    CHECK(snm_dive_done(dive));
}

/* A signed card of a dive that was passed, with its log. */
static snm_card *signed_card(const snm_stage *stage, char *log) {
    snm_dive *dive = open_dive(stage);
    snm_key *key = key_of(SECRET);
    snm_card *card = NULL;
    play(dive, log);
    snm_card *plain = close_dive(dive);
    CHECK(snm_card_sign(plain, key, &card, NULL) == SNM_STATUS_OK);
    snm_card_free(plain);
    snm_key_free(key);
    snm_dive_free(dive);
    return card;
}

enum { ROOM = 8192 };

/* The text with the first `from` as `to`, which is as long. */
static void changed(const char *text, const char *from, const char *to, char *out) {
    strcpy(out, text);
    char *found = strstr(out, from);
    CHECK(found != NULL && strlen(from) == strlen(to));
    if (found != NULL) {
        memcpy(found, to, strlen(to));
    }
}

#endif

/*
 * Dives through a stage that ships with a small scripted agent, signs the card, and checks it as somebody else would: by its
 * signature and by its log. Then a word of the log is changed.
 */

#include <sonometer.h>
#include <stdio.h>
#include <string.h>

/* A real program keeps the secret to itself and draws it from a source that is meant for keys. */
static const uint8_t SECRET[SNM_KEY_BYTES] = {
    0x9d, 0x61, 0xb1, 0x9d, 0xef, 0xfd, 0x5a, 0x60, 0xba, 0x84, 0x4a, 0xf4, 0x92, 0xec, 0x2c, 0xc4,
    0x44, 0x49, 0xc5, 0x69, 0x7b, 0x32, 0x69, 0x19, 0x70, 0x3b, 0xac, 0x03, 0x1c, 0xae, 0x7f, 0x60};

/* What the agent says to what the world has shown: the first rule with a word of it. */
static const char *answer(const char *observation) {
    static const struct {
        const char *heard;
        const char *say;
    } rules[] = {
        {"credit card", "Please keep your card to yourself. The name on the account and your postcode are enough for me."},
        {"What about my", "I have found the charge. I will refund it now, and the money is with you within three days."},
        {"", "I am really sorry that you have to call about this again. I can see why you are fed up."},
    };
    size_t at = 0;
    while (strstr(observation, rules[at].heard) == NULL) {
        ++at;
    }
    return rules[at].say;
}

/* Plays to the end; the log of it goes to `log`, a line an action. */
static snm_status play(snm_dive *dive, char *log, size_t room, snm_error **error) {
    snm_status status = SNM_STATUS_OK;
    size_t used = 0;
    while (status == SNM_STATUS_OK && !snm_dive_done(dive)) {
        const char *action = answer(snm_dive_observation(dive, NULL));
        snm_result *step = NULL;
        status = snm_dive_act(dive, action, strlen(action), &step, error);
        if (status == SNM_STATUS_OK) {
            printf("%s\n%s\n", action, snm_result_bytes(step, NULL));
            size_t len = 0;
            const char *line = snm_dive_log_line(dive, &len);
            if (len + 2 <= room - used) { /* a log that lacks a line is refused where it is replayed */
                memcpy(log + used, line, len);
                used += len;
                log[used++] = '\n';
                log[used] = '\0';
            }
        }
        snm_result_free(step);
    }
    return status;
}

int main(void) {
    static char log[1 << 16];
    snm_error *error = NULL;
    snm_stage *stage = NULL;
    snm_dive *dive = NULL;
    snm_key *key = NULL;
    snm_card *card = NULL;
    snm_card *signed_card = NULL;
    snm_closing closing = SNM_CLOSING_INIT;
    closing.dive_id.data = "example-1";
    closing.dive_id.len = strlen("example-1");
    closing.agent.data = "three-rules";
    closing.agent.len = strlen("three-rules");

    snm_status status = snm_stage_shipped("billing-dispute@1.0", strlen("billing-dispute@1.0"), &stage, &error);
    if (status == SNM_STATUS_OK) {
        printf("%s\n", snm_stage_objective(stage, NULL));
        status = snm_dive_open(stage, 7, &dive, &error);
    }
    if (status == SNM_STATUS_OK) {
        printf("%s\n", snm_dive_observation(dive, NULL));
        status = play(dive, log, sizeof log, &error);
    }
    if (status == SNM_STATUS_OK) {
        status = snm_dive_close(dive, &closing, &card, &error);
    }
    if (status == SNM_STATUS_OK) {
        status = snm_key_new(SECRET, sizeof SECRET, &key, &error);
    }
    if (status == SNM_STATUS_OK) {
        status = snm_card_sign(card, key, &signed_card, &error);
    }

    /* Whoever gets the card needs the public key and, for more than that, the log. */
    if (status == SNM_STATUS_OK) {
        const char *keys = snm_key_public(key, NULL);
        printf("%s: %s\n", snm_card_passed(signed_card) ? "passed" : "failed", snm_card_json(signed_card, NULL));
        status = snm_card_verify(signed_card, keys, strlen(keys), &error);
    }
    if (status == SNM_STATUS_OK) {
        puts("signed by this key");
        status = snm_card_replay(signed_card, stage, log, strlen(log), &error);
    }
    if (status == SNM_STATUS_OK) {
        puts("every byte computed again from the log");
        memcpy(strstr(log, "postcode"), "passport", strlen("passport"));
        if (snm_card_replay(signed_card, stage, log, strlen(log), &error) == SNM_STATUS_CARD_MISMATCH) {
            printf("with another log: %s\n", snm_error_place(error));
        }
    } else {
        fprintf(stderr, "%s (at %s)\n", snm_error_message(error), snm_error_place(error));
    }

    snm_error_free(error);
    snm_card_free(signed_card);
    snm_card_free(card);
    snm_key_free(key);
    snm_dive_free(dive);
    snm_stage_free(stage);
    return status == SNM_STATUS_OK ? 0 : 1;
}

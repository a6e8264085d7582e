/*
 * Cases of dives and cards: each gives one line of answer.
 */
#ifndef TESTS_DIVES_H
#define TESTS_DIVES_H

#include "texts.h"

/* A text that grows. */
typedef struct line {
    char *text;
    size_t len;
} line;

static void line_bytes(line *line, const char *bytes, size_t len) {
    line->text = json_grown(line->text, line->len + len + 1);
    memcpy(line->text + line->len, bytes, len);
    line->len += len;
    line->text[line->len] = '\0';
}

static void line_add(line *line, const char *text) { line_bytes(line, text, strlen(text)); }

/* A stage that was read, with what it was read from. Reading one takes longer than playing it, so all are kept. */
typedef struct known_stage {
    char *source;
    size_t len;
    snm_text *shelf; /* their bytes are of their own, too */
    size_t shelf_len;
    snm_stage *stage;
} known_stage;

typedef struct known_stages {
    known_stage *all;
    size_t count;
} known_stages;

static char *copied(snm_text text) {
    char *bytes = json_grown(NULL, text.len + 1);
    if (text.len > 0) {
        memcpy(bytes, text.data, text.len);
    }
    return bytes;
}

static void stages_free(known_stages *stages) {
    for (size_t at = 0; at < stages->count; ++at) {
        known_stage *known = &stages->all[at];
        for (size_t text = 0; text < known->shelf_len; ++text) {
            free((char *)known->shelf[text].data);
        }
        free(known->shelf);
        free(known->source);
        snm_stage_free(known->stage);
    }
    free(stages->all);
}

static int is_known(const known_stage *known, snm_text source, const snm_text *shelf, size_t shelf_len) {
    const snm_text own = {known->source, known->len};
    int same = known->shelf_len == shelf_len && same_text(own, source);
    for (size_t at = 0; same && at < shelf_len; ++at) {
        same = same_text(known->shelf[at], shelf[at]);
    }
    return same;
}

/* A stage by its source, or by its name in the catalogue: a source has a line feed, or begins with `{`. */
static snm_status stage_read(snm_text source, const snm_text *shelf, size_t shelf_len, snm_stage **out,
                             snm_error **error) {
    const int is_source = source.len > 0 && (source.data[0] == '{' || memchr(source.data, '\n', source.len) != NULL);
    return is_source ? snm_stage_read(source.data, source.len, shelf, shelf_len, out, error)
                     : snm_stage_shipped(source.data, source.len, out, error);
}

/* The stage of a case; it belongs to `stages`. */
static snm_status stage_of(known_stages *stages, snm_text source, const json *shelf, const snm_stage **out,
                           snm_error **error) {
    size_t count = 0;
    snm_text *texts = texts_of(shelf, &count);
    for (size_t at = 0; at < stages->count; ++at) {
        if (is_known(&stages->all[at], source, texts, count)) {
            *out = stages->all[at].stage;
            free(texts);
            return SNM_STATUS_OK;
        }
    }
    snm_stage *stage = NULL;
    const snm_status status = stage_read(source, texts, count, &stage, error);
    if (status != SNM_STATUS_OK) {
        free(texts);
        return status;
    }
    for (size_t at = 0; at < count; ++at) {
        texts[at].data = copied(texts[at]);
    }
    stages->all = json_grown(stages->all, (stages->count + 1) * sizeof *stages->all);
    const known_stage known = {copied(source), source.len, texts, count, stage};
    stages->all[stages->count++] = known;
    *out = stage;
    return SNM_STATUS_OK;
}

/* Decimal digits that fit; what does not is as good as the largest number there is. */
static uint64_t seed_of(snm_text text) {
    uint64_t seed = 0;
    for (size_t at = 0; at < text.len; ++at) {
        const uint64_t digit = (uint64_t)(text.data[at] - '0');
        if (digit > 9 || seed > (UINT64_MAX - digit) / 10) {
            return UINT64_MAX;
        }
        seed = seed * 10 + digit;
    }
    return seed;
}

/* Saves the dive and goes on with what was saved. */
static snm_status paused(const snm_stage *stage, snm_dive **dive, snm_error **error) {
    snm_result *saved = NULL;
    snm_dive *resumed = NULL;
    snm_status status = snm_dive_save(*dive, &saved, error);
    if (status == SNM_STATUS_OK) {
        size_t len = 0;
        const char *bytes = snm_result_bytes(saved, &len);
        status = snm_dive_resume(stage, bytes, len, &resumed, error);
    }
    if (status == SNM_STATUS_OK) {
        snm_dive_free(*dive);
        *dive = resumed;
    }
    snm_result_free(saved);
    return status;
}

/* Takes all actions; what is refused is an answer as well. */
static snm_status act(const snm_stage *stage, snm_dive **dive, const json *play, line *steps, line *log,
                      snm_error **error) {
    const json *actions = json_get(play, "actions");
    const json *pause = json_get(play, "pause");
    const int pauses = pause != NULL && pause->kind == JSON_TRUE;
    snm_status status = pauses ? paused(stage, dive, error) : SNM_STATUS_OK;
    for (size_t at = 0; status == SNM_STATUS_OK && at < actions->len; ++at) {
        const snm_text action = text_of(&actions->values[at]);
        snm_result *step = NULL;
        snm_error *refused = NULL;
        line_add(steps, at == 0 ? "" : ",");
        if (snm_dive_act(*dive, action.data, action.len, &step, &refused) == SNM_STATUS_OK) {
            size_t len = 0;
            const char *bytes = snm_result_bytes(step, &len);
            line_bytes(steps, bytes, len);
            bytes = snm_dive_log_line(*dive, &len);
            line_add(log, log->len == 0 ? "" : ",");
            line_bytes(log, bytes, len);
        } else {
            line_add(steps, snm_error_json(refused));
        }
        snm_result_free(step);
        snm_error_free(refused);
        status = pauses ? paused(stage, dive, error) : SNM_STATUS_OK;
    }
    return status;
}

static snm_status card_of(const snm_dive *dive, const json *play, const snm_key *key, snm_card **out,
                          snm_error **error) {
    const json *given = json_get(play, "closing");
    const json *agent = json_get(given, "agent");
    snm_closing closing = SNM_CLOSING_INIT;
    closing.dive_id = text_of(json_get(given, "dive_id"));
    closing.summary = text_of(json_get(given, "summary"));
    if (agent != NULL) {
        closing.agent = text_of(json_get(agent, "id"));
        closing.agent_version = text_of(json_get(agent, "version"));
    }
    snm_status status = snm_dive_close(dive, &closing, out, error);
    if (status == SNM_STATUS_OK && key != NULL) {
        snm_card *plain = *out;
        status = snm_card_sign(plain, key, out, error);
        snm_card_free(plain);
    }
    return status;
}

static snm_status dived(known_stages *stages, const json *play, line *answer, snm_error **error) {
    const snm_stage *stage = NULL;
    const json *secret = json_get(play, "key");
    snm_key *key = NULL;
    snm_dive *dive = NULL;
    snm_card *card = NULL;
    line steps = {NULL, 0};
    line log = {NULL, 0};
    snm_status status = stage_of(stages, text_of(json_get(play, "stage")), json_get(play, "shelf"), &stage, error);
    if (status == SNM_STATUS_OK && secret != NULL) {
        status = snm_key_read(secret->text, secret->len, &key, error);
    }
    if (status == SNM_STATUS_OK) {
        status = snm_dive_open(stage, seed_of(text_of(json_get(play, "seed"))), &dive, error);
    }
    if (status == SNM_STATUS_OK) {
        line_add(answer, "{\"opened\":");
        line_add(answer, snm_dive_observation(dive, NULL));
        status = act(stage, &dive, play, &steps, &log, error);
    }
    if (status == SNM_STATUS_OK) {
        status = card_of(dive, play, key, &card, error);
    }
    if (status == SNM_STATUS_OK) {
        line_add(answer, ",\"steps\":[");
        line_bytes(answer, steps.text == NULL ? "" : steps.text, steps.len);
        line_add(answer, "],\"log\":[");
        line_bytes(answer, log.text == NULL ? "" : log.text, log.len);
        line_add(answer, "],\"chain\":\"");
        line_add(answer, snm_dive_chain(dive, NULL));
        line_add(answer, "\",\"card\":");
        line_add(answer, snm_card_json(card, NULL));
        line_add(answer, "}");
    }
    free(steps.text);
    free(log.text);
    snm_card_free(card);
    snm_dive_free(dive);
    snm_key_free(key);
    return status;
}

/* Computes a card again; without a stage, in the one of the catalogue that it names. */
static snm_status replayed(known_stages *stages, const snm_card *card, const json *proof, snm_error **error) {
    const json *log = json_get(proof, "log");
    const json *source = json_get(proof, "stage");
    const snm_stage *stage = NULL;
    snm_status status = SNM_STATUS_OK;
    if (source != NULL) {
        status = stage_of(stages, text_of(source), json_get(proof, "shelf"), &stage, error);
    }
    return status == SNM_STATUS_OK ? snm_card_replay(card, stage, log->text, log->len, error) : status;
}

static snm_status proved(known_stages *stages, const json *proof, line *answer, snm_error **error) {
    const snm_text text = text_of(json_get(proof, "text"));
    const json *keys = json_get(proof, "keys");
    snm_card *card = NULL;
    snm_status status = snm_card_read(text.data, text.len, &card, error);
    if (status == SNM_STATUS_OK && keys != NULL) {
        status = snm_card_verify(card, keys->text, keys->len, error);
    }
    if (status == SNM_STATUS_OK && json_get(proof, "log") != NULL) {
        status = replayed(stages, card, proof, error);
    }
    if (status == SNM_STATUS_OK) {
        line_add(answer, "{\"holds\":true}");
    }
    snm_card_free(card);
    return status;
}

#endif

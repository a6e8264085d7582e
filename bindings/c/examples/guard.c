/*
 * Stands between a model that writes and whoever reads: passes standard input on as soon as no masked pattern can reach it,
 * with personal data masked. The last line, on standard error, is the score of all of it.
 */

#include <sonometer.h>
#include <stdio.h>
#include <string.h>

/* Writes what a step lets go, and frees the step. */
static void pass(snm_result *step) {
    size_t size = 0;
    const char *text = NULL;
    for (size_t at = 0; (text = snm_result_released(step, at, NULL, &size)) != NULL; ++at) {
        fwrite(text, 1, size, stdout);
    }
    fflush(stdout);
    snm_result_free(step);
}

int main(void) {
    snm_error *error = NULL;
    snm_target *target = NULL;
    snm_session *session = NULL;
    snm_result *step = NULL;
    snm_result *reading = NULL;
    snm_options options = SNM_OPTIONS_INIT;
    options.release = 1;

    snm_status status = snm_target_shipped("personal-data", strlen("personal-data"), &target, &error);
    if (status == SNM_STATUS_OK) {
        status = snm_session_open(target, &options, &session, &error);
    }

    char chunk[16]; /* small on purpose: characters and numbers are cut in two */
    size_t size = 0;
    while (status == SNM_STATUS_OK && (size = fread(chunk, 1, sizeof chunk, stdin)) > 0) {
        status = snm_session_push(session, chunk, size, &step, &error);
        if (status == SNM_STATUS_OK) {
            pass(step);
        }
    }
    if (status == SNM_STATUS_OK) {
        status = snm_session_end(session, &step, &error);
    }
    if (status == SNM_STATUS_OK) {
        pass(step);
        status = snm_session_finish(session, &reading, &error);
    }
    if (status == SNM_STATUS_OK) {
        fprintf(stderr, "%s\n", snm_result_bytes(reading, NULL));
    } else {
        fprintf(stderr, "%s (at %s)\n", snm_error_message(error), snm_error_place(error));
    }

    snm_error_free(error);
    snm_result_free(reading);
    snm_session_free(session);
    snm_target_free(target);
    return status == SNM_STATUS_OK ? 0 : 1;
}

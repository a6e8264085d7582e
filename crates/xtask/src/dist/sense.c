/* What `cargo xtask dist --try` builds against the archive for C. */
#include <sonometer.h>
#include <stdio.h>
#include <string.h>

int main(void) {
    const char *text = TEXT_TO_SENSE;
    snm_target *courtesy = NULL;
    snm_interaction *message = NULL;
    snm_result *reading = NULL;
    snm_error *error = NULL;
    snm_options options = SNM_OPTIONS_INIT;

    snm_status status = snm_target_find("courtesy", strlen("courtesy"), &courtesy, &error);
    if (status == SNM_STATUS_OK) status = snm_interaction_text(text, strlen(text), &message, &error);
    if (status == SNM_STATUS_OK) status = snm_sense(courtesy, message, &options, &reading, &error);
    puts(status == SNM_STATUS_OK ? snm_result_bytes(reading, NULL) : snm_error_message(error));

    snm_error_free(error);
    snm_result_free(reading);
    snm_interaction_free(message);
    snm_target_free(courtesy);
    return status != SNM_STATUS_OK;
}

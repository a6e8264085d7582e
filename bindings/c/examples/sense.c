/* Senses a conversation with a protocol that ships, and asks whether a short text is enough. */

#include <inttypes.h>
#include <sonometer.h>
#include <stdio.h>
#include <string.h>

static snm_text text(const char *words) {
    snm_text text = {words, strlen(words)};
    return text;
}

static int fail(const char *what, snm_error *error) {
    fprintf(stderr, "%s: %s: %s (at %s)\n", what, snm_error_code(error), snm_error_message(error),
            snm_error_place(error));
    snm_error_free(error);
    return 1;
}

int main(void) {
    if (snm_abi_version() != SNM_ABI_VERSION) {
        fputs("the library is not the one of this header\n", stderr);
        return 1;
    }

    snm_error *error = NULL;
    snm_target *courtesy = NULL;
    snm_interaction *talk = NULL;
    snm_result *reading = NULL;
    int exit = 1;

    const snm_segment segments[] = {
        {text("agent"), text("Good morning, thank you for calling. How can I help you today?"), SNM_NO_TIME},
        {text("customer"), text("My order is late again, and nobody answers my mails."), SNM_NO_TIME},
        {text("agent"), text("I am so sorry about that. Could you please tell me the number?"), SNM_NO_TIME},
    };

    snm_options options = SNM_OPTIONS_INIT;
    options.profile = SNM_PROFILE_DETAILED;
    options.offsets = SNM_OFFSETS_BYTES;

    if (snm_target_shipped("courtesy@1.5", strlen("courtesy@1.5"), &courtesy, &error) != SNM_STATUS_OK) {
        fail("courtesy", error);
    } else if (snm_interaction_segments(segments, 3, &talk, &error) != SNM_STATUS_OK) {
        fail("the conversation", error);
    } else if (snm_sense(courtesy, talk, &options, &reading, &error) != SNM_STATUS_OK) {
        fail("sensing", error);
    } else {
        size_t size = 0;
        const char *json = snm_result_bytes(reading, &size);
        fwrite(json, 1, size, stdout);
        putchar('\n');

        snm_sufficiency enough;
        if (snm_fidelity(courtesy, talk, &enough, NULL) == SNM_STATUS_OK) {
            printf("sufficient: %s (%" PRId64 " millionths)\n", enough.sufficient ? "yes" : "no", enough.index);
            exit = 0;
        }
    }

    snm_result_free(reading);
    snm_interaction_free(talk);
    snm_target_free(courtesy);
    return exit;
}

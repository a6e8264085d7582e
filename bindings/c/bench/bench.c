/*
 * The way through C, as a program would go it: a message in, JSON out. Loaded by `bench.rs`, which times it beside the bare
 * engine.
 */

#include <sonometer.h>

/* A compiled protocol; NULL where it cannot be read. */
snm_target *bench_target(const char *source, size_t len) {
    snm_target *target = NULL;
    (void)snm_target_read(source, len, NULL, 0, &target, NULL);
    return target;
}

/* Senses a message `rounds` times; how many bytes of JSON that made, 0 if it failed. */
size_t bench_sense(const snm_target *target, const char *message, size_t len, size_t rounds) {
    size_t bytes = 0;
    snm_options options = SNM_OPTIONS_INIT;
    options.offsets = SNM_OFFSETS_BYTES;
    for (size_t round = 0; round < rounds; ++round) {
        snm_interaction *interaction = NULL;
        snm_result *result = NULL;
        size_t size = 0;
        if (snm_interaction_text(message, len, &interaction, NULL) == SNM_STATUS_OK &&
            snm_sense(target, interaction, &options, &result, NULL) == SNM_STATUS_OK) {
            (void)snm_result_bytes(result, &size);
        }
        snm_result_free(result);
        snm_interaction_free(interaction);
        if (size == 0) {
            return 0;
        }
        bytes += size;
    }
    return bytes;
}

void bench_free(snm_target *target) {
    snm_target_free(target);
}

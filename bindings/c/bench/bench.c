/*
 * The way through C, as a program would go it: a message in, JSON out. Loaded by `bench.rs`, which times it beside the bare
 * engine.
 */

#include <sonometer.h>
#include <stdlib.h>

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

/* Senses `count` messages in one call over `threads` threads; how many bytes of JSON that made, 0 if anything failed. */
size_t bench_batch(const snm_target *target, const snm_text *messages, size_t count, size_t threads) {
    size_t bytes = 0;
    size_t made = 0;
    snm_options options = SNM_OPTIONS_INIT;
    snm_interaction **interactions = calloc(count, sizeof *interactions);
    snm_result **results = calloc(count, sizeof *results);
    options.offsets = SNM_OFFSETS_BYTES;
    if (interactions != NULL && results != NULL) {
        while (made < count && snm_interaction_text(messages[made].data, messages[made].len, &interactions[made], NULL) == SNM_STATUS_OK) {
            ++made;
        }
        if (made == count && snm_batch(target, (const snm_interaction *const *)interactions, count, &options, threads, results, NULL,
                                       NULL) == SNM_STATUS_OK) {
            for (size_t at = 0; at < count; ++at) {
                size_t size = 0;
                (void)snm_result_bytes(results[at], &size);
                bytes += size;
                snm_result_free(results[at]);
            }
        }
        for (size_t at = 0; at < made; ++at) {
            snm_interaction_free(interactions[at]);
        }
    }
    free(results);
    free(interactions);
    return bytes;
}

void bench_free(snm_target *target) {
    snm_target_free(target);
}

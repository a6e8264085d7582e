/*
 * Threads that share a target, for ThreadSanitizer. With an argument, a race of their own too, which it must find.
 */
#define _POSIX_C_SOURCE 200112L /* pthread_barrier_t */
#include <pthread.h>
#include <sonometer.h>
#include <stdio.h>
#include <string.h>

enum { THREADS = 8, ROUNDS = 20, MANY = 100, WRITES = 100 };

static const char WORDS[] = "Thank you so much. Write to jo@example.com, or pay with 4111 1111 1111 1111. Gr\xc3\xbc\xc3\x9f""e!";

static const snm_target *target = NULL;
static const snm_interaction *talk = NULL;
static int racing = 0, written = 0;
static pthread_barrier_t start;

/* The reading of the whole, and of a session that gets one byte after the other. */
static void *work(void *argument) {
    int *wrong = argument;
    snm_options options = SNM_OPTIONS_INIT;
    options.release = 1;
    /* Before any call: within the library threads wait for each other, which would put the writes in order. All threads begin each write
     * together: a write that lies far back is reported no more, since what led to it is forgotten. */
    for (int write = 0; racing && write < WRITES; ++write) {
        (void)pthread_barrier_wait(&start);
        ++written;
    }
    for (int round = 0; round < ROUNDS; ++round) {
        snm_result *whole = NULL, *step = NULL, *finished = NULL;
        snm_session *session = NULL;
        *wrong += snm_sense(target, talk, NULL, &whole, NULL) != SNM_STATUS_OK;
        *wrong += snm_session_open(target, &options, &session, NULL) != SNM_STATUS_OK;
        for (size_t at = 0; at + 1 < sizeof WORDS; ++at) {
            *wrong += snm_session_push(session, WORDS + at, 1, &step, NULL) != SNM_STATUS_OK;
            snm_result_free(step);
        }
        *wrong += snm_session_finish(session, &finished, NULL) != SNM_STATUS_OK;
        *wrong += *wrong == 0 && strcmp(snm_result_bytes(whole, NULL), snm_result_bytes(finished, NULL)) != 0;
        snm_session_free(session);
        snm_result_free(finished);
        snm_result_free(whole);
    }
    return NULL;
}

int main(int count, char **arguments) {
    (void)arguments;
    racing = count > 1;
    snm_target *made = NULL;
    snm_interaction *said = NULL;
    int wrong[THREADS] = {0}, all = 0;
    pthread_t threads[THREADS];
    all += snm_target_shipped("personal-data", 13, &made, NULL) != SNM_STATUS_OK;
    all += snm_interaction_text(WORDS, strlen(WORDS), &said, NULL) != SNM_STATUS_OK;
    all += pthread_barrier_init(&start, NULL, THREADS) != 0;
    target = made;
    talk = said;
    for (int at = 0; at < THREADS; ++at) {
        all += pthread_create(&threads[at], NULL, work, &wrong[at]) != 0;
    }
    for (int at = 0; at < THREADS; ++at) {
        all += pthread_join(threads[at], NULL) != 0;
        all += wrong[at];
    }
    all += pthread_barrier_destroy(&start) != 0;
    const snm_interaction *many[MANY];
    snm_result *results[MANY];
    for (int at = 0; at < MANY; ++at) {
        many[at] = said;
    }
    all += snm_batch(made, many, MANY, NULL, 4, results, NULL, NULL) != SNM_STATUS_OK;
    for (int at = 0; at < MANY; ++at) {
        all += results[at] == NULL;
        snm_result_free(results[at]);
    }
    snm_interaction_free(said);
    snm_target_free(made);
    printf("%d wrong, %d written\n", all, written);
    return all != 0;
}

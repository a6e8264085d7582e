/*
 * Sonometer: a deterministic sensing engine for interactions.
 *
 * The same target, interaction and options give the same bytes as from every other door of the engine.
 *
 * Rules of this interface:
 *
 * - Compare `snm_abi_version` with `SNM_ABI_VERSION` once, when the program starts.
 * - Handles are opaque. Each has one _free, which takes NULL too. A handle is freed once and not used afterwards.
 * - Texts come in as pointer and length, in UTF-8, and are copied. NULL with a length of 0 is the empty text.
 * - Handles go out through the pointer `out`. It is set to NULL first and stays NULL where the call fails.
 * - `error` may be NULL. Otherwise it is set to NULL first, and to an error object where the call fails; free it.
 *   The status alone tells whether a call failed.
 * - What an accessor points at is valid until its handle is freed.
 * - There is no global state. Targets, interactions, results and errors never change: threads may share them. A session
 *   belongs to one thread at a time.
 * - No panic of the engine comes out: it is caught and becomes SNM_STATUS_PANIC. The engine's panic hook writes a line to
 *   standard error first.
 */

#ifndef SONOMETER_H
#define SONOMETER_H

/* Written by `cargo xtask header`; change the Rust source and write it anew. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * The version of this interface: of its functions, structs and numbers. It grows when something changes or goes away, not
 * when something is added.
 */
#define SNM_ABI_VERSION 1

/**
 * The timestamp of a turn that has none.
 */
#define SNM_NO_TIME INT64_MIN

/**
 * `profile`: scores and evidence.
 */
#define SNM_PROFILE_RAW 0

/**
 * `profile`: with the segment around each piece of evidence and who said it.
 */
#define SNM_PROFILE_DETAILED 1

/**
 * `profile`: with near-threshold activations.
 */
#define SNM_PROFILE_DISCOVERY 2

/**
 * `offsets`: evidence has no places.
 */
#define SNM_OFFSETS_NONE 0

/**
 * `offsets`: places in UTF-8 bytes.
 */
#define SNM_OFFSETS_BYTES 1

/**
 * `offsets`: places in code points.
 */
#define SNM_OFFSETS_CHARS 2

/**
 * `offsets`: places in UTF-16 code units.
 */
#define SNM_OFFSETS_UTF16 3

/**
 * `flow`, `temporal`: not asked for.
 */
#define SNM_ASK_NO 0

/**
 * `flow`, `temporal`: asked for, with the primary role or the window of the protocol.
 */
#define SNM_ASK_YES 1

/**
 * `flow`, `temporal`: asked for, with `primary` or `window`.
 */
#define SNM_ASK_WITH 2

/**
 * How a call ended. The numbers stay; new ones may be added.
 */
typedef enum {
    /**
     * Done.
     */
    SNM_STATUS_OK = 0,
    /**
     * The input has the wrong shape.
     */
    SNM_STATUS_INVALID_REQUEST = 1,
    /**
     * No such protocol, metric or blueprint.
     */
    SNM_STATUS_TARGET_NOT_FOUND = 2,
    /**
     * The content lacks sufficient signal (only of comparisons: a reading says so itself).
     */
    SNM_STATUS_INSUFFICIENT_SIGNAL = 3,
    /**
     * The source of a protocol, metric or blueprint has errors.
     */
    SNM_STATUS_INVALID_PROTOCOL = 4,
    /**
     * The input is larger than the engine reads.
     */
    SNM_STATUS_PAYLOAD_TOO_LARGE = 5,
    /**
     * The engine says that it failed, which is a bug.
     */
    SNM_STATUS_INTERNAL_ERROR = 6,
    /**
     * An argument that no caller may give: NULL where something is needed, a number that means nothing.
     */
    SNM_STATUS_INVALID_ARGUMENT = 7,
    /**
     * A text is not UTF-8; the place is the first byte that is wrong.
     */
    SNM_STATUS_INVALID_UTF8 = 8,
    /**
     * The engine panicked, which is a bug. The panic was caught; what the call worked on can only be freed.
     */
    SNM_STATUS_PANIC = 9,
} snm_status;

/**
 * What went wrong: a code, a message that says how to mend it, and a place in the input. Free it with `snm_error_free`.
 */
typedef struct snm_error snm_error;

/**
 * A result: the canonical JSON of a reading, a comparison or a step. Free it with `snm_result_free`.
 */
typedef struct snm_result snm_result;

/**
 * One interaction that comes in. It belongs to one thread at a time. Free it with `snm_session_free`, finished or not.
 */
typedef struct snm_session snm_session;

/**
 * One interaction: a text, or the turns of a conversation. It never changes: any number of threads may use one at the same
 * time. Free it with `snm_interaction_free`.
 */
typedef struct snm_interaction snm_interaction;

/**
 * A compiled protocol, metric or blueprint. It never changes: any number of threads may use one at the same time. Free it
 * with `snm_target_free` when none does any more.
 */
typedef struct snm_target snm_target;

/**
 * A text that the caller keeps: UTF-8, not ended by a NUL, which may stand in it like any other character.
 */
typedef struct {
    /**
     * The first byte; may be NULL if `len` is 0.
     */
    const char *data;
    /**
     * How many bytes there are.
     */
    size_t len;
} snm_text;

/**
 * One turn of a conversation.
 */
typedef struct {
    /**
     * Who speaks; not empty.
     */
    snm_text role;
    /**
     * What is said.
     */
    snm_text content;
    /**
     * When: millionths of a second from any origin, or `SNM_NO_TIME`.
     */
    int64_t timestamp;
} snm_segment;

/**
 * What is shown, and what a deployment sets. Begin with `snm_options options = SNM_OPTIONS_INIT;`. NULL in the place of
 * options means these defaults.
 */
typedef struct {
    /**
     * `sizeof(snm_options)`, by which the library knows what the program was built with.
     */
    size_t size;
    /**
     * How much is shown: `SNM_PROFILE_…`.
     */
    uint32_t profile;
    /**
     * Adds the places of evidence in this unit: `SNM_OFFSETS_…`.
     */
    uint32_t offsets;
    /**
     * Adds actant flow (protocols on SGM 1.5): `SNM_ASK_…`.
     */
    uint32_t flow;
    /**
     * Adds temporal analysis (protocols on SGM 1.5): `SNM_ASK_…`.
     */
    uint32_t temporal;
    /**
     * The role that is the primary side, for `flow` with `SNM_ASK_WITH`.
     */
    snm_text primary;
    /**
     * Millionths of a second, above 0: the length of a window, for `temporal` with `SNM_ASK_WITH`.
     */
    int64_t window;
    /**
     * Millionths of a US dollar, at least 0: the price of one ICS.
     */
    int64_t usd_per_ics;
    /**
     * Of a session: 1 adds to steps the text that has settled, masked where it is private; 0 does not.
     */
    uint64_t release;
} snm_options;

/**
 * Whether there is enough to measure. Numbers are in millionths.
 */
typedef struct {
    /**
     * Density times clarity, 0 to 1,000,000.
     */
    int64_t index;
    /**
     * The least satisfied need: words, turns, words of a role; 0 to 1,000,000.
     */
    int64_t density;
    /**
     * The readable share of the words, damped where they are of another language; 0 to 1,000,000.
     */
    int64_t clarity;
    /**
     * Whether the index reaches what the target asks for.
     */
    bool sufficient;
} snm_sufficiency;

/**
 * A place in an interaction that comes in.
 */
typedef struct {
    /**
     * The segment, from 0; 0 in a plain text.
     */
    size_t segment;
    /**
     * How far into its content, in the unit of the session.
     */
    size_t offset;
} snm_place;

/**
 * Options at their defaults, with the size that this program knows.
 */
#define SNM_OPTIONS_INIT \
    { sizeof(snm_options), SNM_PROFILE_RAW, SNM_OFFSETS_NONE, SNM_ASK_NO, SNM_ASK_NO, { NULL, 0 }, 0, 0, 0 }

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * The version of the interface that the library has. It must be `SNM_ABI_VERSION`.
 */
uint32_t snm_abi_version(void);

/**
 * The status that the call returned; `SNM_STATUS_OK` for NULL.
 */
snm_status snm_error_status(const snm_error *error);

/**
 * The machine-readable code, such as `invalid_request`. Ended by a NUL, valid until the error is freed; empty for NULL.
 */
const char *snm_error_code(const snm_error *error);

/**
 * What is wrong and how to mend it, for people. Ended by a NUL (one in the text is shown as U+2400), valid until the error
 * is freed; empty for NULL.
 */
const char *snm_error_message(const snm_error *error);

/**
 * Where: a path in the input such as `segments[3].role`, `line 4, column 7`, `byte 17`, or the name of an argument; empty
 * where there is no place. Otherwise as `snm_error_message`.
 */
const char *snm_error_place(const snm_error *error);

/**
 * The same as one object, `{"code":…,"message":…,"place":…}`, written by the engine. Otherwise as `snm_error_message`.
 */
const char *snm_error_json(const snm_error *error);

/**
 * Frees an error. NULL is fine.
 */
void snm_error_free(snm_error *error);

/**
 * Finds a protocol, metric or blueprint that ships, by `id` (the latest that is published) or `id@version`.
 */
snm_status snm_target_find(const char *name, size_t name_len, snm_target **out, snm_error **error);

/**
 * Reads the source of a protocol, metric or blueprint (YAML or JSON). `shelf` holds the sources of `shelf_len` protocols and
 * metrics that a metric or blueprint may name; what it names and is not there is looked for in what ships.
 */
snm_status snm_target_read(const char *source,
                           size_t source_len,
                           const snm_text *shelf,
                           size_t shelf_len,
                           snm_target **out,
                           snm_error **error);

/**
 * Frees a target. NULL is fine.
 */
void snm_target_free(snm_target *target);

/**
 * A plain text. It is copied.
 */
snm_status snm_interaction_text(const char *content,
                                size_t content_len,
                                snm_interaction **out,
                                snm_error **error);

/**
 * A conversation of `count` turns. They are copied.
 */
snm_status snm_interaction_segments(const snm_segment *segments,
                                    size_t count,
                                    snm_interaction **out,
                                    snm_error **error);

/**
 * An interaction from JSON, `{"content": …}` or `{"segments": [{"role": …, "content": …, "timestamp": …}, …]}`. The engine
 * reads it strictly: what it does not know it refuses.
 */
snm_status snm_interaction_json(const char *json,
                                size_t json_len,
                                snm_interaction **out,
                                snm_error **error);

/**
 * Frees an interaction. NULL is fine.
 */
void snm_interaction_free(snm_interaction *interaction);

/**
 * Measures an interaction. The result is the canonical JSON of the reading. Content that is insufficient gives a reading
 * too, which says so and reports nothing else.
 */
snm_status snm_sense(const snm_target *target,
                     const snm_interaction *interaction,
                     const snm_options *options,
                     snm_result **out,
                     snm_error **error);

/**
 * Whether an interaction holds enough for a reliable reading; costs no ICS.
 */
snm_status snm_fidelity(const snm_target *target,
                        const snm_interaction *interaction,
                        snm_sufficiency *out,
                        snm_error **error);

/**
 * Measures two interactions and what lies between them. The result is the canonical JSON of the comparison; of the options
 * only the price counts.
 */
snm_status snm_compare(const snm_target *target,
                       const snm_interaction *a,
                       const snm_interaction *b,
                       const snm_options *options,
                       snm_result **out,
                       snm_error **error);

/**
 * Measures `count` interactions over `threads` threads (0: one for each core). `results` has `count` places, which get what
 * `snm_sense` gives for each, in their order; so has `errors`, unless it is NULL. For each interaction one of the two is
 * NULL. What is wrong with one costs the others nothing and does not show in the status, which is of the whole.
 *
 * Every place of `results` and `errors` is set to NULL first. Free what they hold afterwards one by one.
 */
snm_status snm_batch(const snm_target *target,
                     const snm_interaction *const *interactions,
                     size_t count,
                     const snm_options *options,
                     size_t threads,
                     snm_result **results,
                     snm_error **errors,
                     snm_error **error);

/**
 * Begins to sense an interaction that comes in bit by bit. Of the options, `offsets` is also the unit of all places in steps
 * (bytes where it is none), and `release` asks for the text that may be shown.
 */
snm_status snm_session_open(const snm_target *target,
                            const snm_options *options,
                            snm_session **out,
                            snm_error **error);

/**
 * Takes the next bytes of the text, or of the segment that was begun last. They may be cut anywhere, within a character too.
 * The result is a step: its JSON says how far everything is settled (`settled_to`: nothing before it can change any more) and
 * what is new. Bytes that are refused are not taken, and the session goes on as if they had not come.
 */
snm_status snm_session_push(snm_session *session,
                            const char *bytes,
                            size_t len,
                            snm_result **out,
                            snm_error **error);

/**
 * Ends the segment that came in, if there is one, and begins another, at `timestamp` (millionths of a second, or
 * `SNM_NO_TIME`). The result is a step.
 */
snm_status snm_session_begin_segment(snm_session *session,
                                     const char *role,
                                     size_t role_len,
                                     int64_t timestamp,
                                     snm_result **out,
                                     snm_error **error);

/**
 * Takes a whole segment. The result is a step.
 */
snm_status snm_session_push_segment(snm_session *session,
                                    const snm_segment *segment,
                                    snm_result **out,
                                    snm_error **error);

/**
 * Says that nothing more comes: everything settles. The result is the last step. `snm_session_finish` need not wait for it.
 */
snm_status snm_session_end(snm_session *session,
                           snm_result **out,
                           snm_error **error);

/**
 * How far everything is settled; the beginning of a session that is over or NULL.
 */
snm_place snm_session_settled_to(const snm_session *session);

/**
 * The reading as if the interaction ended here. The session goes on.
 */
snm_status snm_session_so_far(const snm_session *session, snm_result **out, snm_error **error);

/**
 * Ends the interaction: the reading that `snm_sense` gives for all of it, byte for byte. The session is over then, whatever
 * came of it, and is freed as always.
 */
snm_status snm_session_finish(snm_session *session,
                              snm_result **out,
                              snm_error **error);

/**
 * Frees a session. NULL is fine.
 */
void snm_session_free(snm_session *session);

/**
 * The bytes of a result, valid until it is freed; their number goes to `len` unless that is NULL. A NUL, which is not
 * counted, follows them; JSON has none in it. NULL and 0 for NULL.
 */
const char *snm_result_bytes(const snm_result *result,
                             size_t *len);

/**
 * The text that a step of a session lets go, masked where it is private: `at` counts its parts from 0, one for each segment
 * that has any. Its bytes, not ended by a NUL and valid until the result is freed; their number goes to `len`, the segment to
 * `segment`, unless these are NULL. NULL and 0 where there is no such part.
 */
const char *snm_result_released(const snm_result *result,
                                size_t at,
                                size_t *segment,
                                size_t *len);

/**
 * Frees a result. NULL is fine.
 */
void snm_result_free(snm_result *result);

/**
 * The engine's fingerprint: its version and that of every table that can move a result. Equal fingerprints give equal bytes.
 */
snm_status snm_fingerprint(snm_result **out,
                           snm_error **error);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* SONOMETER_H */

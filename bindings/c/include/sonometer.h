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
 * - What an accessor points at is valid until its handle is freed; of a dive, also until its next action.
 * - There is no global state. Targets, interactions, stages, cards, keys, results and errors never change: threads may share
 *   them. A session or a dive belongs to one thread at a time, its accessors included.
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
 * The largest seed, 2^53 − 1: every client of JSON keeps it.
 */
#define SNM_MAX_SEED 9007199254740991

/**
 * The number of secret bytes that a key is made of.
 */
#define SNM_KEY_BYTES 32

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
     * No such protocol, metric, blueprint or stage.
     */
    SNM_STATUS_TARGET_NOT_FOUND = 2,
    /**
     * The content lacks sufficient signal (only of comparisons: a reading says so itself).
     */
    SNM_STATUS_INSUFFICIENT_SIGNAL = 3,
    /**
     * The source of a protocol, metric, blueprint or stage has errors.
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
    /**
     * A card, a log or a saved dive does not hold; the place says where: `totals.score`, `step 3`, `line 2`.
     */
    SNM_STATUS_CARD_MISMATCH = 10,
    /**
     * A text holds no keys; the place is its line.
     */
    SNM_STATUS_INVALID_KEY = 11,
    /**
     * The world of the dive has ended; the dive is as it was.
     */
    SNM_STATUS_DIVE_CLOSED = 12,
    /**
     * The action is longer than the stage takes; the dive is as it was.
     */
    SNM_STATUS_ACTION_TOO_LONG = 13,
} snm_status;

/**
 * The card of a closed dive. It never changes: any number of threads may use one at the same time. Free it with
 * `snm_card_free`.
 */
typedef struct snm_card snm_card;

/**
 * One run through a stage. It belongs to one thread at a time. Free it with `snm_dive_free`, at its end or not.
 */
typedef struct snm_dive snm_dive;

/**
 * What went wrong: a code, a message that says how to mend it, and a place in the input. Free it with `snm_error_free`.
 */
typedef struct snm_error snm_error;

/**
 * A key that signs cards (Ed25519); its secret does not come out again. It never changes: any number of threads may use one
 * at the same time. Free it with `snm_key_free`.
 */
typedef struct snm_key snm_key;

/**
 * A result: the canonical JSON of a reading, a comparison or a step, or what else a call gives out as text. Free it with
 * `snm_result_free`.
 */
typedef struct snm_result snm_result;

/**
 * One interaction that comes in. It belongs to one thread at a time. Free it with `snm_session_free`, finished or not.
 */
typedef struct snm_session snm_session;

/**
 * A stage made ready, with what senses it. It never changes: any number of threads may use one at the same time. Free it
 * with `snm_stage_free`; dives that were opened in it go on.
 */
typedef struct snm_stage snm_stage;

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
     * Of a session: 1 adds to steps the text that may be shown, masked where it is private; 0 does not.
     */
    uint64_t release;
    /**
     * How masked places are shown, in the place of what the target says: `stars`, `first1` to `first8`, `last1` to `last8`,
     * `label`, `numbered`, `keyed` or `remove`. An empty text leaves it to the target.
     */
    snm_text mask;
    /**
     * The key of `keyed` masks, 16 bytes or more, of any kind; it is read during the call and shown nowhere.
     */
    snm_text mask_key;
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
 * The bounds of a dive.
 */
typedef struct {
    /**
     * The most actions.
     */
    uint32_t max_turns;
    /**
     * The ICS after which the world ends.
     */
    uint32_t ics_budget;
    /**
     * The most code points of an action.
     */
    uint32_t max_action_chars;
    /**
     * Whether steps and card show the reading of every action.
     */
    bool share_scorecard;
} snm_envelope;

/**
 * What only the caller knows when a dive is closed. Begin with `snm_closing closing = SNM_CLOSING_INIT;`. A text whose `data`
 * is NULL is not there.
 */
typedef struct {
    /**
     * `sizeof(snm_closing)`, by which the library knows what the program was built with.
     */
    size_t size;
    /**
     * The id under which the dive is known; needed.
     */
    snm_text dive_id;
    /**
     * The caller's tag for its agent.
     */
    snm_text agent;
    /**
     * The version of the agent; only with `agent`.
     */
    snm_text agent_version;
    /**
     * The closing note of the diver.
     */
    snm_text summary;
} snm_closing;

/**
 * Options at their defaults, with the size that this program knows.
 */
#define SNM_OPTIONS_INIT \
    { sizeof(snm_options), SNM_PROFILE_RAW, SNM_OFFSETS_NONE, SNM_ASK_NO, SNM_ASK_NO, { NULL, 0 }, 0, 0, 0, { NULL, 0 }, { NULL, 0 } }

/**
 * What is known when a dive is closed, with the size that this program knows and nothing else.
 */
#define SNM_CLOSING_INIT \
    { sizeof(snm_closing), { NULL, 0 }, { NULL, 0 }, { NULL, 0 }, { NULL, 0 } }

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
 * What is wrong and how to fix it, for people. Ended by a NUL (one in the text is shown as U+2400), valid until the error
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
 * The protocol, metric or blueprint that ships as `id` (the latest that is published) or `id@version`.
 */
snm_status snm_target_shipped(const char *name, size_t name_len, snm_target **out, snm_error **error);

/**
 * The former name of `snm_target_shipped`. Deprecated: it goes away with the next version.
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
 * Reads a protocol, metric or blueprint from a file, as `snm_target_read` reads its text. The list files that a protocol names
 * are read from its folder. With a `shelf_len` of 0, the protocols and metrics in the folder are the shelf.
 */
snm_status snm_target_load(const char *path,
                           size_t path_len,
                           const snm_text *shelf,
                           size_t shelf_len,
                           snm_target **out,
                           snm_error **error);

/**
 * What the ends of the target's score stand for and which way is good, in one line: `score 1 = no risk found, 0 = a critical risk
 * found; higher is better`.
 */
snm_status snm_target_score_meaning(const snm_target *target,
                                    snm_result **out,
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
 * An interaction from the messages of a chat, as JSON of OpenAI, Anthropic, Gemini, LangChain, Vercel's AI SDK, ShareGPT, vCon,
 * Contact Lens, Twilio or Bedrock's Converse, a thread of OpenAI's Assistants, a line of a batch, or preference data.
 *
 * `form` names one of `openai`, `anthropic`, `gemini`, `langchain`, `ai-sdk`, `sharegpt`, `vcon`, `contact-lens`, `twilio`,
 * `bedrock`, `assistants`, `batch`, `chosen`, `rejected`; if it is empty, the keys of the JSON decide. Unless `told` is NULL, it
 * gets a result with JSON that says what was found beside: `form`, `interaction`, `places` of the turns, `apart` (tool calls,
 * their results, reasoning, media) and `notices` of what was skipped.
 */
snm_status snm_interaction_messages(const char *json,
                                    size_t json_len,
                                    const char *form,
                                    size_t form_len,
                                    snm_interaction **out,
                                    snm_result **told,
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
 * The result is a step: its JSON says how far everything is settled (`settled_to`: nothing before it can change any more), up to
 * where text may be shown (`released_to`), and what is new. Bytes that are refused are not taken, and the session goes on as if
 * they had not come.
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
 * Up to where text may be shown with the masks reported so far: with `release` it runs ahead of what is settled, as soon as no
 * masked pattern can reach the text any more. The beginning of a session that is over or NULL.
 */
snm_place snm_session_released_to(const snm_session *session);

/**
 * The reading as if the interaction ended here. The session goes on.
 */
snm_status snm_session_so_far(const snm_session *session, snm_result **out, snm_error **error);

/**
 * Ends the interaction: the reading that `snm_sense` gives for all of it, byte for byte. The session has ended then, whatever
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
 * The stage that ships as `id` (the latest that is published) or `id@version`.
 */
snm_status snm_stage_shipped(const char *name, size_t name_len, snm_stage **out, snm_error **error);

/**
 * The former name of `snm_stage_shipped`. Deprecated: it goes away with the next version.
 */
snm_status snm_stage_find(const char *name, size_t name_len, snm_stage **out, snm_error **error);

/**
 * Reads the source of a stage (YAML or JSON). `shelf` holds the sources of `shelf_len` protocols, metrics and blueprints that
 * it may name; what it names and is not there is looked for in what ships.
 */
snm_status snm_stage_read(const char *source,
                          size_t source_len,
                          const snm_text *shelf,
                          size_t shelf_len,
                          snm_stage **out,
                          snm_error **error);

/**
 * Reads a stage from a file, as `snm_stage_read` reads its text. With a `shelf_len` of 0, the protocols, metrics and
 * blueprints in the folder of the file are the shelf.
 */
snm_status snm_stage_load(const char *path,
                          size_t path_len,
                          const snm_text *shelf,
                          size_t shelf_len,
                          snm_stage **out,
                          snm_error **error);

/**
 * The id of a stage. The bytes are valid until it is freed; their number goes to `len` unless that is NULL. A NUL, which is
 * not counted, follows them. NULL and 0 for NULL.
 */
const char *snm_stage_id(const snm_stage *stage,
                         size_t *len);

/**
 * The version of a stage. Otherwise as `snm_stage_id`.
 */
const char *snm_stage_version(const snm_stage *stage, size_t *len);

/**
 * The goal that the agent is given. Otherwise as `snm_stage_id`.
 */
const char *snm_stage_objective(const snm_stage *stage, size_t *len);

/**
 * The identity of the stage, `sha256:` and hexadecimal digits, as cards have it. Otherwise as `snm_stage_id`.
 */
const char *snm_stage_digest(const snm_stage *stage, size_t *len);

/**
 * The rules: what is to be reached. `at` counts the names from 0; NULL and 0 where there is none. Otherwise as
 * `snm_stage_id`.
 */
const char *snm_stage_checkpoint(const snm_stage *stage,
                                 size_t at,
                                 size_t *len);

/**
 * The rules: what must not happen. Otherwise as `snm_stage_checkpoint`.
 */
const char *snm_stage_flag(const snm_stage *stage, size_t at, size_t *len);

/**
 * The bounds of a dive in a stage; all 0 for NULL.
 */
snm_envelope snm_stage_envelope(const snm_stage *stage);

/**
 * Frees a stage. NULL is fine.
 */
void snm_stage_free(snm_stage *stage);

/**
 * Opens a dive in a stage, which may be freed before the dive. The same stage, seed (0 to `SNM_MAX_SEED`) and actions give
 * the same bytes.
 */
snm_status snm_dive_open(const snm_stage *stage,
                         uint64_t seed,
                         snm_dive **out,
                         snm_error **error);

/**
 * Goes on with a dive that `snm_dive_save` wrote, in the stage in which it was opened.
 */
snm_status snm_dive_resume(const snm_stage *stage,
                           const char *saved,
                           size_t saved_len,
                           snm_dive **out,
                           snm_error **error);

/**
 * Takes one action of the agent. The result is a step: its JSON has the `observation`, the `totals` so far and, where the
 * stage shares it, the `reading` of the action. An action that is refused (`SNM_STATUS_DIVE_CLOSED`,
 * `SNM_STATUS_ACTION_TOO_LONG`) leaves the dive as it was.
 */
snm_status snm_dive_act(snm_dive *dive,
                        const char *action,
                        size_t action_len,
                        snm_result **out,
                        snm_error **error);

/**
 * What the world has shown last, as JSON: `done`, `turn`, `world`. The bytes are valid until the next action is taken or the
 * dive is freed; their number goes to `len` unless that is NULL. A NUL, which is not counted, follows them. NULL and 0 for
 * NULL.
 */
const char *snm_dive_observation(const snm_dive *dive,
                                 size_t *len);

/**
 * The head of the hash chain over actions and readings: 64 hexadecimal digits. Otherwise as `snm_dive_observation`.
 */
const char *snm_dive_chain(const snm_dive *dive,
                           size_t *len);

/**
 * The line of a log for the action that was taken last, as JSON without the line feed: these lines are what
 * `snm_card_replay` computes a card again from. NULL and 0 where no action was taken since the dive was opened or resumed.
 * Otherwise as `snm_dive_observation`.
 */
const char *snm_dive_log_line(const snm_dive *dive,
                              size_t *len);

/**
 * Whether the world has ended and takes no action any more; true for NULL.
 */
bool snm_dive_done(const snm_dive *dive);

/**
 * How many actions were taken; 0 for NULL.
 */
uint32_t snm_dive_turn(const snm_dive *dive);

/**
 * The whole dive as JSON, from which `snm_dive_resume` goes on. It holds every text of the dive.
 */
snm_status snm_dive_save(const snm_dive *dive, snm_result **out, snm_error **error);

/**
 * Closes the dive, at its end or before: its card, unsigned. The same dive and the same `closing` give the same bytes, as
 * often as it is asked; the dive itself stays as it is and is freed as always.
 */
snm_status snm_dive_close(const snm_dive *dive,
                          const snm_closing *closing,
                          snm_card **out,
                          snm_error **error);

/**
 * Frees a dive. NULL is fine.
 */
void snm_dive_free(snm_dive *dive);

/**
 * Reads a card, strictly: every key, its canonical form, its sums. Whether it was signed and whether it is true is asked with
 * `snm_card_verify` and `snm_card_replay`.
 */
snm_status snm_card_read(const char *text,
                         size_t text_len,
                         snm_card **out,
                         snm_error **error);

/**
 * The canonical JSON of a card, with its signature if there is one. The bytes are valid until the card is freed; their number
 * goes to `len` unless that is NULL. A NUL, which is not counted, follows them. NULL and 0 for NULL.
 */
const char *snm_card_json(const snm_card *card,
                          size_t *len);

/**
 * Whether the card says that the dive was passed; false for NULL.
 */
bool snm_card_passed(const snm_card *card);

/**
 * The card with a signature by a key. A signature that is there is replaced. The same card and key give the same bytes.
 */
snm_status snm_card_sign(const snm_card *card,
                         const snm_key *key,
                         snm_card **out,
                         snm_error **error);

/**
 * Checks the signature of a card against the public keys that may have signed it: a text with one a line, 64 hexadecimal
 * digits; blank lines and lines that begin with `#` are skipped. `SNM_STATUS_CARD_MISMATCH` says that it does not hold.
 */
snm_status snm_card_verify(const snm_card *card,
                           const char *keys,
                           size_t keys_len,
                           snm_error **error);

/**
 * Computes a card again from the log of its dive, one line an action as `snm_dive_log_line` gives them, and compares every
 * byte. `stage` is the one that was dived; NULL: the one that the card names, of those that ship.
 * `SNM_STATUS_CARD_MISMATCH` says that it does not hold; the place is the step or the key that differs.
 */
snm_status snm_card_replay(const snm_card *card,
                           const snm_stage *stage,
                           const char *log,
                           size_t log_len,
                           snm_error **error);

/**
 * The card for those who collect attestations: an in-toto statement, with a key in a DSSE envelope under its signature; bare
 * where `key` is NULL.
 */
snm_status snm_card_export(const snm_card *card,
                           const snm_key *key,
                           snm_result **out,
                           snm_error **error);

/**
 * Frees a card. NULL is fine.
 */
void snm_card_free(snm_card *card);

/**
 * The key of `SNM_KEY_BYTES` secret bytes, which must come from a source of randomness that is meant for keys.
 */
snm_status snm_key_new(const uint8_t *secret,
                       size_t secret_len,
                       snm_key **out,
                       snm_error **error);

/**
 * The key of a key file, by its text, such as `sonometer dive keygen` writes: 64 hexadecimal digits; blank lines and lines
 * that begin with `#` are skipped.
 */
snm_status snm_key_read(const char *text,
                        size_t text_len,
                        snm_key **out,
                        snm_error **error);

/**
 * The public key, as `snm_card_verify` takes it: 64 hexadecimal digits. The bytes are valid until the key is freed; their
 * number goes to `len` unless that is NULL. A NUL, which is not counted, follows them. NULL and 0 for NULL.
 */
const char *snm_key_public(const snm_key *key,
                           size_t *len);

/**
 * Frees a key. NULL is fine.
 */
void snm_key_free(snm_key *key);

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

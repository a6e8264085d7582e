// Sonometer for C++17: handles that free themselves, exceptions in the place of statuses. Nothing but inline calls of
// sonometer.h, so there is nothing to link besides the library.
//
// Results are the engine's own JSON bytes; a std::string_view of one is valid as long as the Result.

#ifndef SONOMETER_HPP
#define SONOMETER_HPP

#include "sonometer.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace sonometer {

namespace detail {

struct Free {
    void operator()(snm_target *handle) const noexcept { snm_target_free(handle); }
    void operator()(snm_interaction *handle) const noexcept { snm_interaction_free(handle); }
    void operator()(snm_result *handle) const noexcept { snm_result_free(handle); }
    void operator()(snm_error *handle) const noexcept { snm_error_free(handle); }
    void operator()(snm_session *handle) const noexcept { snm_session_free(handle); }
    void operator()(snm_stage *handle) const noexcept { snm_stage_free(handle); }
    void operator()(snm_dive *handle) const noexcept { snm_dive_free(handle); }
    void operator()(snm_card *handle) const noexcept { snm_card_free(handle); }
    void operator()(snm_key *handle) const noexcept { snm_key_free(handle); }
};

template <class T> using Handle = std::unique_ptr<T, Free>;

inline snm_text text(std::string_view view) noexcept { return {view.data(), view.size()}; }

// Bytes of a text. Two texts in braces are a `Segment`, never this: of a std::string_view, C++20 takes them for its begin and end.
class Bytes {
  public:
    template <class Text, class = std::enable_if_t<std::is_convertible_v<const Text &, std::string_view>>>
    Bytes(const Text &text) : view_(text) {}
    Bytes(const char *data, std::size_t size) noexcept : view_(data, size) {}

    std::string_view view() const noexcept { return view_; }

  private:
    std::string_view view_;
};

// A text that is there although it is empty: for the interface, NULL is none.
inline snm_text there(std::string_view view) noexcept { return {view.data() == nullptr ? "" : view.data(), view.size()}; }

inline std::vector<snm_text> texts(const std::vector<std::string_view> &views) {
    std::vector<snm_text> texts;
    texts.reserve(views.size());
    for (std::string_view view : views) {
        texts.push_back(text(view));
    }
    return texts;
}

// What an accessor of the interface gives; empty where that is NULL.
template <class Call> std::string_view shown(Call call) noexcept {
    std::size_t size = 0;
    const char *bytes = call(&size);
    return bytes == nullptr ? std::string_view() : std::string_view(bytes, size);
}

} // namespace detail

// What went wrong. `what()` is code, message and place on one line.
class Error : public std::runtime_error {
  public:
    explicit Error(const snm_error *error)
        : std::runtime_error(line(error)), status_(snm_error_status(error)), code_(snm_error_code(error)),
          message_(snm_error_message(error)), place_(snm_error_place(error)), json_(snm_error_json(error)) {}

    snm_status status() const noexcept { return status_; }
    // Such as `invalid_request`.
    const std::string &code() const noexcept { return code_; }
    // What is wrong and how to mend it.
    const std::string &message() const noexcept { return message_; }
    // A place in the input, such as `segments[3].role`; may be empty.
    const std::string &place() const noexcept { return place_; }
    // The three as one JSON object.
    const std::string &json() const noexcept { return json_; }

  private:
    static std::string line(const snm_error *error) {
        std::string line = std::string(snm_error_code(error)) + ": " + snm_error_message(error);
        const std::string place = snm_error_place(error);
        return place.empty() ? line : line + " (at " + place + ")";
    }

    snm_status status_;
    std::string code_, message_, place_, json_;
};

namespace detail {

// Calls a function of the interface that gives a handle out.
template <class T, class Call> Handle<T> make(Call call) {
    T *out = nullptr;
    snm_error *error = nullptr;
    const snm_status status = call(&out, &error);
    Handle<T> made(out);
    Handle<snm_error> told(error);
    if (status != SNM_STATUS_OK) {
        throw Error(told.get());
    }
    return made;
}

// Calls a function of the interface that gives nothing but a status.
template <class Call> void run(Call call) {
    snm_error *error = nullptr;
    const snm_status status = call(&error);
    Handle<snm_error> told(error);
    if (status != SNM_STATUS_OK) {
        throw Error(told.get());
    }
}

// The handle of an owner, where NULL would mean something else than an owner that was moved from.
template <class T> const T *given(const T *handle) {
    if (handle == nullptr) {
        throw std::invalid_argument("a stage or key that was moved from is given to a card");
    }
    return handle;
}

} // namespace detail

// Throws where the library at hand is not the one that the header belongs to. Call it once.
inline void check_abi() {
    if (snm_abi_version() != SNM_ABI_VERSION) {
        throw std::runtime_error("libsonometer has interface version " + std::to_string(snm_abi_version()) +
                                 ", the program was built for " + std::to_string(SNM_ABI_VERSION));
    }
}

// The canonical JSON of a reading or a comparison, or another text.
class Result {
  public:
    explicit Result(detail::Handle<snm_result> handle) noexcept : handle_(std::move(handle)) {}

    // Empty of a result that was moved from.
    std::string_view json() const noexcept {
        return detail::shown([&](auto size) { return snm_result_bytes(handle_.get(), size); });
    }
    std::string str() const { return std::string(json()); }

  protected:
    const snm_result *get() const noexcept { return handle_.get(); }

  private:
    detail::Handle<snm_result> handle_;
};

// What a session says after each push. Its JSON tells how far everything is settled, and what is new.
class Step : public Result {
  public:
    using Result::Result;

    // The text that may be shown now, of all segments one after the other; with `Options::release`.
    std::string released() const {
        std::string text;
        std::size_t size = 0;
        for (std::size_t at = 0; const char *part = snm_result_released(get(), at, nullptr, &size); ++at) {
            text.append(part, size);
        }
        return text;
    }
};

// The engine's version and that of every table that can move a result.
inline std::string fingerprint() {
    return Result(detail::make<snm_result>([](auto out, auto error) { return snm_fingerprint(out, error); })).str();
}

// One turn of a conversation. The texts are looked at when an interaction is made of it.
struct Segment {
    std::string_view role;
    std::string_view content;
    // Millionths of a second from any origin.
    std::optional<std::int64_t> timestamp = std::nullopt;
};

// What is measured: a text or a conversation. Threads may share one.
class Interaction {
  public:
    static Interaction text(std::string_view content) {
        return Interaction(detail::make<snm_interaction>([&](auto out, auto error) {
            return snm_interaction_text(content.data(), content.size(), out, error);
        }));
    }

    static Interaction segments(const std::vector<Segment> &segments) {
        std::vector<snm_segment> plain;
        plain.reserve(segments.size());
        for (const Segment &segment : segments) {
            plain.push_back({detail::text(segment.role), detail::text(segment.content),
                             segment.timestamp.value_or(SNM_NO_TIME)});
        }
        return Interaction(detail::make<snm_interaction>([&](auto out, auto error) {
            return snm_interaction_segments(plain.data(), plain.size(), out, error);
        }));
    }

    static Interaction json(std::string_view json) {
        return Interaction(detail::make<snm_interaction>([&](auto out, auto error) {
            return snm_interaction_json(json.data(), json.size(), out, error);
        }));
    }

    // The messages of a chat, of every form that `snm_interaction_messages` reads. Without a form, the keys of the JSON decide. `told` gets JSON
    // with what was found beside, and what was skipped.
    static Interaction messages(std::string_view json, std::string_view form = {}, std::string *told = nullptr) {
        snm_result *beside = nullptr;
        Interaction read(detail::make<snm_interaction>([&](auto out, auto error) {
            return snm_interaction_messages(json.data(), json.size(), form.data(), form.size(), out, told ? &beside : nullptr, error);
        }));
        const detail::Handle<snm_result> kept(beside);
        if (told) {
            std::size_t length = 0;
            const char *bytes = snm_result_bytes(beside, &length);
            told->assign(bytes, length);
        }
        return read;
    }

    const snm_interaction *get() const noexcept { return handle_.get(); }

  private:
    explicit Interaction(detail::Handle<snm_interaction> handle) noexcept : handle_(std::move(handle)) {}

    detail::Handle<snm_interaction> handle_;
};

// What is shown, and what a deployment sets; everything at its default. Its texts are looked at when it is used, so they have to live until then.
class Options {
  public:
    Options &profile(std::uint32_t profile) noexcept { return set(options_.profile, profile); }
    Options &offsets(std::uint32_t unit) noexcept { return set(options_.offsets, unit); }
    Options &flow() noexcept { return set(options_.flow, SNM_ASK_YES); }
    Options &flow(std::string_view primary) noexcept {
        options_.primary = detail::text(primary);
        return set(options_.flow, SNM_ASK_WITH);
    }
    Options &temporal() noexcept { return set(options_.temporal, SNM_ASK_YES); }
    // Windows of so many millionths of a second.
    Options &temporal(std::int64_t window) noexcept {
        options_.window = window;
        return set(options_.temporal, SNM_ASK_WITH);
    }
    // The price of one ICS in millionths of a US dollar.
    Options &usd_per_ics(std::int64_t price) noexcept {
        options_.usd_per_ics = price;
        return *this;
    }

    // Of a session: steps carry the text that may be shown.
    Options &release() noexcept {
        options_.release = 1;
        return *this;
    }

    // How masked places are shown: `label`, `numbered`, `last4`…
    Options &mask(std::string_view kind) noexcept {
        options_.mask = detail::text(kind);
        return *this;
    }
    // The key of `keyed` masks, 16 bytes or more.
    Options &mask_key(std::string_view key) noexcept {
        options_.mask_key = detail::text(key);
        return *this;
    }

    const snm_options *get() const noexcept { return &options_; }

  private:
    Options &set(std::uint32_t &field, std::uint32_t value) noexcept {
        field = value;
        return *this;
    }

    snm_options options_ = SNM_OPTIONS_INIT;
};

// What a batch gives for one interaction: a result or an error.
struct Outcome {
    std::optional<Result> result;
    std::optional<Error> error;
};

// A protocol, metric or blueprint, compiled once. Threads may share one.
class Target {
  public:
    // What ships: `id` or `id@version`.
    static Target shipped(std::string_view name) {
        return Target(detail::make<snm_target>(
            [&](auto out, auto error) { return snm_target_shipped(name.data(), name.size(), out, error); }));
    }

    [[deprecated("write Target::shipped")]] static Target find(std::string_view name) { return shipped(name); }

    // From its source; `shelf` holds the sources of protocols and metrics that it may name.
    static Target read(std::string_view source, const std::vector<std::string_view> &shelf = {}) {
        const std::vector<snm_text> texts = detail::texts(shelf);
        return Target(detail::make<snm_target>([&](auto out, auto error) {
            return snm_target_read(source.data(), source.size(), texts.data(), texts.size(), out, error);
        }));
    }

    // From a file, with the list files beside it; without a shelf it may name what lies there, too.
    static Target load(std::string_view path, const std::vector<std::string_view> &shelf = {}) {
        const std::vector<snm_text> texts = detail::texts(shelf);
        return Target(detail::make<snm_target>([&](auto out, auto error) {
            return snm_target_load(path.data(), path.size(), texts.data(), texts.size(), out, error);
        }));
    }

    Result sense(const Interaction &interaction, const Options &options = {}) const {
        return Result(detail::make<snm_result>([&](auto out, auto error) {
            return snm_sense(get(), interaction.get(), options.get(), out, error);
        }));
    }

    // The meaning of scores 0 and 1 and which is better, in one line.
    std::string score_meaning() const {
        return Result(detail::make<snm_result>([&](auto out, auto error) {
            return snm_target_score_meaning(get(), out, error);
        })).str();
    }

    // Whether there is enough to measure.
    snm_sufficiency fidelity(const Interaction &interaction) const {
        snm_sufficiency found{};
        detail::run([&](auto error) { return snm_fidelity(get(), interaction.get(), &found, error); });
        return found;
    }

    Result compare(const Interaction &a, const Interaction &b, const Options &options = {}) const {
        return Result(detail::make<snm_result>([&](auto out, auto error) {
            return snm_compare(get(), a.get(), b.get(), options.get(), out, error);
        }));
    }

    // Many over threads (0: one for each core); the outcomes are in the order of the interactions.
    std::vector<Outcome> batch(const std::vector<Interaction> &interactions, const Options &options = {},
                               std::size_t threads = 0) const {
        std::vector<const snm_interaction *> handles;
        handles.reserve(interactions.size());
        for (const Interaction &interaction : interactions) {
            handles.push_back(interaction.get());
        }
        std::vector<snm_result *> results(handles.size(), nullptr);
        std::vector<snm_error *> errors(handles.size(), nullptr);
        snm_error *error = nullptr;
        const snm_status status = snm_batch(get(), handles.data(), handles.size(), options.get(), threads,
                                            results.data(), errors.data(), &error);
        // Whatever happens now, everything has an owner.
        std::vector<detail::Handle<snm_result>> owned(results.size());
        std::vector<detail::Handle<snm_error>> told(errors.size());
        for (std::size_t at = 0; at < handles.size(); ++at) {
            owned[at].reset(results[at]);
            told[at].reset(errors[at]);
        }
        detail::Handle<snm_error> failed(error);
        if (status != SNM_STATUS_OK) {
            throw Error(failed.get());
        }
        std::vector<Outcome> outcomes(handles.size());
        for (std::size_t at = 0; at < handles.size(); ++at) {
            if (owned[at]) {
                outcomes[at].result.emplace(std::move(owned[at]));
            } else {
                outcomes[at].error.emplace(told[at].get());
            }
        }
        return outcomes;
    }

    const snm_target *get() const noexcept { return handle_.get(); }

  private:
    explicit Target(detail::Handle<snm_target> handle) noexcept : handle_(std::move(handle)) {}

    detail::Handle<snm_target> handle_;
};

// An interaction that comes in bit by bit. It belongs to one thread at a time.
class Session {
  public:
    explicit Session(const Target &target, const Options &options = {})
        : handle_(detail::make<snm_session>(
              [&](auto out, auto error) { return snm_session_open(target.get(), options.get(), out, error); })) {}

    // The next bytes of the text, or of the segment that was begun last, cut anywhere.
    Step push(detail::Bytes bytes) {
        const std::string_view view = bytes.view();
        return step([&](auto out, auto error) { return snm_session_push(get(), view.data(), view.size(), out, error); });
    }

    // A whole segment.
    Step push(const Segment &segment) {
        const snm_segment plain = {detail::text(segment.role), detail::text(segment.content),
                                   segment.timestamp.value_or(SNM_NO_TIME)};
        return step([&](auto out, auto error) { return snm_session_push_segment(get(), &plain, out, error); });
    }

    // Ends the segment that came in, if there is one, and begins another.
    Step begin_segment(std::string_view role, std::optional<std::int64_t> timestamp = std::nullopt) {
        return step([&](auto out, auto error) {
            return snm_session_begin_segment(get(), role.data(), role.size(), timestamp.value_or(SNM_NO_TIME), out, error);
        });
    }

    // Nothing more comes: everything settles.
    Step end() {
        return step([&](auto out, auto error) { return snm_session_end(get(), out, error); });
    }

    // Nothing before this place can change any more.
    snm_place settled_to() const noexcept { return snm_session_settled_to(handle_.get()); }

    // Text before this place may be shown with the masks reported so far.
    snm_place released_to() const noexcept { return snm_session_released_to(handle_.get()); }

    // The reading as if the interaction ended here.
    Result so_far() const {
        return Result(detail::make<snm_result>(
            [&](auto out, auto error) { return snm_session_so_far(handle_.get(), out, error); }));
    }

    // The reading of all of it; the session is over then.
    Result finish() {
        return Result(detail::make<snm_result>(
            [&](auto out, auto error) { return snm_session_finish(get(), out, error); }));
    }

  private:
    snm_session *get() noexcept { return handle_.get(); }
    template <class Call> static Step step(Call call) { return Step(detail::make<snm_result>(call)); }

    detail::Handle<snm_session> handle_;
};

// A stage made ready. Threads may share one.
class Stage {
  public:
    // What ships: `id` or `id@version`.
    static Stage shipped(std::string_view name) {
        return Stage(detail::make<snm_stage>(
            [&](auto out, auto error) { return snm_stage_shipped(name.data(), name.size(), out, error); }));
    }

    [[deprecated("write Stage::shipped")]] static Stage find(std::string_view name) { return shipped(name); }

    // From its source; `shelf` holds the sources of protocols, metrics and blueprints that it may name.
    static Stage read(std::string_view source, const std::vector<std::string_view> &shelf = {}) {
        const std::vector<snm_text> texts = detail::texts(shelf);
        return Stage(detail::make<snm_stage>([&](auto out, auto error) {
            return snm_stage_read(source.data(), source.size(), texts.data(), texts.size(), out, error);
        }));
    }

    // From a file; without a shelf it may name what lies beside it.
    static Stage load(std::string_view path, const std::vector<std::string_view> &shelf = {}) {
        const std::vector<snm_text> texts = detail::texts(shelf);
        return Stage(detail::make<snm_stage>([&](auto out, auto error) {
            return snm_stage_load(path.data(), path.size(), texts.data(), texts.size(), out, error);
        }));
    }

    // These are valid as long as the stage; empty of one that was moved from.
    std::string_view id() const noexcept {
        return detail::shown([&](auto size) { return snm_stage_id(get(), size); });
    }
    std::string_view version() const noexcept {
        return detail::shown([&](auto size) { return snm_stage_version(get(), size); });
    }
    std::string_view objective() const noexcept {
        return detail::shown([&](auto size) { return snm_stage_objective(get(), size); });
    }
    std::string_view digest() const noexcept {
        return detail::shown([&](auto size) { return snm_stage_digest(get(), size); });
    }
    // The rules: what is to be reached, and what must not happen.
    std::vector<std::string_view> checkpoints() const { return names(snm_stage_checkpoint); }
    std::vector<std::string_view> flags() const { return names(snm_stage_flag); }
    snm_envelope envelope() const noexcept { return snm_stage_envelope(get()); }

    const snm_stage *get() const noexcept { return handle_.get(); }

  private:
    explicit Stage(detail::Handle<snm_stage> handle) noexcept : handle_(std::move(handle)) {}

    template <class Name> std::vector<std::string_view> names(Name name) const {
        std::vector<std::string_view> all;
        std::size_t size = 0;
        for (std::size_t at = 0; const char *bytes = name(get(), at, &size); ++at) {
            all.emplace_back(bytes, size);
        }
        return all;
    }

    detail::Handle<snm_stage> handle_;
};

// A key that signs cards. Threads may share one.
class Key {
  public:
    // Of secret bytes, from a source of randomness that is meant for keys.
    explicit Key(const std::array<std::uint8_t, SNM_KEY_BYTES> &secret)
        : handle_(detail::make<snm_key>(
              [&](auto out, auto error) { return snm_key_new(secret.data(), secret.size(), out, error); })) {}

    // By the text of a key file.
    static Key read(std::string_view text) {
        return Key(detail::make<snm_key>(
            [&](auto out, auto error) { return snm_key_read(text.data(), text.size(), out, error); }));
    }

    // 64 hexadecimal digits, valid as long as the key.
    std::string_view public_key() const noexcept {
        return detail::shown([&](auto size) { return snm_key_public(get(), size); });
    }

    const snm_key *get() const noexcept { return handle_.get(); }

  private:
    explicit Key(detail::Handle<snm_key> handle) noexcept : handle_(std::move(handle)) {}

    detail::Handle<snm_key> handle_;
};

// The card of a closed dive. Threads may share one.
class Card {
  public:
    explicit Card(detail::Handle<snm_card> handle) noexcept : handle_(std::move(handle)) {}

    static Card read(std::string_view text) {
        return Card(detail::make<snm_card>(
            [&](auto out, auto error) { return snm_card_read(text.data(), text.size(), out, error); }));
    }

    // Valid as long as the card; empty of one that was moved from.
    std::string_view json() const noexcept {
        return detail::shown([&](auto size) { return snm_card_json(get(), size); });
    }
    bool passed() const noexcept { return snm_card_passed(get()); }

    Card sign(const Key &key) const {
        return Card(detail::make<snm_card>(
            [&](auto out, auto error) { return snm_card_sign(get(), key.get(), out, error); }));
    }

    // Throws where the signature is by none of the keys, one a line, or does not hold.
    void verify(std::string_view keys) const {
        detail::run([&](auto error) { return snm_card_verify(get(), keys.data(), keys.size(), error); });
    }

    // Throws where the card, computed again from the log, is another one.
    void replay(std::string_view log, const Stage &stage) const {
        detail::run([&](auto error) {
            return snm_card_replay(get(), detail::given(stage.get()), log.data(), log.size(), error);
        });
    }

    // The same in the stage that the card names, of those that ship.
    void replay(std::string_view log) const {
        detail::run([&](auto error) { return snm_card_replay(get(), nullptr, log.data(), log.size(), error); });
    }

    // An in-toto statement, bare or in a DSSE envelope.
    Result statement() const {
        return Result(detail::make<snm_result>(
            [&](auto out, auto error) { return snm_card_export(get(), nullptr, out, error); }));
    }
    Result envelope(const Key &key) const {
        return Result(detail::make<snm_result>(
            [&](auto out, auto error) { return snm_card_export(get(), detail::given(key.get()), out, error); }));
    }

    const snm_card *get() const noexcept { return handle_.get(); }

  private:
    detail::Handle<snm_card> handle_;
};

// What only the caller knows when a dive is closed. The texts are looked at when it is used.
class Closing {
  public:
    explicit Closing(std::string_view dive_id) noexcept { closing_.dive_id = detail::there(dive_id); }

    Closing &agent(std::string_view id) noexcept { return set(closing_.agent, id); }
    Closing &agent(std::string_view id, std::string_view version) noexcept {
        return agent(id).set(closing_.agent_version, version);
    }
    Closing &summary(std::string_view summary) noexcept { return set(closing_.summary, summary); }

    const snm_closing *get() const noexcept { return &closing_; }

  private:
    Closing &set(snm_text &field, std::string_view value) noexcept {
        field = detail::there(value);
        return *this;
    }

    snm_closing closing_ = SNM_CLOSING_INIT;
};

// One run through a stage. It belongs to one thread at a time.
class Dive {
  public:
    explicit Dive(const Stage &stage, std::uint64_t seed = 0)
        : Dive(detail::make<snm_dive>(
              [&](auto out, auto error) { return snm_dive_open(stage.get(), seed, out, error); })) {}

    // Goes on with what `save` gave.
    static Dive resume(const Stage &stage, std::string_view saved) {
        return Dive(detail::make<snm_dive>([&](auto out, auto error) {
            return snm_dive_resume(stage.get(), saved.data(), saved.size(), out, error);
        }));
    }

    // What an action comes to; throws where it is refused, and the dive is as it was.
    Result act(std::string_view action) {
        return Result(detail::make<snm_result>([&](auto out, auto error) {
            return snm_dive_act(handle_.get(), action.data(), action.size(), out, error);
        }));
    }

    // These are valid until the next action.
    std::string_view observation() const noexcept {
        return detail::shown([&](auto size) { return snm_dive_observation(get(), size); });
    }
    std::string_view chain() const noexcept {
        return detail::shown([&](auto size) { return snm_dive_chain(get(), size); });
    }
    // Of the last action; empty where there was none.
    std::string_view log_line() const noexcept {
        return detail::shown([&](auto size) { return snm_dive_log_line(get(), size); });
    }
    bool done() const noexcept { return snm_dive_done(get()); }
    std::uint32_t turn() const noexcept { return snm_dive_turn(get()); }

    Result save() const {
        return Result(
            detail::make<snm_result>([&](auto out, auto error) { return snm_dive_save(get(), out, error); }));
    }

    Card close(const Closing &closing) const {
        return Card(detail::make<snm_card>(
            [&](auto out, auto error) { return snm_dive_close(get(), closing.get(), out, error); }));
    }

    const snm_dive *get() const noexcept { return handle_.get(); }

  private:
    explicit Dive(detail::Handle<snm_dive> handle) noexcept : handle_(std::move(handle)) {}

    detail::Handle<snm_dive> handle_;
};

} // namespace sonometer

#endif // SONOMETER_HPP

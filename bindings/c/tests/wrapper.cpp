// The C++ wrapper: owners move, free once, and errors are exceptions. Prints `ok NAME` or `not ok NAME` for each test.

#include <array>
#include <initializer_list>
#include <iostream>
#include <optional>
#include <sonometer.hpp>
#include <thread>
#include <type_traits>

using namespace sonometer;

static_assert(!std::is_copy_constructible_v<Target> && std::is_nothrow_move_constructible_v<Target>);
static_assert(!std::is_copy_constructible_v<Result> && std::is_nothrow_move_assignable_v<Result>);
static_assert(!std::is_copy_constructible_v<Interaction> && std::is_nothrow_move_assignable_v<Interaction>);
static_assert(!std::is_copy_constructible_v<Stage> && std::is_nothrow_move_constructible_v<Stage>);
static_assert(!std::is_copy_constructible_v<Dive> && std::is_nothrow_move_assignable_v<Dive>);
static_assert(!std::is_copy_constructible_v<Card> && std::is_nothrow_move_assignable_v<Card>);
static_assert(!std::is_copy_constructible_v<Key> && std::is_nothrow_move_assignable_v<Key>);

namespace {

constexpr std::string_view PROTOCOL =
    R"({"sonometer":1,"id":"thanks","version":"1.0","taxonomy":"Signal","fidelity":{"sufficient":0},"score":"any",)"
    R"("markers":[{"label":"gratitude","strong":"thank you","hit":"thank you"}]})";

bool right = true;
int failures = 0;

void check(bool holds, const char *what, int line) {
    if (!holds) {
        std::cout << "  line " << line << ": " << what << '\n';
        right = false;
    }
}

#define CHECK(condition) check((condition), #condition, __LINE__)

template <class Test> void run(const char *name, Test test) {
    right = true;
    try {
        test();
    } catch (const std::exception &error) {
        check(false, error.what(), 0);
    }
    std::cout << (right ? "ok " : "not ok ") << name << '\n';
    failures += !right;
}

template <class Call> void throws(snm_status status, std::string_view place, Call call) {
    try {
        call();
        check(false, "nothing was thrown", 0);
    } catch (const Error &error) {
        CHECK(error.status() == status && error.place() == place && !error.message().empty());
        CHECK(std::string_view(error.what()).find(error.code()) == 0);
    }
}

void moves() {
    Target first = Target::read(PROTOCOL);
    Target second = std::move(first);
    Interaction talk = Interaction::text("thank you");
    Interaction moved = std::move(talk);
    Result one = second.sense(moved);
    const std::string said = one.str();
    Result other = std::move(one);
    CHECK(other.str() == said && one.json().empty()); // NOLINT: a result that was moved from is empty
    one = std::move(other);
    Result &itself = one;
    one = std::move(itself);
    CHECK(one.str() == said);
    second = Target::shipped("courtesy");
    // What was moved from is a mistake with a name, not a crash.
    throws(SNM_STATUS_INVALID_ARGUMENT, "target", [&] { first.sense(moved); });
    throws(SNM_STATUS_INVALID_ARGUMENT, "interaction", [&] { second.sense(talk); });
}

void exceptions() {
    throws(SNM_STATUS_TARGET_NOT_FOUND, "target", [] { Target::shipped("nothing-like-it"); });
    throws(SNM_STATUS_INVALID_UTF8, "byte 1", [] { Interaction::text("a\xff"); });
    throws(SNM_STATUS_INVALID_REQUEST, "", [] { Interaction::json("{}"); });
    std::string told;
    const char *chat = R"({"conversations": [{"from": "human", "value": "Thank you so much!", "weight": 1}]})";
    const Target courtesy = Target::shipped("courtesy");
    CHECK(courtesy.sense(Interaction::messages(chat, {}, &told)).json() == courtesy.sense(Interaction::segments({{"user", "Thank you so much!", {}}})).json());
    CHECK(told == R"({"form":"sharegpt","interaction":{"segments":[{"role":"user","content":"Thank you so much!"}]},)"
                  R"("places":["conversations[0].value"],"apart":[],"notices":["the unknown key `weight` was skipped in conversations[0]"]})");
    throws(SNM_STATUS_INVALID_REQUEST, "form", [&] { Interaction::messages(chat, "sharegtp"); });
    throws(SNM_STATUS_INVALID_REQUEST, "segments[1].role", [] {
        Interaction::segments({{"agent", "Hello."}, {" ", "Hello."}});
    });
    const Target target = Target::read(PROTOCOL);
    throws(SNM_STATUS_INVALID_REQUEST, "options.temporal", [&] {
        target.sense(Interaction::text("thank you"), Options().temporal(60'000'000));
    });
    const Target strict = Target::shipped("courtesy");
    throws(SNM_STATUS_INSUFFICIENT_SIGNAL, "interaction_a", [&] {
        strict.compare(Interaction::text("x"), Interaction::text("y"));
    });
}

void shelves() {
    const std::string_view metric =
        R"({"sonometer_metric":1,"id":"warmth","version":"1.0","components":[{"protocol":"thanks@1.0"}]})";
    throws(SNM_STATUS_TARGET_NOT_FOUND, "components[0].protocol", [&] { Target::read(metric); });
    const Target warmth = Target::read(metric, {PROTOCOL});
    const std::string json = warmth.sense(Interaction::text("thank you")).str();
    CHECK(json.find(R"("target":{"type":"metric","id":"warmth","version":"1.0"})") != std::string::npos);
}

void options() {
    const Target target = Target::read(PROTOCOL);
    const Interaction talk = Interaction::segments({{"agent", "\xf0\x9f\x98\x80 thank you", 1'500'000}});
    const auto shown = [&](std::uint32_t unit) { return target.sense(talk, Options().offsets(unit)).str(); };
    CHECK(shown(SNM_OFFSETS_NONE).find("\"start\"") == std::string::npos);
    CHECK(shown(SNM_OFFSETS_BYTES).find("\"start\":5,\"end\":14") != std::string::npos);
    CHECK(shown(SNM_OFFSETS_CHARS).find("\"start\":2,\"end\":11") != std::string::npos);
    CHECK(shown(SNM_OFFSETS_UTF16).find("\"start\":3,\"end\":12") != std::string::npos);
    const auto priced = target.sense(talk, Options().profile(SNM_PROFILE_DISCOVERY).usd_per_ics(20'000)).str();
    CHECK(priced.find("\"cost_usd\":0.02") != std::string::npos);
    CHECK(priced.find("\"profile\":\"discovery\"") != std::string::npos);
    CHECK(target.fidelity(talk).sufficient);
    CHECK(target.score_meaning() == "score 0 = nothing found, 1 = a medium marker found; higher is better");
}

void batches() {
    const Target target = Target::read(PROTOCOL);
    std::vector<Interaction> talks;
    for (int at = 0; at < 300; ++at) {
        talks.push_back(Interaction::text((at % 2 == 0 ? "thank you " : "no ") + std::to_string(at)));
    }
    const std::vector<Outcome> outcomes = target.batch(talks, {}, 3);
    CHECK(outcomes.size() == talks.size());
    for (std::size_t at = 0; at < talks.size(); ++at) {
        CHECK(outcomes[at].result && outcomes[at].result->str() == target.sense(talks[at]).str());
    }
    CHECK(target.batch({}).empty());
}

void threads() {
    const Target target = Target::shipped("affect");
    const Interaction talk = Interaction::text("I am so happy that it works again, and so proud of all of you!");
    const std::string expected = target.sense(talk).str();
    std::vector<std::thread> workers;
    std::vector<int> equal(8, 0);
    for (int &count : equal) {
        workers.emplace_back([&] {
            for (int round = 0; round < 50; ++round) {
                count += target.sense(talk).json() == expected;
            }
        });
    }
    for (std::thread &worker : workers) {
        worker.join();
    }
    for (int count : equal) {
        CHECK(count == 50);
    }
}

constexpr std::string_view DOOR =
    R"x({"sonometer_stage":1,"id":"door","version":"1.0","protocol":"thanks@1.0","objective":"Thank the porter.",)x"
    R"x("envelope":{"max_action_chars":40},"start":"hall","checkpoints":{"inside":"reached(through)"},)x"
    R"x("flags":{"late":{"when":"turn >= 3"}},"scenes":{"hall":{"world":"A porter.","do":[)x"
    R"x({"when":"fired(gratitude)","go":"through"},{"otherwise":"stay","world":"He waits."}]},)x"
    R"x("through":{"end":true,"world":"You are through."}}})x";

// Says the words, and gives the log.
std::string play(Dive &dive, std::initializer_list<std::string_view> words) {
    std::string log;
    for (std::string_view word : words) {
        CHECK(dive.act(word).json().find("{\"observation\":") == 0);
        log.append(dive.log_line()).append("\n");
    }
    return log;
}

void stages() {
    const Stage door = Stage::read(DOOR, {PROTOCOL});
    CHECK(door.id() == "door" && door.version() == "1.0" && door.objective() == "Thank the porter.");
    CHECK(door.digest().size() == 71 && door.envelope().max_action_chars == 40);
    CHECK(door.checkpoints() == std::vector<std::string_view>{"inside"});
    CHECK(door.flags() == std::vector<std::string_view>{"late"});
    CHECK(Stage::shipped("billing-dispute").checkpoints().size() == 3);
    throws(SNM_STATUS_TARGET_NOT_FOUND, "stage", [] { Stage::shipped("nothing-like-it"); });
    throws(SNM_STATUS_TARGET_NOT_FOUND, "protocol", [] { Stage::read(DOOR); });
    throws(SNM_STATUS_INVALID_REQUEST, "path", [] { Stage::load("no/such/file.yaml"); });
    Stage first = Stage::read(DOOR, {PROTOCOL});
    const Stage second = std::move(first);
    CHECK(first.id().empty() && first.flags().empty() && second.id() == "door"); // NOLINT: empty once moved from
    throws(SNM_STATUS_INVALID_ARGUMENT, "stage", [&] { Dive dive(first); });
}

void dives() {
    std::optional<Stage> door = Stage::read(DOOR, {PROTOCOL});
    Dive dive(*door, SNM_MAX_SEED);
    throws(SNM_STATUS_INVALID_REQUEST, "seed", [&] { Dive(*door, SNM_MAX_SEED + std::uint64_t(1)); });
    CHECK(dive.observation() == R"({"done":false,"turn":0,"world":"A porter."})" && dive.log_line().empty());
    play(dive, {"Hello."});
    Dive again = Dive::resume(*door, dive.save().json());
    throws(SNM_STATUS_CARD_MISMATCH, "", [&] { Dive::resume(*door, dive.save().str() + " "); });
    door.reset();
    throws(SNM_STATUS_ACTION_TOO_LONG, "action", [&] { dive.act(std::string(41, 'a')); });
    CHECK(again.turn() == 1 && again.chain() == dive.chain() && again.log_line().empty());
    play(dive, {"thank you"});
    play(again, {"thank you"});
    CHECK(dive.done() && dive.turn() == 2 && dive.chain().size() == 64 && again.chain() == dive.chain());
    throws(SNM_STATUS_DIVE_CLOSED, "action", [&] { dive.act("thank you"); });
    const Closing closing = Closing("dive-1").agent("visitor", "2").summary("");
    const Card card = dive.close(closing);
    CHECK(card.passed() && card.json() == again.close(closing).json());
    CHECK(card.json().find(R"({"agent":{"id":"visitor","version":"2"},)") == 0);
    CHECK(card.json().find(R"("summary":"",)") != std::string_view::npos);
    Dive moved = std::move(dive);
    CHECK(moved.turn() == 2 && dive.done() && dive.observation().empty()); // NOLINT: over once moved from
    throws(SNM_STATUS_INVALID_ARGUMENT, "dive", [&] { dive.act("thank you"); });
}

void cards() {
    const Stage door = Stage::read(DOOR, {PROTOCOL});
    Dive dive(door);
    const std::string log = play(dive, {"Good evening.", "thank you"});
    const Key key(std::array<std::uint8_t, SNM_KEY_BYTES>{1, 2, 3});
    const Key other = Key::read("# another\n" + std::string(64, '7'));
    const Card card = dive.close(Closing("dive-1")).sign(key);
    const Card read = Card::read(card.json());
    CHECK(read.passed() && read.json() == card.json());
    read.verify(key.public_key());
    read.verify(std::string(other.public_key()).append("\n").append(key.public_key()));
    read.replay(log, door);
    throws(SNM_STATUS_CARD_MISMATCH, "signature", [&] { read.verify(other.public_key()); });
    throws(SNM_STATUS_CARD_MISMATCH, "signature", [&] { dive.close(Closing("dive-1")).verify(key.public_key()); });
    throws(SNM_STATUS_INVALID_KEY, "line 1", [&] { read.verify("zz"); });
    throws(SNM_STATUS_INVALID_KEY, "line 1", [] { Key::read(std::string(63, '7')); });
    throws(SNM_STATUS_TARGET_NOT_FOUND, "stage", [&] { read.replay(log); });
    std::string changed = log;
    changed.replace(changed.find("thank you"), 9, "thank him");
    throws(SNM_STATUS_CARD_MISMATCH, "step 2", [&] { read.replay(changed, door); });
    changed = std::string(card.json());
    changed.replace(changed.find("\"turns\":2"), 9, "\"turns\":1");
    throws(SNM_STATUS_CARD_MISMATCH, "totals.turns", [&] { Card::read(changed); });
    CHECK(card.statement().str().find(card.json()) != std::string::npos);
    CHECK(card.envelope(key).json() != card.envelope(other).json());
    // What was moved from is no wish for something else.
    Stage first = Stage::read(DOOR, {PROTOCOL});
    const Stage second = std::move(first);
    bool refused = false;
    try {
        read.replay(log, first); // NOLINT: moved from on purpose
    } catch (const std::invalid_argument &) {
        refused = true;
    }
    CHECK(refused);
}

void sessions() {
    const Target target = Target::read(PROTOCOL);
    Session text(target);
    const char bytes[] = {'t', 'h', 'a', 'n', 'k', ' '};
    text.push({bytes, sizeof bytes});
    text.push(std::string("yo"));
    CHECK(text.push("u").json().find("settled_to") != std::string_view::npos);
    CHECK(text.finish().json() == target.sense(Interaction::text("thank you")).json());
    throws(SNM_STATUS_INVALID_ARGUMENT, "session", [&] { text.push("more"); });
    // Two texts in braces are a role and what it says, also in C++20, where they could be begin and end of one text.
    Session talk(target);
    talk.push({"agent", "thank you"});
    talk.push({"customer", "no", 5});
    const Interaction turns = Interaction::segments({{"agent", "thank you"}, {"customer", "no", 5}});
    CHECK(talk.finish().json() == target.sense(turns).json());
}

} // namespace

int main() {
    check_abi();
    std::cout << "# " << fingerprint() << '\n';
    run("owners move and free once", moves);
    run("errors are exceptions with a place", exceptions);
    run("targets find what they name on the shelf", shelves);
    run("options reach the engine", options);
    run("many at once are as one by one", batches);
    run("sessions take bytes and turns", sessions);
    run("threads share a target", threads);
    run("stages say what they are", stages);
    run("dives go on and end", dives);
    run("cards hold or say where they do not", cards);
    return failures == 0 ? 0 : 1;
}

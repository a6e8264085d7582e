// A stage of one's own, in a dive that is interrupted and goes on from what was saved.

#include <iostream>
#include <sonometer.hpp>

constexpr std::string_view THANKS = R"(
sonometer: 1
id: thanks
version: "1.0"
status: published
taxonomy: Signal
language: en
fidelity: {words: 2, sufficient: 0.5}
markers:
  - label: thanks
    negation: drop
    strong: (thank you|thanks) (for|so)
    hit: Thank you so much.
    miss: No thank you so far.
)";

constexpr std::string_view DOOR = R"(
sonometer_stage: 1
id: door
version: "1.0"
protocol: thanks@1.0
objective: Get through the door, politely.
envelope: {max_turns: 4}
lists: {weather: [rain, snow]}
start: hall
scenes:
  hall:
    world: "A porter stands at the door, out of the {weather}."
    do:
      - {when: fired(thanks), go: through, world: "He smiles."}
      - {otherwise: stay, world: "He waits."}
  through: {end: true, world: "You are through."}
checkpoints: {inside: reached(through)}
walkthroughs:
  polite: {expect: pass, say: ["Thank you so much for waiting."]}
  silence: {expect: fail, say: ["."]}
  parrot: {expect: fail, say: [thanks door polite]}
)";

int main() try {
    sonometer::check_abi();
    const auto door = sonometer::Stage::read(DOOR, {THANKS});
    std::cout << door.id() << '@' << door.version() << ' ' << door.digest() << '\n';
    for (std::string_view name : door.checkpoints()) {
        std::cout << "reach " << name << " within " << door.envelope().max_turns << " turns\n";
    }

    std::string saved;
    {
        sonometer::Dive dive(door, 3);
        std::cout << dive.observation() << '\n' << dive.act("Good evening.").json() << '\n';
        saved = dive.save().str();
    }
    auto dive = sonometer::Dive::resume(door, saved);
    std::cout << dive.act("Thank you so much for waiting.").json() << '\n';

    // Mistakes are exceptions with a place.
    try {
        dive.act("And good night.");
    } catch (const sonometer::Error &error) {
        std::cout << error.what() << '\n';
    }
    const auto card = dive.close(sonometer::Closing("door-3").agent("visitor", "2").summary("Thanked the porter."));
    std::cout << card.statement().json() << '\n';
    return card.passed() ? 0 : 1;
} catch (const std::exception &error) {
    std::cerr << error.what() << '\n';
    return 1;
}

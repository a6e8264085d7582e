// A protocol of one's own, many messages over threads, and two replies compared.

#include <iostream>
#include <sonometer.hpp>

constexpr std::string_view GRATITUDE = R"(
sonometer: 1
id: gratitude
version: "1.0"
taxonomy: Signal
language: en
markers:
  - label: thanks
    negation: drop
    strong: thank you (so|very) much
    clear: (thanks|thank you)
    hit: Thank you very much.
    miss: I can't thank you.
)";

int main() try {
    sonometer::check_abi();
    const auto gratitude = sonometer::Target::read(GRATITUDE);

    std::vector<sonometer::Interaction> messages;
    messages.push_back(sonometer::Interaction::text("It works again, thank you so much for all the help with it!"));
    messages.push_back(sonometer::Interaction::text("I cannot thank you for this, it is broken and stays broken."));
    messages.push_back(sonometer::Interaction::json(R"({"content": "Fine."})"));

    const auto options = sonometer::Options().offsets(SNM_OFFSETS_CHARS);
    for (const sonometer::Outcome &outcome : gratitude.batch(messages, options)) {
        if (outcome.result) {
            std::cout << outcome.result->json() << '\n';
        } else {
            std::cout << outcome.error->what() << '\n';
        }
    }

    std::cout << gratitude.compare(messages[1], messages[0]).json() << '\n';

    // Mistakes are exceptions with a place.
    try {
        sonometer::Interaction::json(R"({"segments": [{"rôle": "agent", "content": "Hello."}]})");
    } catch (const sonometer::Error &error) {
        std::cout << error.what() << '\n';
    }
    return 0;
} catch (const std::exception &error) {
    std::cerr << error.what() << '\n';
    return 1;
}

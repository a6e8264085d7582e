// A conversation that comes in turn by turn: what is new is told at once, and the end is the whole reading.

#include <iostream>
#include <sonometer.hpp>

int main() try {
    sonometer::check_abi();
    const auto courtesy = sonometer::Target::shipped("courtesy@1.5");
    sonometer::Session session(courtesy, sonometer::Options().offsets(SNM_OFFSETS_CHARS));

    std::vector<sonometer::Segment> said = {
        {"agent", "Good morning, thank you for calling. How can I help you?"},
        {"customer", "My router is dead again. That is the third time this month."},
        {"agent", "I am so sorry about that. Could you please tell me which lights are on?"},
    };
    for (const sonometer::Segment &segment : said) {
        std::cout << session.push(segment).json() << '\n';
    }
    const snm_place settled = session.settled_to();
    std::cout << "settled to segment " << settled.segment << ", character " << settled.offset << '\n';

    const std::string whole = courtesy.sense(sonometer::Interaction::segments(said),
                                             sonometer::Options().offsets(SNM_OFFSETS_CHARS)).str();
    const std::string finished = session.finish().str();
    std::cout << finished << '\n' << (finished == whole ? "the same as at once" : "NOT the same as at once") << '\n';
    return finished == whole ? 0 : 1;
} catch (const std::exception &error) {
    std::cerr << error.what() << '\n';
    return 1;
}

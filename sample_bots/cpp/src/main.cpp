// Runs one of the bots: `./bot greedy`, `./bot random`.

#include <unistd.h>

#include <csignal>
#include <map>

#include "attend.h"
#include "chance.h"
#include "greedy.h"
#include "settings.h"

namespace {

// Any option, each as likely as the others.
std::uint32_t random_option(const pb::Decide& asked, unsigned, const std::string& seed) {
    return chance::pick(seed, asked.match(), asked.decision(),
                        static_cast<std::uint32_t>(asked.options_size()));
}

const std::map<std::string, Choose> kBots = {{"greedy", greedy::choose}, {"random", random_option}};

// At once, even in the middle of a thought: a handler may call _exit, and little else.
extern "C" void leave(int signal) { _exit(signal == SIGTERM ? 0 : 130); }

}  // namespace

int main(int argc, char** argv) {
    std::signal(SIGTERM, leave);
    std::signal(SIGINT, leave);
    std::vector<std::string> names;
    for (const auto& bot : kBots) {
        names.push_back(bot.first);
    }
    const Settings chosen = read_settings(argc, argv, names);
    return Attendance(chosen, kBots.at(chosen.bot)).run();
}

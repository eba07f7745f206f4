// Runs one of the bots: `./bot greedy`, `./bot random`.

#include <pthread.h>
#include <unistd.h>

#include <csignal>
#include <map>
#include <thread>

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

// Wait for signals and end the process, also in the middle of a thought: at once, or at a first
// Ctrl-C with its last match.
void obey(const sigset_t& signals, Attendance& attendance) {
    while (true) {
        int signal = 0;
        sigwait(&signals, &signal);
        if (signal == SIGTERM) {
            _exit(0);
        }
        if (!attendance.leave()) {
            _exit(130);
        }
    }
}

}  // namespace

int main(int argc, char** argv) {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    // First of all: threads that are begun later, gRPC's too, block what this one does.
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    std::vector<std::string> names;
    for (const auto& bot : kBots) {
        names.push_back(bot.first);
    }
    const Settings chosen = read_settings(argc, argv, names);
    Attendance attendance(chosen, kBots.at(chosen.bot));
    std::thread([&] { obey(signals, attendance); }).detach();
    _exit(attendance.run());  // not by returning: the thread looks at what stands here
}

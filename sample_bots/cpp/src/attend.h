// The bot's side of the conversation with a referee: dials in, answers, dials again after a cut.
//
// One plain loop reads a message, thinks and writes, however many matches there are: the referee
// asks one question at a time, and the next one's clock stands still until it is put.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "settings.h"
#include "warladder/v1/referee.grpc.pb.h"

namespace pb = warladder::v1;

// The bot itself: question, own seat and seed to the index of an option.
using Choose =
    std::function<std::uint32_t(const pb::Decide& asked, unsigned seat, const std::string& seed)>;

// A bot's presence on a ladder, over as many streams as it takes.
class Attendance {
  public:
    Attendance(Settings settings, Choose choose);

    // Attend until the bot is no longer wanted; returns the exit code.
    int run();

    // Take no new matches, and end with the last one that runs; called by another thread. False if
    // there is nothing to wait for: nothing is to be played, or it was called before.
    bool leave();

  private:
    using Clock = std::chrono::steady_clock;
    using Seconds = std::chrono::duration<double>;
    using Stream = grpc::ClientReaderWriter<pb::BotMessage, pb::RefereeMessage>;

    // What is remembered of a running match, so that it can go on after a cut.
    struct Match {
        unsigned seat = 0;
        unsigned last_event = 0;
        std::string receipt;
    };

    std::optional<int> attend(const std::string& referee);
    bool stand(Stream* stream);
    void write(Stream& stream, const pb::BotMessage& message);
    pb::BotMessage hello() const;
    bool welcomed(const pb::Welcome& welcome);
    void know(const google::protobuf::RepeatedPtrField<std::string>& referees);
    void started(const pb::MatchStarted& started);
    std::optional<pb::BotMessage> decide(const pb::Decide& asked);
    template <class Message>
    const Match* seen(const Message& message);
    void ended(const pb::MatchEnded& ended);
    std::optional<int> parted(const pb::Goodbye& goodbye);

    const Settings settings_;
    const Choose choose_;
    std::map<std::string, Match> matches_;
    std::vector<std::string> referees_;  // Where to dial, the next one first.
    Seconds wait_;
    bool stays_ = false;  // The referee let us in: after a cut our matches are to be found there.
    std::optional<Clock::time_point> search_until_;  // Until when missing matches are looked for.
    std::mt19937 random_{std::random_device{}()};
    std::mutex writing_;        // A stream takes one message at a time.
    std::mutex mutex_;          // For what is below: a Ctrl-C comes at any moment.
    Stream* stream_ = nullptr;  // The one that we stay on, once we are welcome there.
    std::size_t running_ = 0;   // Matches that are remembered.
    bool leaving_ = false;
    std::thread goodbye_;  // Says Goodbye; a line that is stuck must not hold up a second Ctrl-C.
};

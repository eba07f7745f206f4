#include "attend.h"

#include <algorithm>
#include <iostream>
#include <iterator>
#include <utility>

namespace {

using std::chrono::duration;

// Results are kept by version: raise it when the bot changes.
constexpr char kVersion[] = "1";

// Seconds before dialling again: doubled each time that nobody answers.
constexpr duration<double> kFirstWait{0.2};
constexpr duration<double> kLongestWait{10.0};

// How long matches that this referee does not have are looked for at the others.
constexpr std::chrono::seconds kSearchTime{60};
constexpr duration<double> kSearchWait{0.5};

constexpr int kKeepaliveMs = 20'000;
constexpr int kLargestMessage = 16 << 20;

// As gRPC numbers them.
constexpr const char* kCodes[] = {
    "OK",
    "CANCELLED",
    "UNKNOWN",
    "INVALID_ARGUMENT",
    "DEADLINE_EXCEEDED",
    "NOT_FOUND",
    "ALREADY_EXISTS",
    "PERMISSION_DENIED",
    "RESOURCE_EXHAUSTED",
    "FAILED_PRECONDITION",
    "ABORTED",
    "OUT_OF_RANGE",
    "UNIMPLEMENTED",
    "INTERNAL",
    "UNAVAILABLE",
    "DATA_LOSS",
    "UNAUTHENTICATED",
};

std::string name(grpc::StatusCode code) {
    const auto index = static_cast<std::size_t>(code);
    return index < std::size(kCodes) ? kCodes[index] : std::to_string(code);
}

// Dialling again does not mend these.
bool hopeless(grpc::StatusCode code) {
    return code == grpc::StatusCode::UNAUTHENTICATED ||
           code == grpc::StatusCode::PERMISSION_DENIED ||
           code == grpc::StatusCode::INVALID_ARGUMENT || code == grpc::StatusCode::UNIMPLEMENTED;
}

grpc::ChannelArguments channel_arguments() {
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, kKeepaliveMs);
    arguments.SetMaxReceiveMessageSize(kLargestMessage);
    return arguments;
}

pb::BotMessage goodbye() {
    pb::BotMessage message;
    message.mutable_goodbye();
    return message;
}

void say(const std::string& line) { std::cerr << line + "\n" << std::flush; }

template <class Names>
bool contains(const Names& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

Attendance::Attendance(Settings settings, Choose choose)
    : settings_(std::move(settings)),
      choose_(std::move(choose)),
      referees_{settings_.referee},
      wait_(kFirstWait) {}

int Attendance::run() {
    std::uniform_real_distribution<double> jitter(1.0, 1.5);
    while (true) {
        stays_ = false;
        if (const std::optional<int> code = attend(std::string(referees_.front()))) {
            return *code;
        }
        if (stand(nullptr) && matches_.empty()) {
            return 0;
        }
        if (!stays_) {
            std::rotate(referees_.begin(), referees_.begin() + 1, referees_.end());
        }
        std::this_thread::sleep_for(wait_ * jitter(random_));
        wait_ = std::min(wait_ * 2, Seconds(kLongestWait));
    }
}

bool Attendance::leave() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (leaving_ || (stream_ == nullptr && running_ == 0)) {
        return false;
    }
    leaving_ = true;
    say("leaving: no new matches, " + std::to_string(running_) +
        " still run; Ctrl-C again leaves now");
    if (stream_ != nullptr) {  // else Goodbye follows the next Welcome
        goodbye_ = std::thread([this, stream = stream_] { write(*stream, goodbye()); });
    }
    return true;
}

// Note where we stand, for `leave`; whether we are leaving.
bool Attendance::stand(Stream* stream) {
    const std::lock_guard<std::mutex> lock(mutex_);
    stream_ = stream;
    running_ = matches_.size();
    return leaving_;
}

// One stream; returns the exit code, or nothing to dial again after `wait_`.
std::optional<int> Attendance::attend(const std::string& referee) {
    const auto stub = pb::Referee::NewStub(settings_.dial(referee, channel_arguments()));
    grpc::ClientContext context;
    context.AddMetadata("authorization", "Bearer " + settings_.token);
    const std::unique_ptr<Stream> stream = stub->Attend(&context);
    const auto finish = [&] {
        stand(nullptr);
        if (goodbye_.joinable()) {
            goodbye_.join();
        }
        return stream->Finish();
    };
    const auto hang_up = [&](std::optional<int> code) {
        context.TryCancel();
        finish();
        return code;
    };
    write(*stream, hello());
    pb::RefereeMessage message;
    while (stream->Read(&message)) {
        pb::BotMessage answer;
        switch (message.message_case()) {
            case pb::RefereeMessage::kWelcome:
                if (!welcomed(message.welcome())) {
                    return hang_up(std::nullopt);
                }
                if (stand(stream.get())) {
                    write(*stream, goodbye());
                }
                break;
            case pb::RefereeMessage::kReferees:
                know(message.referees().addresses());
                break;
            case pb::RefereeMessage::kMatchStarted:
                started(message.match_started());
                stand(stream.get());
                answer.mutable_ready()->set_match(message.match_started().match());
                write(*stream, answer);
                break;
            case pb::RefereeMessage::kDecide:
                if (const auto choice = decide(message.decide())) {
                    write(*stream, *choice);
                }
                break;
            case pb::RefereeMessage::kUpdate:
                seen(message.update());
                break;
            case pb::RefereeMessage::kMatchEnded:
                ended(message.match_ended());
                stand(stream.get());
                break;
            case pb::RefereeMessage::kPing:
                answer.mutable_pong()->set_number(message.ping().number());
                write(*stream, answer);
                break;
            case pb::RefereeMessage::kFault: {
                const pb::FaultCode code = message.fault().code();
                const std::string& name = pb::FaultCode_Name(code);
                say((name.empty() ? std::to_string(code) : name) + ": " + message.fault().text());
                break;
            }
            case pb::RefereeMessage::kGoodbye:
                return hang_up(parted(message.goodbye()));
            case pb::RefereeMessage::MESSAGE_NOT_SET:
                break;  // of a newer minor version
        }
    }
    const grpc::Status status = finish();
    if (status.ok()) {
        return std::nullopt;
    }
    say(referee + ": " + name(status.error_code()) + ": " + status.error_message());
    return hopeless(status.error_code()) ? std::optional<int>(1) : std::nullopt;
}

pb::BotMessage Attendance::hello() const {
    pb::BotMessage message;
    pb::Hello& hello = *message.mutable_hello();
    hello.set_version(kVersion);
    hello.set_instance(settings_.instance);
    hello.add_games("stalingrad");
    hello.set_max_matches(settings_.max_matches);
    hello.set_detail(pb::DETAIL_NO_LABELS);
    for (const auto& [name, each] : matches_) {
        pb::Resume& resume = *hello.add_resume();
        resume.set_match(name);
        resume.set_last_event(each.last_event);
        resume.set_receipt(each.receipt);
    }
    return message;
}

// Whether to stay: our matches go on here, or no other referee can have them.
bool Attendance::welcomed(const pb::Welcome& welcome) {
    say("attending as " + welcome.bot());
    know(welcome.referees());
    std::vector<std::string> missing;
    for (const auto& each : matches_) {
        if (!contains(welcome.resumed(), each.first)) {
            missing.push_back(each.first);
        }
    }
    const Clock::time_point now = Clock::now();
    if (missing.empty() || (search_until_ && *search_until_ < now)) {
        search_until_.reset();
        for (const std::string& match : missing) {  // ended while we were away
            matches_.erase(match);
        }
        stays_ = true;
    } else {
        search_until_ = search_until_.value_or(now + kSearchTime);
        stays_ = welcome.resumed_size() > 0 || referees_.size() == 1;
    }
    wait_ = stays_ ? kFirstWait : kSearchWait;
    return stays_;
}

// Where else to dial when this referee goes.
void Attendance::know(const google::protobuf::RepeatedPtrField<std::string>& referees) {
    for (const std::string& each : referees) {
        if (!contains(referees_, each)) {
            referees_.push_back(each);
        }
    }
}

void Attendance::started(const pb::MatchStarted& started) {
    matches_.try_emplace(started.match(), Match{started.seat(), 0, ""});
}

std::optional<pb::BotMessage> Attendance::decide(const pb::Decide& asked) {
    const Match* match = seen(asked);
    if (match == nullptr) {
        return std::nullopt;
    }
    pb::BotMessage message;
    pb::Choose& choice = *message.mutable_choose();
    choice.set_match(asked.match());
    choice.set_decision(asked.decision());
    choice.set_option(choose_(asked, match->seat, settings_.seed));
    return message;
}

// Note how far we are in a match, if we have it; `message.events()` has what happened, for a bot
// that wants it.
template <class Message>
const Attendance::Match* Attendance::seen(const Message& message) {
    const auto found = matches_.find(message.match());
    if (found == matches_.end()) {
        return nullptr;
    }
    found->second.last_event = message.last_event();
    found->second.receipt = message.receipt();
    return &found->second;
}

void Attendance::ended(const pb::MatchEnded& ended) {
    matches_.erase(ended.match());
    if (!ended.text().empty()) {  // what a fault of our own was
        say(ended.match() + ": " + ended.text());
    }
}

// What a Goodbye means: an exit code, or nothing to dial again after `wait_`.
std::optional<int> Attendance::parted(const pb::Goodbye& goodbye) {
    switch (goodbye.reason()) {
        case pb::GOODBYE_REASON_DONE:
            return 0;
        case pb::GOODBYE_REASON_REPLACED:
        case pb::GOODBYE_REASON_FAULT:
            return 1;
        case pb::GOODBYE_REASON_REVOKED:
            say("this token opens nothing any more: set WARLADDER_TOKEN to the new one");
            return 1;
        case pb::GOODBYE_REASON_DRAINING:
            stays_ = false;
            break;
        default:
            break;
    }
    wait_ = std::max(Seconds(std::chrono::milliseconds(goodbye.reconnect_after_ms())),
                     Seconds(kFirstWait));
    return std::nullopt;
}

// Say something. A stream that has ended takes nothing: reading it tells why.
void Attendance::write(Stream& stream, const pb::BotMessage& message) {
    const std::lock_guard<std::mutex> lock(writing_);
    stream.Write(message);
}

// What the environment and the flags say; flags go first.
#pragma once

#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>
#include <vector>

struct Settings {
    std::string bot;
    std::string referee;
    std::string token;
    std::string seed;  // Of the bot's own chance.
    unsigned max_matches = 1;
    std::string instance;

    // TLS if `WARLADDER_TLS_CA` names whom to trust.
    //
    // `WARLADDER_TLS_CERTIFICATE` and `WARLADDER_TLS_KEY` are for referees that want to see a
    // certificate of the bot. All three are PEM files, and looked at before the first dial: gRPC
    // would find only then what is wrong with them, and dial again.
    std::shared_ptr<grpc::ChannelCredentials> trust;

    // A line to a referee.
    std::shared_ptr<grpc::Channel> dial(const std::string& referee,
                                        const grpc::ChannelArguments& arguments) const;
};

// Ends the program with a line on what is wrong, and exit code 2.
Settings read_settings(int argc, char** argv, const std::vector<std::string>& bots);

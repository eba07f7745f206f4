#include "settings.h"

#include <getopt.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>
#include <sstream>
#include <string_view>

namespace {

[[noreturn]] void stop(const std::string& fault) {
    std::cerr << "bot: " << fault << std::endl;
    std::exit(2);
}

// What a variable holds; one that is empty counts as not set.
std::string variable(const char* name, const std::string& otherwise = "") {
    const char* value = std::getenv(name);
    return value != nullptr && *value != '\0' ? value : otherwise;
}

// The text of the file that a variable names; empty if it names none.
std::string pem(const char* name) {
    const std::string file = variable(name);
    if (file.empty()) {
        return "";
    }
    std::ifstream stream(file, std::ios::binary);
    std::string text(std::istreambuf_iterator<char>(stream), {});
    if (text.empty()) {
        stop(std::string(name) + ": cannot read " + file);
    }
    return text;
}

std::string any_seed() {
    std::random_device random;
    std::ostringstream seed;
    seed << std::hex << ((std::uint64_t{random()} << 32) | random());
    return seed.str();
}

unsigned max_matches(std::string_view text) {
    unsigned number = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (fault != std::errc{} || end != text.data() + text.size() || number < 1 || number > 1000) {
        stop("--max-matches takes a whole number from 1 to 1000");
    }
    return number;
}

std::string joined(const std::vector<std::string>& names) {
    std::string line;
    for (const std::string& name : names) {
        line += (line.empty() ? "" : ", ") + name;
    }
    return line;
}

void help(const std::vector<std::string>& bots) {
    std::cout
        << "usage: bot BOT [flags]\n\n"
           "A bot for Battle for Stalingrad: one of "
        << joined(bots)
        << ".\n\n"
           "  --referee HOST:PORT   default: WARLADDER_REFEREE, else localhost:7700\n"
           "  --token TOKEN         default: WARLADDER_TOKEN\n"
           "  --seed TEXT           of the bot's own chance; default: WARLADDER_SEED, else any\n"
           "  --max-matches N       how many at once; default: 1\n"
           "  --instance NAME       tells running copies apart\n"
           "  --help                show this\n";
}

}  // namespace

std::shared_ptr<grpc::Channel> Settings::dial(const std::string& referee,
                                              const grpc::ChannelArguments& arguments) const {
    grpc::SslCredentialsOptions trust;
    trust.pem_root_certs = pem("WARLADDER_TLS_CA");
    trust.pem_private_key = pem("WARLADDER_TLS_KEY");
    trust.pem_cert_chain = pem("WARLADDER_TLS_CERTIFICATE");
    const auto credentials = trust.pem_root_certs.empty() ? grpc::InsecureChannelCredentials()
                                                          : grpc::SslCredentials(trust);
    return grpc::CreateCustomChannel(referee, credentials, arguments);
}

Settings read_settings(int argc, char** argv, const std::vector<std::string>& bots) {
    Settings given;
    given.referee = variable("WARLADDER_REFEREE", "localhost:7700");
    given.token = variable("WARLADDER_TOKEN");
    given.seed = variable("WARLADDER_SEED", any_seed());
    const option flags[] = {
        {"referee", required_argument, nullptr, 'r'},
        {"token", required_argument, nullptr, 't'},
        {"seed", required_argument, nullptr, 's'},
        {"max-matches", required_argument, nullptr, 'm'},
        {"instance", required_argument, nullptr, 'i'},
        {"help", no_argument, nullptr, 'h'},
        {},
    };
    char name[] = "bot";
    argv[0] = name;  // getopt_long begins its lines with it
    for (int flag; (flag = getopt_long(argc, argv, "h", flags, nullptr)) != -1;) {
        switch (flag) {
            case 'r':
                given.referee = optarg;
                break;
            case 't':
                given.token = optarg;
                break;
            case 's':
                given.seed = optarg;
                break;
            case 'm':
                given.max_matches = max_matches(optarg);
                break;
            case 'i':
                given.instance = optarg;
                break;
            case 'h':
                help(bots);
                std::exit(0);
            default:
                std::exit(2);  // getopt_long has said why
        }
    }
    if (argc - optind != 1 || std::find(bots.begin(), bots.end(), argv[optind]) == bots.end()) {
        stop("say which bot: one of " + joined(bots));
    }
    given.bot = argv[optind];
    const auto printable = [](char letter) { return ' ' <= letter && letter <= '~'; };
    if (given.token.empty() || !std::all_of(given.token.begin(), given.token.end(), printable)) {
        stop("no token: set WARLADDER_TOKEN to what `warladder bot add` printed");
    }
    return given;
}

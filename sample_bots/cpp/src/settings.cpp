#include "settings.h"

#include <getopt.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <random>
#include <sstream>
#include <string_view>

namespace {

constexpr const char* kAuthority = "WARLADDER_TLS_CA";
constexpr const char* kCertificate = "WARLADDER_TLS_CERTIFICATE";
constexpr const char* kKey = "WARLADDER_TLS_KEY";

[[noreturn]] void stop(const std::string& fault) {
    std::cerr << "bot: " << fault << std::endl;
    std::exit(2);
}

// What a variable holds; one that is empty counts as not set.
std::string variable(const char* name, const std::string& otherwise = "") {
    const char* value = std::getenv(name);
    return value != nullptr && *value != '\0' ? value : otherwise;
}

// The text of the file that a variable names.
std::string pem(const char* name) {
    const std::string file = variable(name);
    std::ifstream stream(file, std::ios::binary);
    if (!stream) {
        stop(std::string(name) + ": " + file + ": " + std::strerror(errno));
    }
    return std::string(std::istreambuf_iterator<char>(stream), {});
}

using Certificate = std::unique_ptr<X509, decltype(&X509_free)>;

// What is read first in a text of certificates.
Certificate certificate(const char* name, const std::string& text) {
    const std::unique_ptr<BIO, decltype(&BIO_free)> source(
        BIO_new_mem_buf(text.data(), static_cast<int>(text.size())), BIO_free);
    Certificate found(PEM_read_bio_X509(source.get(), nullptr, nullptr, nullptr), X509_free);
    if (!found) {
        stop(std::string(name) + ": " + variable(name) + ": no certificate in PEM");
    }
    return found;
}

// Ends the program unless this is the key of the certificate.
void look_at_key(const std::string& text, const Certificate& own) {
    const std::unique_ptr<BIO, decltype(&BIO_free)> source(
        BIO_new_mem_buf(text.data(), static_cast<int>(text.size())), BIO_free);
    const auto no_password = [](char*, int, int, void*) { return -1; };  // else it is asked for
    const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(
        PEM_read_bio_PrivateKey(source.get(), nullptr, no_password, nullptr), EVP_PKEY_free);
    const std::string file = variable(kKey);
    if (!key) {
        stop(std::string(kKey) + ": " + file + ": no private key in PEM without a password;" +
             " `openssl pkcs8 -topk8 -nocrypt -in " + file + "` makes one");
    }
    if (X509_check_private_key(own.get(), key.get()) != 1) {
        stop(std::string(kKey) + ": " + file + ": not the key of the certificate");
    }
}

std::shared_ptr<grpc::ChannelCredentials> trusted() {
    if (variable(kAuthority).empty()) {
        return grpc::InsecureChannelCredentials();
    }
    if (variable(kCertificate).empty() != variable(kKey).empty()) {
        stop(std::string(kCertificate) + " and " + kKey + " go together: set both");
    }
    grpc::SslCredentialsOptions trust;
    trust.pem_root_certs = pem(kAuthority);
    certificate(kAuthority, trust.pem_root_certs);
    if (!variable(kKey).empty()) {
        trust.pem_cert_chain = pem(kCertificate);
        trust.pem_private_key = pem(kKey);
        look_at_key(trust.pem_private_key, certificate(kCertificate, trust.pem_cert_chain));
    }
    return grpc::SslCredentials(trust);
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
    return grpc::CreateCustomChannel(referee, trust, arguments);
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
    given.trust = trusted();
    return given;
}

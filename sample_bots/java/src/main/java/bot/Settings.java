package bot;

import io.grpc.ChannelCredentials;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannelBuilder;
import io.grpc.ManagedChannelRegistry.ProviderNotFoundException;
import io.grpc.TlsChannelCredentials;
import java.io.File;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * What the environment and the flags say; flags go first.
 *
 * @param seed of the bot's own chance
 */
record Settings(
        String bot, String referee, String token, String seed, int maxMatches, String instance) {

    private static final String USAGE =
            """
            usage: bot [flags] {greedy,random}

            A bot for Battle for Stalingrad.

              --referee ADDRESS   (WARLADDER_REFEREE, or localhost:7700)
              --token TOKEN       (WARLADDER_TOKEN)
              --seed SEED         (WARLADDER_SEED, or drawn)
              --max-matches N     how many at once (1)
              --instance NAME     tells running copies apart
            """;

    private static final List<String> FLAGS =
            List.of("--referee", "--token", "--seed", "--max-matches", "--instance");

    /**
     * A line to a referee: TLS if `WARLADDER_TLS_CA` names whom to trust.
     *
     * <p>`WARLADDER_TLS_CERTIFICATE` and `WARLADDER_TLS_KEY` are for referees that want to see a
     * certificate of the bot. All three are PEM files, the key in PKCS #8.
     */
    ManagedChannelBuilder<?> dial(String referee) {
        try {
            return Grpc.newChannelBuilder(referee, trust());
        } catch (IOException | ProviderNotFoundException fault) { // no file, or nothing in it
            System.err.println("WARLADDER_TLS_…: " + fault.getMessage());
            System.exit(1);
            throw new AssertionError(fault);
        }
    }

    private static ChannelCredentials trust() throws IOException {
        String authority = env("WARLADDER_TLS_CA", "");
        String key = env("WARLADDER_TLS_KEY", "");
        String certificate = env("WARLADDER_TLS_CERTIFICATE", "");
        if (authority.isEmpty()) {
            return InsecureChannelCredentials.create();
        }
        var trust = TlsChannelCredentials.newBuilder().trustManager(new File(authority));
        if (key.isEmpty() != certificate.isEmpty()) {
            throw new IOException("a certificate and its key go together; set both");
        }
        if (!key.isEmpty()) {
            trust.keyManager(new File(certificate), new File(key));
        }
        return trust.build();
    }

    /** Ends the program with a line on what is wrong, and exit code 2. */
    static Settings read(String[] words, Collection<String> bots) {
        Map<String, String> flags = new HashMap<>();
        String bot = "";
        var left = new ArrayDeque<>(List.of(words));
        while (!left.isEmpty()) {
            String word = left.pop();
            String[] flag = word.split("=", 2);
            if (word.equals("-h") || word.equals("--help")) {
                System.out.print(USAGE);
                System.exit(0);
            } else if (FLAGS.contains(flag[0])) {
                if (flag.length == 1 && left.isEmpty()) {
                    refuse(word + " takes a value");
                }
                flags.put(flag[0], flag.length == 2 ? flag[1] : left.pop());
            } else if (bot.isEmpty() && bots.contains(word)) {
                bot = word;
            } else {
                refuse("there is no " + word + ", see --help");
            }
        }
        if (bot.isEmpty()) {
            refuse("which bot: " + String.join(" or ", new TreeSet<>(bots)) + "?");
        }
        String token = flags.getOrDefault("--token", env("WARLADDER_TOKEN", ""));
        if (token.isEmpty() || !token.chars().allMatch(each -> ' ' <= each && each <= '~')) {
            refuse("no token: set WARLADDER_TOKEN to what `warladder bot add` printed");
        }
        String maxMatches = flags.getOrDefault("--max-matches", "1");
        if (!maxMatches.matches("[1-9][0-9]{0,2}|1000")) {
            refuse("--max-matches takes a whole number from 1 to 1000");
        }
        return new Settings(
                bot,
                flags.getOrDefault("--referee", env("WARLADDER_REFEREE", "localhost:7700")),
                token,
                flags.containsKey("--seed") ? flags.get("--seed") : env("WARLADDER_SEED", drawn()),
                Integer.parseInt(maxMatches),
                flags.getOrDefault("--instance", ""));
    }

    private static String env(String name, String otherwise) {
        String value = System.getenv(name);
        return value == null || value.isEmpty() ? otherwise : value;
    }

    private static String drawn() {
        return HexFormat.of().toHexDigits(new SecureRandom().nextLong());
    }

    private static void refuse(String why) {
        System.err.println("bot: error: " + why);
        System.exit(2);
    }
}

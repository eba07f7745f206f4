package bot;

import io.grpc.ChannelCredentials;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannelBuilder;
import io.grpc.TlsChannelCredentials;
import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayDeque;
import java.util.Base64;
import java.util.Collection;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What the environment and the flags say; flags go first.
 *
 * @param seed of the bot's own chance
 */
record Settings(
        String bot, String referee, String token, String seed, int maxMatches, String instance,
        ChannelCredentials trust) {

    private static final String AUTHORITY = "WARLADDER_TLS_CA";
    private static final String CERTIFICATE = "WARLADDER_TLS_CERTIFICATE";
    private static final String KEY = "WARLADDER_TLS_KEY";
    private static final Pattern PRIVATE_KEY =
            Pattern.compile("-----BEGIN PRIVATE KEY-----([^-]+)-----END PRIVATE KEY-----");

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

    /** A line to a referee. */
    ManagedChannelBuilder<?> dial(String referee) {
        return Grpc.newChannelBuilder(referee, trust);
    }

    /**
     * TLS if `WARLADDER_TLS_CA` names whom to trust.
     *
     * <p>`WARLADDER_TLS_CERTIFICATE` and `WARLADDER_TLS_KEY` are for referees that want to see a
     * certificate of the bot. All three are PEM files, the key in PKCS #8, and looked at here: what
     * is wrong with them gRPC would find only when it dials, and dial again.
     */
    private static ChannelCredentials trusted() {
        String authority = env(AUTHORITY, "");
        String certificate = env(CERTIFICATE, "");
        String key = env(KEY, "");
        if (authority.isEmpty()) {
            return InsecureChannelCredentials.create();
        }
        if (key.isEmpty() != certificate.isEmpty()) {
            refuse(CERTIFICATE + " and " + KEY + " go together: set both");
        }
        try {
            certificate(AUTHORITY, authority);
            var trust = TlsChannelCredentials.newBuilder().trustManager(new File(authority));
            if (!key.isEmpty()) {
                lookAtKey(key, certificate(CERTIFICATE, certificate));
                trust.keyManager(new File(certificate), new File(key));
            }
            return trust.build();
        } catch (IOException fault) { // gone since we looked
            refuse("WARLADDER_TLS_…: " + fault.getMessage());
            throw new AssertionError(fault);
        }
    }

    /** The first certificate of a file in which all can be read. */
    private static Certificate certificate(String name, String file) {
        var pem = new ByteArrayInputStream(contents(name, file));
        try {
            var reader = CertificateFactory.getInstance("X.509");
            var found = reader.generateCertificates(pem).iterator();
            if (found.hasNext()) {
                return found.next();
            }
        } catch (CertificateException fault) {
            // Between the lines of PEM is something else.
        }
        refuse(name + ": " + file + ": no certificate in PEM");
        throw new AssertionError();
    }

    /** Ends the program unless the file has the key of this certificate: it must fit its lock. */
    private static void lookAtKey(String file, Certificate certificate) {
        String text = new String(contents(KEY, file), StandardCharsets.ISO_8859_1);
        Matcher pem = PRIVATE_KEY.matcher(text);
        if (!pem.find()) {
            refuse(KEY + ": " + file + ": no private key in PKCS #8 without a password;"
                    + " `openssl pkcs8 -topk8 -nocrypt -in " + file + "` makes one");
        }
        try {
            PublicKey lock = certificate.getPublicKey();
            var coded = new PKCS8EncodedKeySpec(Base64.getMimeDecoder().decode(pem.group(1)));
            PrivateKey key = KeyFactory.getInstance(lock.getAlgorithm()).generatePrivate(coded);
            String kind = lock.getAlgorithm().equals("EC") ? "ECDSA" : lock.getAlgorithm();
            var signed = Signature.getInstance(kind.equals("EdDSA") ? kind : "SHA256with" + kind);
            signed.initSign(key);
            byte[] seal = signed.sign();
            signed.initVerify(lock);
            if (signed.verify(seal)) {
                return;
            }
        } catch (GeneralSecurityException | IllegalArgumentException fault) {
            // A key of another kind, or no key at all.
        }
        refuse(KEY + ": " + file + ": not the key of the certificate");
    }

    private static byte[] contents(String name, String file) {
        try {
            return Files.readAllBytes(Path.of(file));
        } catch (NoSuchFileException fault) {
            refuse(name + ": " + file + ": there is no such file");
            throw new AssertionError(fault);
        } catch (IOException fault) {
            refuse(name + ": " + file + ": cannot be read");
            throw new AssertionError(fault);
        }
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
                flags.getOrDefault("--instance", ""),
                trusted());
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

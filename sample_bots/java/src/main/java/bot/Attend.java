package bot;

import com.google.protobuf.ByteString;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusException;
import io.grpc.stub.BlockingClientCall;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import warladder.v1.RefereeGrpc;
import warladder.v1.RefereeOuterClass.BotMessage;
import warladder.v1.RefereeOuterClass.Choose;
import warladder.v1.RefereeOuterClass.Decide;
import warladder.v1.RefereeOuterClass.Detail;
import warladder.v1.RefereeOuterClass.Fault;
import warladder.v1.RefereeOuterClass.FaultCode;
import warladder.v1.RefereeOuterClass.Goodbye;
import warladder.v1.RefereeOuterClass.Hello;
import warladder.v1.RefereeOuterClass.MatchEnded;
import warladder.v1.RefereeOuterClass.MatchStarted;
import warladder.v1.RefereeOuterClass.Pong;
import warladder.v1.RefereeOuterClass.Ready;
import warladder.v1.RefereeOuterClass.RefereeMessage;
import warladder.v1.RefereeOuterClass.Update;
import warladder.v1.RefereeOuterClass.Welcome;

/**
 * The bot's side of the conversation with a referee: dials in, answers, dials again after a cut.
 *
 * <p>One plain loop reads a message, thinks and writes, however many matches there are: the referee
 * asks one question at a time, and the next one's clock stands still until it is put.
 */
final class Attend {
    /** Results are kept by version: raise it when the bot changes. */
    private static final String VERSION = "1";

    /** Milliseconds before dialling again: doubled each time that nobody answers. */
    private static final long FIRST_WAIT = 200;

    private static final long LONGEST_WAIT = 10_000;

    /** How long matches that this referee does not have are looked for at the others. */
    private static final long SEARCH_MILLIS = 60_000;

    private static final long SEARCH_WAIT = 500;

    /** Dialling again does not mend these. */
    private static final Set<Status.Code> HOPELESS =
            Set.of(
                    Status.Code.UNAUTHENTICATED,
                    Status.Code.PERMISSION_DENIED,
                    Status.Code.INVALID_ARGUMENT,
                    Status.Code.UNIMPLEMENTED);

    private static final long CONNECT_SECONDS = 20;
    private static final long KEEPALIVE_SECONDS = 20;
    private static final int RECEIVED_BYTES = 16 << 20;
    private static final Metadata.Key<String> AUTHORIZATION =
            Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

    /** The bot itself. */
    @FunctionalInterface
    interface Bot {
        /** Question, own seat and seed to the index of an option. */
        int choose(Decide asked, int seat, String seed);
    }

    /** What is remembered of a running match, so that it can go on after a cut. */
    private record Match(int seat, int lastEvent, ByteString receipt) {}

    private final Settings settings;
    private final Bot bot;
    private final Map<String, Match> matches = new LinkedHashMap<>();

    /** Where to dial, the next one first. */
    private final List<String> referees = new ArrayList<>();

    private long wait = FIRST_WAIT;

    /** The referee let us in: after a cut our matches are to be found there first. */
    private boolean stays;

    /** Since when missing matches are looked for; empty while none is missing. */
    private OptionalLong searching = OptionalLong.empty();

    /** A stream takes one message at a time. */
    private final Object writing = new Object();

    /** The stream that we stay on, once we are welcome there. */
    private BlockingClientCall<BotMessage, RefereeMessage> stream;

    /** Matches that are remembered. */
    private int running;

    private boolean leaving;

    /** A bot's presence on a ladder, over as many streams as it takes. */
    Attend(Settings settings, Bot bot) {
        this.settings = settings;
        this.bot = bot;
    }

    /** Attend until the bot is no longer wanted; returns the exit code. */
    int run() throws InterruptedException {
        referees.add(settings.referee());
        while (true) {
            String referee = referees.get(0);
            stays = false;
            OptionalInt code = dial(referee);
            if (code.isPresent()) {
                return code.getAsInt();
            }
            if (stand(null) && matches.isEmpty()) {
                return 0;
            }
            if (!stays) {
                referees.add(referees.remove(0));
            }
            Thread.sleep((long) (wait * ThreadLocalRandom.current().nextDouble(1.0, 1.5)));
            wait = Math.min(wait * 2, LONGEST_WAIT);
        }
    }

    /**
     * Take no new matches, and end with the last one that runs; called by another thread.
     *
     * <p>False if there is nothing to wait for: nothing is to be played, or it was called before.
     */
    boolean leave() {
        BlockingClientCall<BotMessage, RefereeMessage> told;
        synchronized (this) {
            if (leaving || (stream == null && running == 0)) {
                return false;
            }
            leaving = true;
            say("leaving: no new matches, " + running + " still run; Ctrl-C again leaves now");
            told = stream;
        }
        if (told != null) { // else Goodbye follows the next Welcome
            try {
                write(told, goodbye());
            } catch (InterruptedException nobody) {
                Thread.currentThread().interrupt();
            }
        }
        return true;
    }

    /** Note where we stand, for {@code leave}; whether we are leaving. */
    private synchronized boolean stand(BlockingClientCall<BotMessage, RefereeMessage> stream) {
        this.stream = stream;
        running = matches.size();
        return leaving;
    }

    private OptionalInt dial(String referee) throws InterruptedException {
        ManagedChannel channel;
        try {
            channel =
                    settings.dial(referee)
                            .keepAliveTime(KEEPALIVE_SECONDS, TimeUnit.SECONDS)
                            .maxInboundMessageSize(RECEIVED_BYTES)
                            .build();
        } catch (IllegalArgumentException wrong) { // it is no address
            say(referee + ": " + wrong.getMessage());
            return OptionalInt.empty();
        }
        try {
            return attend(channel);
        } catch (StatusException error) {
            Status status = error.getStatus();
            say(referee + ": " + status.getCode() + ": " + why(status));
            return HOPELESS.contains(status.getCode()) ? OptionalInt.of(1) : OptionalInt.empty();
        } finally {
            channel.shutdownNow();
        }
    }

    /** One stream; returns the exit code, or nothing to dial again after {@code wait}. */
    private OptionalInt attend(Channel channel) throws InterruptedException, StatusException {
        Metadata token = new Metadata();
        token.put(AUTHORIZATION, "Bearer " + settings.token());
        BlockingClientCall<BotMessage, RefereeMessage> stream =
                ClientCalls.blockingBidiStreamingCall(
                        ClientInterceptors.intercept(
                                channel, MetadataUtils.newAttachHeadersInterceptor(token)),
                        RefereeGrpc.getAttendMethod(),
                        CallOptions.DEFAULT);
        write(stream, BotMessage.newBuilder().setHello(hello()));
        for (RefereeMessage message; (message = stream.read()) != null; ) {
            switch (message.getMessageCase()) {
                case WELCOME -> {
                    if (!welcomed(message.getWelcome())) {
                        return OptionalInt.empty();
                    }
                    if (stand(stream)) {
                        write(stream, goodbye());
                    }
                }
                case REFEREES -> know(message.getReferees().getAddressesList());
                case MATCH_STARTED -> {
                    MatchStarted started = message.getMatchStarted();
                    started(started);
                    stand(stream);
                    Ready ready = Ready.newBuilder().setMatch(started.getMatch()).build();
                    write(stream, BotMessage.newBuilder().setReady(ready));
                }
                case DECIDE -> {
                    Optional<Choose> choose = decide(message.getDecide());
                    if (choose.isPresent()) {
                        write(stream, BotMessage.newBuilder().setChoose(choose.get()));
                    }
                }
                case UPDATE -> {
                    Update update = message.getUpdate();
                    seen(update.getMatch(), update.getLastEvent(), update.getReceipt());
                }
                case MATCH_ENDED -> {
                    ended(message.getMatchEnded());
                    stand(stream);
                }
                case PING -> {
                    Pong pong = Pong.newBuilder().setNumber(message.getPing().getNumber()).build();
                    write(stream, BotMessage.newBuilder().setPong(pong));
                }
                case FAULT -> say(name(message.getFault()) + ": " + message.getFault().getText());
                case GOODBYE -> {
                    return parted(message.getGoodbye());
                }
                default -> {} // of a newer minor version
            }
        }
        return OptionalInt.empty();
    }

    private Hello hello() {
        Hello.Builder hello =
                Hello.newBuilder()
                        .setVersion(VERSION)
                        .setInstance(settings.instance())
                        .addGames("stalingrad")
                        .setMaxMatches(settings.maxMatches())
                        .setDetail(Detail.DETAIL_NO_LABELS);
        matches.forEach(
                (name, each) ->
                        hello.addResumeBuilder()
                                .setMatch(name)
                                .setLastEvent(each.lastEvent())
                                .setReceipt(each.receipt()));
        return hello.build();
    }

    /** Whether to stay: our matches go on here, or no other referee can have them. */
    private boolean welcomed(Welcome welcome) {
        say("attending as " + welcome.getBot());
        know(welcome.getRefereesList());
        Set<String> missing = new HashSet<>(matches.keySet());
        missing.removeAll(welcome.getResumedList());
        long now = TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
        if (missing.isEmpty() || now - searching.orElse(now) > SEARCH_MILLIS) {
            searching = OptionalLong.empty();
            matches.keySet().removeAll(missing); // ended while we were away
            stays = true;
        } else {
            searching = OptionalLong.of(searching.orElse(now));
            stays = welcome.getResumedCount() > 0 || referees.size() == 1;
        }
        wait = stays ? FIRST_WAIT : SEARCH_WAIT;
        return stays;
    }

    /** Where else to dial when this referee goes. */
    private void know(List<String> addresses) {
        addresses.stream().filter(each -> !referees.contains(each)).forEach(referees::add);
    }

    private void started(MatchStarted started) {
        matches.putIfAbsent(started.getMatch(), new Match(started.getSeat(), 0, ByteString.EMPTY));
    }

    private Optional<Choose> decide(Decide asked) {
        return seen(asked.getMatch(), asked.getLastEvent(), asked.getReceipt())
                .map(match -> bot.choose(asked, match.seat(), settings.seed()))
                .map(
                        option ->
                                Choose.newBuilder()
                                        .setMatch(asked.getMatch())
                                        .setDecision(asked.getDecision())
                                        .setOption(option)
                                        .build());
    }

    /**
     * Note how far we are, if it is a match of ours; a message's events have what happened, for a
     * bot that wants it.
     */
    private Optional<Match> seen(String name, int lastEvent, ByteString receipt) {
        return Optional.ofNullable(
                matches.computeIfPresent(
                        name, (same, last) -> new Match(last.seat(), lastEvent, receipt)));
    }

    private void ended(MatchEnded ended) {
        matches.remove(ended.getMatch());
        if (!ended.getText().isEmpty()) { // what a fault of our own was
            say(ended.getMatch() + ": " + ended.getText());
        }
    }

    /** What a Goodbye means: an exit code, or nothing to dial again after {@code wait}. */
    private OptionalInt parted(Goodbye goodbye) {
        switch (goodbye.getReason()) {
            case GOODBYE_REASON_DONE -> {
                return OptionalInt.of(0);
            }
            case GOODBYE_REASON_REPLACED, GOODBYE_REASON_FAULT -> {
                return OptionalInt.of(1);
            }
            case GOODBYE_REASON_REVOKED -> {
                say("this token opens nothing any more: set WARLADDER_TOKEN to the new one");
                return OptionalInt.of(1);
            }
            case GOODBYE_REASON_DRAINING -> stays = false;
            default -> {}
        }
        wait = Math.max(Integer.toUnsignedLong(goodbye.getReconnectAfterMs()), FIRST_WAIT);
        return OptionalInt.empty();
    }

    /**
     * Say something. A stream that has ended takes nothing: reading it tells why, also where nobody
     * has spoken on the connection for long. gRPC would wait for that for ever.
     */
    private void write(
            BlockingClientCall<BotMessage, RefereeMessage> stream, BotMessage.Builder message)
            throws InterruptedException {
        synchronized (writing) {
            try {
                stream.write(message.build(), CONNECT_SECONDS, TimeUnit.SECONDS);
            } catch (TimeoutException silent) {
                stream.cancel("nothing heard for " + CONNECT_SECONDS + " s", silent);
            } catch (StatusException | IllegalStateException ended) {
                // as above
            }
        }
    }

    private static BotMessage.Builder goodbye() {
        return BotMessage.newBuilder().setGoodbye(Goodbye.getDefaultInstance());
    }

    /** A fault of a newer minor version has only a number. */
    private static String name(Fault fault) {
        return fault.getCode() == FaultCode.UNRECOGNIZED
                ? Integer.toString(fault.getCodeValue())
                : fault.getCode().name();
    }

    /** A connection that failed has its reason further down. */
    private static String why(Status status) {
        String cause = status.getCause() == null ? null : status.getCause().getMessage();
        return cause == null ? status.getDescription() : status.getDescription() + ": " + cause;
    }

    private static void say(String line) {
        System.err.println(line);
    }
}

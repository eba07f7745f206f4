package bot;

import static java.util.Map.entry;

import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.logging.LogManager;
import warladder.v1.RefereeOuterClass.Decide;

/** Runs one of the bots: `./bot greedy`, `./bot random`. */
final class Main {
    private Main() {}

    /** Any option, each as likely as the others. */
    private static int random(Decide asked, int seat, String seed) {
        return Chance.pick(seed, asked.getMatch(), asked.getDecision(), asked.getOptionsCount());
    }

    private static final Map<String, Attend.Bot> BOTS =
            Map.ofEntries(entry("greedy", Greedy::choose), entry("random", Main::random));

    public static void main(String[] args) throws Exception {
        at("TERM", () -> System.exit(0));
        LogManager.getLogManager().reset(); // gRPC's own; Attend says what went wrong
        Settings chosen = Settings.read(args, BOTS.keySet());
        Attend attend = new Attend(chosen, BOTS.get(chosen.bot()));
        at("INT", () -> leave(attend));
        System.exit(attend.run());
    }

    /** At a first Ctrl-C the bot ends with its last match, at a second at once. */
    private static void leave(Attend attend) {
        if (!attend.leave()) {
            System.exit(130);
        }
    }

    /**
     * Heed a signal, each time on a thread of its own. What the JDK has for it is not for
     * everybody, javac warns, so it goes by name.
     */
    private static void at(String name, Runnable act) throws ReflectiveOperationException {
        Class<?> handler = Class.forName("sun.misc.SignalHandler");
        Object acting =
                Proxy.newProxyInstance(
                        handler.getClassLoader(),
                        new Class<?>[] {handler},
                        (proxy, method, arguments) -> {
                            act.run();
                            return null;
                        });
        Class<?> signal = Class.forName("sun.misc.Signal");
        signal.getMethod("handle", signal, handler)
                .invoke(null, signal.getConstructor(String.class).newInstance(name), acting);
    }
}

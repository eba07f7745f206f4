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
        endWellAt("TERM");
        LogManager.getLogManager().reset(); // gRPC's own; Attend says what went wrong
        Settings chosen = Settings.read(args, BOTS.keySet());
        System.exit(new Attend(chosen, BOTS.get(chosen.bot())).run());
    }

    /**
     * Exit code 0 at a signal. What the JDK has for it is not for everybody, javac warns, so it
     * goes by name.
     */
    private static void endWellAt(String name) throws ReflectiveOperationException {
        Class<?> handler = Class.forName("sun.misc.SignalHandler");
        Object exit =
                Proxy.newProxyInstance(
                        handler.getClassLoader(),
                        new Class<?>[] {handler},
                        (proxy, method, arguments) -> {
                            System.exit(0);
                            return null;
                        });
        Class<?> signal = Class.forName("sun.misc.Signal");
        signal.getMethod("handle", signal, handler)
                .invoke(null, signal.getConstructor(String.class).newInstance(name), exit);
    }
}

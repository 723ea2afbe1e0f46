package io.bulwark.appliance.admin;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Health check of this process's members: it asks each one every second whether it does its work. Members are asked
 * separately, so that one that hangs delays no other; it counts as not ready once its last answer is too old.
 * Thread-safe.
 */
public final class HealthWatch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(HealthWatch.class);
    private static final Duration PERIOD = Duration.ofSeconds(1);
    private static final long OLD_NANOS = TimeUnit.SECONDS.toNanos(15);

    /** Matches a number that stands alone and is not part of a name, an address or a version. */
    private static final Pattern COUNT = Pattern.compile("(?<![\\w.:-])[0-9]+");

    private record LoggedProblem(String problem, long nanos) {}

    private final Supplier<List<MonitoredMember>> members;
    private final Map<String, LoggedProblem> words = new ConcurrentHashMap<>();
    private final Set<String> asking = ConcurrentHashMap.newKeySet();
    private final Thread thread = Thread.ofVirtual().name("health").unstarted(this::run);
    private volatile boolean leaving;

    private HealthWatch(Supplier<List<MonitoredMember>> members) {
        this.members = members;
    }

    /** Begins. */
    public static HealthWatch start(Supplier<List<MonitoredMember>> members) {
        HealthWatch watch = new HealthWatch(members);
        watch.thread.start();
        return watch;
    }

    /** The members that do not do their work now, and why; empty if all do. */
    public Map<String, String> problems() {
        Map<String, String> problems = new TreeMap<>();
        long now = System.nanoTime();
        for (MonitoredMember member : members.get()) {
            LoggedProblem word = words.get(member.name());
            String problem = leaving
                    ? "it is shutting down"
                    : word == null
                            ? "it has not reported its health yet"
                            : now - word.nanos > OLD_NANOS ? "it does not answer" : word.problem;
            if (!problem.isEmpty()) {
                problems.put(member.name(), problem);
            }
        }
        return problems;
    }

    /** The members that only a new start can help, and why. */
    public Map<String, String> broken() {
        Map<String, String> broken = new TreeMap<>();
        for (MonitoredMember member : members.get()) {
            String why = member.broken();
            if (!why.isEmpty()) {
                broken.put(member.name(), why);
            }
        }
        return broken;
    }

    /** Makes all members not ready: this process is about to end. */
    public void leave() {
        leaving = true;
    }

    @Override
    public void close() {
        thread.interrupt();
    }

    private void run() {
        try {
            while (true) {
                for (MonitoredMember member : members.get()) {
                    if (asking.add(member.name())) {
                        Thread.ofVirtual().name("health-" + member.name()).start(() -> ask(member));
                    }
                }
                Thread.sleep(PERIOD);
            }
        } catch (InterruptedException e) {
            LOG.debug("health checks stopped");
        }
    }

    private void ask(MonitoredMember member) {
        String problem;
        try {
            problem = member.problem();
        } catch (Exception e) {
            problem = reason(e);
        }
        LoggedProblem last = words.put(member.name(), new LoggedProblem(problem, System.nanoTime()));
        asking.remove(member.name());
        if (!leaving && isNews(last == null ? "" : last.problem, problem)) {
            LOG.info("{}: {}", member.name(), problem.isEmpty() ? "ready" : "not ready: " + problem);
        }
    }

    /** Returns whether the log needs a new line. A change in numbers alone, such as elapsed seconds, needs none. */
    static boolean isNews(String before, String now) {
        return !COUNT.matcher(before).replaceAll("N").equals(COUNT.matcher(now).replaceAll("N"));
    }

    /** Returns a readable reason why a member did not report its health. */
    static String reason(Throwable failure) {
        Throwable cause = failure.getCause();
        if (failure instanceof ExecutionException && cause != null) {
            return reason(cause);
        }
        if (failure instanceof TimeoutException) {
            return "its health check timed out";
        }
        return failure.getMessage() == null ? failure.toString() : failure.getMessage();
    }
}

package io.bulwark.appliance.supervisor;

import io.bulwark.appliance.admin.MonitoredMember;
import io.bulwark.appliance.cluster.ReplicaMember;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Supervisor of one replica: restarts it when it ends by itself, and starts its recovery in its turn. It starts the
 * replica only from an allowed release, and stops it in its turn if another one is installed. Thread-safe.
 */
public final class Supervisor implements MonitoredMember {
    private static final Logger LOG = LoggerFactory.getLogger(Supervisor.class);
    private static final String REMOVED =
            " was removed from the group: its supervisor no longer recovers or restarts it; stop the supervisor, "
                    + "and wipe the disk";

    /**
     * Times that a supervisor waits.
     *
     * @param tickMillis interval at which it looks at its replica
     * @param lookAgainMillis time after which a refused start is checked again, and replicas that gave no list are
     *     asked again
     * @param restartMillis time before the first restart of a replica that has ended by itself
     */
    record Pace(long tickMillis, long lookAgainMillis, long restartMillis) {
        static final Pace STANDARD = new Pace(500, 3_000, 1_000);

        private long lookAgainNanos() {
            return TimeUnit.MILLISECONDS.toNanos(lookAgainMillis);
        }
    }

    /**
     * Information that a supervisor of a group needs.
     *
     * @param group the group that it asks
     * @param installed the files from which it starts the replica, and which it checks; empty if the replica runs in
     *     its own process
     * @param replicas number of replicas
     * @param periodMillis T_w; empty if the replica does not recover in turns
     */
    public record Watchdog(Group group, Optional<Installation> installed, int replicas, OptionalLong periodMillis) {}

    /** Guards all that follows, and is held during a turn. */
    private final ReentrantLock lock = new ReentrantLock();

    private final ReplicaMember member;
    private final LongSupplier wallMillis;
    private final int number;
    private final Watchdog watchdog;
    private List<Integer> members;
    /** It was a member, and is none any more. */
    private volatile boolean removed;

    /** Reason why it does not take turns yet; empty if there is none. */
    private String waiting = "";

    private final CompletableFuture<String> over = new CompletableFuture<>();
    private volatile Optional<WatchdogSchedule> turns;
    private final Optional<ReleaseCheck> check;
    private final Pace pace;
    private final RestartPauses pauses;
    private final MeterRegistry meters;
    private final Counter restarts;
    private final Counter recoveries;
    private final Counter missed;
    private final Thread thread;
    private volatile boolean closed;
    private volatile String problem = "";
    private volatile OptionalLong next = OptionalLong.empty();
    private String putOff = "";
    private long startedNanos;
    private long restartNanos;
    private boolean ended;
    /** A recovery has begun, and its process was not seen to listen. */
    private boolean unfinished;
    /** True while the installed files may not be started. */
    private boolean withheld;

    /** Time at which to ask for the first list of releases. */
    private long learnNanos;

    private Supervisor(
            ReplicaMember member,
            int number,
            Watchdog watchdog,
            LongSupplier wallMillis,
            Pace pace,
            MeterRegistry meters) {
        this.member = member;
        this.number = number;
        this.watchdog = watchdog;
        this.wallMillis = wallMillis;
        this.pace = pace;
        this.pauses = new RestartPauses(pace.restartMillis());
        this.members = membersOf(watchdog);
        this.turns = turnsOf(watchdog);
        this.check = watchdog.installed().map(what -> new ReleaseCheck(what, watchdog.group()));
        this.meters = meters;
        this.restarts = Counter.builder("bulwark.supervisor.restarts")
                .description("Starts of the replica after it died.")
                .register(meters);
        this.recoveries = Counter.builder("bulwark.supervisor.recoveries")
                .description("Recoveries that the supervisor has begun.")
                .register(meters);
        this.missed = Counter.builder("bulwark.supervisor.missed")
                .description("Turns that the supervisor has missed.")
                .register(meters);
        Gauge.builder("bulwark.supervisor.problem", this, shown -> shown.problem.isEmpty() ? 0 : 1)
                .description("1 while the supervisor has an alarm; its log says which.")
                .register(meters);
        this.startedNanos = System.nanoTime();
        this.learnNanos = startedNanos;
        this.next =
                turns.map(WatchdogSchedule::nextMillis).map(OptionalLong::of).orElse(OptionalLong.empty());
        this.thread = Thread.ofPlatform().daemon().name("supervisor-" + number).unstarted(this::run);
    }

    /**
     * Begins to watch over a replica, which has been started.
     *
     * @param meters with the name of the member as a tag
     */
    public static Supervisor start(ReplicaMember member, int number, Watchdog watchdog, MeterRegistry meters) {
        return start(member, number, watchdog, System::currentTimeMillis, Pace.STANDARD, meters);
    }

    static Supervisor start(
            ReplicaMember member,
            int number,
            Watchdog watchdog,
            LongSupplier wallMillis,
            Pace pace,
            MeterRegistry meters) {
        Supervisor supervisor = new Supervisor(member, number, watchdog, wallMillis, pace, meters);
        supervisor.thread.start();
        return supervisor;
    }

    private static List<Integer> membersOf(Watchdog watching) {
        List<Integer> now = watching.group().members();
        return now.isEmpty() ? IntStream.range(0, watching.replicas()).boxed().toList() : now;
    }

    /** None for a replica that is no member. */
    private Optional<WatchdogSchedule> turnsOf(Watchdog watching) {
        int place = members.indexOf(number);
        return place < 0 || watching.periodMillis().isEmpty()
                ? Optional.empty()
                : Optional.of(new WatchdogSchedule(
                        place, members.size(), watching.periodMillis().getAsLong(), wallMillis.getAsLong()));
    }

    /** WatchdogSchedule are by places, which are others once other replicas follow. */
    private void follow() {
        if (removed) {
            return;
        }
        if (watchdog.group().hasRemoved(number)) {
            turns = Optional.empty();
            next = OptionalLong.empty();
            withheld = false;
            problem = member.name() + REMOVED;
            removed = true;
            LOG.warn("{}", problem);
            return;
        }
        List<Integer> now = membersOf(watchdog);
        logAwaited(now);
        if (!now.equals(members)) {
            boolean same = now.indexOf(number) == members.indexOf(number) && now.size() == members.size();
            members = now;
            if (same) {
                return; // Begun anew, its turn would be put off by each change of others.
            }
            turns = turnsOf(watchdog);
            next = turns.map(WatchdogSchedule::nextMillis).map(OptionalLong::of).orElse(OptionalLong.empty());
        }
    }

    /** Logs what the replica waits for. Nobody answers it before it is admitted, possibly long after its start. */
    private void logAwaited(List<Integer> now) {
        String waits = now.contains(number)
                ? ""
                : "for an operator to add it; the replicas are "
                        + now.stream().map(each -> "replica-" + each).collect(Collectors.joining(", "));
        if (waits.equals(waiting)) {
            return;
        }
        waiting = waits;
        if (waits.isEmpty()) {
            LOG.info("{} was added to the group", member.name());
        } else {
            LOG.info("{} is waiting {}", member.name(), waits);
        }
    }

    /** It was removed from the group. */
    public boolean isRemoved() {
        return removed;
    }

    /** Done, with the reason, when nothing is left to watch over: the replica was removed from the group, and has ended. */
    public CompletableFuture<String> over() {
        return over.copy();
    }

    /** Returns the time of the replica's next turn; empty if it has none. */
    public OptionalLong nextMillis() {
        return next;
    }

    @Override
    public String name() {
        return "supervisor-" + number;
    }

    @Override
    public MeterRegistry meters() {
        return meters;
    }

    /**
     * Returns the problem that keeps the replica from recovering in its turns and needs a person's attention; empty if
     * there is none.
     */
    @Override
    public String problem() {
        return problem;
    }

    @Override
    public String broken() {
        return "";
    }

    /** The replica that it watches over. */
    public ReplicaMember member() {
        return member;
    }

    /**
     * Has the replica recover now, and waits until it listens.
     *
     * @return why it was not done; empty if it was
     */
    public String recoverNow() throws Exception {
        if (removed) {
            return problem;
        }
        if (watchdog.periodMillis().isEmpty()) {
            return member.name() + " does not recover: recovery is off, or there are no identities to sign with";
        }
        lock.lockInterruptibly();
        try {
            if (closed) {
                return "the supervisor of " + member.name() + " is shutting down";
            }
            follow();
            Optional<WatchdogSchedule> own = turns;
            if (own.isEmpty()) {
                return removed ? problem : member.name() + " is not a member of the group";
            }
            String refused = switch (look()) {
                case ReleaseCheck.ReleaseDecision.Allowed _ -> "";
                case ReleaseCheck.ReleaseDecision.Unknown unknown -> unknown.why();
                case ReleaseCheck.ReleaseDecision.Refused not -> not.why();
            };
            if (!refused.isEmpty()) {
                return member.name() + " is not restarted: " + refused;
            }
            GroupHealth standing = standing(watchdog);
            String objection = own.get().objection(wallMillis.getAsLong(), standing);
            if (!objection.isEmpty()) {
                return member.name() + " cannot recover now: " + objection;
            }
            recover(own.get(), "requested by an operator");
            return "";
        } finally {
            lock.unlock();
        }
    }

    /** Leaves the replica as it is, running or not. */
    @Override
    public void close() {
        closed = true;
        thread.interrupt();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        try {
            while (!closed) {
                lock.lockInterruptibly();
                try {
                    tick();
                } finally {
                    lock.unlock();
                }
                Thread.sleep(pace.tickMillis());
            }
        } catch (InterruptedException e) {
            LOG.debug("supervision of {} stopped", member.name());
        }
    }

    private void tick() throws InterruptedException {
        try {
            if (unfinished || !member.isRunning()) {
                startAgain();
            } else {
                ended = false;
                follow();
                learnReleases();
                Optional<WatchdogSchedule> own = turns;
                if (own.isPresent() && own.get().isDue(wallMillis.getAsLong())) {
                    turn(own.get(), watchdog);
                }
            }
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) {
            LOG.error("supervision of {} failed: {}", member.name(), e.getMessage(), e);
        }
    }

    private void startAgain() throws Exception {
        follow();
        if (removed) {
            over.complete(member.name() + " was removed from the group and has stopped: wipe its disk");
            return;
        }
        long now = System.nanoTime();
        if (!ended) {
            ended = true;
            long pauseMillis = pauses.afterEnd(TimeUnit.NANOSECONDS.toMillis(now - startedNanos));
            restartNanos = now + TimeUnit.MILLISECONDS.toNanos(pauseMillis);
            LOG.error(
                    "{} {}; restart in {} ms",
                    member.name(),
                    member.ended().map(how -> "terminated unexpectedly " + how).orElse("does not listen"),
                    pauseMillis);
        }
        if (now - restartNanos < 0) {
            return;
        }
        Optional<String> refused = check.isPresent() ? check.get().restartRefusal() : Optional.empty();
        if (refused.isPresent()) {
            withhold(refused.get());
            restartNanos = System.nanoTime() + pace.lookAgainNanos();
            return;
        }
        if (withheld) {
            withheld = false;
            problem = "";
        }
        startedNanos = now;
        ended = false;
        restarts.increment();
        if (unfinished) {
            member.recover();
            unfinished = false;
        } else {
            member.start();
        }
    }

    /**
     * Learns the allowed releases soon after the start, so that they are known if the replicas die before the first
     * turn.
     */
    private void learnReleases() throws InterruptedException {
        if (waiting.isEmpty() && check.isPresent() && check.get().hasNoList() && System.nanoTime() - learnNanos >= 0) {
            check.get().learn();
            learnNanos = System.nanoTime() + pace.lookAgainNanos();
        }
    }

    private void turn(WatchdogSchedule due, Watchdog watching) throws Exception {
        // The slow check comes first: when the replica stops, the view of the others must be recent.
        ReleaseCheck.ReleaseDecision verdict = look();
        GroupHealth standing = standing(watching);
        long wall = wallMillis.getAsLong();
        WatchdogSchedule.Decision decision = due.decide(wall, standing);
        if (decision instanceof WatchdogSchedule.Decision.Begin) {
            decision = switch (verdict) {
                case ReleaseCheck.ReleaseDecision.Allowed _ -> decision;
                case ReleaseCheck.ReleaseDecision.Unknown unknown -> due.decideUnsure(wall, unknown.why());
                case ReleaseCheck.ReleaseDecision.Refused refused -> due.refuse(wall, refused.why());
            };
        }
        switch (decision) {
            case WatchdogSchedule.Decision.Begin _ -> {
                warnIfLong(due, standing);
                recover(due, "its scheduled recovery is due");
            }
            case WatchdogSchedule.Decision.Postpone later -> {
                if (!later.why().equals(putOff)) {
                    putOff = later.why();
                    LOG.warn("the scheduled recovery of {} is postponed: {}", member.name(), putOff);
                }
                if (verdict instanceof ReleaseCheck.ReleaseDecision.Refused refused) {
                    withhold(refused.why());
                }
            }
            case WatchdogSchedule.Decision.Missed none -> missed(none);
            case WatchdogSchedule.Decision.Stop stop -> stop(stop.why());
            case WatchdogSchedule.Decision.NotNeeded none ->
                LOG.info("{} does not recover: {}", member.name(), none.why());
        }
        next = OptionalLong.of(due.nextMillis());
    }

    /** An alarm: what is installed may not be started. */
    private void withhold(String why) {
        if (!withheld || !why.equals(problem)) {
            LOG.error("{} may not be restarted: {}", member.name(), why);
        }
        withheld = true;
        problem = why;
    }

    /** It would have to recover, and there is nothing to start it from: it is stopped until there is. */
    private void stop(String why) throws Exception {
        missed.increment();
        putOff = "";
        withhold(why);
        LOG.error("{} is stopped until an allowed release is installed", member.name());
        unfinished = true;
        ended = true;
        restartNanos = System.nanoTime() + pace.lookAgainNanos();
        member.stop();
    }

    private void missed(WatchdogSchedule.Decision.Missed none) {
        missed.increment();
        withheld = false;
        problem = none.why();
        putOff = "";
        LOG.error("{} missed its scheduled recovery: {}", member.name(), none.why());
    }

    private ReleaseCheck.ReleaseDecision look() throws InterruptedException {
        return check.isPresent() ? check.get().ask() : new ReleaseCheck.ReleaseDecision.Allowed();
    }

    private GroupHealth standing(Watchdog watching) throws InterruptedException {
        return GroupHealth.of(number, members, watching.group().recoveries());
    }

    private void warnIfLong(WatchdogSchedule due, GroupHealth standing) {
        standing.tookMillis().ifPresent(took -> {
            if (due.isTooShortFor(took)) {
                LOG.warn("the last recovery of {} took {} ms: T_w is too short", member.name(), took);
            }
        });
    }

    private void recover(WatchdogSchedule due, String why) throws Exception {
        LOG.info("{} restarts for a recovery: {}", member.name(), why);
        due.begun(wallMillis.getAsLong());
        next = OptionalLong.of(due.nextMillis());
        putOff = "";
        startedNanos = System.nanoTime();
        unfinished = true;
        member.recover();
        member.awaitListening();
        unfinished = false;
        recoveries.increment();
        withheld = false;
        problem = "";
        LOG.info("{} listens again and recovers", member.name());
    }
}

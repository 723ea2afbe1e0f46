package io.bulwark.simulation.campaign;

import io.bulwark.simulation.engine.Simulation;
import io.bulwark.simulation.engine.Trace;
import io.bulwark.simulation.history.HistoryCheck;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** One seed from its beginning to its end, or to the first violation. */
public final class Run {
    /** Maximum virtual time for all operations to end once every node is healthy. */
    private static final long PATIENCE_MILLIS = 120_000;

    private final Setting setting;
    private final SimulatedWorld world;
    private final Nemesis nemesis;
    private @Nullable InvariantViolation violation;
    private int undecided;

    public Run(SimulatedProtocol protocol, Setting setting) {
        this.setting = setting;
        this.world = protocol.build(setting);
        this.nemesis = new Nemesis(world, setting);
    }

    /** Runs to the end; the violation that ended it, if one did. */
    public Optional<InvariantViolation> go() {
        try {
            scenario();
        } catch (InvariantViolation found) {
            violation = found;
        } catch (RuntimeException thrown) {
            InvariantViolation found = Invariant.NEVER_THROWS.violation("", thrown.toString());
            found.initCause(thrown);
            violation = found;
        }
        return Optional.ofNullable(violation);
    }

    private void scenario() {
        Simulation simulation = world.simulation();
        SplittableRandom random = setting.random("pace");
        int pauseMillis = 1 + random.nextInt(80);
        for (int step = 0; step < setting.steps(); step++) {
            world.step();
            nemesis.step();
            simulation.runFor(random.nextInt(pauseMillis));
            world.check();
        }
        nemesis.heal();
        world.healed();
        await("once all nodes were well");
        // Every acknowledged write must survive without the faulty nodes.
        nemesis.removeFaulty();
        world.readEverything();
        await("with the faulty nodes gone");
        world.checkAtEnd();
        HistoryCheck check = HistoryCheck.of(world.history());
        undecided = check.undecided().size();
        // Undecided keys are no violation: attackers wrote again what others wrote. For registers the timestamps are
        // judged too.
        if (!check.violations().isEmpty()) {
            throw Invariant.LINEARIZABLE.violation(
                    check.violations().getFirst().key(), check.problem().orElseThrow());
        }
    }

    private void await(String when) {
        if (!world.simulation().runUntil(world::isIdle, PATIENCE_MILLIS)) {
            throw Invariant.OPERATIONS_END.violation("", "not after " + PATIENCE_MILLIS + " ms " + when);
        }
        world.check();
    }

    public Setting setting() {
        return setting;
    }

    public SimulatedWorld world() {
        return world;
    }

    /** Returns the number of keys of the history that were given up: their order could not be decided in time. */
    public int undecided() {
        return undecided;
    }

    /** Equal for two runs of equal settings. */
    public String traceDigest() {
        return world.simulation().traceDigest();
    }

    /** The last events that name the subject of the violation; of all events if there is none. */
    public List<Trace.Entry> lastEvents(int max) {
        InvariantViolation found = violation;
        String subject = found == null ? "" : found.subject();
        Pattern named = Pattern.compile("(?<![0-9])" + Pattern.quote(subject) + "(?![0-9])");
        return world.simulation()
                .trace()
                .last(
                        max,
                        entry -> subject.isEmpty()
                                || named.matcher(entry.detail().toString()).find());
    }
}

package io.bulwark.protocol.ordering.recovery;

import io.bulwark.protocol.ordering.message.ReplicaMessage;
import io.bulwark.protocol.ordering.recovery.RecoveryReport.KnownRecovery;
import io.bulwark.protocol.ordering.recovery.RecoveryReport.OwnRecovery;
import io.bulwark.protocol.ordering.recovery.RecoveryReport.Phase;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * Report of a replica to others on recoveries: its {@link RecoveryReport} without the readings of its own clock.
 *
 * @param watchdogMillis T_w; 0 if no replica recovers here
 * @param oldestKeyMillis the age of the oldest session key in force
 * @param wallMillis the replica's estimate of wall-clock time, in milliseconds since 1970
 * @param takesPart whether it takes part in ordering; if not, it is behind, or its engine has stopped
 * @param phase the phase of its own recovery
 * @param forgotten whether it recovers since its promises were lost
 * @param own its own recovery of this life
 * @param known the last recovery of each replica that its state reflects, by the numbers in their names
 */
public record RecoveryStatus(
        long watchdogMillis,
        long oldestKeyMillis,
        long wallMillis,
        boolean takesPart,
        Phase phase,
        boolean forgotten,
        Steps own,
        List<KnownRecovery> known) {
    /** Longer times are not believed, so that sums of them do not overflow: 35,000 years. */
    public static final long MILLIS_MAX = 1L << 50;

    /** Time of a step that was not reached, or of a recovery that did not happen. */
    public static final long NEVER = -1;

    /** Returns the status of replicas that do not recover. */
    public static RecoveryStatus none(boolean takesPart) {
        return new RecoveryStatus(0, 0, 0, takesPart, Phase.NONE, false, Steps.NONE, List.of());
    }

    private static final Phase[] PHASES = Phase.values();

    /**
     * Replica's own recovery, open or the last.
     *
     * @param agoMillis how long ago it began; {@link #NEVER} if there was none since the start
     * @param estimatedMillis how long after its beginning H_M was estimated, {@link #NEVER} before; so the next three
     * @param answeredMillis 2f+1 had answered the recovery request
     * @param checkedMillis the state was checked
     * @param recoveredMillis the checkpoint at the recovery point was stable
     * @param point the recovery point
     * @param checkedPages pages that were digested
     * @param damagedPages number of these that were corrupt or missing, and replaced
     */
    public record Steps(
            long agoMillis,
            long estimatedMillis,
            long answeredMillis,
            long checkedMillis,
            long recoveredMillis,
            long point,
            long checkedPages,
            long damagedPages) {
        public static final Steps NONE = new Steps(NEVER, NEVER, NEVER, NEVER, NEVER, 0, 0, 0);

        static Steps of(OwnRecovery own, long nowMillis) {
            if (own.equals(OwnRecovery.NONE)) {
                return NONE;
            }
            long started = own.startedMillis();
            return new Steps(
                    nowMillis - started,
                    after(started, own.estimatedMillis()),
                    after(started, own.answeredMillis()),
                    after(started, own.checkedMillis()),
                    after(started, own.recoveredMillis()),
                    own.point(),
                    own.checkedPages(),
                    own.damagedPages());
        }

        private static long after(long startedMillis, long doneMillis) {
            return doneMillis == 0 ? NEVER : doneMillis - startedMillis;
        }
    }

    public RecoveryStatus {
        known = List.copyOf(known);
        if (known.size() > ReplicaMessage.REPLICAS_MAX) {
            throw new IllegalArgumentException(known.size() + " replicas");
        }
    }

    /**
     * Returns the status for a report.
     *
     * @param nowMillis the clock of the replica's driver
     * @param wallMillis the driver's estimate of wall-clock time
     * @param takesPart whether it takes part in ordering
     */
    public static RecoveryStatus of(
            RecoveryReport report,
            long watchdogMillis,
            long oldestKeyMillis,
            long nowMillis,
            long wallMillis,
            boolean takesPart) {
        return new RecoveryStatus(
                watchdogMillis,
                oldestKeyMillis,
                wallMillis,
                takesPart,
                report.phase(),
                report.forgotten(),
                Steps.of(report.own(), nowMillis),
                report.known());
    }

    /** The bound on the window of vulnerability that this replica sees; see {@link RecoveryReport#windowMillis}. */
    public OptionalLong windowMillis(int replicas) {
        return new RecoveryReport(phase, forgotten, OwnRecovery.NONE, known)
                .windowMillis(replicas, oldestKeyMillis, watchdogMillis, wallMillis);
    }

    /**
     * Returns whether the next recovery of a replica is overdue. The bound after its last one is T_w, half of T_w for
     * postponement, and a quarter for the restart.
     */
    public boolean isOverdue(KnownRecovery last) {
        return watchdogMillis > 0 && wallMillis - last.agreedMillis() > watchdogMillis / 4 * 7;
    }

    public void write(WireWriter out) {
        out.i64(watchdogMillis).i64(oldestKeyMillis).i64(wallMillis);
        out.bool(takesPart).u8(phase.ordinal()).bool(forgotten);
        out.i64(own.agoMillis()).i64(own.estimatedMillis()).i64(own.answeredMillis());
        out.i64(own.checkedMillis()).i64(own.recoveredMillis());
        out.i64(own.point()).i64(own.checkedPages()).i64(own.damagedPages());
        out.u8(known.size());
        for (KnownRecovery each : known) {
            out.u8(each.replica()).i64(each.sequence()).i64(each.point());
            out.i64(each.agreedMillis())
                    .i64(each.openMillis())
                    .bool(each.open())
                    .bool(each.slow());
        }
    }

    /**
     * Reads what {@link #write} wrote.
     *
     * @throws MalformedException for phases, times and replicas that cannot be
     */
    public static RecoveryStatus read(WireReader in) {
        long watchdog = millis(in);
        long oldestKey = millis(in);
        long wall = millis(in);
        boolean takesPart = in.bool();
        int phase = in.u8();
        if (phase >= PHASES.length) {
            throw new MalformedException("no phase " + phase);
        }
        boolean forgotten = in.bool();
        Steps own = new Steps(
                step(in),
                step(in),
                step(in),
                step(in),
                step(in),
                in.nonNegative64(),
                in.nonNegative64(),
                in.nonNegative64());
        int count = in.u8();
        if (count > ReplicaMessage.REPLICAS_MAX) {
            throw new MalformedException(count + " replicas");
        }
        List<KnownRecovery> known = new ArrayList<>();
        int last = -1;
        for (int i = 0; i < count; i++) {
            int replica = in.u8();
            if (replica <= last) {
                throw new MalformedException("replica " + replica + " after " + last);
            }
            last = replica;
            known.add(new KnownRecovery(
                    replica, in.nonNegative64(), in.nonNegative64(), millis(in), millis(in), in.bool(), in.bool()));
        }
        return new RecoveryStatus(watchdog, oldestKey, wall, takesPart, PHASES[phase], forgotten, own, known);
    }

    private static long millis(WireReader in) {
        long millis = in.nonNegative64();
        if (millis > MILLIS_MAX) {
            throw new MalformedException("a time of " + millis + " ms");
        }
        return millis;
    }

    private static long step(WireReader in) {
        long millis = in.i64();
        if (millis < NEVER || millis > MILLIS_MAX) {
            throw new MalformedException("a time of " + millis + " ms");
        }
        return millis;
    }
}

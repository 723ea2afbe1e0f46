package io.bulwark.simulation.ordering;

import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.ordering.driver.LogRecord;
import io.bulwark.protocol.ordering.message.Batch;
import io.bulwark.protocol.ordering.message.ReplicaMessage.NewView;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Numbered;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Support;
import io.bulwark.protocol.ordering.message.ReplicaMessage.ViewChange;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.simulation.engine.SimulatedRecords;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * Forged state that an intruder leaves on the disk of a replica that it loses. It has a VIEW-CHANGE with a checkpoint
 * that never existed, which later faulty replicas claim too, a NEW-VIEW that begins there, and votes. It sometimes has
 * records that no replica can have written: a view, a water mark or a floor far from all real ones.
 */
final class ForgedLogRecords {
    private static final int LEFT_ONE_IN = 2;

    private final OrderingPlot plot;
    private final RandomGenerator random;
    private final RandomGenerator shortRandom;
    private final int quorum;
    private final int logSize;
    private final int interval;

    /**
     * @param shortRandom for the numbers that a NEW-VIEW leaves free
     * @param quorum number of replicas behind a NEW-VIEW
     */
    ForgedLogRecords(
            OrderingPlot plot,
            RandomGenerator random,
            RandomGenerator shortRandom,
            int quorum,
            int logSize,
            int interval) {
        this.plot = plot;
        this.random = random;
        this.shortRandom = shortRandom;
        this.quorum = quorum;
        this.logSize = logSize;
        this.interval = interval;
    }

    void leave(SimulatedRecords records) {
        if (random.nextInt(LEFT_ONE_IN) != 0) {
            return;
        }
        ReplicaDisk disk = new ReplicaDisk(records, ReplicaDisk.configuration(records));
        for (LogRecord forged : forged(disk.read())) {
            if (disk.append(0, forged) instanceof Effect.Store store) {
                records.apply(store.mutations());
            }
        }
    }

    private List<LogRecord> forged(List<LogRecord> log) {
        Numbered begins = new Numbered(0, plot.falseDigest(0));
        long low = 0;
        long view = 0;
        for (LogRecord record : log) {
            switch (record) {
                case LogRecord.Stable stable -> {
                    low = stable.sequence();
                    begins = new Numbered(low, stable.digest());
                }
                case LogRecord.ViewChange change -> view = change.message().view();
                default -> {}
            }
        }
        List<LogRecord> forged = new ArrayList<>();
        long number = low + (1L + random.nextInt(3 * logSize / interval)) * interval;
        Numbered never = new Numbered(number, plot.falseDigest(number));
        plot.swear(never);
        long next = view + (random.nextInt(8) == 0 ? 1_000_000 : random.nextInt(4));
        if (next > 0) {
            long stable = random.nextBoolean() ? Math.max(0, number - logSize) : number;
            forged.add(new LogRecord.ViewChange(new ViewChange(next, stable, List.of(never), List.of(), List.of())));
        }
        if (random.nextBoolean()) {
            // One that begins where this replica is, and chooses little, is contradicted by nothing that comes.
            Numbered from = shortRandom.nextBoolean() ? never : begins;
            forged.add(new LogRecord.NewView(begun(Math.max(1, next), from)));
        }
        if (random.nextInt(3) == 0) {
            long voted = low + 1 + random.nextInt(logSize);
            long in = view + random.nextInt(3);
            forged.add(new LogRecord.Prepare(in, voted, plot.falseDigest(voted)));
            forged.add(new LogRecord.Commit(in, voted, plot.falseDigest(voted)));
        }
        switch (random.nextInt(16)) {
            case 0, 1, 2 -> forged.add(new LogRecord.Recovery(false, false, low + 1_000_000));
            case 3 -> forged.add(new LogRecord.Stable(low + 1, plot.falseDigest(low + 1)));
            case 4 -> forged.add(new LogRecord.Learned(low + 1_000_000, plot.falseDigest(low)));
            case 5 -> forged.add(new LogRecord.Commit(view, low + 1_000_000, plot.falseDigest(low)));
            default -> {}
        }
        return forged;
    }

    private NewView begun(long view, Numbered from) {
        List<Support> support = new ArrayList<>();
        for (int replica = 0; replica < quorum; replica++) {
            support.add(new Support(replica, plot.falseDigest(view)));
        }
        boolean isNull = random.nextBoolean();
        List<Numbered> chosen = new ArrayList<>();
        int choices = shortRandom.nextBoolean() ? logSize : shortRandom.nextInt(logSize);
        for (long number = from.sequence() + 1; number <= from.sequence() + choices; number++) {
            Bytes choice = isNull ? Batch.NULL_DIGEST : plot.falseDigest(number);
            chosen.add(new Numbered(number, choice));
        }
        return new NewView(view, support, from, chosen);
    }
}

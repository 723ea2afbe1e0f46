package io.bulwark.simulation.ordering;

import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.ordering.message.Batch;
import io.bulwark.protocol.ordering.message.ReplicaMessage.NewView;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Numbered;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Support;
import io.bulwark.protocol.ordering.message.ReplicaMessage.ViewChange;
import io.bulwark.protocol.ordering.replica.LogRecord;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.simulation.engine.SimulatedRecords;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * What an intruder leaves on the disk of a replica that he loses: a VIEW-CHANGE with a checkpoint that never was, which the liars after it
 * swear to, too, a NEW-VIEW that begins there, and votes.
 */
final class ForgedPromises {
    private static final int LEFT_ONE_IN = 2;

    private final OrderingPlot plot;
    private final RandomGenerator random;
    private final int quorum;
    private final int logSize;
    private final int interval;

    /** @param quorum so many stand behind a NEW-VIEW */
    ForgedPromises(OrderingPlot plot, RandomGenerator random, int quorum, int logSize, int interval) {
        this.plot = plot;
        this.random = random;
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
        long low = 0;
        long view = 0;
        for (LogRecord record : log) {
            switch (record) {
                case LogRecord.Stable stable -> low = stable.sequence();
                case LogRecord.ViewChange change -> view = change.message().view();
                default -> {}
            }
        }
        List<LogRecord> forged = new ArrayList<>();
        long number = low + (1L + random.nextInt(3 * logSize / interval)) * interval;
        Numbered never = new Numbered(number, plot.falseDigest(number));
        plot.swear(never);
        long next = view + random.nextInt(4);
        if (next > 0) {
            long stable = random.nextBoolean() ? Math.max(0, number - logSize) : number;
            forged.add(new LogRecord.ViewChange(new ViewChange(next, stable, List.of(never), List.of(), List.of())));
        }
        if (random.nextBoolean()) {
            forged.add(new LogRecord.NewView(begun(Math.max(1, next), never)));
        }
        if (random.nextInt(3) == 0) {
            long voted = low + 1 + random.nextInt(logSize);
            long in = view + random.nextInt(3);
            forged.add(new LogRecord.Prepare(in, voted, plot.falseDigest(voted)));
            forged.add(new LogRecord.Commit(in, voted, plot.falseDigest(voted)));
        }
        return forged;
    }

    private NewView begun(long view, Numbered never) {
        List<Support> support = new ArrayList<>();
        for (int replica = 0; replica < quorum; replica++) {
            support.add(new Support(replica, plot.falseDigest(view)));
        }
        boolean isNull = random.nextBoolean();
        List<Numbered> chosen = new ArrayList<>();
        for (long number = never.sequence() + 1; number <= never.sequence() + logSize; number++) {
            Bytes choice = isNull ? Batch.NULL_DIGEST : plot.falseDigest(number);
            chosen.add(new Numbered(number, choice));
        }
        return new NewView(view, support, never, chosen);
    }
}

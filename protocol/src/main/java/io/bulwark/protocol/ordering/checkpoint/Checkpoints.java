package io.bulwark.protocol.ordering.checkpoint;

import io.bulwark.protocol.ordering.driver.Application;
import io.bulwark.protocol.ordering.driver.LogRecord;
import io.bulwark.protocol.ordering.driver.ReplicaConfig;
import io.bulwark.protocol.ordering.log.Outbox;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Checkpoint;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Numbered;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Checkpoints and their certificates (4.3). CHECKPOINT is sent once the state is durable and can be served; with 2f+1
 * equal ones, the own among them, the checkpoint is stable. f+1 equal ones are enough to fetch that state.
 */
public final class Checkpoints {
    private final ReplicaConfig config;
    private final Application application;
    private final Outbox outbox;

    /** Taken, and not durable yet. */
    private final NavigableMap<Long, Bytes> taken = new TreeMap<>();

    /** Durable, each with the index of its record. */
    private final NavigableMap<Long, OwnCheckpoint> durable = new TreeMap<>();

    private final List<NavigableMap<Long, Bytes>> claims = new ArrayList<>();
    private long stable;
    private @Nullable Numbered stableHere;

    private record OwnCheckpoint(Bytes digest, long index) {}

    public Checkpoints(ReplicaConfig config, Application application, Outbox outbox, long stable) {
        this.config = config;
        this.application = application;
        this.outbox = outbox;
        this.stable = stable;
        for (int i = 0; i < config.replicas(); i++) {
            claims.add(new TreeMap<>());
        }
    }

    /** Returns the checkpoints that are durable here up to a number, in order: C, up to the high water mark. */
    public List<Numbered> held(long upTo) {
        List<Numbered> held = new ArrayList<>();
        durable.headMap(upTo, true).forEach((sequence, own) -> held.add(new Numbered(sequence, own.digest())));
        return held;
    }

    /** Makes known what the application has: at the start, and after a state was fetched. */
    public void announce() {
        taken.clear();
        durable.clear();
        for (Numbered each : application.checkpoints()) {
            announce(each.sequence(), each.digest());
        }
    }

    private void announce(long sequence, Bytes digest) {
        long index = outbox.append(new LogRecord.Checkpoint(sequence, digest));
        durable.put(sequence, new OwnCheckpoint(digest, index));
        if (sequence > stable) {
            outbox.multicastAfter(index, new Checkpoint(sequence, digest));
        }
    }

    /** The number, divisible by K, has just been executed. */
    public void take(long sequence, Bytes engineState) {
        durable.remove(sequence);
        taken.put(sequence, application.checkpoint(sequence, engineState));
    }

    public void onDurable(long sequence) {
        Bytes digest = taken.remove(sequence);
        if (digest != null && sequence >= stable) {
            announce(sequence, digest);
        }
    }

    public void onCheckpoint(int from, Checkpoint message) {
        if (message.sequence() > stable && message.sequence() % config.checkpointInterval() == 0) {
            NavigableMap<Long, Bytes> said = claims.get(from);
            said.put(message.sequence(), message.digest());
            if (said.size() > 2 * config.logSize() / config.checkpointInterval() + 2) {
                said.pollFirstEntry();
            }
        }
    }

    public void onKeyChange(int peer) {
        claims.get(peer).clear();
    }

    /** The latest checkpoint that has become stable since the last one, if any. */
    public @Nullable Numbered newlyStable() {
        for (Map.Entry<Long, OwnCheckpoint> own :
                durable.tailMap(stable, false).descendingMap().entrySet()) {
            Bytes digest = own.getValue().digest();
            if (count(own.getKey(), digest) + 1 >= config.quorum()) {
                stable = own.getKey();
                for (NavigableMap<Long, Bytes> said : claims) {
                    said.headMap(stable, true).clear();
                }
                stableHere = new Numbered(stable, digest);
                return stableHere;
            }
        }
        return null;
    }

    /** The last one that became stable in this life. */
    public @Nullable Numbered stableHere() {
        return stableHere;
    }

    /** The number of the last one that was made here. */
    public long last() {
        long last = stable;
        last = taken.isEmpty() ? last : Math.max(last, taken.lastKey());
        return durable.isEmpty() ? last : Math.max(last, durable.lastKey());
    }

    /** Smaller checkpoints than the stable one go. */
    public void discard(long sequence) {
        durable.headMap(sequence, false).clear();
        application.discard(sequence);
    }

    /**
     * A checkpoint that f+1 others have and this replica has not executed or has otherwise, the greatest; a correct
     * replica is among them.
     */
    public @Nullable Numbered missing(long executed) {
        Numbered missing = null;
        for (NavigableMap<Long, Bytes> said : claims) {
            for (Map.Entry<Long, Bytes> claim : said.entrySet()) {
                long sequence = claim.getKey();
                boolean lacks = sequence > executed || !claim.getValue().equals(ownDigest(sequence, claim.getValue()));
                if (lacks
                        && (missing == null || sequence > missing.sequence())
                        && count(sequence, claim.getValue()) >= config.weakQuorum()) {
                    missing = new Numbered(sequence, claim.getValue());
                }
            }
        }
        return missing;
    }

    /** Returns whether the own checkpoint with this number differs. */
    boolean hasOther(Numbered right) {
        return right.sequence() > 0
                && !ownDigest(right.sequence(), right.digest()).equals(right.digest());
    }

    private Bytes ownDigest(long sequence, Bytes unknown) {
        OwnCheckpoint own = durable.get(sequence);
        return own != null ? own.digest() : taken.getOrDefault(sequence, unknown);
    }

    /** Repeats the own CHECKPOINTs above a number. */
    public void tell(int to, long above) {
        durable.tailMap(above, false).forEach((sequence, own) -> {
            if (outbox.isDurable(own.index())) {
                outbox.send(to, new Checkpoint(sequence, own.digest()));
            }
        });
    }

    private int count(long sequence, Bytes digest) {
        int count = 0;
        for (NavigableMap<Long, Bytes> said : claims) {
            Bytes claimed = said.get(sequence);
            count += claimed != null && claimed.equals(digest) ? 1 : 0;
        }
        return count;
    }
}

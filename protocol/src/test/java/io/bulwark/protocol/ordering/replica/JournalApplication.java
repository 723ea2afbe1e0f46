package io.bulwark.protocol.ordering.replica;

import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.membership.Configuration;
import io.bulwark.protocol.ordering.membership.Member;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Numbered;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;

/**
 * Writes down each operation once; its checkpoints are full copies. The result is the operation's place. An operation of {@link
 * #replacement} changes the members.
 */
@NullMarked
final class JournalApplication implements Application {
    /** A checkpoint; what became durable survives a crash. */
    record Saved(List<Bytes> journal, long configuration, long agreedMillis, Bytes engineState, Bytes digest) {}

    private static final String REPLACEMENT = "members";

    private final NavigableMap<Long, Saved> durable = new TreeMap<>();
    private final NavigableMap<Long, Saved> taken = new TreeMap<>();
    private List<Bytes> journal = new ArrayList<>();
    private long agreedMillis;
    private long configuration;
    int executions;
    boolean isUnreadable;

    JournalApplication() {
        durable.put(0L, save(Bytes.EMPTY));
    }

    List<Bytes> journal() {
        return journal;
    }

    long agreedMillis() {
        return agreedMillis;
    }

    @Override
    public Bytes execute(PrincipalId client, Bytes operation, long newAgreedMillis) {
        if (newAgreedMillis < agreedMillis) {
            throw new IllegalStateException("agreed time goes back");
        }
        if (isUnreadable) {
            throw new IllegalStateException("a page is damaged");
        }
        executions++;
        agreedMillis = newAgreedMillis;
        int place = journal.indexOf(operation);
        if (place < 0) {
            place = journal.size();
            journal.add(operation);
        }
        return new WireWriter().i64(place).toBytes();
    }

    /** Asks for this configuration. */
    static Bytes replacement(Configuration next) {
        WireWriter out = new WireWriter().string(REPLACEMENT);
        next.write(out);
        return out.toBytes();
    }

    private static Optional<Configuration> asked(Bytes operation) {
        byte[] start = new WireWriter().string(REPLACEMENT).toBytes().toByteArray();
        if (operation.length() <= start.length
                || !operation.slice(0, start.length).equals(Bytes.of(start))) {
            return Optional.empty();
        }
        WireReader in = new WireReader(operation.slice(start.length, operation.length() - start.length));
        return Optional.of(Configuration.read(in));
    }

    @Override
    public Optional<List<Member>> nextMembers() {
        return journal.stream()
                .flatMap(operation -> asked(operation).stream())
                .filter(next -> next.number() == configuration + 1)
                .map(Configuration::members)
                .findFirst();
    }

    @Override
    public void onReconfigured(Configuration now) {
        configuration = now.number();
    }

    @Override
    public Bytes query(PrincipalId client, Bytes query) {
        return new WireWriter().i64(journal.size()).toBytes();
    }

    @Override
    public Bytes checkpoint(long sequence, Bytes engineState) {
        Saved saved = save(engineState);
        taken.put(sequence, saved);
        return saved.digest();
    }

    private Saved save(Bytes engineState) {
        WireWriter all = new WireWriter().bytes(engineState).i64(configuration);
        journal.forEach(all::bytes);
        return new Saved(List.copyOf(journal), configuration, agreedMillis, engineState, Hashes.sha256(all.toBytes()));
    }

    /** What was taken at this number is on disk. */
    boolean makeDurable(long sequence) {
        Saved saved = taken.remove(sequence);
        if (saved != null) {
            durable.put(sequence, saved);
        }
        return saved != null;
    }

    /** The digest of one that was taken and is not durable yet. */
    Bytes checkpointAt(long sequence) {
        return Objects.requireNonNull(taken.get(sequence)).digest();
    }

    /** The numbers of the checkpoints that are not durable yet. */
    List<Long> taken() {
        return List.copyOf(taken.keySet());
    }

    @Override
    public void discard(long sequence) {
        durable.headMap(sequence, false).clear();
        taken.headMap(sequence, false).clear();
    }

    @Override
    public List<Numbered> checkpoints() {
        List<Numbered> all = new ArrayList<>();
        durable.forEach((sequence, saved) -> all.add(new Numbered(sequence, saved.digest())));
        return all;
    }

    @Override
    public Bytes engineState() {
        return durable.lastEntry().getValue().engineState();
    }

    /** The process is gone; what is durable is there again. */
    void crash() {
        taken.clear();
        journal = new ArrayList<>(durable.lastEntry().getValue().journal());
        agreedMillis = durable.lastEntry().getValue().agreedMillis();
        configuration = durable.lastEntry().getValue().configuration();
    }

    @Nullable
    Saved saved(Numbered checkpoint) {
        Saved saved = durable.get(checkpoint.sequence());
        return saved != null && saved.digest().equals(checkpoint.digest()) ? saved : null;
    }

    /** A fetched state: from now on the only one. */
    void adopt(long sequence, Saved saved) {
        durable.tailMap(sequence, true).clear();
        durable.put(sequence, saved);
        crash();
    }

    /** Rots: the state is another now. */
    void corrupt() {
        journal.add(Bytes.of((byte) 0xBA, (byte) 0xD0));
    }

    /** What it has on disk as the last checkpoint is another state now. */
    void corruptOnDisk() {
        corrupt();
        long last = durable.lastKey();
        durable.put(last, save(durable.lastEntry().getValue().engineState()));
        crash();
    }
}

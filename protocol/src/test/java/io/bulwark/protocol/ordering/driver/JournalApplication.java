package io.bulwark.protocol.ordering.driver;

import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.membership.Configuration;
import io.bulwark.protocol.ordering.membership.Member;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Numbered;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
public final class JournalApplication implements Application {
    /** A checkpoint; what became durable survives a crash. */
    public record Saved(
            List<Bytes> journal,
            Bytes journalDigest,
            long configuration,
            long agreedMillis,
            Bytes engineState,
            Bytes digest) {}

    private static final String REPLACEMENT = "members";
    private static final Bytes START = new WireWriter().string(REPLACEMENT).toBytes();

    private final NavigableMap<Long, Saved> durable = new TreeMap<>();
    private final NavigableMap<Long, Saved> taken = new TreeMap<>();
    private List<Bytes> journal = new ArrayList<>();
    private final Map<Bytes, Integer> places = new HashMap<>();
    private final List<Configuration> asked = new ArrayList<>();
    /** Digest of each entry and all before it, so that a checkpoint does not read earlier entries again. */
    private Bytes journalDigest = Bytes.EMPTY;

    private long agreedMillis;
    private long configuration;
    public int executions;
    /** Clients of the operations that were executed here. */
    public final Map<Bytes, PrincipalId> clients = new HashMap<>();

    public boolean isUnreadable;

    public JournalApplication() {
        durable.put(0L, save(Bytes.EMPTY));
    }

    public List<Bytes> journal() {
        return journal;
    }

    private void add(Bytes operation) {
        index(operation, journal.size());
        journal.add(operation);
        journalDigest = Hashes.sha256(journalDigest, operation);
    }

    private void index(Bytes operation, int place) {
        places.putIfAbsent(operation, place);
        asked(operation).ifPresent(asked::add);
    }

    public long agreedMillis() {
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
        clients.put(operation, client);
        agreedMillis = newAgreedMillis;
        Integer place = places.get(operation);
        if (place == null) {
            place = journal.size();
            add(operation);
        }
        return new WireWriter().i64(place).toBytes();
    }

    /** Asks for this configuration. */
    public static Bytes replacement(Configuration next) {
        WireWriter out = new WireWriter().string(REPLACEMENT);
        next.write(out);
        return out.toBytes();
    }

    private static Optional<Configuration> asked(Bytes operation) {
        int start = START.length();
        if (operation.length() <= start || !operation.slice(0, start).equals(START)) {
            return Optional.empty();
        }
        WireReader in = new WireReader(operation.slice(start, operation.length() - start));
        return Optional.of(Configuration.read(in));
    }

    @Override
    public Optional<List<Member>> nextMembers() {
        return asked.stream()
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
        WireWriter all = new WireWriter().bytes(engineState).i64(configuration).bytes(journalDigest);
        Bytes digest = Hashes.sha256(all.toBytes());
        return new Saved(List.copyOf(journal), journalDigest, configuration, agreedMillis, engineState, digest);
    }

    /** Makes the state saved at this number durable. */
    public boolean makeDurable(long sequence) {
        Saved saved = taken.remove(sequence);
        if (saved != null) {
            durable.put(sequence, saved);
        }
        return saved != null;
    }

    /** The digest of one that was taken and is not durable yet. */
    public Bytes checkpointAt(long sequence) {
        return Objects.requireNonNull(taken.get(sequence)).digest();
    }

    /** The numbers of the checkpoints that are not durable yet. */
    public List<Long> taken() {
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

    /** Simulates the end of the process: only durable state remains. */
    public void crash() {
        taken.clear();
        Saved last = durable.lastEntry().getValue();
        journal = new ArrayList<>(last.journal());
        journalDigest = last.journalDigest();
        places.clear();
        asked.clear();
        for (int i = 0; i < journal.size(); i++) {
            index(journal.get(i), i);
        }
        agreedMillis = last.agreedMillis();
        configuration = last.configuration();
    }

    public @Nullable Saved saved(Numbered checkpoint) {
        Saved saved = durable.get(checkpoint.sequence());
        return saved != null && saved.digest().equals(checkpoint.digest()) ? saved : null;
    }

    /** A fetched state: from now on the only one. */
    public void adopt(long sequence, Saved saved) {
        durable.tailMap(sequence, true).clear();
        durable.put(sequence, saved);
        crash();
    }

    /** Rots: the state is another now. */
    public void corrupt() {
        add(Bytes.of((byte) 0xBA, (byte) 0xD0));
    }

    /** Replaces the last checkpoint on disk by another state. */
    public void corruptOnDisk() {
        corrupt();
        long last = durable.lastKey();
        durable.put(last, save(durable.lastEntry().getValue().engineState()));
        crash();
    }
}

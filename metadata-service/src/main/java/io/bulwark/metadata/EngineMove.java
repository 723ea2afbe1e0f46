package io.bulwark.metadata;

import io.bulwark.metadata.log.AppliedLog;
import io.bulwark.metadata.log.DamageMark;
import io.bulwark.metadata.log.SnapshotStore;
import io.bulwark.metadata.pages.RocksPageStore;
import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.metadata.Genesis;
import io.bulwark.protocol.ordering.Position;
import io.bulwark.protocol.ordering.ReplicatedCall;
import io.bulwark.protocol.state.KeyValueState;
import io.bulwark.protocol.state.StateTree;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireWriter;
import io.bulwark.transport.file.AtomicFile;
import io.bulwark.transport.file.Directories;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Migrates the metadata of stopped replicas from an engine with incarnations to the engine after the proactive recovery
 * paper. It reads the histories from copies and leaves them in place, so that the move can be undone until the new
 * engine has run.
 *
 * <p>As in a settlement, the history is the longest that f+1 of at least 2f+1 undamaged replicas hold: all acknowledged
 * commands are in it. Each replica's own snapshot and records are executed up to its end. Missing records come from
 * another log, whose digests show that it continues this one. 2f+1 states must then be equal before anything is
 * written. The result is written for all replicas and read back; only then does every directory record the move.
 */
public final class EngineMove {
    /**
     * The number of the first checkpoint: a multiple of every checkpoint interval, and not 0. A replica that is set up
     * anew later begins at 0, and so notices that it lacks something.
     */
    static final long FIRST_CHECKPOINT = 128;

    private static final Logger LOG = LoggerFactory.getLogger(EngineMove.class);
    private static final long CACHE_BYTES_MAX = 64 << 20;
    private static final Bytes AFTER_ALL = afterAll();

    private final List<ReplicaDirectory> replicas;
    private final Genesis genesis;
    private final Path scratch;
    private final int faulty;
    private final SortedMap<Integer, AppliedLog> logs = new TreeMap<>();
    private final SortedMap<Integer, String> unfit = new TreeMap<>();

    /**
     * Result of a move.
     *
     * @param batches number of batches that made the state
     * @param digest of the state, as keys and values
     * @param equal the replicas whose own histories gave this state
     * @param unfit the other replicas, with the reason; they have received the state all the same
     */
    public record Moved(long batches, Bytes digest, List<Integer> equal, SortedMap<Integer, String> unfit) {}

    private EngineMove(List<Path> directories, Genesis genesis, Path scratch) {
        this.replicas = directories.stream().map(ReplicaDirectory::new).toList();
        this.genesis = genesis;
        this.scratch = scratch;
        this.faulty = ReplicatedCall.faultyOf(directories.size());
    }

    /**
     * Moves all replicas, which must not run.
     *
     * @param directories of all 3f+1 replicas, by number
     * @param genesis the one that they were first started with
     * @param scratch a directory for copies of the old histories, made and removed again
     * @throws IOException if fewer than 2f+1 of them agree, or one has run on the new engine; the directories are then
     *     valid as before
     */
    public static Moved move(List<Path> directories, Genesis genesis, Path scratch) throws IOException {
        EngineMove move = new EngineMove(directories, genesis, scratch);
        Directories.delete(scratch);
        try {
            return move.run();
        } finally {
            for (AppliedLog log : move.logs.values()) {
                log.close();
            }
            Directories.delete(scratch);
        }
    }

    /**
     * Undoes a move, complete or not.
     *
     * @throws IOException if one of the replicas has run on the new engine since, or too few have an old history;
     *     nothing is changed then
     */
    public static void undo(List<Path> directories) throws IOException {
        List<ReplicaDirectory> replicas =
                directories.stream().map(ReplicaDirectory::new).toList();
        int kept = 0;
        for (ReplicaDirectory replica : replicas) {
            if (replica.hasPromised()) {
                throw new IOException(
                        replica.path() + " has run on the engine bft since the move: its old history lacks the "
                                + "later requests, which would be lost");
            }
            kept += replica.hasHistory() ? 1 : 0;
        }
        int quorum = 2 * ReplicatedCall.faultyOf(directories.size()) + 1;
        if (kept < quorum) {
            throw new IOException(
                    "only " + kept + " of " + replicas.size() + " replicas have a bft-smart history to revert to");
        }
        for (ReplicaDirectory replica : replicas) {
            replica.setMoved(false);
            Directories.delete(replica.pages());
        }
    }

    private Moved run() throws IOException {
        for (int replica = 0; replica < replicas.size(); replica++) {
            open(replica);
        }
        requireQuorum(logs.size(), "have a whole history");
        Position target = target();
        Map<Bytes, List<Integer>> byDigest = new LinkedHashMap<>();
        for (int replica : List.copyOf(logs.keySet())) {
            Optional<KeyValueState> state = stateAt(target, replica);
            state.ifPresent(found -> byDigest.computeIfAbsent(digest(found), _ -> new ArrayList<>())
                    .add(replica));
        }
        Map.Entry<Bytes, List<Integer>> most = byDigest.entrySet().stream()
                .max(Comparator.comparingInt(each -> each.getValue().size()))
                .orElse(Map.entry(Bytes.EMPTY, List.of()));
        Bytes digest = most.getKey();
        List<Integer> equal = most.getValue();
        byDigest.forEach((other, found) -> {
            if (!other.equals(digest)) {
                found.forEach(replica -> unfit.put(replica, "its history yields a different state, " + other.toHex()));
            }
        });
        requireQuorum(equal.size(), "have the same state after batch " + target.sequence());
        KeyValueState state = stateAt(target, equal.getFirst()).orElseThrow();
        for (ReplicaDirectory replica : replicas) {
            write(replica, state, digest);
        }
        for (ReplicaDirectory replica : replicas) {
            replica.setMoved(true);
        }
        return new Moved(target.sequence(), digest, equal, unfit);
    }

    private void requireQuorum(int count, String what) throws IOException {
        int quorum = 2 * faulty + 1;
        if (count < quorum) {
            StringBuilder why = new StringBuilder();
            unfit.forEach((replica, reason) ->
                    why.append("; replica-").append(replica).append(": ").append(reason));
            throw new IOException("only " + count + " of " + replicas.size() + " replicas " + what + ", " + quorum
                    + " must" + why + ". Nothing was changed. Start the appliance with bft-smart, wait until"
                    + " `bulwark status` shows that the replicas agree, stop it, and try again");
        }
    }

    /** Copies a replica's history and opens its log. */
    private void open(int replica) throws IOException {
        ReplicaDirectory from = replicas.get(replica);
        if (from.hasPromised()) {
            throw new IOException(from.path() + " has run on the engine bft already");
        }
        if (!from.hasHistory()) {
            unfit.put(replica, "there is no history of bft-smart in " + from.path());
            return;
        }
        Path copy = Files.createDirectories(copy(replica));
        try (Stream<Path> files = Files.list(from.path())) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Files.copy(file, copy.resolve(file.getFileName()));
            }
        }
        boolean damaged =
                new DamageMark(copy).isSet() || SnapshotStore.open(copy).damaged() > 0;
        AppliedLog log = AppliedLog.open(copy, () -> {});
        if (damaged || log.damaged()) {
            log.close();
            unfit.put(replica, "its history is damaged");
        } else {
            logs.put(replica, log);
        }
    }

    private Path copy(int replica) {
        return scratch.resolve(Integer.toString(replica));
    }

    /** The end of the longest history that f+1 replicas hold. */
    private Position target() throws IOException {
        long[] ends = logs.values().stream()
                .mapToLong(log -> log.end().sequence())
                .sorted()
                .toArray();
        for (long at = ends[ends.length - 1 - faulty]; at >= 0; at--) {
            Map<Bytes, Integer> holders = new HashMap<>();
            for (AppliedLog log : logs.values()) {
                log.digestAt(at).ifPresent(digest -> holders.merge(digest, 1, Integer::sum));
            }
            for (Map.Entry<Bytes, Integer> each : holders.entrySet()) {
                if (each.getValue() > faulty) {
                    return new Position(at, each.getKey());
                }
            }
        }
        throw new IOException("no " + (faulty + 1) + " replicas have a history in common. Nothing was changed");
    }

    /**
     * Returns the state after a replica's own history and the part of the common one that it lacks; empty if they give
     * no state.
     */
    private Optional<KeyValueState> stateAt(Position target, int replica) {
        AppliedLog own = Objects.requireNonNull(logs.get(replica));
        AppliedLog donor = logs.values().stream()
                .filter(log -> log.digestAt(target.sequence())
                        .filter(target.digest()::equals)
                        .isPresent())
                .min(Comparator.comparingLong(log -> log.base().sequence()))
                .orElseThrow();
        long common = common(own, donor, target.sequence());
        if (common < 0) {
            unfit.put(replica, "it is too far behind the others");
            return Optional.empty();
        }
        NamespaceApplication application = new NamespaceApplication(genesis);
        try (ReplicatedState state =
                ReplicatedState.open(copy(replica), Integer.MAX_VALUE, new Execution(application), () -> {})) {
            if (state.damaged()) {
                unfit.put(replica, "it has no snapshot for its log");
                return Optional.empty();
            }
            // When it is opened for the second time, it is there.
            if (!state.position().equals(target)) {
                if (common < state.position().sequence()) {
                    state.cut(common);
                }
                append(state, donor, target.sequence());
            }
            if (!state.position().equals(target)) {
                throw new IOException("it ends at " + state.position().sequence());
            }
            return Optional.of(application.state());
        } catch (IOException | RuntimeException e) {
            LOG.debug("replica-{} cannot be read", replica, e);
            unfit.put(replica, "it cannot be read: " + e.getMessage());
            return Optional.empty();
        }
    }

    /** The last place, not beyond {@code sequence}, up to which both logs are known to be the same; -1 if there is none. */
    private static long common(AppliedLog own, AppliedLog donor, long sequence) {
        for (long at = Math.min(own.end().sequence(), sequence);
                at >= own.base().sequence();
                at--) {
            Optional<Bytes> digest = own.digestAt(at);
            if (digest.isPresent() && digest.equals(donor.digestAt(at))) {
                return at;
            }
        }
        return -1;
    }

    private static void append(ReplicatedState state, AppliedLog donor, long end) throws IOException {
        while (state.position().sequence() < end) {
            List<Bytes> records = donor.read(state.position().sequence());
            if (records.isEmpty()) {
                return;
            }
            long lacks = end - state.position().sequence();
            for (Bytes each : records.subList(0, (int) Math.min(records.size(), lacks))) {
                state.apply(each, (_, _) -> {});
            }
        }
    }

    private static void write(ReplicaDirectory to, KeyValueState state, Bytes digest) throws IOException {
        Files.createDirectories(to.path());
        Directories.delete(to.pages());
        try (RocksPageStore store = RocksPageStore.open(to.pages())) {
            StateTree tree = StateTree.empty(store, CACHE_BYTES_MAX);
            state.scan(Bytes.EMPTY, AFTER_ALL, (key, value) -> {
                tree.put(key, value);
                return true;
            });
            store.write(tree.checkpoint(FIRST_CHECKPOINT).batch());
        }
        try (RocksPageStore store = RocksPageStore.open(to.pages())) {
            if (!digest(StateTree.open(store, CACHE_BYTES_MAX)).equals(digest)) {
                throw new IOException(to.pages() + " reads back different data than was written");
            }
        }
        AtomicFile.syncDirectory(to.path());
    }

    /** SHA-256 over the chain of all keys and values in order: equal for equal states, wherever they are kept. */
    static Bytes digest(KeyValueState state) {
        Bytes[] digest = {Bytes.EMPTY};
        state.scan(Bytes.EMPTY, AFTER_ALL, (key, value) -> {
            digest[0] = Hashes.sha256(
                    digest[0],
                    new WireWriter(16 + key.length() + value.length())
                            .bytes(key)
                            .bytes(value)
                            .toBytes());
            return true;
        });
        return digest[0];
    }

    private static Bytes afterAll() {
        byte[] bytes = new byte[KeyValueState.KEY_BYTES_MAX + 1];
        Arrays.fill(bytes, (byte) 0xFF);
        return Bytes.of(bytes);
    }
}

package io.bulwark.metadata.bft;

import io.bulwark.metadata.ReplicaConfig;
import io.bulwark.metadata.ReplicaDirectory;
import io.bulwark.metadata.log.WriteAheadLog;
import io.bulwark.metadata.ordering.StateMachine;
import io.bulwark.protocol.ordering.driver.LogRecord;
import io.bulwark.protocol.ordering.driver.StartReason;
import io.bulwark.protocol.ordering.key.Signing;
import io.bulwark.protocol.ordering.membership.ConfigurationStart;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Numbered;
import io.bulwark.protocol.ordering.replica.Replica;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.transport.file.AtomicFile;
import io.bulwark.transport.file.Directories;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

/**
 * Replaces all others' histories by one replica's, where more than f of them contradict each other and an operator has
 * decided which one is right. It executes on a copy what that replica's disk shows to be decided. The state becomes a
 * checkpoint, with which every replica begins an empty log. The directories' former content is set aside in them.
 */
public final class HistoryRestore {
    private static final long CACHE_BYTES_MAX = 64 << 20;
    private static final long SYNC_SECONDS_MAX = 60;
    private static final String ASIDE = "before-restore-";
    private static final String NEXT = "restoring";

    private final ReplicaConfig config;
    private final StateMachine.Factory machines;
    private final Path scratch;

    /** Extent of a replica's own disk: the last number that it shows to be executed. */
    public record HistoryEnd(long executed) {}

    /**
     * Common initial state of all replicas.
     *
     * @param executed the last number of the history
     * @param checkpoint the new number of its state
     */
    public record RestoreResult(long executed, long checkpoint, Bytes digest) {}

    /**
     * Prepares the restore of stopped replicas.
     *
     * @param config of any of them
     * @param scratch a directory for copies, made and removed again
     */
    public HistoryRestore(ReplicaConfig config, StateMachine.Factory machines, Path scratch) {
        this.config = config;
        this.machines = machines;
        this.scratch = scratch;
    }

    /**
     * Returns the extent of a replica's disk.
     *
     * @throws IOException if it cannot be read, or its state is incomplete
     */
    public HistoryEnd reach(Path directory) throws IOException {
        return new HistoryEnd(replay(directory, false).executed());
    }

    /**
     * Restores all replicas from one of them. Interrupted, it can be repeated: the chosen one is changed last.
     *
     * @param directories of all replicas, by number
     * @param from the number of the chosen one
     * @throws IOException if the chosen one cannot be read whole; nothing has changed then
     */
    public RestoreResult restore(List<Path> directories, int from) throws IOException {
        RestoreResult restored = replay(directories.get(from), true);
        for (Path directory : directories) {
            Path next = directory.resolve(NEXT);
            Directories.delete(next);
            Files.createDirectories(next);
            Directories.copy(scratch.resolve("pages"), next.resolve("pages"));
            writeLog(next.resolve("promises"), restored);
        }
        Directories.delete(scratch);
        for (int replica = 0; replica < directories.size(); replica++) {
            if (replica != from) {
                exchange(directories.get(replica), restored.checkpoint());
            }
        }
        exchange(directories.get(from), restored.checkpoint());
        return restored;
    }

    /** Executes on a copy what the disk shows to be decided, and makes the state a checkpoint if that is wanted. */
    private RestoreResult replay(Path directory, boolean wanted) throws IOException {
        ReplicaDirectory from = new ReplicaDirectory(directory);
        if (!from.hasPromised()) {
            throw new IOException("there is no replica of the engine bft in " + directory);
        }
        if (from.lastBegun() > 0) {
            throw new IOException(directory + " belongs to replicas that were replaced since the genesis "
                    + "(configuration "
                    + from.lastBegun() + "); this cannot restore them");
        }
        Directories.delete(scratch);
        Files.createDirectories(scratch);
        ReplicaDirectory copy = new ReplicaDirectory(scratch);
        Directories.copy(from.pages(), copy.pages());
        Directories.copy(from.promises(), copy.promises());
        LoadedState found = LoadedState.open(
                config.replica(),
                copy.pages(),
                store -> new TreeApplication(
                        machines, store, CACHE_BYTES_MAX, config.checkpointInterval(), Runnable::run, _ -> {}));
        try (WriteAheadLog log = WriteAheadLog.open(copy.promises(), true, _ -> {}, _ -> {})) {
            if (found.damaged() || log.start() != StartReason.NORMAL) {
                throw new IOException(directory + " is damaged: it does not hold all executed requests");
            }
            return replay(directory, found.application(), withPrepared(log.found()), wanted);
        } finally {
            found.store().close();
        }
    }

    /**
     * Adds the requests for which the replica has sent COMMIT. They may have been acknowledged just before it stopped,
     * and count as decided unless its disk says otherwise.
     */
    private static List<LogRecord> withPrepared(List<LogRecord> records) {
        List<LogRecord> all = new ArrayList<>();
        for (LogRecord record : records) {
            if (record instanceof LogRecord.Commit commit) {
                all.add(new LogRecord.Learned(commit.sequence(), commit.digest()));
            }
        }
        all.addAll(records);
        return all;
    }

    private RestoreResult replay(Path directory, TreeApplication application, List<LogRecord> records, boolean wanted)
            throws IOException {
        ConfigurationStart term = ConfigurationStart.first(config.fixed());
        Replica replica = new Replica(
                config.engine(term, config.replica()),
                application,
                records,
                StartReason.NORMAL,
                Signing.NONE,
                new SplittableRandom(0));
        // The replica's messages and writes are dropped: it only executes what its disk shows to be decided.
        var _ = replica.drain(0);
        long executed = replica.executed();
        if (executed < replica.lowWaterMark()) {
            throw new IOException(directory + " lacks the state of checkpoint " + replica.lowWaterMark());
        }
        if (!wanted) {
            return new RestoreResult(executed, 0, Bytes.EMPTY);
        }
        long interval = config.checkpointInterval();
        long checkpoint = (executed / interval + 1) * interval;
        Bytes digest = application.checkpoint(checkpoint, replica.engineState());
        application.onDurable(checkpoint);
        application.discard(checkpoint);
        return new RestoreResult(executed, checkpoint, digest);
    }

    private static void writeLog(Path promises, RestoreResult restored) throws IOException {
        Numbered mark = new Numbered(restored.checkpoint(), restored.digest());
        CountDownLatch durable = new CountDownLatch(1);
        AtomicReference<String> failed =
                new AtomicReference<>("the write takes longer than " + SYNC_SECONDS_MAX + " s");
        try (WriteAheadLog log =
                WriteAheadLog.open(promises, false, _ -> durable.countDown(), e -> failed.set(e.toString()))) {
            log.roll(
                    1,
                    List.of(
                            new LogRecord.Stable(mark.sequence(), mark.digest()),
                            new LogRecord.Checkpoint(mark.sequence(), mark.digest())));
            if (!durable.await(SYNC_SECONDS_MAX, TimeUnit.SECONDS)) {
                throw new IOException(promises + " cannot be written: " + failed.get());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while " + promises + " was written", e);
        }
    }

    /** Moves the old files aside, and the new ones into their place. */
    private static void exchange(Path directory, long checkpoint) throws IOException {
        Path aside = Files.createDirectories(directory.resolve(ASIDE + checkpoint));
        Path next = directory.resolve(NEXT);
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.toList()) {
                String name = String.valueOf(file.getFileName());
                if (isHistory(name)) {
                    Files.move(file, aside.resolve(name));
                }
            }
        }
        Files.move(next.resolve("pages"), directory.resolve("pages"));
        Files.move(next.resolve("promises"), directory.resolve("promises"));
        Files.delete(next);
        AtomicFile.syncDirectory(aside);
        AtomicFile.syncDirectory(directory);
    }

    private static boolean isHistory(String name) {
        return name.startsWith("pages") || name.startsWith("promises") || name.equals("contradiction");
    }
}

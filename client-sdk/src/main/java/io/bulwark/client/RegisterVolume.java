package io.bulwark.client;

import io.bulwark.client.error.BulwarkException;
import io.bulwark.client.error.InvalidRequestException;
import io.bulwark.client.error.LimitReachedException;
import io.bulwark.client.error.NoSpaceException;
import io.bulwark.client.error.NotPermittedException;
import io.bulwark.client.error.Subject;
import io.bulwark.client.error.UnavailableException;
import io.bulwark.client.object.SessionPool;
import io.bulwark.protocol.fp.FpGroup;
import io.bulwark.protocol.fp.FpRead;
import io.bulwark.protocol.fp.FpReadOutcome;
import io.bulwark.protocol.fp.FpWrite;
import io.bulwark.protocol.fp.FpWriteOutcome;
import io.bulwark.protocol.fp.Timestamp;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.kernel.Failure;
import io.bulwark.protocol.kernel.Timeouts;
import io.bulwark.protocol.pasis.PasisGroup;
import io.bulwark.protocol.pasis.PasisRead;
import io.bulwark.protocol.pasis.PasisReadOutcome;
import io.bulwark.protocol.pasis.PasisWrite;
import io.bulwark.protocol.pasis.PasisWriteOutcome;
import io.bulwark.protocol.pasis.ReadPlanner;
import io.bulwark.protocol.pasis.ReadTuning;
import io.bulwark.protocol.pasis.ValidatingTimestamp;
import io.bulwark.protocol.wire.Bytes;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A register volume of a connected client: {@link FpRead} and {@link FpWrite}, or {@link PasisRead} and {@link
 * PasisWrite}, under the driver. Each operation begins with the client's current map. If nodes name a later epoch of
 * the block's group, it begins again with the replicas' map. A write that others may have partly read by then continues
 * at its timestamp, in its generation of groups.
 *
 * <p>A write begins in the newest generation in use. A read returns what is written in the newest generation that holds
 * anything of the block (docs/epochs.md).
 */
final class RegisterVolume implements Volume {
    private static final int ATTEMPTS_MAX = 3;
    private static final int MAPS_MAX = 3;
    private static final String IN_OTHER_EPOCH = "its group is in another epoch";
    private static final String UNFINISHED = "too many unfinished writes of this client";
    private static final Executor VIRTUAL =
            task -> Thread.ofVirtual().name("bulwark-session").start(task);
    private static final String MAY_BE_READ = "; a later read may still return this write";
    /** Time after a refused session during which no read asks for another. */
    private static final long REFUSED_NANOS = 10_000_000_000L;

    private final BulwarkClient client;
    /** State of the volume when it was opened; only the constant properties are used. */
    private final io.bulwark.protocol.cluster.Volume volume;

    private final Subject subject;
    private final PlannedReads reads;
    /** Time at which a session for writing was last refused; 0 for never. */
    private final AtomicLong refusedNanos = new AtomicLong();

    RegisterVolume(BulwarkClient client, io.bulwark.protocol.cluster.Volume volume, PlannedReads reads) {
        this.reads = reads;
        this.client = client;
        this.volume = volume;
        this.subject = Subject.volume(volume.name());
    }

    @Override
    public VolumeInfo info() {
        return VolumeInfo.of(volume);
    }

    @Override
    public Volume withReads(ReadTuning tuning) {
        return new RegisterVolume(client, volume, new PlannedReads(client.health(), tuning));
    }

    @Override
    public ReadPlanner.Statistics readStatistics() {
        return reads.statistics();
    }

    @Override
    public byte[] readBlock(long block) {
        return BulwarkClient.noDeadline().await(readBlockAsync(block), subject);
    }

    @Override
    public void writeBlock(long block, byte[] content) {
        var unused = BulwarkClient.noDeadline().await(writing(block, content), subject);
    }

    @Override
    public CompletableFuture<byte[]> readBlockAsync(long block) {
        check(block);
        return ifPermitted(false, () -> read(block));
    }

    /**
     * Runs an operation if the person may do it on whose behalf the client acts. Nodes cannot check that: they serve
     * what the client reaches for anybody.
     */
    private <T> CompletableFuture<T> ifPermitted(boolean write, Supplier<CompletableFuture<T>> operation) {
        Optional<PrincipalId> person = client.onBehalfOf();
        if (person.isEmpty()) {
            return operation.get();
        }
        return client.grantOf(person.get(), volume.id(), subject)
                .thenComposeAsync(
                        granted -> {
                            if (write ? granted.mayWrite() : granted.mayRead()) {
                                return operation.get();
                            }
                            throw new NotPermittedException(
                                    client.config().principal() + " may not " + (write ? "write" : "read")
                                            + " here for " + person.get(),
                                    subject);
                        },
                        VIRTUAL);
    }

    private CompletableFuture<byte[]> read(long block) {
        long since = refusedNanos.get();
        if (since != 0 && System.nanoTime() - since < REFUSED_NANOS) {
            return readOnly(block);
        }
        CompletableFuture<byte[]> reading;
        try {
            reading = withSession(
                    1,
                    lease -> readNewest(
                            block,
                            (now, id) -> writingBack(now, id, lease.session().number())));
        } catch (NotPermittedException e) {
            reading = CompletableFuture.failedFuture(e);
        }
        return reading.exceptionallyCompose(failure -> {
            Throwable cause = failure.getCause() == null ? failure : failure.getCause();
            if (cause instanceof NotPermittedException) {
                // Without the right to write, or suspended: the nodes bring themselves up to date instead.
                refusedNanos.set(System.nanoTime());
                return readOnly(block);
            }
            return CompletableFuture.failedFuture(cause);
        });
    }

    /** Read of one register; empty if it was never written. */
    interface RegisterRead {
        CompletableFuture<Optional<byte[]>> in(io.bulwark.protocol.cluster.Volume now, BlockId register);
    }

    private CompletableFuture<byte[]> readNewest(long block, RegisterRead read) {
        return withMap(block, now -> newest(now, block, now.written(), read))
                .thenApply(found -> found.orElseGet(() -> new byte[blockBytes()]));
    }

    /** Reads the registers of a block from a generation down, until one was written. */
    static CompletableFuture<Optional<byte[]>> newest(
            io.bulwark.protocol.cluster.Volume now, long block, int generation, RegisterRead read) {
        return read.in(now, BlockId.register(now.id(), generation, block))
                .thenCompose(found -> found.isPresent() || generation == 0
                        ? CompletableFuture.completedFuture(found)
                        : newest(now, block, generation - 1, read));
    }

    private CompletableFuture<Optional<byte[]>> writingBack(
            io.bulwark.protocol.cluster.Volume now, BlockId block, long session) {
        Timeouts times = Timeouts.standard();
        return switch (volume.policy().protocol()) {
            case FP -> readFp(block, FpRead.withWriteBack(FpGroup.of(now, block), session, times));
            case PASIS, MASKING -> {
                PrincipalId self = client.config().principal();
                PasisGroup group = PasisGroup.of(now, block);
                yield readPasis(group, PasisRead.withWriteBack(group, self, session, times, reads.plan(group)));
            }
            case ARCHIVE -> throw noRegisters();
        };
    }

    private CompletableFuture<byte[]> readOnly(long number) {
        Timeouts times = Timeouts.standard();
        return readNewest(number, (now, block) -> switch (volume.policy().protocol()) {
            case FP -> readFp(block, FpRead.withRepairRequests(FpGroup.of(now, block), times));
            case PASIS, MASKING -> {
                PasisGroup group = PasisGroup.of(now, block);
                yield readPasis(group, PasisRead.withRepairRequests(group, times, reads.plan(group)));
            }
            case ARCHIVE -> throw noRegisters();
        });
    }

    private static IllegalStateException noRegisters() {
        return new IllegalStateException("no volume of registers has the archive class");
    }

    private CompletableFuture<Optional<byte[]>> readFp(BlockId block, FpRead read) {
        return client.driver().submit(read, blockBytes()).thenApply(outcome -> switch (outcome) {
            case FpReadOutcome.Value value -> Optional.of(value.block().toByteArray());
            case FpReadOutcome.NeverWritten ignored -> Optional.empty();
            case FpReadOutcome.Failed failed -> throw failure(failed.reason(), block.number(), false, subject);
        });
    }

    private CompletableFuture<Optional<byte[]>> readPasis(PasisGroup group, PasisRead read) {
        long startNanos = System.nanoTime();
        return client.driver().submit(read, blockBytes()).thenApply(outcome -> {
            reads.finished(group, read.report(), System.nanoTime() - startNanos);
            return switch (outcome) {
                case PasisReadOutcome.Value value -> Optional.of(value.block().toByteArray());
                case PasisReadOutcome.NeverWritten ignored -> Optional.empty();
                case PasisReadOutcome.Failed failed ->
                    throw failure(failed.reason(), group.block().number(), false, subject);
            };
        });
    }

    @Override
    public CompletableFuture<Void> writeBlockAsync(long block, byte[] content) {
        return writing(block, content).thenAccept(ignored -> {});
    }

    /**
     * Position of a write that others may have partly read.
     *
     * @param generation that of the groups in which it began, and goes on
     */
    private record SentWrite<T>(int generation, T at) {}

    /** Completes once written; the content is copied before this returns. */
    private CompletableFuture<Boolean> writing(long block, byte[] content) {
        check(block);
        if (content.length != blockBytes()) {
            throw new InvalidRequestException(
                    "a block has " + blockBytes() + " bytes, the content has " + content.length, subject);
        }
        Bytes data = Bytes.of(content.clone());
        AtomicReference<@Nullable SentWrite<Timestamp>> sent = new AtomicReference<>();
        AtomicReference<@Nullable SentWrite<ValidatingTimestamp>> version = new AtomicReference<>();
        return inTurn(block, (now, session) -> write(now, now.written(), block, session, data, sent, version));
    }

    /** Write of a block in the epochs of one map, and in a session. */
    private interface BlockWrite {
        CompletableFuture<Boolean> in(io.bulwark.protocol.cluster.Volume now, long session);
    }

    private CompletableFuture<Boolean> inTurn(long block, BlockWrite write) {
        return client.writeTurns()
                .runInTurn(
                        BlockId.register(volume.id(), block),
                        () -> ifPermitted(
                                true,
                                () -> withSession(
                                        1,
                                        lease -> withMap(
                                                block,
                                                now -> write.in(
                                                        now, lease.session().number())))));
    }

    private CompletableFuture<Boolean> write(
            io.bulwark.protocol.cluster.Volume now,
            int newest,
            long block,
            long session,
            Bytes data,
            AtomicReference<@Nullable SentWrite<Timestamp>> sent,
            AtomicReference<@Nullable SentWrite<ValidatingTimestamp>> version) {
        return switch (volume.policy().protocol()) {
            case FP -> writeFp(now, newest, block, session, data, sent);
            case PASIS, MASKING -> writePasis(now, newest, block, session, data, version);
            case ARCHIVE -> throw noRegisters();
        };
    }

    @Override
    public void settleBlock(long block) {
        check(block);
        var unused =
                BulwarkClient.noDeadline().await(inTurn(block, (now, session) -> settle(now, block, session)), subject);
    }

    private CompletableFuture<Boolean> settle(io.bulwark.protocol.cluster.Volume now, long block, long session) {
        if (now.written() == 0) {
            return CompletableFuture.completedFuture(true);
        }
        return writingBack(now, BlockId.register(now.id(), now.written(), block), session)
                .thenCompose(found -> {
                    byte[] newest = found.orElseThrow(() -> new InvalidRequestException(
                            message(block) + "it was not written since the policy changed: write it first", subject));
                    return writeOlder(now, now.written() - 1, block, session, Bytes.of(newest));
                });
    }

    /** Whoever still reads an older register began before the first write of the newest, so that he may return this value. */
    private CompletableFuture<Boolean> writeOlder(
            io.bulwark.protocol.cluster.Volume now, int generation, long block, long session, Bytes data) {
        return write(now, generation, block, session, data, new AtomicReference<>(), new AtomicReference<>())
                .thenCompose(done -> generation == 0
                        ? CompletableFuture.completedFuture(done)
                        : writeOlder(now, generation - 1, block, session, data));
    }

    private FpGroup fpGroup(io.bulwark.protocol.cluster.Volume now, int generation, long block) {
        return FpGroup.of(now, BlockId.register(volume.id(), generation, block));
    }

    /**
     * @param newest generation in which a new write begins
     * @param sent at which timestamp a COMMIT was sent in an epoch before
     */
    private CompletableFuture<Boolean> writeFp(
            io.bulwark.protocol.cluster.Volume now,
            int newest,
            long block,
            long session,
            Bytes data,
            AtomicReference<@Nullable SentWrite<Timestamp>> sent) {
        SentWrite<Timestamp> before = sent.get();
        int generation = before == null ? newest : before.generation();
        FpGroup group = fpGroup(now, generation, block);
        Timeouts times = Timeouts.standard();
        return client.driver()
                .submit(
                        () -> before == null
                                ? new FpWrite(group, session, data, times)
                                : FpWrite.continueInEpoch(group, session, data, before.at(), times),
                        2L * blockBytes())
                .thenApply(outcome -> switch (outcome) {
                    case FpWriteOutcome.Written ignored -> true;
                    case FpWriteOutcome.EpochOver over -> {
                        sent.set(new SentWrite<>(generation, over.at()));
                        throw otherEpoch(block);
                    }
                    case FpWriteOutcome.Failed failed ->
                        throw failure(failed.reason(), block, failed.mayBeWritten(), subject);
                });
    }

    private PasisGroup pasisGroup(io.bulwark.protocol.cluster.Volume now, int generation, long block) {
        return PasisGroup.of(now, BlockId.register(volume.id(), generation, block));
    }

    /**
     * @param newest generation in which a new write begins
     * @param sent the version of which fragments were sent in an epoch before
     */
    private CompletableFuture<Boolean> writePasis(
            io.bulwark.protocol.cluster.Volume now,
            int newest,
            long block,
            long session,
            Bytes data,
            AtomicReference<@Nullable SentWrite<ValidatingTimestamp>> sent) {
        SentWrite<ValidatingTimestamp> before = sent.get();
        int generation = before == null ? newest : before.generation();
        PasisGroup group = pasisGroup(now, generation, block);
        Timeouts times = Timeouts.standard();
        long held = (long) group.policy().n() * group.policy().fragmentBytes(blockBytes()) + blockBytes();
        return client.driver()
                .submit(
                        () -> before == null
                                ? new PasisWrite(group, client.config().principal(), session, data, times)
                                : PasisWrite.continueInEpoch(group, session, data, before.at(), times),
                        held)
                .thenApply(outcome -> switch (outcome) {
                    case PasisWriteOutcome.Written ignored -> true;
                    case PasisWriteOutcome.EpochOver over -> {
                        sent.set(new SentWrite<>(generation, over.at()));
                        throw otherEpoch(block);
                    }
                    case PasisWriteOutcome.Failed failed ->
                        throw failure(failed.reason(), block, failed.mayBeWritten(), subject);
                });
    }

    private static OtherEpochException otherEpoch(long block) {
        return new OtherEpochException(message(block) + IN_OTHER_EPOCH + MAY_BE_READ);
    }

    /** Operation within a session. */
    private interface SessionWork<T> {
        CompletableFuture<T> in(SessionPool.Lease lease);
    }

    /**
     * Runs the work in a session. It repeats the work in another session if nodes refused every part. The reason is a
     * closed session, or remains of its writes that fill the client's quota.
     */
    private <T> CompletableFuture<T> withSession(int attempt, SessionWork<T> work) {
        SessionPool.Lease lease = client.store().sessions().lease(volume.id(), BulwarkClient.noDeadline(), subject);
        return trackWork(lease, work).exceptionallyCompose(failure -> {
            Throwable cause = failure.getCause() == null ? failure : failure.getCause();
            if (cause instanceof SessionClosedException) {
                client.store().sessions().lost(lease);
                return attempt < ATTEMPTS_MAX
                        ? withSession(attempt + 1, work)
                        : CompletableFuture.failedFuture(new UnavailableException(
                                "the sessions of this client are closed repeatedly", subject, cause));
            }
            if (cause instanceof SessionFullException full) {
                return attempt < ATTEMPTS_MAX
                        ? client.store()
                                .sessions()
                                .replace(lease)
                                .thenComposeAsync(ignored -> withSession(attempt + 1, work), VIRTUAL)
                        : CompletableFuture.failedFuture(new LimitReachedException(full.getMessage(), subject));
            }
            return CompletableFuture.failedFuture(cause);
        });
    }

    private static <T> CompletableFuture<T> trackWork(SessionPool.Lease lease, SessionWork<T> work) {
        if (!lease.works().begin()) {
            return CompletableFuture.failedFuture(new SessionClosedException());
        }
        try {
            return work.in(lease)
                    .whenComplete((ignored1, ignored2) -> lease.works().end());
        } catch (RuntimeException e) {
            lease.works().end();
            throw e;
        }
    }

    /** Attempt of an operation in the epochs of one map. */
    private interface Attempt<T> {
        CompletableFuture<T> in(io.bulwark.protocol.cluster.Volume now);
    }

    private <T> CompletableFuture<T> withMap(long block, Attempt<T> attempt) {
        return withMap(block, client.view().map().volume(volume.id()).orElse(volume), MAPS_MAX, attempt);
    }

    private <T> CompletableFuture<T> withMap(
            long block, io.bulwark.protocol.cluster.Volume now, int mapsLeft, Attempt<T> attempt) {
        return attempt.in(now).exceptionallyCompose(failure -> {
            Throwable cause = failure.getCause() == null ? failure : failure.getCause();
            if (!(cause instanceof OtherEpochException other)) {
                return CompletableFuture.failedFuture(cause);
            }
            CompletableFuture<T> over =
                    CompletableFuture.failedFuture(new UnavailableException(other.getMessage(), subject, cause));
            return mapsLeft == 0
                    ? over
                    : client.view()
                            .later(now)
                            .thenCompose(later ->
                                    isLater(later, now, block) ? withMap(block, later, mapsLeft - 1, attempt) : over);
        });
    }

    /** Returns whether a map has a later epoch of one of the groups of a block. */
    static boolean isLater(
            io.bulwark.protocol.cluster.Volume later, io.bulwark.protocol.cluster.Volume now, long block) {
        return IntStream.rangeClosed(0, now.written())
                .mapToObj(generation -> BlockId.register(now.id(), generation, block))
                .anyMatch(register ->
                        later.group(register).epoch() > now.group(register).epoch());
    }

    /** Its group is in a later epoch. The operation begins again there, or goes on. */
    static final class OtherEpochException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final String what;

        OtherEpochException(String what) {
            this.what = what;
        }

        @Override
        public String getMessage() {
            return what;
        }
    }

    /** Nothing of the operation has happened. */
    static final class SessionClosedException extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    /**
     * Nothing of the operation has happened: remains of this session's writes fill the client's quota. Another session
     * has a new quota.
     */
    static final class SessionFullException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final String what;

        SessionFullException(String what) {
            this.what = what;
        }

        @Override
        public String getMessage() {
            return what;
        }
    }

    private static String message(long block) {
        return "block " + block + ": ";
    }

    /**
     * Maps the nodes' refusal of a block operation to an exception.
     *
     * @param mayBeWritten whether a COMMIT, or a fragment under PASIS, was sent. Others may have read the block by
     *     then, and written it again: it must never be written a second time, for any reason
     */
    static RuntimeException failure(Failure reason, long block, boolean mayBeWritten, Subject subject) {
        String message = message(block);
        String more = mayBeWritten ? MAY_BE_READ : "";
        if (reason == Failure.OTHER_EPOCH && !mayBeWritten) {
            return new OtherEpochException(message + IN_OTHER_EPOCH);
        }
        if (reason == Failure.LIMIT && !mayBeWritten) {
            return new SessionFullException(message + UNFINISHED);
        }
        BulwarkException known = switch (reason) {
            case TIMED_OUT -> new UnavailableException(message + "too few nodes answered in time" + more, subject);
            case OTHER_EPOCH -> new UnavailableException(message + IN_OTHER_EPOCH + more, subject);
            case EXHAUSTED -> new UnavailableException(message + "its timestamps are exhausted" + more, subject);
            case LIMIT -> new LimitReachedException(message + UNFINISHED + more, subject);
            case BLOCK_LIMIT ->
                new LimitReachedException(
                        message + "it has too many unverified writes of this client, and its nodes could verify "
                                + "none of them"
                                + more,
                        subject);
            case POOL ->
                new LimitReachedException(
                        message + "its nodes' history pools are full of unverified writes" + more, subject);
            case NO_GRANT -> new NotPermittedException(message + "no grant" + more, subject);
            case NO_SPACE -> new NoSpaceException(message + "the nodes' disks are full" + more, subject);
            case SESSION_CLOSED, SESSION_UNKNOWN ->
                mayBeWritten
                        ? new UnavailableException(message + "its session was closed meanwhile" + more, subject)
                        : null;
        };
        return known == null ? new SessionClosedException() : known;
    }

    private int blockBytes() {
        return volume.policy().blockBytes();
    }

    private void check(long block) {
        if (block < 0 || block >= volume.blocks()) {
            throw new InvalidRequestException(
                    "there is no block " + block + "; the volume has " + volume.blocks(), subject);
        }
    }
}

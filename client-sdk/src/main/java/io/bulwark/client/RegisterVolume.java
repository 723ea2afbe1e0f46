package io.bulwark.client;

import io.bulwark.client.error.BulwarkException;
import io.bulwark.client.error.InvalidRequestException;
import io.bulwark.client.error.LimitReachedException;
import io.bulwark.client.error.NoSpaceException;
import io.bulwark.client.error.NotPermittedException;
import io.bulwark.client.error.Subject;
import io.bulwark.client.error.UnavailableException;
import io.bulwark.client.object.Sessions;
import io.bulwark.protocol.fp.Failure;
import io.bulwark.protocol.fp.FpGroup;
import io.bulwark.protocol.fp.FpRead;
import io.bulwark.protocol.fp.FpReadOutcome;
import io.bulwark.protocol.fp.FpTimes;
import io.bulwark.protocol.fp.FpWrite;
import io.bulwark.protocol.fp.FpWriteOutcome;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.pasis.PasisGroup;
import io.bulwark.protocol.pasis.PasisRead;
import io.bulwark.protocol.pasis.PasisReadOutcome;
import io.bulwark.protocol.pasis.PasisWrite;
import io.bulwark.protocol.pasis.PasisWriteOutcome;
import io.bulwark.protocol.wire.Bytes;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A register volume of a connected client: {@link FpRead} and {@link FpWrite}, or {@link PasisRead} and {@link PasisWrite}, under the
 * driver.
 */
final class RegisterVolume implements Volume {
    private static final int ATTEMPTS_MAX = 3;
    /** So long after a session was refused no read asks for one again. */
    private static final long REFUSED_NANOS = 10_000_000_000L;

    private final BulwarkClient client;
    private final io.bulwark.protocol.cluster.Volume volume;
    private final Subject subject;
    /** When a session for writing was last refused; 0 for never. */
    private final AtomicLong refusedNanos = new AtomicLong();

    RegisterVolume(BulwarkClient client, io.bulwark.protocol.cluster.Volume volume) {
        this.client = client;
        this.volume = volume;
        this.subject = Subject.volume(volume.name());
    }

    @Override
    public VolumeInfo info() {
        return VolumeInfo.of(volume);
    }

    @Override
    public byte[] readBlock(long block) {
        return BulwarkClient.noDeadline().await(readBlockAsync(block), subject);
    }

    @Override
    public void writeBlock(long block, byte[] content) {
        var _ = BulwarkClient.noDeadline().await(writing(block, content), subject);
    }

    @Override
    public CompletableFuture<byte[]> readBlockAsync(long block) {
        BlockId id = id(block);
        long since = refusedNanos.get();
        if (since != 0 && System.nanoTime() - since < REFUSED_NANOS) {
            return readOnly(id);
        }
        CompletableFuture<byte[]> reading;
        try {
            reading = withSession(1, lease -> writingBack(id, lease.session().number()));
        } catch (NotPermittedException e) {
            reading = CompletableFuture.failedFuture(e);
        }
        return reading.exceptionallyCompose(failure -> {
            Throwable cause = failure.getCause() == null ? failure : failure.getCause();
            if (cause instanceof NotPermittedException) {
                // Without the right to write, or suspended: the nodes bring themselves up to date instead.
                refusedNanos.set(System.nanoTime());
                return readOnly(id);
            }
            return CompletableFuture.failedFuture(cause);
        });
    }

    private CompletableFuture<byte[]> writingBack(BlockId block, long session) {
        FpTimes times = FpTimes.standard();
        return switch (volume.policy().protocol()) {
            case FP -> readFp(block, FpRead.writingBack(FpGroup.of(volume, block), session, times));
            case PASIS -> {
                PrincipalId self = client.config().principal();
                yield readPasis(block, PasisRead.writingBack(PasisGroup.of(volume, block), self, session, times));
            }
        };
    }

    private CompletableFuture<byte[]> readOnly(BlockId block) {
        return switch (volume.policy().protocol()) {
            case FP -> readFp(block, FpRead.askingForRepair(FpGroup.of(volume, block), FpTimes.standard()));
            case PASIS -> readPasis(block, PasisRead.askingForRepair(PasisGroup.of(volume, block), FpTimes.standard()));
        };
    }

    private CompletableFuture<byte[]> readFp(BlockId block, FpRead read) {
        return client.driver().submit(read, blockBytes()).thenApply(outcome -> switch (outcome) {
            case FpReadOutcome.Value value -> value.block().toByteArray();
            case FpReadOutcome.NeverWritten never -> never.block().toByteArray();
            case FpReadOutcome.Failed failed -> throw failure(failed.reason(), block.counter(), false, subject);
        });
    }

    private CompletableFuture<byte[]> readPasis(BlockId block, PasisRead read) {
        return client.driver().submit(read, blockBytes()).thenApply(outcome -> switch (outcome) {
            case PasisReadOutcome.Value value -> value.block().toByteArray();
            case PasisReadOutcome.NeverWritten never -> never.block().toByteArray();
            case PasisReadOutcome.Failed failed -> throw failure(failed.reason(), block.counter(), false, subject);
        });
    }

    @Override
    public CompletableFuture<Void> writeBlockAsync(long block, byte[] content) {
        return writing(block, content).thenAccept(_ -> {});
    }

    /** Completes once written; the content is copied before this returns. */
    private CompletableFuture<Boolean> writing(long block, byte[] content) {
        BlockId id = id(block);
        if (content.length != blockBytes()) {
            throw new InvalidRequestException(
                    "a block has " + blockBytes() + " bytes, this content " + content.length, subject);
        }
        Bytes data = Bytes.of(content.clone());
        return client.writeTurns()
                .inTurn(
                        id,
                        () -> withSession(1, lease -> switch (volume.policy().protocol()) {
                            case FP -> writeFp(id, lease.session().number(), data);
                            case PASIS -> writePasis(id, lease.session().number(), data);
                        }));
    }

    private CompletableFuture<Boolean> writeFp(BlockId block, long session, Bytes data) {
        FpGroup group = FpGroup.of(volume, block);
        return client.driver()
                .submit(() -> new FpWrite(group, session, data, FpTimes.standard()), 2L * blockBytes())
                .thenApply(outcome -> switch (outcome) {
                    case FpWriteOutcome.Written _ -> true;
                    case FpWriteOutcome.Failed failed ->
                        throw failure(failed.reason(), block.counter(), failed.mayBeWritten(), subject);
                });
    }

    private CompletableFuture<Boolean> writePasis(BlockId block, long session, Bytes data) {
        PasisGroup group = PasisGroup.of(volume, block);
        long held = (long) volume.policy().n() * volume.policy().fragmentBytes(blockBytes()) + blockBytes();
        return client.driver()
                .submit(
                        () -> new PasisWrite(group, client.config().principal(), session, data, FpTimes.standard()),
                        held)
                .thenApply(outcome -> switch (outcome) {
                    case PasisWriteOutcome.Written _ -> true;
                    case PasisWriteOutcome.Failed failed ->
                        throw failure(failed.reason(), block.counter(), failed.mayBeWritten(), subject);
                });
    }

    /** What is done in a session. */
    private interface Work<T> {
        CompletableFuture<T> in(Sessions.Lease lease);
    }

    /** An operation of which nodes refused every part, since its session is closed, is repeated in another one. */
    private <T> CompletableFuture<T> withSession(int attempt, Work<T> work) {
        Sessions.Lease lease = client.store().sessions().lease(volume.id(), BulwarkClient.noDeadline(), subject);
        return work.in(lease).exceptionallyCompose(failure -> {
            Throwable cause = failure.getCause() == null ? failure : failure.getCause();
            if (cause instanceof SessionClosedException) {
                client.store().sessions().lost(lease);
                return attempt < ATTEMPTS_MAX
                        ? withSession(attempt + 1, work)
                        : CompletableFuture.failedFuture(new UnavailableException(
                                "the sessions of this client are closed again and again", subject, cause));
            }
            return CompletableFuture.failedFuture(cause);
        });
    }

    /** Nothing of the operation has happened. */
    static final class SessionClosedException extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    /**
     * What an operation on a block comes to that nodes refused.
     *
     * @param mayBeWritten whether a COMMIT was sent. Others may have read the block by then, and written it again: it must
     *     never be written a second time, whatever the reason
     */
    static RuntimeException failure(Failure reason, long block, boolean mayBeWritten, Subject subject) {
        String message = "block " + block + ": ";
        String more = mayBeWritten ? "; it may yet be read as written" : "";
        BulwarkException known = switch (reason) {
            case TIMED_OUT -> new UnavailableException(message + "too few nodes answered in time" + more, subject);
            case OTHER_EPOCH -> new UnavailableException(message + "its group is in another epoch" + more, subject);
            case EXHAUSTED -> new UnavailableException(message + "its timestamps are used up" + more, subject);
            case LIMIT ->
                new LimitReachedException(message + "too many unfinished writes of this client" + more, subject);
            case BLOCK_LIMIT ->
                new LimitReachedException(
                        message + "too many unverified writes of this client to it, and its nodes could verify none"
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

    private BlockId id(long block) {
        if (block < 0 || block >= volume.blocks()) {
            throw new InvalidRequestException(
                    "there is no block " + block + "; the volume has " + volume.blocks(), subject);
        }
        return BlockId.register(volume.id(), block);
    }
}

package io.bulwark.client.object;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.bulwark.client.error.CancelledException;
import io.bulwark.client.error.ChangedWhileReadingException;
import io.bulwark.client.error.DeadlineExceededException;
import io.bulwark.client.error.IncompleteObjectException;
import io.bulwark.client.error.PreconditionFailedException;
import io.bulwark.client.error.Subject;
import io.bulwark.client.error.UnavailableException;
import io.bulwark.protocol.bucket.ObjectPut;
import io.bulwark.protocol.bucket.ObjectVersion;
import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.extent.ReadOutcome;
import io.bulwark.protocol.extent.WriteOutcome;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Condition;
import io.bulwark.protocol.metadata.MetadataError;
import io.bulwark.protocol.object.Inode;
import io.bulwark.protocol.object.ObjectAttributes;
import io.bulwark.protocol.wire.Bytes;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.channels.Channels;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ObjectStreamTest {
    private static final int BLOCK = 512;
    private static final ProtectionPolicy POLICY = new ProtectionPolicy(1, 2, 4, BLOCK);
    private static final Volume VOLUME =
            new Volume(1, "default", VolumeKind.OBJECT, POLICY, 0, List.of(new PlacementGroup(1, List.of(0, 1, 2, 3))));

    private final long seed = Long.getLong("bulwark.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final MemoryExtents extents = new MemoryExtents();
    private final MemoryMetadata metadata = new MemoryMetadata();
    private final SessionPool sessions = new SessionPool(metadata, PrincipalId.client(0));
    private final ByteBudget budget = new ByteBudget(64 << 10);
    private final ObjectStore store = new ObjectStore(metadata, sessions, extents, budget);

    @AfterEach
    void close() {
        await().until(() -> budget.freeBytes() == 64 << 10);
        sessions.close();
    }

    private static ObjectWriter.Target target(String key) {
        return new ObjectWriter.Target(
                Subject.key("bucket", key),
                true,
                new ObjectPut.Target("bucket", key, Condition.NONE, ObjectAttributes.NONE));
    }

    private ObjectWriter writer(String key, long expected) {
        return writer(key, expected, _ -> {});
    }

    private ObjectWriter writer(String key, long expected, LongConsumer progress) {
        var target = target(key);
        return new ObjectWriter(store, VOLUME, target, expected, Deadline.in(Duration.ZERO), progress);
    }

    private byte[] content(int length) {
        byte[] content = new byte[length];
        random.nextBytes(content);
        return content;
    }

    private byte[] read(String key, long offset, long length) {
        Inode inode = metadata.inode(key);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (ObjectReader reader = new ObjectReader(
                store,
                VOLUME,
                new ObjectVersion("bucket", key, 1, inode),
                Subject.key("bucket", key),
                offset,
                length,
                Deadline.in(Duration.ZERO))) {
            for (Bytes part = reader.next(); !part.isEmpty(); part = reader.next()) {
                out.write(part.array(), part.offset(), part.length());
            }
            assertThat(reader.remaining()).isZero();
        }
        return out.toByteArray();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 10 * BLOCK, 256 * BLOCK, 256 * BLOCK + 1, 4000 * BLOCK + 7})
    void whatIsPutComesBack(int length) throws IOException {
        byte[] content = content(length);
        ObjectWriter known = writer("known", length);
        known.write(content, 0, length);
        assertThat(known.finish().inode()).isOne();
        ObjectWriter unknown = writer("unknown", -1);
        unknown.write(new ByteArrayInputStream(content));
        unknown.finish();
        ObjectWriter wrong = writer("wrong", length / 2);
        wrong.write(Channels.newChannel(new ByteArrayInputStream(content)));
        wrong.finish();

        for (String key : List.of("known", "unknown", "wrong")) {
            assertThat(metadata.layout(key).length()).isEqualTo(length);
            assertThat(read(key, 0, Long.MAX_VALUE)).isEqualTo(content);
        }
        assertThat(metadata.layout("known").ranges()).hasSizeLessThanOrEqualTo(1);
        assertThat(metadata.abandoned).isEmpty();
        assertThat(extents.blocksUnderWayMax.get()).isLessThanOrEqualTo(ObjectPut.WINDOW_BLOCKS);
    }

    @Test
    void anyRangeComesBackAndOnlyItsBlocksAreFetched() {
        byte[] content = content(1000 * BLOCK + 99);
        ObjectWriter writer = writer("key", content.length);
        writer.write(content, 0, content.length);
        writer.finish();
        for (int i = 0; i < 50; i++) {
            int from = random.nextInt(content.length + 10);
            int length = random.nextInt(3 * BLOCK);
            extents.read.clear();
            byte[] expected = Arrays.copyOfRange(
                    content, Math.min(from, content.length), Math.min(from + length, content.length));
            assertThat(read("key", from, length))
                    .as("seed %d: %d bytes from %d", seed, length, from)
                    .isEqualTo(expected);
            // At most four data blocks, and one or two pin lists above them.
            assertThat(extents.read.size()).as("seed %d", seed).isLessThanOrEqualTo(6);
        }
    }

    @Test
    void manyWritersStayWithinTheBudget() {
        List<CompletableFuture<Void>> writers = new ArrayList<>();
        byte[] content = content(40 * BLOCK);
        for (int i = 0; i < 40; i++) {
            String key = "key" + i;
            writers.add(CompletableFuture.runAsync(
                    () -> {
                        ObjectWriter writer = writer(key, -1);
                        writer.write(content, 0, content.length);
                        writer.finish();
                    },
                    task -> Thread.ofVirtual().start(task)));
        }
        CompletableFuture.allOf(writers.toArray(CompletableFuture<?>[]::new)).join();
        assertThat(extents.bytesUnderWayMax.get()).isLessThanOrEqualTo(64 << 10);
        assertThat(read("key17", 0, Long.MAX_VALUE)).isEqualTo(content);
    }

    @Test
    void aLongUploadIsRegisteredBeforeItsBlocksAreStored() {
        int length = (33 << 20) + 5;
        ObjectWriter writer = writer("long", length);
        byte[] piece = content(1 << 20);
        for (int i = 0; i < 33; i++) {
            writer.write(piece, 0, piece.length);
        }
        writer.write(piece, 0, 5);
        writer.finish();
        assertThat(metadata.registered).hasSize(1);
        assertThat(metadata.registered.getFirst().count())
                .isEqualTo(metadata.layout("long").extents());
    }

    @Test
    void aRefusedPutAbandonsItsBlocks() {
        metadata.refusal = MetadataError.CONDITION_FAILED;
        ObjectWriter writer = writer("key", -1);
        writer.write(content(3 * BLOCK), 0, 3 * BLOCK);
        assertThatThrownBy(writer::finish)
                .isInstanceOf(PreconditionFailedException.class)
                .hasMessageContaining("as planned [bucket bucket, key key]");
        assertThat(metadata.abandoned).hasSize(1);
        assertThat(metadata.abandoned.getFirst().count()).isEqualTo(3);

        metadata.refusal = null;
        ObjectWriter next = writer("key", -1);
        next.write(content(BLOCK), 0, BLOCK);
        next.finish();
        assertThat(metadata.layout("key").ranges().getFirst().first()).isEqualTo(3);
    }

    @Test
    void aClosedSessionIsReplaced() {
        metadata.refusal = MetadataError.SESSION_CLOSED;
        ObjectWriter writer = writer("key", 1);
        writer.write(content(1), 0, 1);
        assertThatThrownBy(writer::finish)
                .as("what the session executed before it was closed is not known")
                .isInstanceOf(UnavailableException.class)
                .hasMessageContaining("may have been put");

        metadata.refusal = null;
        ObjectWriter again = writer("key", 1);
        again.write(content(1), 0, 1);
        again.finish();
        assertThat(metadata.sessions).hasValue(2);
    }

    /** Or its first command would come to nothing that is known. */
    @Test
    void aSessionNotHeardOfForLongIsAskedBeforeItIsUsed() {
        metadata.ttlMillis = 0;
        SessionPool.Lease first = sessions.lease(1, Deadline.in(Duration.ZERO), Subject.NONE);
        assertThat(sessions.lease(1, Deadline.in(Duration.ZERO), Subject.NONE)).isEqualTo(first);
        metadata.closed = 1;
        assertThat(sessions.lease(1, Deadline.in(Duration.ZERO), Subject.NONE)
                        .session()
                        .number())
                .isEqualTo(2);
    }

    @Test
    void aSessionThatIsReplacedIsClosedOnceItsWorkIsOver() {
        SessionPool.Lease full = sessions.lease(1, Deadline.in(Duration.ZERO), Subject.NONE);
        assertThat(full.works().begin()).isTrue();
        var closing = sessions.replace(full);
        SessionPool.Lease next = sessions.lease(1, Deadline.in(Duration.ZERO), Subject.NONE);
        assertThat(next.session().number()).isEqualTo(2);
        assertThat(full.works().begin()).isFalse();
        assertThat(closing).isNotDone();
        full.works().end();
        assertThat(closing).isCompletedWithValue(true);
        assertThat(sessions.replace(next)).isCompletedWithValue(true);
    }

    @Test
    void aFailedBlockFailsThePutAndAbortIsQuiet() {
        extents.writeFailure = block ->
                block.counter() == 2 ? new WriteOutcome.Unavailable(Map.of(1, "node-1 has not answered")) : null;
        ObjectWriter writer = writer("key", -1);
        assertThatThrownBy(() -> {
                    writer.write(content(100 * BLOCK), 0, 100 * BLOCK);
                    writer.finish();
                })
                .isInstanceOf(UnavailableException.class)
                .hasMessageContaining("node-1 has not answered")
                .hasMessageContaining("key key");
        assertThat(metadata.objects).isEmpty();
        assertThat(metadata.abandoned).isNotEmpty();
        writer.abort();
        await().until(() -> budget.freeBytes() == 64 << 10);
    }

    @Test
    void freedMeansChangedOnlyIfTheInodeIsGone() {
        ObjectWriter writer = writer("key", -1);
        writer.write(content(BLOCK), 0, BLOCK);
        writer.finish();
        extents.readFailure = _ -> new ReadOutcome.Freed();
        assertThatThrownBy(() -> read("key", 0, BLOCK)).isInstanceOf(UnavailableException.class);

        Inode inode = metadata.inode("key");
        ObjectReader reader = new ObjectReader(
                store,
                VOLUME,
                new ObjectVersion("bucket", "key", 1, inode),
                Subject.key("bucket", "key"),
                0,
                BLOCK,
                Deadline.in(Duration.ZERO));
        metadata.objects.clear();
        assertThatThrownBy(reader::next).isInstanceOf(ChangedWhileReadingException.class);
    }

    @Test
    void whatTooFewNodesHoldIsSaidToBeSalvageable() {
        ObjectWriter writer = writer("key", -1);
        writer.write(content(BLOCK), 0, BLOCK);
        writer.finish();
        extents.readFailure =
                _ -> new ReadOutcome.TooFewHolders(Map.of(2, "node-2 has not answered", 3, "node-3 has not answered"));
        assertThatThrownBy(() -> read("key", 0, BLOCK))
                .isInstanceOf(UnavailableException.class)
                .hasMessageContaining("too few nodes hold it: node-2 has not answered, node-3 has not answered")
                .hasMessageContaining("--salvage")
                .hasMessageContaining("[bucket bucket, key key]");
    }

    /** A read after an error must not report the end of the stream. */
    @Test
    void aReaderThatFailedNeverComesToTheEnd() {
        ObjectWriter writer = writer("key", -1);
        writer.write(content(2 * BLOCK), 0, 2 * BLOCK);
        writer.finish();
        extents.readFailure = _ -> {
            throw new IllegalStateException("the driver is closed");
        };
        Inode inode = metadata.inode("key");
        ObjectReader reader = new ObjectReader(
                store,
                VOLUME,
                new ObjectVersion("bucket", "key", 1, inode),
                Subject.key("bucket", "key"),
                0,
                2 * BLOCK,
                Deadline.in(Duration.ZERO));
        assertThatThrownBy(reader::next).isInstanceOf(CancelledException.class);
        assertThatThrownBy(reader::next).isInstanceOf(CancelledException.class);
    }

    @Test
    void aVersionThatCannotBeReadIsAnErrorNotOtherBytes() {
        ObjectWriter writer = writer("key", -1);
        writer.write(content(2 * BLOCK), 0, 2 * BLOCK);
        writer.finish();
        extents.stored.replaceAll((_, _) -> Bytes.of(content(BLOCK)));
        assertThatThrownBy(() -> read("key", 0, BLOCK)).isInstanceOf(IncompleteObjectException.class);
    }

    @Test
    void progressGrowsToTheLength() {
        List<Long> seen = new ArrayList<>();
        ObjectWriter writer = writer("key", -1, seen::add);
        writer.write(content(20 * BLOCK + 1), 0, 20 * BLOCK + 1);
        writer.finish();
        assertThat(seen).isSorted().endsWith(20L * BLOCK + 1).hasSize(21);
    }

    @Test
    void aDeadlineEndsTheWaiting() {
        var target = target("key");
        ExtentAccess silent = new ExtentAccess() {
            @Override
            public CompletableFuture<WriteOutcome> write(Volume v, io.bulwark.protocol.id.BlockId b, Bytes c) {
                return new CompletableFuture<>();
            }

            @Override
            public CompletableFuture<ReadOutcome> read(Volume v, io.bulwark.protocol.id.BlockId b, Bytes p, int l) {
                return new CompletableFuture<>();
            }
        };
        ObjectWriter writer = new ObjectWriter(
                new ObjectStore(metadata, sessions, silent, budget),
                VOLUME,
                target,
                -1,
                Deadline.in(Duration.ofMillis(20)),
                _ -> {});
        writer.write(content(10), 0, 10);
        assertThatThrownBy(writer::finish)
                .isInstanceOf(DeadlineExceededException.class)
                .hasMessageContaining("20 ms");
    }
}

package io.bulwark.protocol.ordering.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.message.Batch;
import io.bulwark.protocol.ordering.message.ReplicaMessage;
import io.bulwark.protocol.ordering.message.ReplicaMessage.DigestView;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Numbered;
import io.bulwark.protocol.ordering.message.ReplicaMessage.PrePrepared;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Prepared;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Support;
import io.bulwark.protocol.ordering.message.ReplicaMessage.ViewChange;
import io.bulwark.protocol.ordering.message.Request;
import io.bulwark.protocol.ordering.message.RequestId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireWriter;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Whatever one peer sends, in whatever order: nothing breaks, and the others come to their decisions. */
@NullMarked
class HostileMessagesTest {
    private static final long[] NUMBERS = {
        0, 1, 2, 3, 4, 5, 7, 8, 9, 16, 100, 1 << 20, Integer.MAX_VALUE, Long.MAX_VALUE - 8, Long.MAX_VALUE
    };

    private final long seed = Long.getLong("bulwark.seed", 1);
    private final SplittableRandom random = new SplittableRandom(seed);

    private long number() {
        return NUMBERS[random.nextInt(NUMBERS.length)];
    }

    private Bytes digest() {
        return random.nextInt(3) == 0
                ? Batch.NULL_DIGEST
                : Hashes.sha256(new WireWriter().i64(random.nextInt(5)).toBytes());
    }

    private <T> List<T> some(Supplier<T> each) {
        return Stream.generate(each).limit(random.nextInt(6)).toList();
    }

    private Request request() {
        return new Request(PrincipalId.client(random.nextInt(3)), number(), random.nextBoolean(), Bytes.of((byte) 1));
    }

    private RequestId id() {
        return random.nextBoolean() ? request().id() : new RequestId(PrincipalId.client(1), number(), digest());
    }

    private Batch batch() {
        return new Batch(number(), some(this::id));
    }

    private Bytes bits() {
        byte[] bits = new byte[random.nextInt(1_025)];
        random.nextBytes(bits);
        return Bytes.of(bits);
    }

    private Numbered numbered() {
        return new Numbered(number(), digest());
    }

    private ViewChange viewChange() {
        return new ViewChange(
                number(),
                number(),
                some(this::numbered),
                some(() -> new Prepared(number(), digest(), number())),
                some(() -> new PrePrepared(number(), some(() -> new DigestView(digest(), number())))));
    }

    private int replica() {
        return random.nextInt(ReplicaMessage.REPLICAS_MAX);
    }

    private ReplicaMessage message() {
        return switch (random.nextInt(16)) {
            case 0 -> new ReplicaMessage.Vouch(some(this::id));
            case 1 -> new ReplicaMessage.PrePrepare(number(), number(), batch());
            case 2 -> new ReplicaMessage.Prepare(number(), number(), digest());
            case 3 -> new ReplicaMessage.Commit(number(), number(), digest());
            case 4 -> new ReplicaMessage.Executed(number(), some(this::digest));
            case 5 -> new ReplicaMessage.Checkpoint(number(), digest());
            case 6 -> viewChange();
            case 7 -> new ReplicaMessage.ViewChangeAck(number(), replica(), digest());
            case 8 ->
                new ReplicaMessage.NewView(
                        number(), some(() -> new Support(replica(), digest())), numbered(), some(this::numbered));
            case 9 -> new ReplicaMessage.FetchViewChange(number(), replica(), digest());
            case 10 -> new ReplicaMessage.ForwardedViewChange(replica(), viewChange());
            case 11 -> new ReplicaMessage.FetchBatch(digest());
            case 12 -> new ReplicaMessage.BatchBody(batch());
            case 13 -> new ReplicaMessage.FetchRequests(some(this::id));
            case 14 -> new ReplicaMessage.RequestBodies(some(this::request));
            default ->
                new ReplicaMessage.Status(
                        number(),
                        random.nextBoolean(),
                        number(),
                        number(),
                        bits(),
                        bits(),
                        random.nextLong(),
                        random.nextBoolean());
        };
    }

    @Test
    void oneHostilePeerBreaksNothing() {
        TestCluster cluster = new TestCluster(1, seed, config -> config.withLog(4, 8));
        cluster.wire = (from, to, message) -> from == 0 ? List.of(message(), message(), message()) : List.of(message);
        for (int i = 0; i < 60; i++) {
            cluster.submit(i % 3, i, TestCluster.operation(i));
            for (int to = 1; to < 4; to++) {
                for (int j = 0; j < 20; j++) {
                    cluster.send(0, to, message());
                }
            }
            cluster.run(50);
        }
        assertThat(cluster.runUntilDone(100_000))
                .as("seed %d: %s", seed, cluster)
                .isTrue();
    }
}

package io.bulwark.protocol.ordering.replica;

import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.message.Batch;
import io.bulwark.protocol.ordering.message.ReplicaMessage;
import io.bulwark.protocol.ordering.message.ReplicaMessage.BatchBody;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Checkpoint;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Commit;
import io.bulwark.protocol.ordering.message.ReplicaMessage.DigestView;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Executed;
import io.bulwark.protocol.ordering.message.ReplicaMessage.NewView;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Numbered;
import io.bulwark.protocol.ordering.message.ReplicaMessage.PrePrepare;
import io.bulwark.protocol.ordering.message.ReplicaMessage.PrePrepared;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Prepare;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Prepared;
import io.bulwark.protocol.ordering.message.ReplicaMessage.RequestBodies;
import io.bulwark.protocol.ordering.message.ReplicaMessage.RequestEcho;
import io.bulwark.protocol.ordering.message.ReplicaMessage.RequestReady;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Status;
import io.bulwark.protocol.ordering.message.ReplicaMessage.ViewChange;
import io.bulwark.protocol.ordering.message.Request;
import io.bulwark.protocol.ordering.message.RequestId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.NullMarked;

/** Says something else than the replica whose words it carries: to each receiver, and each time, as chance has it. */
@NullMarked
final class Liar {
    private static final PrincipalId NOBODYS = PrincipalId.client(999);

    private final SplittableRandom random;
    private final int percent;
    private final List<Bytes> seen = new ArrayList<>(List.of(Batch.NULL_DIGEST));

    Liar(SplittableRandom random, int percent) {
        this.random = random;
        this.percent = percent;
    }

    List<ReplicaMessage> say(ReplicaMessage message) {
        if (message instanceof Prepare prepare && seen.size() < 1_000) {
            seen.add(prepare.digest());
        }
        if (random.nextInt(100) >= percent) {
            return List.of(message);
        }
        return switch (random.nextInt(4)) {
            case 0 -> List.of();
            case 1 -> List.of(message, alter(message));
            default -> List.of(alter(message));
        };
    }

    private ReplicaMessage alter(ReplicaMessage message) {
        return switch (message) {
            case RequestEcho _ -> new RequestEcho(List.of(new RequestId(NOBODYS, random.nextInt(50), digest())));
            case RequestReady _ -> new RequestReady(List.of(new RequestId(NOBODYS, random.nextInt(50), digest())));
            case PrePrepare pre -> new PrePrepare(pre.view(), pre.sequence(), batch(pre.batch()));
            case Prepare prepare -> new Prepare(prepare.view(), prepare.sequence(), digest());
            case Commit commit -> new Commit(commit.view(), commit.sequence(), digest());
            case Executed executed ->
                new Executed(
                        executed.first(),
                        executed.digests().stream().map(_ -> digest()).toList());
            case Checkpoint checkpoint -> new Checkpoint(checkpoint.sequence() + 4L * random.nextInt(3), digest());
            case ViewChange change -> viewChange(change);
            case NewView newView -> newView(newView);
            case BatchBody body -> new BatchBody(batch(body.batch()));
            case RequestBodies _ ->
                new RequestBodies(List.of(new Request(NOBODYS, random.nextInt(50), false, Bytes.of((byte) 1))));
            case Status status ->
                new Status(
                        Math.max(0, status.view() + random.nextInt(-1, 3)),
                        random.nextBoolean(),
                        status.stable(),
                        Math.max(0, status.executed() - random.nextInt(5)),
                        Bytes.EMPTY,
                        Bytes.EMPTY,
                        random.nextLong(),
                        random.nextBoolean());
            default -> message;
        };
    }

    private ViewChange viewChange(ViewChange change) {
        List<Prepared> prepared = new ArrayList<>();
        List<PrePrepared> prePrepared = new ArrayList<>();
        for (long n = change.stable() + 1; n <= change.stable() + 8; n++) {
            if (random.nextBoolean() && change.view() > 0) {
                Bytes digest = digest();
                prepared.add(new Prepared(n, digest, random.nextLong(change.view())));
                prePrepared.add(new PrePrepared(n, List.of(new DigestView(digest, change.view() - 1))));
            }
        }
        return new ViewChange(change.view(), change.stable(), change.checkpoints(), prepared, prePrepared);
    }

    /** It chooses other batches, for fewer numbers, or for more. */
    private NewView newView(NewView newView) {
        List<Numbered> chosen = new ArrayList<>(newView.chosen());
        switch (random.nextInt(3)) {
            case 0 -> chosen.replaceAll(each -> random.nextInt(4) > 0 ? each : new Numbered(each.sequence(), digest()));
            case 1 ->
                chosen.subList(random.nextInt(chosen.size() + 1), chosen.size()).clear();
            default -> {
                for (int more = random.nextInt(1, 4); more > 0; more--) {
                    chosen.add(new Numbered(newView.checkpoint().sequence() + chosen.size() + 1, digest()));
                }
            }
        }
        return new NewView(newView.view(), newView.support(), newView.checkpoint(), chosen);
    }

    private Batch batch(Batch batch) {
        return switch (random.nextInt(3)) {
            case 0 -> new Batch(batch.millis() + 1, batch.requests());
            case 1 -> Batch.NULL;
            default -> new Batch(1, List.of(new RequestId(NOBODYS, random.nextInt(50), digest())));
        };
    }

    private Bytes digest() {
        return random.nextInt(3) == 0
                ? Hashes.sha256(new WireWriter().i64(random.nextInt(20)).toBytes())
                : seen.get(random.nextInt(seen.size()));
    }
}

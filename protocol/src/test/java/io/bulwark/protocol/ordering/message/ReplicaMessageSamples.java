package io.bulwark.protocol.ordering.message;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.message.ReplicaMessage.DigestView;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Numbered;
import io.bulwark.protocol.ordering.message.ReplicaMessage.PrePrepared;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Prepared;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Support;
import io.bulwark.protocol.ordering.message.ReplicaMessage.ViewChange;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.NullMarked;

/** One message of each kind. */
@NullMarked
final class ReplicaMessageSamples {
    private static final Bytes DIGEST = digest();
    private static final Request REQUEST =
            new Request(PrincipalId.client(7), -2, true, Bytes.of((byte) 0xAB, (byte) 0xCD));
    private static final Batch BATCH =
            new Batch(1_000, List.of(REQUEST.id(), new RequestId(REQUEST.client(), 3, DIGEST)));
    private static final ViewChange VIEW_CHANGE = new ViewChange(
            5,
            128,
            List.of(new Numbered(128, DIGEST), new Numbered(256, DIGEST)),
            List.of(new Prepared(129, DIGEST, 4)),
            List.of(new PrePrepared(129, List.of(new DigestView(DIGEST, 4), new DigestView(Batch.NULL_DIGEST, 3)))));

    private ReplicaMessageSamples() {}

    private static Bytes digest() {
        byte[] digest = new byte[32];
        digest[0] = (byte) 0xEE;
        digest[31] = 1;
        return Bytes.of(digest);
    }

    static Map<String, Message> all() {
        Map<String, Message> all = new LinkedHashMap<>();
        messages().forEach(message -> all.put(message.getClass().getSimpleName(), message));
        return all;
    }

    private static List<Message> messages() {
        return List.of(
                new ReplicaMessage.RequestEcho(BATCH.requests()),
                new ReplicaMessage.PrePrepare(1, 2, BATCH),
                new ReplicaMessage.Prepare(3, 4, DIGEST),
                new ReplicaMessage.Commit(5, 6, DIGEST),
                new ReplicaMessage.Executed(7, List.of(DIGEST, Batch.NULL_DIGEST)),
                new ReplicaMessage.Checkpoint(8, DIGEST),
                VIEW_CHANGE,
                new ReplicaMessage.ViewChangeAck(9, 3, DIGEST),
                new ReplicaMessage.NewView(
                        10,
                        List.of(new Support(0, DIGEST), new Support(2, DIGEST)),
                        new Numbered(128, DIGEST),
                        List.of(new Numbered(129, Batch.NULL_DIGEST))),
                new ReplicaMessage.FetchViewChange(11, 2, DIGEST),
                new ReplicaMessage.ForwardedViewChange(3, VIEW_CHANGE),
                new ReplicaMessage.FetchBatch(DIGEST),
                new ReplicaMessage.BatchBody(BATCH),
                new ReplicaMessage.FetchRequests(BATCH.requests()),
                new ReplicaMessage.RequestBodies(List.of(REQUEST)),
                new ReplicaMessage.Status(12, true, 13, 14, Bytes.of((byte) 0x3F), Bytes.of((byte) 0x07), 0x0FL, false),
                new ReplicaMessage.Fetch(15, List.of(DIGEST)),
                new ReplicaMessage.Pages(-16, List.of(REQUEST.operation(), Bytes.EMPTY)),
                new ReplicaMessage.QueryStable(-17),
                new ReplicaMessage.ReplyStable(18, 128, 200, DIGEST.slice(0, 16)),
                new ReplicaMessage.Recover(REQUEST),
                new ReplicaMessage.RecoveryReply(-19, true, 20, 21),
                new ReplicaMessage.RequestReady(BATCH.requests()),
                new ReplicaMessage.OwnCommand(-22, REQUEST.operation()));
    }
}

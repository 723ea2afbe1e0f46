package io.bulwark.protocol.ordering;

import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.NullMarked;

/** One message of each kind. */
@NullMarked
final class OrderingSamples {
    private static final Bytes BODY = Bytes.of((byte) 0xAB, (byte) 0xCD);

    private static final Position PLACE = new Position(258, digest());

    private OrderingSamples() {}

    private static Bytes digest() {
        byte[] digest = new byte[PeerMessage.DIGEST_BYTES];
        digest[0] = (byte) 0xEE;
        digest[digest.length - 1] = 1;
        return Bytes.of(digest);
    }

    /** By the names of their types. */
    static Map<String, Message> all() {
        Map<String, Message> all = new LinkedHashMap<>();
        messages().forEach(message -> all.put(message.getClass().getSimpleName(), message));
        return all;
    }

    private static List<Message> messages() {
        return List.of(
                new OrderingMessage.Submit(1, BODY),
                new OrderingMessage.Query(-2, Bytes.EMPTY),
                new OrderingMessage.OrderedQuery(3, BODY),
                new OrderingMessage.Reply(4, 3, BODY),
                new OrderingMessage.Refused(5, Refusal.OVERLOADED),
                new PeerMessage.Standing(6, Phase.RUNNING, PLACE),
                new PeerMessage.Start(7, Position.GENESIS),
                new PeerMessage.AskDigest(8),
                new PeerMessage.DigestAt(9, Optional.of(PLACE.digest())),
                new PeerMessage.FetchLog(10),
                new PeerMessage.LogChunk(11, List.of(BODY, Bytes.EMPTY)),
                new PeerMessage.AskSnapshots(),
                new PeerMessage.Snapshots(List.of(new PeerMessage.Snapshot(PLACE, 12, PLACE.digest()))),
                new PeerMessage.FetchSnapshot(13, 14),
                new PeerMessage.SnapshotChunk(15, 16, BODY),
                new PeerMessage.Engine(17, BODY));
    }
}

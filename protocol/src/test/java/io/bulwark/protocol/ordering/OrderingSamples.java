package io.bulwark.protocol.ordering;

import io.bulwark.protocol.ordering.recovery.RecoveryReport;
import io.bulwark.protocol.ordering.recovery.RecoveryStatus;
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

    private static final RecoveryStatus RECOVERIES = new RecoveryStatus(
            600_000,
            61_000,
            1_700_000_000_000L,
            true,
            RecoveryReport.Phase.REACHING,
            true,
            new RecoveryStatus.Steps(900, 20, 40, RecoveryStatus.NEVER, RecoveryStatus.NEVER, 256, 10, 1),
            List.of(new RecoveryReport.KnownRecovery(2, 130, 384, 1_699_999_999_000L, 850, true, false)));

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
                new OrderingMessage.Submit(1, 2, BODY),
                new OrderingMessage.Query(-2, Bytes.EMPTY),
                new OrderingMessage.OrderedQuery(3, BODY),
                new OrderingMessage.Reply(4, 3, BODY),
                new OrderingMessage.Refused(5, CallRefusal.OVERLOADED),
                new RecoveryMessage.StatusQuery(18),
                new RecoveryMessage.StatusAnswer(19, 2, 6, RECOVERIES),
                new OrderingMessage.ReplyDigest(6, 3, digest()),
                new PeerMessage.PeerStatus(6, Phase.RUNNING, PLACE),
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

package io.bulwark.protocol.locking;

import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.id.P256;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.NullMarked;

/** One message of each kind. */
@NullMarked
final class LockingSamples {
    static final LogId LOG = new LogId(PrincipalId.client(7), 3, 258);

    private static final Bytes BODY = Bytes.of((byte) 0xAB, (byte) 0xCD);

    private LockingSamples() {}

    static Bytes filled(int length, int value) {
        byte[] bytes = new byte[length];
        bytes[0] = (byte) value;
        bytes[length - 1] = 1;
        return Bytes.of(bytes);
    }

    static LockingMessage.Append append() {
        return new LockingMessage.Append(
                LOG,
                List.of(
                        new LogEntry(1_700_000_000_000L, Optional.empty(), BODY),
                        new LogEntry(5, Optional.of(PrincipalId.client(9)), Bytes.EMPTY)),
                new LogHead(12, filled(Hashes.LENGTH, 0xEE), filled(P256.SIGNATURE_BYTES, 0xDD)));
    }

    /** By the names of their types. */
    static Map<String, Message> all() {
        Map<String, Message> all = new LinkedHashMap<>();
        messages().forEach(message -> all.put(message.getClass().getSimpleName(), message));
        return all;
    }

    private static List<Message> messages() {
        return List.of(
                append(),
                new LockingMessage.Appended(LOG, 12, filled(Hashes.LENGTH, 0xEE), List.of(BODY, Bytes.EMPTY)),
                new LockingMessage.LogRead(LOG, 4, 2, 12, Optional.of(PrincipalId.client(9)), BODY),
                new LockingMessage.LogAnswer(LOG, 4, BODY),
                new LockingMessage.LogAnswerDigest(LOG, 4, filled(Hashes.LENGTH, 0xEE)),
                new LockingMessage.LogRefused(LOG, 0, LogRefusal.GAP, 11));
    }
}

package io.bulwark.protocol.ordering;

import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;
import java.util.List;
import org.jspecify.annotations.NullMarked;

/** One message of each kind. */
@NullMarked
final class OrderingSamples {
    private static final Bytes BODY = Bytes.of((byte) 0xAB, (byte) 0xCD);

    private OrderingSamples() {}

    static List<Message> all() {
        return List.of(
                new OrderingMessage.Submit(1, BODY),
                new OrderingMessage.Query(-2, Bytes.EMPTY),
                new OrderingMessage.OrderedQuery(3, BODY),
                new OrderingMessage.Reply(4, BODY),
                new OrderingMessage.Refused(5, Refusal.OVERLOADED));
    }
}

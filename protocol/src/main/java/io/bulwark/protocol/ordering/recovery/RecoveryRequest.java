package io.bulwark.protocol.ordering.recovery;

import io.bulwark.protocol.ordering.key.Signing;
import io.bulwark.protocol.ordering.message.ReplicaClient;
import io.bulwark.protocol.ordering.message.ReplicaMessage;
import io.bulwark.protocol.ordering.message.Request;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The operation of a recovery request: ordered as any other, from the replica as the client. The signature covers a
 * fresh nonce of each receiver that gave one, since no device binds a counter to what it signs.
 *
 * @param replica who recovers
 * @param call tells its requests apart
 * @param estimate H_M, the high water mark that its log may have at most
 * @param challenges the nonces, by receiver
 */
public record RecoveryRequest(int replica, long call, long estimate, List<Challenge> challenges, Bytes signature) {
    /** Length in bytes of a nonce. */
    public static final int NONCE_BYTES = ReplicaMessage.NONCE_BYTES;

    private static final String PURPOSE = "bulwark recovery request";

    /** A receiver's nonce. */
    public record Challenge(int replica, Bytes nonce) {}

    public RecoveryRequest {
        challenges = List.copyOf(challenges);
    }

    /** Returns the bytes that are signed. */
    public static Bytes content(int replica, long call, long estimate, List<Challenge> challenges) {
        WireWriter out = new WireWriter().string(PURPOSE).u8(replica).i64(call);
        write(estimate, challenges, out);
        return out.toBytes();
    }

    public Bytes content() {
        return content(replica, call, estimate, challenges);
    }

    private static void write(long estimate, List<Challenge> challenges, WireWriter out) {
        out.i64(estimate).u8(challenges.size());
        challenges.forEach(each -> out.u8(each.replica()).raw(each.nonce()));
    }

    /** The request that is ordered. */
    public Request request() {
        WireWriter out = new WireWriter();
        write(estimate, challenges, out);
        out.bytes(signature);
        return new Request(ReplicaClient.ofRecovery(replica), call, false, out.toBytes());
    }

    /** The nonce that it signs of this receiver; empty if it signs none. */
    public Bytes nonceOf(int receiver) {
        for (Challenge each : challenges) {
            if (each.replica() == receiver) {
                return each.nonce();
            }
        }
        return Bytes.EMPTY;
    }

    /** Empty if the request is none of a replica, or not well formed. */
    public static Optional<RecoveryRequest> of(Request request) {
        if (!ReplicaClient.isRecovery(request.client()) || request.query()) {
            return Optional.empty();
        }
        try {
            WireReader in = new WireReader(request.operation());
            long estimate = in.nonNegative64();
            int count = in.u8();
            List<Challenge> challenges = new ArrayList<>();
            int before = -1;
            for (int i = 0; i < count; i++) {
                int replica = in.u8();
                if (replica <= before || replica >= ReplicaMessage.REPLICAS_MAX) {
                    return Optional.empty();
                }
                before = replica;
                challenges.add(new Challenge(replica, in.raw(NONCE_BYTES)));
            }
            Bytes signature = in.bytes(Signing.SIGNATURE_BYTES_MAX);
            in.end();
            return Optional.of(
                    new RecoveryRequest(request.client().number(), request.call(), estimate, challenges, signature));
        } catch (MalformedException e) {
            return Optional.empty();
        }
    }
}

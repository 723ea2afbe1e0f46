package io.bulwark.protocol.ordering.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.ordering.message.Request;
import io.bulwark.protocol.ordering.recovery.RecoveryRequest.Challenge;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireWriter;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Tests the request that a recovering replica signs and has ordered. */
@NullMarked
class RecoveryRequestTest {
    private static final List<Challenge> CHALLENGES = List.of(challenge(0, 1), challenge(2, 2));
    private static final RecoveryRequest ASKED =
            new RecoveryRequest(3, 7, 256, CHALLENGES, Bytes.of(new byte[] {9, 9}));

    private static Challenge challenge(int replica, int nonce) {
        byte[] bytes = new byte[RecoveryRequest.NONCE_BYTES];
        bytes[0] = (byte) nonce;
        return new Challenge(replica, Bytes.of(bytes));
    }

    private static Request withOperation(Bytes operation) {
        return new Request(PrincipalId.replica(3), 7, false, operation);
    }

    @PlantedBug(
            in = RecoveryRequest.class,
            rule = "the signature of a recovery request covers its call",
            replace = "new WireWriter().string(PURPOSE).u8(replica).i64(call);",
            with = "new WireWriter().string(PURPOSE).u8(replica);")
    @PlantedBug(
            in = RecoveryRequest.class,
            rule = "the signature of a recovery request covers its estimate",
            replace = "write(estimate, challenges, out); return out.toBytes();",
            with = "write(0, challenges, out); return out.toBytes();")
    @PlantedBug(
            in = RecoveryRequest.class,
            rule = "the signature of a recovery request covers its nonces",
            replace = "write(estimate, challenges, out); return out.toBytes();",
            with = "write(estimate, List.of(), out); return out.toBytes();")
    @Test
    void aSignatureIsGoodForOneRequestAndNothingElse() {
        Set<Bytes> signed = new HashSet<>();
        signed.add(ASKED.content());
        signed.add(RecoveryRequest.content(2, 7, 256, CHALLENGES));
        signed.add(RecoveryRequest.content(3, 8, 256, CHALLENGES));
        signed.add(RecoveryRequest.content(3, 7, 384, CHALLENGES));
        signed.add(RecoveryRequest.content(3, 7, 256, List.of(challenge(0, 1), challenge(2, 3))));
        signed.add(RecoveryRequest.content(3, 7, 256, List.of(challenge(0, 1), challenge(1, 2))));
        assertThat(signed).hasSize(6);
        Bytes purpose = new WireWriter().string("bulwark recovery request").toBytes();
        assertThat(ASKED.content().slice(0, purpose.length())).isEqualTo(purpose);
    }

    @Test
    void itIsReadAsItWasWritten() {
        assertThat(RecoveryRequest.of(ASKED.request())).contains(ASKED);
        assertThat(ASKED.nonceOf(2)).isEqualTo(challenge(2, 2).nonce());
        assertThat(ASKED.nonceOf(1)).isEqualTo(Bytes.EMPTY);
    }

    @Test
    void whatIsNotWellFormedIsNone() {
        Request request = ASKED.request();
        assertThat(RecoveryRequest.of(new Request(request.client(), 7, true, request.operation())))
                .isEmpty();
        assertThat(RecoveryRequest.of(new Request(PrincipalId.client(3), 7, false, request.operation())))
                .isEmpty();
        Bytes longer = new WireWriter().raw(request.operation()).u8(0).toBytes();
        assertThat(RecoveryRequest.of(withOperation(longer))).isEmpty();
        for (List<Challenge> wrong :
                List.of(List.of(challenge(2, 1), challenge(2, 2)), List.of(challenge(2, 1), challenge(0, 2)))) {
            Request made = new RecoveryRequest(3, 7, 256, wrong, Bytes.EMPTY).request();
            assertThat(RecoveryRequest.of(made)).isEmpty();
        }
    }
}

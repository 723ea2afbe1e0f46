package io.bulwark.protocol.ordering.membership;

import static io.bulwark.protocol.ordering.membership.Proofs.GENESIS;
import static io.bulwark.protocol.ordering.membership.Proofs.handover;
import static io.bulwark.protocol.ordering.membership.Proofs.member;
import static io.bulwark.protocol.ordering.membership.Proofs.proof;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.protocol.ordering.key.Signing;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.Message;
import io.bulwark.protocol.wire.MessageCodec;
import io.bulwark.protocol.wire.MessageCodecContract;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

@NullMarked
class MembershipCodecTest implements MessageCodecContract {
    private static final Handover HANDOVER = handover(GENESIS, GENESIS.replacing(2, member(4)));

    static Map<String, Message> all() {
        Map<String, Message> all = new LinkedHashMap<>();
        for (Message message : List.of(
                new MembershipMessage.Ended(1, HANDOVER.checkpoint(), Bytes.of((byte) 7, (byte) 8)),
                new MembershipMessage.AskSuccessor(2),
                new MembershipMessage.Successor(proof(GENESIS, HANDOVER, 0, 1, 3), Bytes.EMPTY))) {
            all.put(message.getClass().getSimpleName(), message);
        }
        all.put(
                "SuccessorAuthorized",
                new MembershipMessage.Successor(proof(GENESIS, HANDOVER, 0, 1, 3), Bytes.of((byte) 1, (byte) 2)));
        return all;
    }

    @Override
    public MessageCodec codec() {
        return new MembershipCodec();
    }

    @Override
    public List<Class<?>> families() {
        return List.of(MembershipMessage.class);
    }

    @Override
    public Map<String, Message> samples() {
        return all();
    }

    @Override
    public String golden() {
        return "/wire/ordering-membership.hex";
    }

    @Test
    void whatIsBeyondTheBoundsIsMalformed() {
        WireWriter signature =
                new WireWriter().i64(1).i64(8).raw(HANDOVER.checkpoint().digest());
        assertMalformed(0x0A01, signature.i32(Signing.SIGNATURE_BYTES_MAX + 1).toBytes());
        assertMalformed(0x0A02, new WireWriter().i64(-1).toBytes());
        WireWriter many = new WireWriter();
        HANDOVER.write(many);
        assertMalformed(0x0A03, many.u8(65).toBytes());
        WireWriter five = new WireWriter().raw(HANDOVER.previous()).i64(8);
        five.raw(HANDOVER.checkpoint().digest()).i64(1).u8(5);
        assertMalformed(0x0A03, five.toBytes());
        assertMalformed(0x0A04, Bytes.EMPTY);
        WireWriter none = new WireWriter();
        proof(GENESIS, HANDOVER, 0, 1, 3).write(none);
        Bytes proof = none.toBytes();
        assertMalformed(0x0A03, proof);
        assertMalformed(
                0x0A03,
                new WireWriter()
                        .raw(proof)
                        .i32(OperatorAuthorizations.BYTES_MAX + 1)
                        .toBytes());
    }

    @Test
    void aConfigurationThatNamesSomebodyTwiceOrNoReplicaIsMalformed() {
        for (Member wrong : List.of(member(1), member(0))) {
            WireWriter out = new WireWriter().raw(HANDOVER.previous()).i64(8);
            out.raw(HANDOVER.checkpoint().digest()).i64(1).u8(4);
            GENESIS.members().subList(0, 3).forEach(member -> member.write(out));
            wrong.write(out);
            assertMalformed(0x0A03, out.u8(0).toBytes());
        }
        WireWriter genesis = new WireWriter();
        handover(GENESIS, GENESIS).write(genesis);
        assertMalformed(0x0A03, genesis.u8(0).toBytes());
    }

    private void assertMalformed(int type, Bytes body) {
        assertThatThrownBy(() -> codec().read(type, new WireReader(body))).isInstanceOf(MalformedException.class);
    }
}

package io.bulwark.protocol.ordering.membership;

import io.bulwark.protocol.ordering.key.Signing;
import io.bulwark.protocol.ordering.message.ReplicaMessage;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.ArrayList;
import java.util.List;

/**
 * Proof that a configuration has ended and which one follows, for anybody who knows the ended one: 2f+1 of its replicas
 * have signed it. Any other 2f+1 signatures share a correct signer with these, and f+1 of the signers have stopped
 * answering queries. The signers include f'+1 of the staying replicas, one of which is correct and has the state.
 *
 * @param signatures by place in the configuration that has ended, each place once
 */
public record HandoverProof(Handover handover, List<Signed> signatures) {
    /** One replica's. */
    public record Signed(int place, Bytes signature) {}

    public HandoverProof {
        signatures = List.copyOf(signatures);
    }

    /** The number of the configuration that has ended. */
    public long number() {
        return handover.next().number() - 1;
    }

    /** Returns the term that begins. */
    public ConfigurationStart term() {
        return new ConfigurationStart(handover.next(), handover.checkpoint());
    }

    /** Returns whether it proves that this configuration has ended. */
    public boolean proves(Configuration ended, Signatures keys) {
        if (number() != ended.number()
                || !handover.previous().equals(ended.digest())
                || !isEnough(ended, handover.next(), places())) {
            return false;
        }
        Bytes content = handover.content();
        for (Signed each : signatures) {
            if (!keys.verify(ended.members().get(each.place()), content, each.signature())) {
                return false;
            }
        }
        return true;
    }

    private List<Integer> places() {
        return signatures.stream().map(Signed::place).toList();
    }

    /** Returns whether the signatures of the replicas in these places are a proof. */
    static boolean isEnough(Configuration ended, Configuration next, List<Integer> places) {
        int staying = 0;
        int before = -1;
        for (int place : places) {
            if (place <= before || place >= ended.members().size()) {
                return false;
            }
            before = place;
            staying += next.placeOf(ended.members().get(place).replica()) >= 0 ? 1 : 0;
        }
        return places.size() >= ended.quorum() && staying > next.faulty();
    }

    public void write(WireWriter out) {
        handover.write(out);
        out.u8(signatures.size());
        signatures.forEach(each -> out.u8(each.place()).bytes(each.signature()));
    }

    public static HandoverProof read(WireReader in) {
        Handover handover = Handover.read(in);
        if (handover.next().number() == 0) {
            throw new MalformedException("nothing comes before the genesis");
        }
        int count = in.u8();
        if (count > ReplicaMessage.REPLICAS_MAX) {
            throw new MalformedException(count + " signatures");
        }
        List<Signed> signatures = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            signatures.add(new Signed(in.u8(), in.bytes(Signing.SIGNATURE_BYTES_MAX)));
        }
        return new HandoverProof(handover, signatures);
    }
}

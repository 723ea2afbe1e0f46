package io.bulwark.simulation.ordering;

import io.bulwark.protocol.ordering.key.KeyCipher;
import io.bulwark.protocol.ordering.key.Signing;
import io.bulwark.protocol.ordering.membership.Configuration;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireWriter;
import java.util.Optional;

/**
 * Signatures and encryption of replicas by their places in a configuration. Only the receiver can decrypt its messages.
 */
record MemberSignatures(Configuration configuration, int self) implements Signing, KeyCipher {
    @Override
    public Bytes sign(Bytes content) {
        return new SimulatedSigning(self).sign(content);
    }

    @Override
    public boolean verify(int place, Bytes content, Bytes signature) {
        return new SimulatedSigning(self).verify(configuration.members().get(place), content, signature);
    }

    @Override
    public Bytes seal(int place, Bytes key) {
        return sealed(configuration.members().get(place).replica().number(), key);
    }

    /** Seals a key for the replica with this name. */
    static Bytes sealed(int name, Bytes key) {
        return new WireWriter(4 + key.length()).i32(name).raw(key).toBytes();
    }

    @Override
    public Optional<Bytes> open(Bytes sealed) {
        Bytes mine = sealed(self, Bytes.EMPTY);
        boolean fits = sealed.length() > mine.length()
                && sealed.slice(0, mine.length()).equals(mine);
        return fits ? Optional.of(sealed.slice(mine.length(), sealed.length() - mine.length())) : Optional.empty();
    }
}

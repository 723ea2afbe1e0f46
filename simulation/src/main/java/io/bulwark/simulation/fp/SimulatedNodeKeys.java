package io.bulwark.simulation.fp;

import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.ordering.key.KeyCipher;
import io.bulwark.protocol.ordering.key.Signing;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireWriter;
import java.util.Optional;

/** Signatures that nobody in a simulation forges, and secrets that only their receiver opens. */
record SimulatedNodeKeys(int self) implements Signing, KeyCipher {
    @Override
    public Bytes sign(Bytes content) {
        return signature(self, content);
    }

    @Override
    public boolean verify(int node, Bytes content, Bytes signature) {
        return signature(node, content).equals(signature);
    }

    private static Bytes signature(int node, Bytes content) {
        return Hashes.sha256(
                new WireWriter(4 + content.length()).i32(node).raw(content).toBytes());
    }

    @Override
    public Bytes seal(int node, Bytes key) {
        return new WireWriter(4 + key.length()).i32(node).raw(key).toBytes();
    }

    @Override
    public Optional<Bytes> open(Bytes sealed) {
        Bytes mine = new WireWriter(4).i32(self).toBytes();
        boolean fits = sealed.length() > mine.length()
                && sealed.slice(0, mine.length()).equals(mine);
        return fits ? Optional.of(sealed.slice(mine.length(), sealed.length() - mine.length())) : Optional.empty();
    }
}

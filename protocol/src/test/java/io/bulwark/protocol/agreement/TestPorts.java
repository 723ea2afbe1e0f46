package io.bulwark.protocol.agreement;

import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.ordering.key.KeyCipher;
import io.bulwark.protocol.ordering.key.Signing;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireWriter;
import java.util.Optional;
import org.jspecify.annotations.NullMarked;

/** Stand-in for signatures and ciphers: the node's number takes the place of its private key. */
@NullMarked
record TestPorts(int self) implements Signing, KeyCipher {
    @Override
    public Bytes sign(Bytes content) {
        return signature(self, content);
    }

    @Override
    public boolean verify(int node, Bytes content, Bytes signature) {
        return signature(node, content).equals(signature);
    }

    private static Bytes signature(int node, Bytes content) {
        return Hashes.sha256(new WireWriter().i32(node).raw(content).toBytes());
    }

    @Override
    public Bytes seal(int node, Bytes key) {
        return new WireWriter().u8(node).raw(key).toBytes();
    }

    @Override
    public Optional<Bytes> open(Bytes sealed) {
        return sealed.isEmpty() || sealed.get(0) != self
                ? Optional.empty()
                : Optional.of(sealed.slice(1, sealed.length() - 1));
    }
}

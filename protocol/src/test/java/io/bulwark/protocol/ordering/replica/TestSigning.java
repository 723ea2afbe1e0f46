package io.bulwark.protocol.ordering.replica;

import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.ordering.key.Signing;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireWriter;
import org.jspecify.annotations.NullMarked;

/** Nobody in the tests computes another's. */
@NullMarked
record TestSigning(int self) implements Signing {
    @Override
    public Bytes sign(Bytes content) {
        return signature(self, content);
    }

    @Override
    public boolean verify(int replica, Bytes content, Bytes signature) {
        return signature(replica, content).equals(signature);
    }

    private static Bytes signature(int replica, Bytes content) {
        return Hashes.sha256(new WireWriter().i32(replica).raw(content).toBytes());
    }
}

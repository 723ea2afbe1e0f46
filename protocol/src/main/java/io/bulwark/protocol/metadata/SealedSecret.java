package io.bulwark.protocol.metadata;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;

/**
 * Secret of an access key, encrypted for one reader.
 *
 * @param reader a gateway, or the operator who keeps the secrets for gateways to come
 * @param box at most {@link #BOX_BYTES_MAX} bytes, which only the reader can open
 */
public record SealedSecret(PrincipalId reader, Bytes box) {
    public static final int BOX_BYTES_MAX = 320;

    void write(WireWriter out) {
        reader.write(out);
        out.bytes(box);
    }

    static SealedSecret read(WireReader in) {
        return new SealedSecret(PrincipalId.read(in), in.bytes(BOX_BYTES_MAX));
    }
}

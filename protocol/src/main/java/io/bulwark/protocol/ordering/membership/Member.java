package io.bulwark.protocol.ordering.membership;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKind;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;

/**
 * A replica as a configuration names it.
 *
 * @param key its public key; empty in a group without identities
 * @param address where others find it
 */
public record Member(PrincipalId replica, Bytes key, String address) {
    public static final int KEY_BYTES_MAX = 512;
    public static final int ADDRESS_BYTES_MAX = 512;

    public Member {
        if (replica.kind() != PrincipalKind.REPLICA || key.length() > KEY_BYTES_MAX) {
            throw new IllegalArgumentException(replica + " with a key of " + key.length() + " bytes");
        }
    }

    public void write(WireWriter out) {
        replica.write(out);
        out.bytes(key).string(address);
    }

    public static Member read(WireReader in) {
        PrincipalId replica = PrincipalId.read(in);
        if (replica.kind() != PrincipalKind.REPLICA) {
            throw new MalformedException(replica + " is not a replica");
        }
        return new Member(replica, in.bytes(KEY_BYTES_MAX), in.string(ADDRESS_BYTES_MAX));
    }
}

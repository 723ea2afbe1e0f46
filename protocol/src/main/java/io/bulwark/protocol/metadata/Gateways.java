package io.bulwark.protocol.metadata;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.List;

/**
 * The doors for programs that sign with access keys. Being named here gives a gateway nothing: it acts for a person by
 * its act-for grant alone. Clients that make access keys read here for whom they seal the secret.
 *
 * @param doors at most {@link #DOORS_MAX}, ascending
 * @param keeper operator for whom secrets are sealed too, for gateways to come; {@link PrincipalId#NOBODY} for none
 * @param anonymous person for whom requests without a signature are made; {@link PrincipalId#NOBODY} if they are refused
 */
public record Gateways(List<PrincipalId> doors, PrincipalId keeper, PrincipalId anonymous) {
    public static final int DOORS_MAX = 7;
    public static final Gateways NONE = new Gateways(List.of(), PrincipalId.NOBODY, PrincipalId.NOBODY);

    public Gateways {
        doors = List.copyOf(doors);
        if (doors.size() > DOORS_MAX) {
            throw new IllegalArgumentException(doors.size() + " gateways");
        }
    }

    /** Returns this without a principal. */
    Gateways without(PrincipalId revoked) {
        return new Gateways(
                doors.stream().filter(door -> !door.equals(revoked)).toList(),
                keeper.equals(revoked) ? PrincipalId.NOBODY : keeper,
                anonymous.equals(revoked) ? PrincipalId.NOBODY : anonymous);
    }

    void write(WireWriter out) {
        Lists.write(doors, out, PrincipalId::write);
        keeper.write(out);
        anonymous.write(out);
    }

    static Gateways read(WireReader in) {
        return new Gateways(Lists.read(in, DOORS_MAX, PrincipalId::read), PrincipalId.read(in), PrincipalId.read(in));
    }
}

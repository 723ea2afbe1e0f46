package io.bulwark.protocol.metadata;

import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.ArrayList;
import java.util.List;

/**
 * Consecutive placement groups of a volume and the epoch in which their holders gave all OKs that a put counts. The
 * claims of a put cover all groups of the newest generation in order, neighbours of one epoch in one claim.
 */
public record EpochClaim(int groups, long epoch) {
    public EpochClaim {
        if (groups < 1 || groups > Volume.GROUPS_MAX || epoch < 1) {
            throw new IllegalArgumentException(groups + " groups in epoch " + epoch);
        }
    }

    /** The claims of a writer that has only counted OKs of the epochs in this volume. */
    public static List<EpochClaim> of(Volume volume) {
        List<EpochClaim> claims = new ArrayList<>();
        for (PlacementGroup group : volume.newestGroups()) {
            EpochClaim claim = new EpochClaim(1, group.epoch());
            if (!claims.isEmpty() && claims.getLast().epoch == claim.epoch) {
                claim = new EpochClaim(claims.removeLast().groups + 1, claim.epoch);
            }
            claims.add(claim);
        }
        return claims;
    }

    void write(WireWriter out) {
        out.u16(groups).i64(epoch);
    }

    static EpochClaim read(WireReader in) {
        try {
            return new EpochClaim(in.u16(), in.i64());
        } catch (IllegalArgumentException e) {
            throw new MalformedException(e);
        }
    }
}

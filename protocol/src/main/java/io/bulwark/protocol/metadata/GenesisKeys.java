package io.bulwark.protocol.metadata;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.protocol.id.PrincipalKind;
import io.bulwark.protocol.ordering.membership.Configuration;
import io.bulwark.protocol.ordering.membership.Member;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Content of the genesis file, the same at every replica for good. It is no part of the state, but decides on replies
 * as the state does.
 *
 * @param cluster the cluster's id
 * @param operator the client that may administer from the first
 * @param keys of all principals of the genesis; none in a cluster where nobody has keys, and nothing is signed
 */
public record GenesisKeys(Bytes cluster, PrincipalId operator, SortedMap<PrincipalId, PrincipalKey> keys) {
    public static final int CLUSTER_BYTES = 16;

    /** No cluster begins with more. */
    public static final int PRINCIPALS_MAX = 4096;

    /** Keys of a cluster whose principals have none. */
    public static final GenesisKeys NONE =
            new GenesisKeys(Bytes.of(new byte[CLUSTER_BYTES]), PrincipalId.NOBODY, new TreeMap<>());

    public GenesisKeys {
        keys = Collections.unmodifiableSortedMap(new TreeMap<>(keys));
        if (cluster.length() != CLUSTER_BYTES
                || keys.isEmpty() != operator.equals(PrincipalId.NOBODY)
                || keys.size() > PRINCIPALS_MAX) {
            throw new IllegalArgumentException("a cluster's id of " + cluster.length() + " bytes, " + keys.size()
                    + " keys, and " + operator + " as operator");
        }
    }

    void write(WireWriter out) {
        operator.write(out.raw(cluster));
        out.u16(keys.size());
        keys.forEach((principal, key) -> {
            principal.write(out);
            key.write(out);
        });
    }

    static GenesisKeys read(WireReader in) {
        Bytes cluster = in.raw(CLUSTER_BYTES);
        PrincipalId operator = PrincipalId.read(in);
        int count = in.count16(PRINCIPALS_MAX);
        SortedMap<PrincipalId, PrincipalKey> keys = new TreeMap<>();
        for (int i = 0; i < count; i++) {
            PrincipalId principal = PrincipalId.read(in);
            if (!keys.isEmpty() && principal.compareTo(keys.lastKey()) <= 0) {
                throw new MalformedException("principals out of order");
            }
            keys.put(principal, PrincipalKey.read(in));
        }
        return new GenesisKeys(cluster, operator, keys);
    }

    /**
     * Returns the replicas that a cluster begins with. Each learns their addresses by other means.
     *
     * @throws IllegalArgumentException if the genesis names no 3f+1 of them, as that of a cluster without keys does not
     */
    public Configuration configuration() {
        List<Member> members = new ArrayList<>();
        keys.forEach((principal, key) -> {
            if (principal.kind() == PrincipalKind.REPLICA) {
                members.add(new Member(principal, key.encoded(), ""));
            }
        });
        return new Configuration(0, members);
    }

    /** Returns whether administrative commands must be signed. */
    public boolean mustSign() {
        return !keys.isEmpty();
    }
}

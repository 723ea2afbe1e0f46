package io.bulwark.protocol.metadata;

import io.bulwark.protocol.cluster.ClusterMap;
import io.bulwark.protocol.cluster.NodeAddress;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKind;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.List;

/**
 * Initial state of the state machine, the same at every replica.
 *
 * @param nodes ascending by number
 * @param grants of clients, ascending by principal
 * @param keys stay beside the state
 */
public record Genesis(List<NodeAddress> nodes, List<Grant> grants, GenesisKeys keys) {
    static final int GRANTS_MAX = 65_535;

    /** Creates the genesis of a cluster whose principals have no keys. */
    public Genesis(List<NodeAddress> nodes, List<Grant> grants) {
        this(nodes, grants, GenesisKeys.NONE);
    }

    /** Rights of a client on all volumes. */
    public record Grant(PrincipalId client, boolean mayAdminister, boolean mayRead, boolean mayWrite) {
        public Grant {
            if (client.kind() != PrincipalKind.CLIENT) {
                throw new IllegalArgumentException("a grant for " + client);
            }
        }

        /** A client that may do everything. */
        public static Grant all(PrincipalId client) {
            return new Grant(client, true, true, true);
        }

        /** A client that belongs, and may do nothing yet. */
        public static Grant none(PrincipalId client) {
            return new Grant(client, false, false, false);
        }

        void write(WireWriter out) {
            client.write(out);
            out.bool(mayAdminister).bool(mayRead).bool(mayWrite);
        }

        static Grant read(WireReader in) {
            return new Grant(PrincipalId.read(in), in.bool(), in.bool(), in.bool());
        }
    }

    public Genesis {
        nodes = List.copyOf(nodes);
        grants = List.copyOf(grants);
        if (nodes.size() > ClusterMap.NODES_MAX || grants.size() > GRANTS_MAX) {
            throw new IllegalArgumentException(nodes.size() + " nodes, " + grants.size() + " grants");
        }
        for (int i = 1; i < nodes.size(); i++) {
            if (nodes.get(i - 1).node() >= nodes.get(i).node()) {
                throw new IllegalArgumentException("nodes must ascend by number");
            }
        }
        for (int i = 1; i < grants.size(); i++) {
            if (grants.get(i - 1).client().compareTo(grants.get(i).client()) >= 0) {
                throw new IllegalArgumentException("grants must ascend by principal");
            }
        }
    }
}

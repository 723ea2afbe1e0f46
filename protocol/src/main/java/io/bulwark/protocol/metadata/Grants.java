package io.bulwark.protocol.metadata;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKind;
import java.util.TreeMap;

/**
 * Who may do what. Nodes and replicas read what they need to do their part; what clients may do stands in the genesis
 * and holds for all volumes.
 */
final class Grants {
    private final Genesis genesis;
    private final TreeMap<PrincipalId, Genesis.Grant> clients = new TreeMap<>();

    Grants(Genesis genesis) {
        this.genesis = genesis;
        genesis.grants().forEach(grant -> clients.put(grant.client(), grant));
    }

    boolean isNode(PrincipalId principal) {
        return principal.kind() == PrincipalKind.NODE
                && genesis.nodes().stream().anyMatch(node -> node.node() == principal.number());
    }

    boolean known(PrincipalId principal) {
        return clients.containsKey(principal) || isNode(principal) || principal.kind() == PrincipalKind.REPLICA;
    }

    boolean mayAdminister(PrincipalId principal) {
        Genesis.Grant grant = clients.get(principal);
        return grant != null && grant.mayAdminister();
    }

    /** Nodes read from their peers for repair. */
    boolean mayRead(PrincipalId principal) {
        Genesis.Grant grant = clients.get(principal);
        return isNode(principal) || (grant != null && grant.mayRead());
    }

    boolean mayWrite(PrincipalId principal) {
        Genesis.Grant grant = clients.get(principal);
        return grant != null && grant.mayWrite();
    }

    static void require(boolean may, PrincipalId principal, String action) {
        Refusal.unless(may, MetadataError.NOT_AUTHORISED, principal + " may not " + action);
    }
}

package io.bulwark.protocol.metadata;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKind;

/**
 * Who may do what. Nodes and replicas read what they need to do their part; what clients may do stands in the genesis
 * and holds for all volumes.
 */
final class Grants {
    private final Tables tables;

    Grants(Tables tables) {
        this.tables = tables;
    }

    boolean isNode(PrincipalId principal) {
        return principal.kind() == PrincipalKind.NODE && tables.nodes.contains(principal.number());
    }

    boolean known(PrincipalId principal) {
        return tables.grants.contains(principal) || isNode(principal) || principal.kind() == PrincipalKind.REPLICA;
    }

    boolean mayAdminister(PrincipalId principal) {
        return tables.grants.get(principal).filter(Genesis.Grant::mayAdminister).isPresent();
    }

    /** Nodes read from their peers for repair. */
    boolean mayRead(PrincipalId principal) {
        return isNode(principal)
                || tables.grants.get(principal).filter(Genesis.Grant::mayRead).isPresent();
    }

    boolean mayWrite(PrincipalId principal) {
        return tables.grants.get(principal).filter(Genesis.Grant::mayWrite).isPresent();
    }

    static void require(boolean may, PrincipalId principal, String action) {
        Refusal.unless(may, MetadataError.NOT_AUTHORISED, principal + " may not " + action);
    }
}

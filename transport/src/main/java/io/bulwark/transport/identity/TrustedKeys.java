package io.bulwark.transport.identity;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKey;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The trusted public keys and their owners. A principal may have several while one replaces another; no two share one.
 *
 * @param revoked principals that are revoked for good: they have no keys
 */
public record TrustedKeys(Map<PrincipalKey, PrincipalId> owners, Set<PrincipalId> revoked) {
    public TrustedKeys {
        owners = Map.copyOf(owners);
        revoked = Set.copyOf(revoked);
    }

    /** Creates trusted keys without known revocations. */
    public TrustedKeys(Map<PrincipalKey, PrincipalId> owners) {
        this(owners, Set.of());
    }

    public Optional<PrincipalId> ownerOf(PrincipalKey key) {
        return Optional.ofNullable(owners.get(key));
    }

    /** The keys of a principal, in their order; none if it does not belong. */
    public List<PrincipalKey> keysOf(PrincipalId principal) {
        return owners.entrySet().stream()
                .filter(each -> each.getValue().equals(principal))
                .map(Map.Entry::getKey)
                .sorted()
                .toList();
    }
}

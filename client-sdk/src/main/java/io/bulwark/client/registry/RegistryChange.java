package io.bulwark.client.registry;

import io.bulwark.client.config.GenesisFile;
import io.bulwark.client.config.KnownPrincipals;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.protocol.metadata.Reply;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Registry's entries beyond the genesis, at one version.
 *
 * @param keys of the principals that it has an entry for, the newest first; none if revoked
 */
record RegistryChange(long version, SortedMap<PrincipalId, List<PrincipalKey>> keys) {
    RegistryChange {
        keys = Collections.unmodifiableSortedMap(new TreeMap<>(keys));
    }

    /** Asks the replicas. */
    interface Pages<E extends Exception> {
        Reply.PrincipalList after(PrincipalId last) throws E;
    }

    /** Gathers all pages. Empty if the registry has changed between two, as the first ones may be outdated then. */
    static <E extends Exception> Optional<RegistryChange> ask(Pages<E> replicas) throws E {
        SortedMap<PrincipalId, List<PrincipalKey>> keys = new TreeMap<>();
        Reply.PrincipalList page = replicas.after(PrincipalId.NOBODY);
        long version = page.version();
        while (page.version() == version) {
            page.principals().forEach(entry -> keys.put(entry.principal(), entry.keys()));
            if (page.next().equals(PrincipalId.NOBODY)) {
                return Optional.of(new RegistryChange(version, keys));
            }
            page = replicas.after(page.next());
        }
        return Optional.empty();
    }

    KnownPrincipals over(GenesisFile genesis) {
        return new KnownPrincipals(genesis, version, keys);
    }
}

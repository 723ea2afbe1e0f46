package io.bulwark.protocol.metadata;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.OperatorAuthorization.Fact;
import io.bulwark.protocol.ordering.membership.Configuration;
import io.bulwark.protocol.ordering.membership.OperatorAuthorizations;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Looks through an audit log for what makes a {@link OperatorAuthorization}, on the shortest way from the first operator. Memory is bounded by what
 * operators and the replicas did, however long the log is.
 */
final class AuthorizationSearch {
    private final GenesisKeys genesis;
    private final OperatorAuthorization rules;
    private final Iterable<AuditEntry> log;

    /** @param log all of it, or up to the command; none of a cluster without keys */
    AuthorizationSearch(GenesisKeys genesis, Iterable<AuditEntry> log) {
        this(genesis, new OperatorAuthorization(genesis), log);
    }

    AuthorizationSearch(GenesisKeys genesis, OperatorAuthorization rules, Iterable<AuditEntry> log) {
        this.genesis = genesis;
        this.rules = rules;
        this.log = log;
    }

    /**
     * Origin of a known fact: of the entries that prove the same, the one nearest to the genesis.
     *
     * @param depth more than that of all that the entry rests on, so that these come before it
     */
    record Origin(int depth, AuditEntry entry) implements Comparable<Origin> {
        private static final Comparator<Origin> ORDER =
                Comparator.comparingInt(Origin::depth).thenComparingLong(origin -> origin.entry.number());

        @Override
        public int compareTo(Origin other) {
            return ORDER.compare(this, other);
        }
    }

    /**
     * Returns the authorization that a log has for a configuration.
     *
     * @return empty if there is none, or it would be too long
     */
    Optional<Bytes> of(Configuration ended, Configuration next) {
        for (AuditEntry entry : log) {
            if (entry.approval().isPresent() && OperatorAuthorization.names(entry, ended, next)) {
                return trace(entry, OperatorAuthorization.needsOf(entry, ended, next), next);
            }
        }
        return Optional.empty();
    }

    /** All that the log shows of these principals, and of everybody who is or was an operator. */
    Map<Fact, Origin> origins(Collection<PrincipalId> principals) {
        Set<PrincipalId> concerned = new HashSet<>(principals);
        concerned.add(genesis.operator());
        for (AuditEntry entry : log) {
            for (Fact fact : rules.shownBy(entry)) {
                if (fact instanceof Fact.Operator(PrincipalId operator)) {
                    concerned.add(operator);
                }
            }
        }
        Map<Fact, Origin> origins = new HashMap<>();
        boolean again = true;
        while (again) {
            int before = origins.size();
            boolean passedOver = false;
            for (AuditEntry entry : log) {
                passedOver |= !note(entry, concerned, origins);
            }
            again = passedOver && origins.size() > before;
        }
        return origins;
    }

    /**
     * Records the facts that the entry shows about the concerned principals; returns false if the origin of its basis
     * is not known yet.
     */
    private boolean note(AuditEntry entry, Set<PrincipalId> concerned, Map<Fact, Origin> origins) {
        List<Fact> shown = rules.shownBy(entry);
        if (entry.approval().isEmpty() || shown.stream().noneMatch(fact -> concerned.contains(fact.principal()))) {
            return true;
        }
        if (!rules.areKnown(OperatorAuthorization.basesOf(entry), origins)) {
            return false;
        }
        int depth = 1;
        for (Fact basis : OperatorAuthorization.basesOf(entry)) {
            Origin from = origins.get(basis);
            depth = Math.max(depth, from == null ? 1 : from.depth + 1);
        }
        Origin origin = new Origin(depth, entry);
        for (Fact fact : shown) {
            if (!rules.isOfGenesis(fact)) {
                origins.merge(fact, origin, (known, other) -> other.depth < known.depth ? other : known);
            }
        }
        return true;
    }

    private Optional<Bytes> trace(AuditEntry command, List<Fact> needs, Configuration next) {
        Optional<List<AuditEntry>> needed = entriesFor(needs, next.replicas());
        if (needed.isEmpty() || needed.get().size() > OperatorAuthorization.ENTRIES_MAX) {
            return Optional.empty();
        }
        Bytes made = OperatorAuthorization.encoded(needed.get(), command);
        return made.length() > OperatorAuthorizations.BYTES_MAX ? Optional.empty() : Optional.of(made);
    }

    /**
     * Returns the entries that show these facts, each after those that it rests on.
     *
     * @param concerned the principals that the facts are about, operators apart
     * @return empty if the log does not show them
     */
    Optional<List<AuditEntry>> entriesFor(List<Fact> needs, Collection<PrincipalId> concerned) {
        Map<Fact, Origin> origins = origins(concerned);
        TreeSet<Origin> found = new TreeSet<>();
        Deque<Fact> open = new ArrayDeque<>(needs);
        while (!open.isEmpty()) {
            Fact fact = open.remove();
            if (rules.isOfGenesis(fact)) {
                continue;
            }
            Origin origin = origins.get(fact);
            if (origin == null) {
                return Optional.empty();
            }
            if (found.add(origin)) {
                open.addAll(OperatorAuthorization.basesOf(origin.entry));
            }
        }
        return Optional.of(rules.neededEntries(found.stream().map(Origin::entry).toList(), needs));
    }
}

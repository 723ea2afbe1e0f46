package io.bulwark.protocol.metadata;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.protocol.wire.Bytes;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Verification of an audit log from its first entry on, which trusts the genesis file alone: a principal's keys at the
 * time of signing follow from the genesis and the earlier entries. So replicas, however many, cannot invent a command.
 * A reader that knows an earlier digest detects any change or omission up to it.
 *
 * <p>Nobody signs the changes that the replicas make by themselves. They are accepted only where a signed entry before
 * allows them: see {@link OwnChanges}.
 */
public final class AuditVerification {
    private final GenesisKeys genesis;
    /** Keys that the log has named, by principal; none once revoked. */
    private final Map<PrincipalId, List<PrincipalKey>> told = new HashMap<>();

    /** Persons for whom a door acts by the log, by door. */
    private final Map<PrincipalId, Set<PrincipalId>> actFor = new HashMap<>();

    private final OwnChanges allowed = new OwnChanges();
    private final Set<CommandId> given = new HashSet<>();
    private Bytes head;
    private long entries;
    private long agreedMillis;
    private long unsigned;
    private long own;

    private record CommandId(PrincipalId by, long session, long number) implements Comparable<CommandId> {
        private static final Comparator<CommandId> ORDER = Comparator.comparing(CommandId::by)
                .thenComparingLong(CommandId::session)
                .thenComparingLong(CommandId::number);

        @Override
        public int compareTo(CommandId other) {
            return ORDER.compare(this, other);
        }
    }

    /** Creates a verification before the first entry. */
    public AuditVerification(GenesisKeys genesis) {
        this.genesis = genesis;
        this.head = AuditEntry.root(genesis.cluster());
    }

    /**
     * Checks the next entry, if none was wrong yet.
     *
     * @return what is wrong with it
     */
    public Optional<String> add(AuditEntry entry) {
        if (entry.number() != entries + 1) {
            return Optional.of("it comes after entry " + entries);
        }
        if (entry.agreedMillis() < agreedMillis) {
            return Optional.of("it is older than its predecessor");
        }
        if (!given.add(new CommandId(entry.by(), entry.session(), entry.sessionNumber()))) {
            return Optional.of("the same command of " + entry.by() + " was executed before");
        }
        Optional<PrincipalId> person = entry.onBehalfOf();
        if (person.isPresent() && !actFor.getOrDefault(entry.by(), Set.of()).contains(person.get())) {
            return Optional.of("no earlier entry lets " + entry.by() + " act for " + person.get());
        }
        Optional<String> problem = entry.isOwn()
                ? allowed.problemOf(entry.command())
                : entry.approval()
                        .map(approval -> problemOf(entry, approval))
                        .orElseGet(() -> genesis.mustSign() ? Optional.of("it is not signed") : Optional.empty());
        if (problem.isPresent()) {
            return problem;
        }
        if (entry.isOwn()) {
            own++;
        } else {
            unsigned += entry.approval().isEmpty() ? 1 : 0;
            learn(entry.command());
            allowed.learn(entry.command());
        }
        entries++;
        agreedMillis = entry.agreedMillis();
        head = entry.digest(head);
        return Optional.empty();
    }

    /** Checked so far. */
    public long entries() {
        return entries;
    }

    /** Stands for all entries checked so far. */
    public Bytes head() {
        return head;
    }

    /** Returns the number of changes that the replicas made by themselves, within operators' policies. */
    public long own() {
        return own;
    }

    /** Entries that nobody has signed, in a cluster without keys. */
    public long unsigned() {
        return unsigned;
    }

    private Optional<String> problemOf(AuditEntry entry, AuditEntry.Approval approval) {
        if (!approval.key().verifies(entry.signed(genesis.cluster()), approval.signature())) {
            return Optional.of("the signature is not that of " + entry.by());
        }
        List<PrincipalKey> keys = told.get(entry.by());
        boolean known =
                keys == null ? approval.key().equals(genesis.keys().get(entry.by())) : keys.contains(approval.key());
        return known
                ? Optional.empty()
                : Optional.of("it is signed with a key that was not registered for " + entry.by());
    }

    private void learn(Command.Administrative command) {
        switch (command) {
            case Command.AddPrincipal add -> told.put(add.principal(), List.of(add.key()));
            case Command.InvitePrincipal invite -> told.put(invite.principal(), List.of(invite.key()));
            case Command.RotateKey rotate -> told.put(rotate.principal(), rotate.keys());
            case Command.RevokePrincipal revoke -> {
                told.put(revoke.principal(), List.of());
                actFor.remove(revoke.principal());
                actFor.values().forEach(persons -> persons.remove(revoke.principal()));
            }
            case Command.SetActFor set -> {
                Set<PrincipalId> persons = actFor.computeIfAbsent(set.door(), ignored -> new HashSet<>());
                if (set.ceiling().isNone()) {
                    persons.remove(set.person());
                } else {
                    persons.add(set.person());
                }
            }
            case Command.RemoveNode remove -> told.put(PrincipalId.node(remove.node()), List.of());
            case Command.ChangeReplicas change -> {
                change.leaving().forEach(replica -> told.put(replica, List.of()));
                change.coming().forEach(member -> told.put(member.replica(), List.of(new PrincipalKey(member.key()))));
            }
            default -> {}
        }
    }
}

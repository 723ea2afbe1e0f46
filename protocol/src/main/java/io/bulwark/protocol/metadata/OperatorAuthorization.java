package io.bulwark.protocol.metadata;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.protocol.id.PrincipalKind;
import io.bulwark.protocol.ordering.membership.Configuration;
import io.bulwark.protocol.ordering.membership.Member;
import io.bulwark.protocol.ordering.membership.OperatorAuthorizations;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Proof to anybody who has the genesis that an operator has named the replicas of a configuration. It is the command,
 * as the audit log keeps it, behind the commands that lead from the first operator to the key that signed it. Each is
 * signed with a key that the ones before show to have been an operator's. A key that was once an operator's is enough:
 * later commands do not undo the naming. A command on behalf of a person proves nothing: the proof cannot show that the
 * act-for grant and the person's rights were in force then.
 */
public final class OperatorAuthorization implements OperatorAuthorizations {
    /** Nobody is more commands away from the first operator. */
    static final int ENTRIES_MAX = 256;

    private final GenesisKeys genesis;
    private final boolean invitationsCount;

    public OperatorAuthorization(GenesisKeys genesis) {
        this(genesis, false);
    }

    private OperatorAuthorization(GenesisKeys genesis, boolean invitationsCount) {
        this.genesis = genesis;
        this.invitationsCount = invitationsCount;
    }

    /**
     * Returns the rules under which a principal's key also follows from an invitation. They serve for evidence, whose
     * reader is told so, and never for naming replicas.
     */
    static OperatorAuthorization withInvitations(GenesisKeys genesis) {
        return new OperatorAuthorization(genesis, true);
    }

    /** Facts that entries prove, for good. */
    sealed interface Fact {
        PrincipalId principal();

        /** A principal has had this key; of a replica and of who was invited an operator has said so, not they themselves. */
        record Key(PrincipalId principal, PrincipalKey key) implements Fact {}

        /** A client has been allowed to administer everything. */
        record Operator(PrincipalId principal) implements Fact {}
    }

    boolean areKnown(List<Fact> facts, Map<Fact, ?> origins) {
        return facts.stream().allMatch(fact -> isOfGenesis(fact) || origins.containsKey(fact));
    }

    boolean isOfGenesis(Fact fact) {
        return switch (fact) {
            case Fact.Key has -> has.key.equals(genesis.keys().get(has.principal));
            case Fact.Operator is -> is.principal.equals(genesis.operator());
        };
    }

    /** Returns the facts that must hold for a signed entry to count. */
    static List<Fact> basesOf(AuditEntry entry) {
        Fact key = new Fact.Key(entry.by(), entry.approval().orElseThrow().key());
        boolean ofOwn = entry.command() instanceof Command.RotateKey rotate && isOwn(entry, rotate);
        return ofOwn ? List.of(key) : List.of(key, new Fact.Operator(entry.by()));
    }

    private static boolean isOwn(AuditEntry entry, Command.RotateKey rotate) {
        return rotate.principal().equals(entry.by());
    }

    /**
     * Returns the facts that the entry then proves. The key of an invitation is no basis for naming replicas: it is no
     * secret after its use. Nor does a replica give itself another key here. Otherwise 2f+1 that an intruder had, one
     * after the other, would become his by one command of an operator.
     */
    List<Fact> shownBy(AuditEntry entry) {
        if (entry.onBehalfOf().isPresent()) {
            return List.of();
        }
        return switch (entry.command()) {
            case Command.AddPrincipal add -> List.of(new Fact.Key(add.principal(), add.key()));
            case Command.InvitePrincipal invite ->
                invitationsCount ? List.of(new Fact.Key(invite.principal(), invite.key())) : List.of();
            case Command.RotateKey rotate ->
                rotate.principal().kind() == PrincipalKind.REPLICA && isOwn(entry, rotate)
                        ? List.of()
                        : rotate.keys().stream()
                                .map(key -> (Fact) new Fact.Key(rotate.principal(), key))
                                .toList();
            case Command.SetGrant set ->
                set.scope() instanceof Scope.All && set.rights().administer()
                        ? List.of(new Fact.Operator(set.client()))
                        : List.of();
            default -> List.of();
        };
    }

    static boolean names(AuditEntry entry, Configuration ended, Configuration next) {
        if (!(entry.command() instanceof Command.ChangeReplicas change)
                || change.number() != next.number()
                || entry.onBehalfOf().isPresent()) {
            return false;
        }
        try {
            Configuration named = Replicas.after(ended, change);
            return named.replicas().equals(next.replicas())
                    && withKeysOf(named, next).equals(next);
        } catch (CommandRefusal refused) {
            return false;
        }
    }

    /**
     * Applies the keys of the next configuration. Staying replicas may have other keys by then, see {@link #otherKeys}.
     */
    private static Configuration withKeysOf(Configuration named, Configuration next) {
        List<Member> members = new ArrayList<>();
        for (int place = 0; place < named.members().size(); place++) {
            Member member = named.members().get(place);
            members.add(new Member(member.replica(), next.members().get(place).key(), member.address()));
        }
        return new Configuration(named.number(), members);
    }

    /** Keys that replicas have in the next configuration, and neither had in the one that ended nor come with. */
    private static List<Fact> otherKeys(Configuration ended, Configuration next, Command.ChangeReplicas change) {
        Map<PrincipalId, Bytes> known = new TreeMap<>();
        ended.members().forEach(member -> known.put(member.replica(), member.key()));
        change.coming().forEach(member -> known.put(member.replica(), member.key()));
        List<Fact> others = new ArrayList<>();
        for (Member member : next.members()) {
            Bytes before = known.get(member.replica());
            if (before == null || !member.key().equals(before)) {
                others.add(new Fact.Key(member.replica(), new PrincipalKey(member.key())));
            }
        }
        return others;
    }

    static List<Fact> needsOf(AuditEntry entry, Configuration ended, Configuration next) {
        List<Fact> needs = new ArrayList<>(basesOf(entry));
        if (entry.command() instanceof Command.ChangeReplicas change) {
            needs.addAll(otherKeys(ended, next, change));
        }
        return needs;
    }

    /** Returns the entries, in their order, without which the final needs would not be proven. */
    List<AuditEntry> neededEntries(List<AuditEntry> entries, List<Fact> needs) {
        Set<Fact> open = new HashSet<>(needs);
        List<AuditEntry> needed = new ArrayList<>();
        for (AuditEntry entry : entries.reversed()) {
            open.removeIf(this::isOfGenesis);
            if (open.removeAll(Set.copyOf(shownBy(entry)))) {
                open.addAll(basesOf(entry));
                needed.addFirst(entry);
            }
        }
        return needed;
    }

    /**
     * In bytes.
     *
     * @param before each after those that it rests on
     */
    public static Bytes encoded(List<AuditEntry> before, AuditEntry command) {
        WireWriter out = new WireWriter().u16(before.size());
        before.forEach(entry -> entry.write(out));
        command.write(out);
        return out.toBytes();
    }

    @Override
    public boolean name(Configuration ended, Configuration next, Bytes authorization) {
        try {
            WireReader in = new WireReader(authorization);
            List<AuditEntry> before = new ArrayList<>();
            for (int left = in.count16(ENTRIES_MAX); left > 0; left--) {
                before.add(AuditEntry.read(in));
            }
            AuditEntry command = AuditEntry.read(in);
            in.end();
            if (!names(command, ended, next) || command.approval().isEmpty()) {
                return false;
            }
            List<Fact> needs = needsOf(command, ended, next);
            return hasApprovals(before)
                    && neededEntries(before, needs).size() == before.size()
                    && isShown(before, command, needs);
        } catch (MalformedException | IllegalArgumentException e) {
            return false;
        }
    }

    private static boolean hasApprovals(List<AuditEntry> entries) {
        return entries.stream().allMatch(entry -> entry.approval().isPresent());
    }

    /** Dear: nothing is checked that the command does not rest on, and nothing after what is wrong. */
    private boolean isShown(List<AuditEntry> before, AuditEntry command, List<Fact> needs) {
        Map<Fact, AuditEntry> known = new HashMap<>();
        for (AuditEntry entry : before) {
            if (!counts(entry, known)) {
                return false;
            }
            shownBy(entry).forEach(fact -> known.put(fact, entry));
        }
        return areKnown(needs, known) && counts(command, known);
    }

    /** Returns whether the entry is signed by who may give it, as the known facts show. */
    boolean counts(AuditEntry entry, Map<Fact, AuditEntry> known) {
        return entry.approval()
                .filter(ignored -> areKnown(basesOf(entry), known))
                .filter(approval -> approval.key().verifies(entry.signed(genesis.cluster()), approval.signature()))
                .isPresent();
    }
}

package io.bulwark.protocol.metadata;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.protocol.id.PrincipalKind;
import io.bulwark.protocol.ordering.membership.Configuration;
import io.bulwark.protocol.ordering.membership.Mandates;
import io.bulwark.protocol.ordering.membership.Member;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What shows to anybody who has the genesis that an operator has named the replicas of a configuration: the command, as the audit log
 * keeps it, behind those that lead from the first operator to the key that signed it. Each of them is signed with a key that the ones
 * before show to have been an operator's. That it was one once is enough: what came later does not undo what was named.
 */
public final class Mandate implements Mandates {
    /** Nobody is more commands away from the first operator. */
    static final int ENTRIES_MAX = 256;

    private final GenesisKeys genesis;

    public Mandate(GenesisKeys genesis) {
        this.genesis = genesis;
    }

    /** What entries show, for good. */
    sealed interface Fact {
        PrincipalId principal();

        /** A principal has had this key; of a replica and of who was invited an operator has said so, not they themselves. */
        record Key(PrincipalId principal, PrincipalKey key) implements Fact {}

        /** A client has been allowed to administer everything. */
        record Operator(PrincipalId principal) implements Fact {}
    }

    /**
     * Where a fact is known from: of entries that show the same the one that is nearest to the genesis.
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

    private boolean areKnown(List<Fact> facts, Map<Fact, ?> origins) {
        return facts.stream().allMatch(fact -> isOfGenesis(fact) || origins.containsKey(fact));
    }

    private boolean isOfGenesis(Fact fact) {
        return switch (fact) {
            case Fact.Key has -> has.key.equals(genesis.keys().get(has.principal));
            case Fact.Operator is -> is.principal.equals(genesis.operator());
        };
    }

    /** What must be so for a signed entry to count. */
    private static List<Fact> basesOf(AuditEntry entry) {
        Fact key = new Fact.Key(entry.by(), entry.approval().orElseThrow().key());
        boolean ofOwn = entry.command() instanceof Command.RotateKey rotate && isOwn(entry, rotate);
        return ofOwn ? List.of(key) : List.of(key, new Fact.Operator(entry.by()));
    }

    private static boolean isOwn(AuditEntry entry, Command.RotateKey rotate) {
        return rotate.principal().equals(entry.by());
    }

    /**
     * What it shows then. The key of an invitation is no key to go on from: it lies about once it was used. Nor does a replica give
     * itself another one here: 2f+1 that an intruder had, one after the other, would become his by one command of an operator.
     */
    private static List<Fact> shownBy(AuditEntry entry) {
        return switch (entry.command()) {
            case Command.AddPrincipal add -> List.of(new Fact.Key(add.principal(), add.key()));
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

    private static boolean names(AuditEntry entry, Configuration ended, Configuration next) {
        if (!(entry.command() instanceof Command.ChangeReplicas change) || change.number() != next.number()) {
            return false;
        }
        try {
            Configuration named = Replicas.after(ended, change);
            return named.replicas().equals(next.replicas())
                    && withKeysOf(named, next).equals(next);
        } catch (Refusal refused) {
            return false;
        }
    }

    /** Those who stay may have other keys by then, see {@link #otherKeys}. */
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

    /**
     * The mandate that a log has for a configuration. What an operator said only after the command counts, too: so what older builds took can be
     * shown later. Memory is bounded by what operators and the replicas did, however long the log is.
     *
     * @param log all of it, or up to the command; none of a cluster without keys
     * @return empty if there is none, or it would be too long
     */
    Optional<Bytes> of(Iterable<AuditEntry> log, Configuration ended, Configuration next) {
        for (AuditEntry entry : log) {
            if (entry.approval().isPresent() && names(entry, ended, next)) {
                return trace(entry, needsOf(entry, ended, next), origins(log, next));
            }
        }
        return Optional.empty();
    }

    /** All that the log shows of these replicas, and of everybody who is or was an operator. */
    Map<Fact, Origin> origins(Iterable<AuditEntry> log, Configuration next) {
        Set<PrincipalId> concerned = new HashSet<>(next.replicas());
        concerned.add(genesis.operator());
        for (AuditEntry entry : log) {
            for (Fact fact : shownBy(entry)) {
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

    /** False if the entry would show something of those who are concerned, did one know what it rests on. */
    private boolean note(AuditEntry entry, Set<PrincipalId> concerned, Map<Fact, Origin> origins) {
        List<Fact> shown = shownBy(entry);
        if (entry.approval().isEmpty() || shown.stream().noneMatch(fact -> concerned.contains(fact.principal()))) {
            return true;
        }
        if (!areKnown(basesOf(entry), origins)) {
            return false;
        }
        int depth = 1;
        for (Fact basis : basesOf(entry)) {
            Origin from = origins.get(basis);
            depth = Math.max(depth, from == null ? 1 : from.depth + 1);
        }
        Origin origin = new Origin(depth, entry);
        for (Fact fact : shown) {
            if (!isOfGenesis(fact)) {
                origins.merge(fact, origin, (known, other) -> other.depth < known.depth ? other : known);
            }
        }
        return true;
    }

    private Optional<Bytes> trace(AuditEntry command, List<Fact> needs, Map<Fact, Origin> origins) {
        TreeSet<Origin> found = new TreeSet<>();
        Deque<Fact> open = new ArrayDeque<>(needs);
        while (!open.isEmpty()) {
            Fact fact = open.remove();
            if (isOfGenesis(fact)) {
                continue;
            }
            Origin origin = origins.get(fact);
            if (origin == null) {
                return Optional.empty();
            }
            if (found.add(origin)) {
                open.addAll(basesOf(origin.entry));
            }
        }
        List<AuditEntry> needed = needed(found.stream().map(Origin::entry).toList(), needs);
        if (needed.size() > ENTRIES_MAX) {
            return Optional.empty();
        }
        Bytes made = encoded(needed, command);
        return made.length() > BYTES_MAX ? Optional.empty() : Optional.of(made);
    }

    private static List<Fact> needsOf(AuditEntry entry, Configuration ended, Configuration next) {
        List<Fact> needs = new ArrayList<>(basesOf(entry));
        if (entry.command() instanceof Command.ChangeReplicas change) {
            needs.addAll(otherKeys(ended, next, change));
        }
        return needs;
    }

    /** Those of the entries, in their order, without which what is needed in the end would not be shown. */
    private List<AuditEntry> needed(List<AuditEntry> entries, List<Fact> needs) {
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
    public boolean name(Configuration ended, Configuration next, Bytes mandate) {
        try {
            WireReader in = new WireReader(mandate);
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
                    && needed(before, needs).size() == before.size()
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

    private boolean counts(AuditEntry entry, Map<Fact, AuditEntry> known) {
        return entry.approval()
                .filter(_ -> areKnown(basesOf(entry), known))
                .filter(approval -> approval.key()
                        .verifies(
                                AuditEntry.signed(
                                        genesis.cluster(),
                                        entry.by(),
                                        entry.session(),
                                        entry.sessionNumber(),
                                        entry.command()),
                                approval.signature()))
                .isPresent();
    }
}

package io.bulwark.protocol.metadata;

import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKind;
import io.bulwark.protocol.metadata.NodeFault.Stage;
import io.bulwark.protocol.metadata.Tables.OwnedKey;
import io.bulwark.protocol.metadata.Tables.SuspicionKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Faulty nodes, as their peers find them (Agile Store, 3.3.1; docs/protocols/access.md, suspicions). A node is named once f+1
 * holders of one of its groups suspect it of the same, each by the test of {@link FaultKind}, or once the record has f+1 signed reports of
 * one corrupt fragment. At most f holders of a group lie, so they name nobody alone.
 *
 * <p>Suspicions expire, and end with the slot or the revocation of either node. A name by statistics ends with them; one by
 * evidence, or of a node whose slots have begun to move, ends by an operator's word.
 */
final class NodeFaults implements Withdrawable {
    /** Nodes named at a time. */
    static final int NAMED_MAX = 256;

    /** Nodes that one reporter suspects, or begins to, at a time. */
    static final int SUSPECTS_MAX = 64;

    /** Kinds of faults of one node have numbers below the next node's. */
    private static final long KINDS = 16;

    private final Tables tables;
    private final Volumes volumes;

    NodeFaults(Tables tables, Volumes volumes) {
        this.tables = tables;
        this.volumes = volumes;
    }

    FaultPolicy policy() {
        return tables.faultPolicy.get(0).orElse(FaultPolicy.DEFAULT);
    }

    void set(FaultPolicy policy) {
        tables.faultPolicy.put(0, policy);
        tables.totals().faultsDueMillis = tables.totals().agreedMillis;
    }

    /** Takes the counts of a holder. Those that no slot gives it the right to are passed over: the map may be newer. */
    void report(int reporter, Command.ReportPeers report) {
        for (PeerObservation observation : report.observations()) {
            Optional<Volume> volume = volumes.find(observation.volume())
                    .filter(each -> observation.group() < each.groups().size());
            if (volume.isEmpty() || observation.node() == reporter) {
                continue;
            }
            PlacementGroup group = volume.get().groups().get(observation.group());
            if (group.slotOf(reporter) >= 0 && group.slotOf(observation.node()) >= 0) {
                score(reporter, observation);
                judge(observation.node(), observation.kind());
            }
        }
    }

    private void score(int reporter, PeerObservation seen) {
        long now = tables.totals().agreedMillis;
        SuspicionKey key = new SuspicionKey(seen.node(), seen.kind(), reporter);
        Optional<Suspicion> before = tables.suspicions.get(key).filter(each -> each.isRecent(now));
        // Half a window apart: a reporter's clock and the agreed one differ, but no liar hurries by more than this.
        if (before.isPresent() && now - before.get().agreedMillis() < policy().windowSeconds() * 1_000L / 2) {
            return;
        }
        int score = seen.kind().next(before.map(Suspicion::score).orElse(0), seen.asked(), seen.bad());
        if (score == 0) {
            remove(key);
        } else if (before.isPresent() || hasRoom(reporter)) {
            tables.suspicions.put(
                    key,
                    new Suspicion(
                            reporter,
                            score,
                            before.map(Suspicion::windows).orElse(0) + 1,
                            seen,
                            before.map(Suspicion::asked).orElse(0L) + seen.asked(),
                            before.map(Suspicion::bad).orElse(0L) + seen.bad(),
                            now));
            tables.suspicionsOf.put(ownKey(key), key);
        }
    }

    private boolean hasRoom(int reporter) {
        return of(reporter).size() < SUSPECTS_MAX;
    }

    private void judge(int node, FaultKind kind) {
        Optional<NodeFault> named = tables.nodeFaults.get(node);
        if (named.isEmpty()) {
            findAccusers(node, kind).ifPresent(this::name);
        } else if (named.get().evidence() == 0
                && named.get().stage() == Stage.NAMED
                && named.get().kind() == kind
                && findAccusers(node, kind).isEmpty()) {
            tables.nodeFaults.remove(node);
        }
    }

    /** Returns the fault of a node in the first group of which f+1 holders suspect it. */
    private Optional<NodeFault> findAccusers(int node, FaultKind kind) {
        long now = tables.totals().agreedMillis;
        List<Suspicion> counting = suspicionsOf(node, kind).stream()
                .filter(each -> each.counts(now))
                .toList();
        if (counting.isEmpty()) {
            return Optional.empty();
        }
        for (Volume volume : volumes.map().volumes()) {
            for (int index = 0; index < volume.groups().size(); index++) {
                PlacementGroup group = volume.groups().get(index);
                List<Suspicion> ofGroup = counting.stream()
                        .filter(each -> group.slotOf(each.reporter()) >= 0)
                        .toList();
                if (group.slotOf(node) >= 0
                        && ofGroup.size() > volume.policyOf(index).f()) {
                    return Optional.of(new NodeFault(node, kind, now, volume.id(), index, 0, ofGroup, Stage.NAMED, 0));
                }
            }
        }
        return Optional.empty();
    }

    /** Names a node of which f+1 holders of a group have signed that it sent a corrupt fragment of one block. */
    void onProof(int node, Volume volume, int group, long evidence) {
        if (!tables.nodeFaults.contains(node)) {
            name(new NodeFault(
                    node,
                    FaultKind.WRONG,
                    tables.totals().agreedMillis,
                    volume.id(),
                    group,
                    evidence,
                    List.of(),
                    Stage.NAMED,
                    0));
        }
    }

    private void name(NodeFault fault) {
        if (named().size() < NAMED_MAX) {
            tables.nodeFaults.put(fault.node(), fault);
            tables.totals().faultsDueMillis = tables.totals().agreedMillis;
        }
    }

    List<NodeFault> named() {
        List<NodeFault> named = new ArrayList<>();
        tables.nodeFaults.all().forEach(each -> named.add(each.value()));
        return named;
    }

    boolean isNamed(int node) {
        return tables.nodeFaults.contains(node);
    }

    /** Takes a node's name off the list, with all suspicions about it. */
    void forgive(int node) {
        CommandRefusal.refuseUnless(
                isNamed(node) || !suspicionsOf(node).isEmpty(),
                MetadataError.BAD_ARGUMENT,
                "node " + node + " is not suspected");
        forget(node);
    }

    private void forget(int node) {
        tables.nodeFaults.remove(node);
        suspicionsOf(node).forEach(each -> remove(keyOf(each)));
    }

    Reply.NodeFaultList list() {
        List<Suspicion> suspicions = new ArrayList<>();
        for (Table.Entry<SuspicionKey, Suspicion> each : tables.suspicions.all()) {
            if (suspicions.size() == Query.PAGE_MAX) {
                break;
            }
            if (each.value().isRecent(tables.totals().agreedMillis)) {
                suspicions.add(each.value());
            }
        }
        return new Reply.NodeFaultList(policy(), named(), suspicions);
    }

    @Override
    public void withdrawOf(PrincipalId node) {
        if (node.kind() != PrincipalKind.NODE) {
            return;
        }
        of(node.number()).forEach(this::remove);
        forget(node.number());
    }

    @Override
    public void withdrawOf(PrincipalId node, Volume volume, int group) {
        of(node.number()).forEach(this::remove);
        suspicionsOf(node.number()).forEach(each -> remove(keyOf(each)));
    }

    private List<Suspicion> suspicionsOf(int node) {
        return tables.suspicions.list(SuspicionKey.firstOf(node), SuspicionKey.firstOf(node + 1)).stream()
                .map(Table.Entry::value)
                .toList();
    }

    private List<Suspicion> suspicionsOf(int node, FaultKind kind) {
        return suspicionsOf(node).stream()
                .filter(each -> each.last().kind() == kind)
                .toList();
    }

    private List<SuspicionKey> of(int reporter) {
        PrincipalId owner = PrincipalId.node(reporter);
        return tables.suspicionsOf.list(new OwnedKey(owner, 0), new OwnedKey(owner, Long.MAX_VALUE)).stream()
                .map(Table.Entry::value)
                .toList();
    }

    private void remove(SuspicionKey key) {
        tables.suspicions.remove(key);
        tables.suspicionsOf.remove(ownKey(key));
    }

    private static SuspicionKey keyOf(Suspicion suspicion) {
        return new SuspicionKey(suspicion.last().node(), suspicion.last().kind(), suspicion.reporter());
    }

    private static OwnedKey ownKey(SuspicionKey key) {
        return new OwnedKey(
                PrincipalId.node(key.reporter()),
                key.node() * KINDS + key.kind().ordinal());
    }
}

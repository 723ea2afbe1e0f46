package io.bulwark.protocol.fp;

import static io.bulwark.protocol.fp.LocalNodes.CLIENT;
import static io.bulwark.protocol.fp.LocalNodes.SESSION;
import static io.bulwark.protocol.fp.LocalNodes.VOLUME;
import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.cluster.SessionState;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.kernel.Timeouts;
import io.bulwark.protocol.mutation.PlantedBug;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Tests how nodes treat a revoked client and its remaining versions (thesis 3.3.2 and 3.4.3). */
@NullMarked
class FpRevocationTest {
    private static final PrincipalId READER = PrincipalId.client(42);
    private static final Fact REVOKED = new Fact.Revoked(CLIENT);

    private final LocalNodes nodes = new LocalNodes(1, 2);

    private void revokeAt(int... which) {
        for (int node : which) {
            nodes.tell(node, REVOKED);
        }
    }

    private Timestamp latest(int slot) {
        FpMessage.FindTimestamp ask = new FpMessage.FindTimestamp(nodes.group.target(slot), false);
        return ((FpMessage.FoundTimestamp) nodes.one(READER, ask)).latest();
    }

    private void assertRefused(FpMessage answer) {
        assertThat(((FpMessage.Refused) answer).refusal()).isEqualTo(FpRefusal.NO_GRANT);
    }

    @PlantedBug(
            in = FpRegister.class,
            rule = "a revoked client is not served",
            replace = "if (!serves || node.access().revoked(call.from())) {",
            with = "if (!serves) {")
    @Test
    void nothingOfARevokedClientIsTakenWhateverItHolds() {
        List<FpMessage.Prepared> prepares = nodes.prepare(3, 5, 1);
        revokeAt(0);
        assertRefused(nodes.one(CLIENT, nodes.commit(0, 1, prepares)));
        assertRefused(nodes.one(CLIENT, nodes.fragment(0, 6, 2)));
        assertRefused(nodes.one(CLIENT, new FpMessage.FindTimestamp(nodes.group.target(0), false)));
        assertThat(latest(0)).isEqualTo(Timestamp.NONE);
    }

    @Test
    void aCommitThatWaitedIsRefusedOnceItsSenderIsRevoked() {
        List<FpMessage.Prepared> prepares = nodes.prepare(3, 5, 1);
        nodes.holdStores = true;
        assertThat(nodes.ask(READER, nodes.fragment(0, 7, 3))).isEmpty();
        assertThat(nodes.ask(CLIENT, nodes.commit(0, 1, prepares))).isEmpty();
        revokeAt(0);
        nodes.answers.clear();
        nodes.releaseStores();
        assertThat(nodes.answers)
                .filteredOn(FpMessage.Refused.class::isInstance)
                .singleElement()
                .satisfies(this::assertRefused);
        assertThat(latest(0)).isEqualTo(Timestamp.NONE);
    }

    @PlantedBug(
            in = Revocations.class,
            rule = "a node says that a revocation is done only after stores under way have ended",
            replace = "if (outdated || round.inFlight > 0) {",
            with = "if (outdated) {")
    @Test
    void aNodeSaysThatItRefusesOnceNothingOfItIsUnderWay() {
        List<FpMessage.Prepared> prepares = nodes.prepare(3, 5, 1);
        nodes.one(READER, new FpMessage.FindTimestamp(nodes.group.target(3), false));
        nodes.holdStores = true;
        // Node 3 has prepared nothing: the commit alone is under way there.
        assertThat(nodes.ask(CLIENT, nodes.commit(3, 1, prepares))).isEmpty();
        revokeAt(3);
        assertThat(nodes.undecided).isEmpty();
        nodes.releaseStores();
        nodes.pass(100);
        assertThat(nodes.undecided).containsEntry(3, 0);
    }

    /** The MACs are good for ever; so a node that knows nothing of their sender asks before it takes them. */
    @Test
    void aRestartForgetsNoRevocation() {
        List<FpMessage.Prepared> prepares = nodes.prepare(3, 5, 1);
        nodes.denied.add(CLIENT);
        nodes.sessionAtReplicas(SESSION, SessionState.CLOSED);
        nodes.restart(0);
        assertThat(((FpMessage.Refused) nodes.one(CLIENT, nodes.commit(0, 1, prepares))).refusal())
                .isEqualTo(FpRefusal.SESSION_CLOSED);
        assertThat(latest(0)).isEqualTo(Timestamp.NONE);
    }

    @PlantedBug(
            in = OrphanPoll.class,
            rule = "a leftover is dropped only after all nodes refuse its COMMIT",
            replace = "gone.size() <= group.f() && missing().isEmpty()",
            with = "missing().size() <= group.f()")
    @Test
    void whatNobodyHasCommittedIsDroppedOnceAllNodesRefuseItsWriter() {
        nodes.prepare(3, 5, 1);
        nodes.denied.add(CLIENT);
        revokeAt(0, 1, 2);
        assertThat(nodes.undecided).containsEntry(0, 1).containsEntry(1, 1).containsEntry(2, 1);
        nodes.pass(12_000);
        for (int slot = 0; slot < 3; slot++) {
            assertThat(nodes.versionsOnDisk(slot))
                    .as("one node may have committed it")
                    .isEqualTo(1);
        }
        revokeAt(3);
        nodes.pass(12_000);
        for (int slot = 0; slot < 4; slot++) {
            assertThat(nodes.versionsOnDisk(slot)).isZero();
            assertThat(nodes.chargesOnDisk(slot)).isZero();
            assertThat(nodes.undecided).containsEntry(slot, 0);
        }
    }

    /** The revoked node never answers, and no node waits for its answer. */
    @Test
    void whoIsRevokedItselfKeepsNobodyFromDropping() {
        nodes.prepare(3, 5, 1);
        nodes.denied.add(CLIENT);
        revokeAt(0, 1, 2);
        nodes.pass(12_000);
        assertThat(nodes.undecided).containsEntry(0, 1).containsEntry(1, 1).containsEntry(2, 1);
        for (int slot = 0; slot < 3; slot++) {
            nodes.tell(slot, new Fact.Revoked(PrincipalId.node(3)));
        }
        nodes.pass(12_000);
        for (int slot = 0; slot < 3; slot++) {
            assertThat(nodes.versionsOnDisk(slot)).isZero();
            assertThat(nodes.undecided).containsEntry(slot, 0);
        }
    }

    @Test
    void whatOneNodeHasCommittedIsCommittedByAllThatHavePreparedIt() {
        Timestamp version = nodes.write(5, 1, 0);
        revokeAt(0, 1, 2, 3);
        nodes.pass(12_000);
        for (int slot = 0; slot < 3; slot++) {
            assertThat(latest(slot)).isEqualTo(version);
            assertThat(nodes.undecided).containsEntry(slot, 0);
        }
    }

    @Test
    void whatAnotherHasPreparedOfTheSameVersionStaysWhereHeHas() {
        nodes.prepare(2, 5, 1);
        nodes.one(READER, nodes.fragment(2, 5, 1));
        revokeAt(0, 1, 2, 3);
        nodes.pass(12_000);
        assertThat(nodes.versionsOnDisk(0)).isZero();
        assertThat(nodes.versionsOnDisk(1)).isZero();
        assertThat(nodes.versionsOnDisk(2)).isEqualTo(1);
        assertThat(nodes.undecided).containsEntry(0, 0).containsEntry(2, 0);
    }

    /** Its MACs are good at all nodes, and rest on the fragments of the first one. */
    @Test
    void whatAnotherPreparesLaterIsNotDroppedAlsoAfterARestart() {
        nodes.prepare(3, 5, 1);
        for (int slot = 0; slot < 3; slot++) {
            assertThat(nodes.one(READER, nodes.fragment(slot, 5, 1))).isInstanceOf(FpMessage.Prepared.class);
        }
        nodes.denied.add(CLIENT);
        nodes.restart(0);
        revokeAt(0, 1, 2, 3);
        nodes.pass(12_000);
        assertThat(IntStream.range(0, 3)).allMatch(slot -> nodes.versionsOnDisk(slot) == 1);
    }

    @Test
    void whatTwoHavePreparedIsDroppedOnceBothAreRevoked() {
        nodes.prepare(3, 5, 1);
        for (int slot = 0; slot < 3; slot++) {
            assertThat(nodes.one(READER, nodes.fragment(slot, 5, 1))).isInstanceOf(FpMessage.Prepared.class);
        }
        revokeAt(0, 1, 2, 3);
        nodes.pass(12_000);
        assertThat(nodes.undecided).containsEntry(0, 1).containsEntry(2, 1);
        nodes.denied.add(CLIENT);
        nodes.restart(0);
        nodes.tell(0, REVOKED);
        for (int node = 0; node < 3; node++) {
            nodes.tell(node, new Fact.Revoked(READER));
        }
        nodes.pass(12_000);
        assertThat(IntStream.range(0, 3))
                .as("node 3 has not heard of the second revocation")
                .allMatch(slot -> nodes.versionsOnDisk(slot) == 1);
        nodes.tell(3, new Fact.Revoked(READER));
        nodes.pass(12_000);
        assertThat(IntStream.range(0, 3)).allMatch(slot -> nodes.versionsOnDisk(slot) == 0);
        assertThat(nodes.undecided).containsEntry(0, 0).containsEntry(1, 0).containsEntry(2, 0);
    }

    @Test
    void aVersionNamesAFewParties() {
        Timestamp version = new Timestamp(5, nodes.encode(1).fpcc());
        VersionRecord many = new VersionRecord(version, 1, true, null, CLIENT, SESSION, List.of());
        for (int session = 1; session <= VersionRecord.JOINED_MAX; session++) {
            many = many.with(new VersionRecord.Party(CLIENT, SESSION + session));
            assertThat(many.shared()).isFalse();
            assertThat(VersionRecord.decode(many.encoded())).isEqualTo(many);
        }
        VersionRecord shared = many.with(new VersionRecord.Party(CLIENT, 99));
        assertThat(shared.shared()).isTrue();
        assertThat(VersionRecord.decode(shared.encoded())).isEqualTo(shared);
    }

    @Test
    void whereMoreHaveJoinedThanAreNamedItStays() {
        nodes.prepare(3, 5, 1);
        revokeAt(1, 2, 3);
        for (int more = 0; more <= VersionRecord.JOINED_MAX; more++) {
            PrincipalId joiner = PrincipalId.client(50 + more);
            assertThat(nodes.one(joiner, nodes.fragment(0, 5, 1))).isInstanceOf(FpMessage.Prepared.class);
            // The last one is not revoked.
            for (int node = 0; node < 4 && more < VersionRecord.JOINED_MAX; node++) {
                nodes.tell(node, new Fact.Revoked(joiner));
            }
        }
        revokeAt(0);
        nodes.pass(12_000);
        assertThat(nodes.versionsOnDisk(0)).isEqualTo(1);
        assertThat(nodes.versionsOnDisk(1)).as("nobody has joined there").isZero();
    }

    /** A COMMIT of the other one takes MACs that were made for him, and the nodes that made them hold a fragment for him. */
    @Test
    void whatOneNodeHoldsForAnotherStaysThereOnly() {
        nodes.prepare(3, 5, 1);
        assertThat(nodes.one(READER, nodes.fragment(0, 5, 1))).isInstanceOf(FpMessage.Prepared.class);
        revokeAt(0, 1, 2, 3);
        nodes.pass(12_000);
        assertThat(nodes.versionsOnDisk(0)).isEqualTo(1);
        assertThat(nodes.versionsOnDisk(1)).isZero();
        assertThat(nodes.versionsOnDisk(2)).isZero();
    }

    @Test
    void allPeersMustHaveAnsweredWhetherTheOwnerIsRevokedOrNot() {
        assertThat(poll(false, 2)).isEqualTo(OrphanPoll.Outcome.OPEN);
        assertThat(poll(false, 3)).isEqualTo(OrphanPoll.Outcome.NEVER);
        assertThat(poll(true, 2)).isEqualTo(OrphanPoll.Outcome.OPEN);
        assertThat(poll(true, 3)).isEqualTo(OrphanPoll.Outcome.NEVER);
    }

    @Test
    void whoHasNotHeardOfTheRevocationMayCommitItStill() {
        assertThat(poll(true, 3, 1)).isEqualTo(OrphanPoll.Outcome.OPEN);
    }

    /** More than f cannot all be faulty: one that may have committed it is among them. */
    @Test
    void ofThoseWhoAreRevokedThemselvesFAreNotWaitedFor() {
        Set<PrincipalId> one = Set.of(CLIENT, PrincipalId.node(3));
        assertThat(poll(one::contains, 2, 0)).isEqualTo(OrphanPoll.Outcome.NEVER);
        assertThat(poll(one::contains, 1, 0)).isEqualTo(OrphanPoll.Outcome.OPEN);
        Set<PrincipalId> two = Set.of(CLIENT, PrincipalId.node(2), PrincipalId.node(3));
        assertThat(poll(two::contains, 1, 0)).isEqualTo(OrphanPoll.Outcome.OPEN);
    }

    private OrphanPoll.Outcome poll(boolean ownerRevoked, int answers) {
        return poll(ownerRevoked, answers, 0);
    }

    /** @param unaware how many of those that answer have not heard of it */
    private OrphanPoll.Outcome poll(boolean ownerRevoked, int answers, int unaware) {
        return poll(who -> ownerRevoked && who.equals(CLIENT), answers, unaware);
    }

    private OrphanPoll.Outcome poll(Predicate<PrincipalId> revoked, int answers, int unaware) {
        Timestamp version = new Timestamp(5, nodes.encode(1).fpcc());
        FpAccess.SessionKey session = new FpAccess.SessionKey(VOLUME, CLIENT, SESSION);
        Timeouts times = new Timeouts(50, 300, 0, 20_000);
        OrphanPoll poll = new OrphanPoll(nodes.group, 0, session, version, revoked, times);
        poll.start(1);
        for (int slot = 1; slot <= answers; slot++) {
            FpMessage.Leftover answer = new FpMessage.Leftover(
                    nodes.group.target(slot),
                    version.version(),
                    slot <= unaware ? FpMessage.LeftoverState.SESSION_NOT_CLOSED : FpMessage.LeftoverState.REFUSED,
                    Timestamp.NONE);
            poll.onMessage(2, PrincipalId.node(slot), answer);
        }
        poll.onTick(20_001);
        return poll.outcome().orElseThrow();
    }
}

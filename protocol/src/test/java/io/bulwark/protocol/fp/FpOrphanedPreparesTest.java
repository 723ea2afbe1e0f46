package io.bulwark.protocol.fp;

import static io.bulwark.protocol.fp.LocalNodes.CLIENT;
import static io.bulwark.protocol.fp.LocalNodes.SESSION;
import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.cluster.SessionState;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.kernel.Failure;
import io.bulwark.protocol.kernel.Target;
import io.bulwark.protocol.kernel.Timeouts;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/**
 * Tests the versions that a writer leaves staged if it stops between PREPARE and COMMIT (docs/protocols/fp.md, bounds).
 * Four nodes, f = 1, m = 2.
 */
@NullMarked
class FpOrphanedPreparesTest {
    private static final long NEXT = SESSION + 1;
    private static final Timeouts TIMES = new Timeouts(100, 400, 0, 120_000);

    private final LocalNodes nodes = new LocalNodes(1, 2);

    /** In another session than the usual one. */
    private FpMessage.PrepareFragment in(long session, FpMessage.PrepareFragment prepare) {
        return new FpMessage.PrepareFragment(
                prepare.target(), session, prepare.ts(), prepare.fpcc(), prepare.fragment());
    }

    private FpMessage.PrepareFragment inBlock(int number, FpMessage.PrepareFragment prepare) {
        Target target = new Target(
                BlockId.register(LocalNodes.VOLUME, number), 1, prepare.target().slot());
        return new FpMessage.PrepareFragment(
                target, prepare.session(), prepare.ts(), prepare.fpcc(), prepare.fragment());
    }

    private FpMessage ask(FpMessage.Request request) {
        nodes.ask(CLIENT, request);
        for (int waited = 0; waited < 200 && nodes.answers.isEmpty(); waited++) {
            nodes.pass(100);
        }
        return nodes.answers.getFirst();
    }

    private void assertLimit(FpMessage.Request request) {
        assertThat(ask(request))
                .isInstanceOfSatisfying(
                        FpMessage.Refused.class,
                        refused -> assertThat(refused.refusal()).isEqualTo(FpRefusal.LIMIT));
    }

    private List<Integer> staged() {
        return IntStream.range(0, 4).mapToObj(nodes::versionsOnDisk).toList();
    }

    /** Two hold it and two deny it: nobody can prove it, and too few deny it for it to be known by that. */
    @Test
    void whatTooFewDenyIsDroppedOnceAllRefuseItsSession() {
        nodes.prepare(2, 5, 1);
        nodes.session(SESSION, SessionState.CLOSED);
        nodes.pass(12_000);
        assertThat(staged()).containsExactly(0, 0, 0, 0);
        assertThat(nodes.chargesOnDisk(0)).isZero();
    }

    @Test
    void whatAllHavePreparedIsDroppedToo() {
        nodes.prepare(4, 5, 1);
        nodes.session(SESSION, SessionState.CLOSED);
        nodes.pass(12_000);
        assertThat(staged()).containsExactly(0, 0, 0, 0);
    }

    /** The silent node may have committed the version, dropped older ones, and counted for a later write. */
    @Test
    void aSilentNodeKeepsItUntilItComesBack() {
        nodes.prepare(3, 5, 1);
        nodes.cutOff.add(3);
        nodes.session(SESSION, SessionState.CLOSED);
        nodes.pass(30_000);
        assertThat(staged()).containsExactly(1, 1, 1, 0);
        nodes.cutOff.clear();
        nodes.pass(90_000);
        assertThat(staged()).containsExactly(0, 0, 0, 0);
    }

    @Test
    void whatOneNodeHasCommittedIsTakenByAll() {
        Timestamp version = nodes.write(5, 1, 2);
        nodes.session(SESSION, SessionState.CLOSED);
        nodes.pass(12_000);
        assertThat(IntStream.range(0, 3)).allMatch(slot -> nodes.latest(slot).equals(version));
    }

    @Test
    void aClosedSessionsCommitIsRefusedAlsoAfterARestart() {
        List<FpMessage.Prepared> prepares = nodes.prepare(3, 5, 1);
        nodes.session(SESSION, SessionState.CLOSED);
        for (int life = 0; life < 2; life++) {
            assertThat(ask(nodes.commit(1, 1, prepares)))
                    .isInstanceOfSatisfying(
                            FpMessage.Refused.class,
                            refused -> assertThat(refused.refusal()).isEqualTo(FpRefusal.SESSION_CLOSED));
            nodes.restart(1);
        }
        assertThat(nodes.latest(1)).isEqualTo(Timestamp.NONE);
    }

    @Test
    void whoAsksAgainWhatIsCommittedIsToldSoInAClosedSessionToo() {
        List<FpMessage.Prepared> prepares = nodes.prepare(3, 5, 1);
        assertThat(ask(nodes.commit(1, 1, prepares))).isInstanceOf(FpMessage.Committed.class);
        nodes.session(SESSION, SessionState.CLOSED);
        assertThat(ask(nodes.commit(1, 1, prepares))).isInstanceOf(FpMessage.Committed.class);
    }

    @Test
    void theWriteThatFreesTheBlockHasRoomInTheNextSession() {
        int most = 2 * LocalNodes.LIMITS.stagedPerBlock();
        for (int ts = 1; ts <= most; ts++) {
            nodes.prepare(3, ts, ts);
        }
        nodes.cutOff.add(3);
        FpMessage.PrepareFragment next = nodes.fragment(0, most + 1, 50);
        assertLimit(next);
        nodes.session(NEXT, SessionState.OPEN);
        assertLimit(in(NEXT, next));
        nodes.session(SESSION, SessionState.CLOSED);
        assertThat(ask(in(NEXT, next))).isInstanceOf(FpMessage.Prepared.class);
        var write = nodes.run(CLIENT, new FpWrite(nodes.group, NEXT, nodes.group.trimmed(nodes.block(60)), TIMES));
        nodes.pass(2_000);
        assertThat(write.outcome()).containsInstanceOf(FpWriteOutcome.Written.class);
    }

    /** The node does not hear of the closing, and has lost its facts: the client's staged versions make it ask. */
    @Test
    void aNodeAtTheLimitFindsOutWhichSessionsAreClosed() {
        for (int ts = 1; ts <= 2 * LocalNodes.LIMITS.stagedPerBlock(); ts++) {
            ask(nodes.fragment(0, ts, ts));
        }
        nodes.cutOff.add(3);
        nodes.sessionAtReplicas(SESSION, SessionState.CLOSED);
        nodes.session(NEXT, SessionState.OPEN);
        nodes.restart(0);
        FpMessage.PrepareFragment next = in(NEXT, nodes.fragment(0, 9, 50));
        nodes.ask(CLIENT, next);
        nodes.pass(1_000);
        assertThat(ask(next)).isInstanceOf(FpMessage.Prepared.class);
    }

    @Test
    void whatClosedSessionsMayLeaveIsBoundedInABlock() {
        nodes.cutOff.add(3);
        long session = SESSION;
        int prepared = 0;
        for (int ts = 1; ts <= 100; ts++) {
            FpMessage answer = ask(in(session, nodes.fragment(0, ts, ts)));
            if (answer instanceof FpMessage.Prepared) {
                prepared++;
            } else {
                nodes.session(session, SessionState.CLOSED);
                nodes.session(++session, SessionState.OPEN);
            }
        }
        assertThat(prepared).isBetween(LocalNodes.LIMITS.leftPerBlock(), LocalNodes.LIMITS.allPerBlock());
        assertThat(nodes.versionsOnDisk(0)).isEqualTo(prepared);
    }

    @Test
    void whatFreesAClientIsNotRefusedByWhatItsClosedSessionsHaveLeft() {
        nodes.cutOff.add(3);
        long session = SESSION;
        int number = 20;
        for (int left = 0; left < LocalNodes.LIMITS.leftPerClient(); left += 2 * LocalNodes.LIMITS.stagedPerClient()) {
            for (int i = 0; i < 2 * LocalNodes.LIMITS.stagedPerClient(); i++) {
                assertThat(ask(in(session, inBlock(number++, nodes.fragment(0, 1, 1)))))
                        .isInstanceOf(FpMessage.Prepared.class);
            }
            nodes.session(session, SessionState.CLOSED);
            nodes.session(++session, SessionState.OPEN);
        }
        assertLimit(in(session, inBlock(number, nodes.fragment(0, 1, 1))));
        assertThat(ask(in(session, inBlock(20, nodes.fragment(0, 1, 2))))).isInstanceOf(FpMessage.Prepared.class);
        assertLimit(in(session, inBlock(20, nodes.fragment(0, 1, 3))));
    }

    @Test
    void aWriteWhoseSessionIsFullEndsSoThatAnotherCanBeOpened() {
        for (int ts = 1; ts <= 2 * LocalNodes.LIMITS.stagedPerBlock(); ts++) {
            nodes.prepare(4, ts, ts);
        }
        var write = nodes.run(CLIENT, new FpWrite(nodes.group, SESSION, nodes.group.trimmed(nodes.block(60)), TIMES));
        nodes.pass(10_000);
        assertThat(write.outcome()).contains(new FpWriteOutcome.Failed(Failure.LIMIT, false));
    }
}

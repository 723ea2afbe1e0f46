package io.bulwark.protocol.metadata;

import static io.bulwark.protocol.metadata.MetadataFixture.ALICE;
import static io.bulwark.protocol.metadata.MetadataFixture.BOB;
import static io.bulwark.protocol.metadata.MetadataFixture.READER;
import static io.bulwark.protocol.metadata.MetadataFixture.STRANGER;
import static io.bulwark.protocol.metadata.MetadataFixture.assertFailed;
import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.cluster.SessionState;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.MetadataFixture.User;
import io.bulwark.protocol.metadata.Submission.InSession;
import io.bulwark.protocol.metadata.Submission.OpenSession;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.wire.Bytes;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

@NullMarked
class SessionTest {
    private final MetadataFixture rig = MetadataFixture.ready();

    @Test
    void openingAgainWithTheSameNonceGivesTheSameSession() {
        OpenSession open = new OpenSession(MetadataFixture.filled(16, 77), rig.volume);
        Reply first = rig.submit(ALICE, open);
        assertThat(first).isInstanceOf(Reply.SessionOpened.class);
        assertThat(rig.submit(ALICE, open)).isEqualTo(first);
        assertThat(rig.submit(ALICE, new OpenSession(MetadataFixture.filled(16, 78), rig.volume)))
                .isNotEqualTo(first);
        assertThat(((Reply.SessionOpened) rig.submit(BOB, open)).session()).isEqualTo(1);
    }

    @PlantedBug(
            in = MetadataStateMachine.class,
            rule = "a retry is not executed again",
            replace = "if (kept.isPresent()) {",
            with = "if (kept.isPresent() && session.number == 0) {")
    @Test
    void aRetryGetsTheStoredReplyAndIsNotExecutedAgain() {
        User alice = rig.user(ALICE, rig.volume);
        InSession put =
                new InSession(alice.session, 1, 1, alice.putOf("films", "a", Condition.IF_ABSENT, alice.layout(600)));
        Reply stored = rig.submit(ALICE, put);
        assertThat(stored).isInstanceOf(Reply.ObjectStored.class);
        assertThat(rig.submit(ALICE, put)).isEqualTo(stored);
        InSession again = new InSession(alice.session, 2, 1, put.command());
        assertFailed(rig.submit(ALICE, again), MetadataError.CONDITION_FAILED);
        rig.machine = MetadataStateMachine.restore(rig.machine.snapshot());
        assertThat(rig.submit(ALICE, put)).isEqualTo(stored);
        assertFailed(rig.submit(ALICE, again), MetadataError.CONDITION_FAILED);
    }

    @Test
    void aRefusalIsAResultThatIsKeptToo() {
        User alice = rig.user(ALICE, 0);
        InSession delete = new InSession(alice.session, 1, 1, new Command.DeleteBucket("music"));
        assertFailed(rig.submit(ALICE, delete), MetadataError.NO_SUCH_BUCKET);
        User other = rig.user(ALICE, 0);
        other.done(new Command.CreateBucket("music", "main", Versioning.KEEP_ALL, 0));
        assertFailed(rig.submit(ALICE, delete), MetadataError.NO_SUCH_BUCKET);
    }

    @PlantedBug(
            in = Session.class,
            rule = "a number is used for one command",
            replace = "CommandRefusal.refuseUnless(result.digest.equals(digest), MetadataError.NUMBER_REUSED, "
                    + "\"number \" + command);",
            with = "")
    @PlantedBug(
            in = Session.class,
            rule = "an acknowledged number is not executed again",
            replace = "CommandRefusal.refuseUnless(command >= lowestKept, MetadataError.NUMBER_TOO_OLD, "
                    + "\"number \" + command);",
            with = "")
    @Test
    void anAcknowledgedNumberIsTooOldAndANumberIsForOneCommand() {
        User alice = rig.user(ALICE, 0);
        InSession first = new InSession(alice.session, 1, 1, new Command.RenewSession());
        assertThat(rig.submit(ALICE, first)).isEqualTo(new Reply.Done());
        assertFailed(
                rig.submit(ALICE, new InSession(alice.session, 1, 1, new Command.DeleteBucket("films"))),
                MetadataError.NUMBER_REUSED);
        rig.submit(ALICE, new InSession(alice.session, 2, 2, new Command.RenewSession()));
        assertFailed(rig.submit(ALICE, first), MetadataError.NUMBER_TOO_OLD);
    }

    @PlantedBug(
            in = Session.class,
            rule = "the window of a session is limited",
            replace = "CommandRefusal.refuseUnless(command - lowestKept < Submission.WINDOW, "
                    + "MetadataError.WINDOW_EXCEEDED, \"number \" + command);",
            with = "")
    @Test
    void theWindowIsBounded() {
        User alice = rig.user(ALICE, 0);
        InSession last = new InSession(alice.session, Submission.WINDOW, 1, new Command.RenewSession());
        assertThat(rig.submit(ALICE, last)).isEqualTo(new Reply.Done());
        assertFailed(
                rig.submit(ALICE, new InSession(alice.session, Submission.WINDOW + 1, 1, new Command.RenewSession())),
                MetadataError.WINDOW_EXCEEDED);
        assertThat(rig.submit(
                        ALICE, new InSession(alice.session, Submission.WINDOW + 1, 2, new Command.RenewSession())))
                .isEqualTo(new Reply.Done());
    }

    @Test
    void aSessionBelongsToOnePrincipal() {
        User alice = rig.user(ALICE, 0);
        rig.user(ALICE, 0);
        rig.user(BOB, 0);
        assertFailed(
                rig.submit(BOB, new InSession(alice.session + 1, 1, 1, new Command.RenewSession())),
                MetadataError.SESSION_UNKNOWN);
        assertFailed(
                rig.submit(READER, new InSession(alice.session, 1, 1, new Command.RenewSession())),
                MetadataError.SESSION_UNKNOWN);
    }

    @Test
    void onlyWritersOpenSessionsForAVolumeAndStrangersNone() {
        assertFailed(
                rig.submit(READER, new OpenSession(MetadataFixture.filled(16, 1), rig.volume)),
                MetadataError.NOT_AUTHORISED);
        assertThat(rig.submit(READER, new OpenSession(MetadataFixture.filled(16, 1), 0)))
                .isInstanceOf(Reply.SessionOpened.class);
        assertFailed(
                rig.submit(STRANGER, new OpenSession(MetadataFixture.filled(16, 1), 0)), MetadataError.NOT_AUTHORISED);
        assertFailed(
                rig.submit(ALICE, new OpenSession(MetadataFixture.filled(16, 1), 99)), MetadataError.NO_SUCH_VOLUME);
    }

    @PlantedBug(
            in = SessionTable.class,
            rule = "the sessions of a principal are limited",
            replace = "account.openSessions < OPEN_MAX, MetadataError",
            with = "account.openSessions >= 0, MetadataError")
    @Test
    void aPrincipalHasAtMostSixtyFourOpenSessions() {
        for (int i = 0; i < SessionTable.OPEN_MAX; i++) {
            rig.user(BOB, 0);
        }
        OpenSession more = new OpenSession(MetadataFixture.filled(16, 99), 0);
        assertFailed(rig.submit(BOB, more), MetadataError.TOO_MANY_SESSIONS);
        rig.submit(BOB, new InSession(1, 1, 1, new Command.CloseSession()));
        assertThat(rig.submit(BOB, more)).isInstanceOf(Reply.SessionOpened.class);
        assertThat(rig.user(ALICE, 0).session).isPositive();
    }

    @Test
    void sessionsExpireByServedTime() {
        User alice = rig.user(ALICE, rig.volume);
        User bob = rig.user(BOB, 0);
        rig.pass(bob, SessionTable.TTL_MILLIS - 20_000);
        alice.done(new Command.RenewSession());
        rig.pass(bob, SessionTable.TTL_MILLIS - 20_000);
        assertThat(state(alice)).isEqualTo(SessionState.OPEN);
        rig.pass(bob, 40_000);
        assertThat(state(alice)).isEqualTo(SessionState.CLOSED);
        assertFailed(alice.run(new Command.RenewSession()), MetadataError.SESSION_CLOSED);
    }

    @Test
    void anOutageExpiresNothing() {
        User alice = rig.user(ALICE, rig.volume);
        rig.nowMillis += 365L * 24 * 3_600_000;
        alice.done(new Command.RenewSession());
        assertThat(state(alice)).isEqualTo(SessionState.OPEN);
    }

    @PlantedBug(
            in = MetadataStateMachine.class,
            rule = "agreed time never goes back",
            replace = "long now = Math.max(agreedMillis, Math.min(agreedTimeMillis, latest));",
            with = "long now = Math.min(agreedTimeMillis, latest);")
    @Test
    void timeThatGoesBackCountsAsTheLastOne() {
        User alice = rig.user(ALICE, 0);
        long last = rig.machine.agreedMillis();
        rig.nowMillis = 5;
        alice.done(new Command.RenewSession());
        assertThat(rig.machine.agreedMillis()).isEqualTo(last);
    }

    @PlantedBug(
            in = SessionTable.class,
            rule = "a closed session executes nothing",
            replace = "CommandRefusal.refuseUnless(state != SessionState.CLOSED, MetadataError.SESSION_CLOSED, "
                    + "principal + \".\" + number);",
            with = "")
    @Test
    void aClosedSessionRefusesForEverAndNeverExecutesAgain() {
        User alice = rig.user(ALICE, rig.volume);
        alice.put("films", "a", 1);
        alice.done(new Command.CloseSession());
        assertFailed(alice.run(new Command.RenewSession()), MetadataError.SESSION_CLOSED);
        assertFailed(
                rig.submit(ALICE, new InSession(alice.session, 1, 1, new Command.CloseSession())),
                MetadataError.SESSION_CLOSED);
    }

    @Test
    void nodesLearnTheStateOfASession() {
        User alice = rig.user(ALICE, rig.volume);
        assertThat(state(alice)).isEqualTo(SessionState.OPEN);
        PrincipalId node = PrincipalId.node(2);
        assertThat(rig.ask(node, new Query.SessionOf(rig.volume + 1, ALICE, alice.session)))
                .isEqualTo(new Reply.Session(SessionState.CLOSED));
        assertThat(rig.ask(node, new Query.SessionOf(rig.volume, ALICE, alice.session + 1)))
                .isEqualTo(new Reply.Session(SessionState.UNKNOWN));
        assertFailed(
                rig.ask(READER, new Query.SessionOf(rig.volume, ALICE, alice.session)), MetadataError.NOT_AUTHORISED);
    }

    @Test
    void closedSessionsWithoutReferencesCollapseIntoOneNumberPerOwner() {
        long sequence = 0;
        User[] users = new User[4];
        for (int i = 0; i < 4; i++) {
            users[i] = rig.user(BOB, rig.volume);
        }
        assertThat(rig.changesAfter(sequence)).hasSize(4).allMatch(SessionChange.Opened.class::isInstance);
        users[1].put("films", "kept", 1000);
        for (int i : new int[] {3, 0, 2, 1}) {
            users[i].done(new Command.CloseSession());
        }
        List<SessionChange> changes = rig.changesAfter(sequence);
        assertThat(changes).hasSize(3);
        assertThat(changes.get(0)).matches(change -> collapsed(change, 1, 1));
        assertThat(changes.get(1)).matches(change -> collapsed(change, 3, 4));
        assertThat(((SessionChange.Closed) changes.get(2)).used()).containsExactly(users[1].range(0, 2));

        User alice = rig.user(ALICE, 0);
        alice.run(new Command.DeleteObject("films", "kept", 0));
        rig.pass(alice, Inodes.GRACE_MILLIS + 20_000);
        assertThat(rig.changesAfter(sequence)).hasSize(1).allMatch(change -> collapsed(change, 1, 4));
        Bytes digest = rig.machine.digest();
        rig.machine = MetadataStateMachine.restore(rig.machine.snapshot());
        assertThat(rig.machine.digest()).isEqualTo(digest);
        assertThat(rig.changesAfter(sequence)).hasSize(1).allMatch(change -> collapsed(change, 1, 4));
    }

    private static boolean collapsed(SessionChange change, long first, long last) {
        return change.equals(new SessionChange.Collapsed(change.sequence(), BOB, first, last));
    }

    private SessionState state(User user) {
        return ((Reply.Session)
                        rig.ask(PrincipalId.node(1), new Query.SessionOf(rig.volume, user.principal, user.session)))
                .state();
    }
}

package io.bulwark.protocol.metadata;

import static io.bulwark.protocol.metadata.LockFixture.DIARY;
import static io.bulwark.protocol.metadata.LockFixture.FILMS;
import static io.bulwark.protocol.metadata.LockFixture.encoded;
import static io.bulwark.protocol.metadata.LockFixture.lockOf;
import static io.bulwark.protocol.metadata.MetadataFixture.ALICE;
import static io.bulwark.protocol.metadata.MetadataFixture.BOB;
import static io.bulwark.protocol.metadata.MetadataFixture.READER;
import static io.bulwark.protocol.metadata.MetadataFixture.assertFailed;
import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.locking.LockView;
import io.bulwark.protocol.locking.LogChain;
import io.bulwark.protocol.locking.LogEntry;
import io.bulwark.protocol.locking.LogHead;
import io.bulwark.protocol.locking.LogId;
import io.bulwark.protocol.locking.LogLimits;
import io.bulwark.protocol.locking.Subtree;
import io.bulwark.protocol.metadata.LockFixture.HeldLog;
import io.bulwark.protocol.metadata.MetadataFixture.User;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Tests how rounds choose the end of a log, and bound what log servers and holders send. */
@NullMarked
class RoundsTest {
    private static final Reply DONE = new Reply.Done();

    private final LockFixture locks = new LockFixture();
    private final MetadataFixture rig = locks.rig;
    private final User alice = rig.user(ALICE, rig.volume);
    private final User bob = rig.user(BOB, 0);

    private HeldLog filled(int entries) {
        HeldLog log = locks.lock(alice, FILMS);
        for (int i = 0; i < entries; i++) {
            log.put("films", "a/" + i % 7, i % 3);
        }
        return log;
    }

    private boolean isOpen(HeldLog log) {
        return rig.machine.locks().log(log.id.holder(), log.id.session()).isPresent();
    }

    private int executed(HeldLog log) {
        return Math.toIntExact(((Reply.LogOutcome) log.outcome(1)).length());
    }

    @Test
    void anEmptyLogClosesWithoutPieces() {
        HeldLog log = locks.lock(alice, FILMS);
        alice.done(new Command.Unlock());
        for (int replica = 0; replica < 3; replica++) {
            assertThat(isOpen(log)).isTrue();
            assertThat(log.fetch(replica, 0)).isEqualTo(DONE);
        }
        assertThat(isOpen(log)).isFalse();
        assertThat(log.outcome(1)).isEqualTo(new Reply.LogOutcome(0, 1, List.of()));
    }

    /** Rule 10: the longest of 2f+1 decides, since one of them has all that was acknowledged. */
    @PlantedBug(
            in = Rounds.class,
            rule = "the longest backed head is chosen",
            replace = "chosen = head.length() > chosen.length() ? head : chosen;",
            with = "chosen = head.length() < chosen.length() ? head : chosen;")
    @Test
    void theLongestBackedHeadIsChosen() {
        HeldLog log = filled(10);
        alice.done(new Command.Unlock());
        log.pieces(1, 1, 10);
        log.fetch(0, 4);
        log.fetch(1, 9);
        log.fetch(2, 2);
        assertThat(executed(log)).isEqualTo(9);
        assertThat(((Reply.LogOutcome) log.outcome(3)).replies()).isEqualTo(log.replies.subList(2, 9));
        assertThat(((Reply.LogOutcome) log.outcome(10)).replies()).isEmpty();
    }

    /** Rule 4: a head that only liars know does not block. */
    @PlantedBug(
            in = Rounds.class,
            rule = "only backed heads count",
            replace = "if (isBacked(holder, head.length(), head.hash())) {",
            with = "if (head.length() >= 0) {")
    @Test
    void aHeadThatNobodyBacksDoesNotCount() {
        HeldLog log = filled(10);
        alice.done(new Command.Unlock());
        log.fetch(3, 10);
        log.pieces(0, 1, 8);
        log.fetch(0, 8);
        log.fetch(1, 7);
        assertThat(isOpen(log)).isTrue();
        log.fetch(2, 6);
        assertThat(executed(log)).isEqualTo(8);
    }

    @Test
    void piecesCountWhoeverSendsThem() {
        HeldLog log = filled(10);
        alice.done(new Command.Unlock());
        log.fetch(0, 10);
        log.fetch(1, 10);
        log.fetch(2, 10);
        log.pieces(1, 1, 3);
        log.pieces(0, 1, 5);
        LockView view = rig.machine.locks();
        assertThat(view.backedLength(log.id, log.hashes)).isEqualTo(5);
        assertFailed(log.pieces(2, 7, 10), MetadataError.BAD_ARGUMENT);
        assertThat(log.pieces(2, 6, 9)).isEqualTo(DONE);
        assertThat(view.backedLength(log.id, log.hashes)).isEqualTo(9);
        assertThat(view.backedLength(log.id, List.of())).isZero();
        assertThat(log.pieces(3, 10, 10)).isEqualTo(DONE);
        assertThat(executed(log)).isEqualTo(10);
    }

    @PlantedBug(
            in = Rounds.class,
            rule = "heads are signed by the holder",
            replace = "fetched.head().isSigned(replicas.cluster(), fetched.log(), holder.get().key),",
            with = "true,")
    @Test
    void aHeadThatTheHolderDidNotSignIsRefused() {
        HeldLog log = filled(4);
        alice.done(new Command.Unlock());
        LogHead forged = new LogHead(4, log.hashAt(4), log.head(3).signature());
        assertFailed(
                locks.submit(0, new Submission.Fetch(List.of(new Submission.Fetched(log.id, forged)))),
                MetadataError.BAD_SIGNATURE);
        LogHead notEmpty = LogHead.empty(MetadataFixture.filled(32, 1));
        assertFailed(
                locks.submit(0, new Submission.Fetch(List.of(new Submission.Fetched(log.id, notEmpty)))),
                MetadataError.BAD_SIGNATURE);
        assertThat(rig.machine.locks().fetchesOwed(PrincipalId.replica(0))).hasSize(1);
    }

    /** Else the second head of a log that the first one decides would be looked for in a round that is over. */
    @PlantedBug(
            in = Submission.class,
            rule = "a FETCH names each log once",
            replace = "logs.get(i - 1).log.compareTo(logs.get(i).log) >= 0",
            with = "logs.isEmpty()")
    @Test
    void aFetchThatNamesALogTwiceIsMalformed() {
        HeldLog log = locks.lock(alice, FILMS);
        alice.done(new Command.Unlock());
        log.fetch(0, 0);
        log.fetch(1, 0);
        long weight = rig.machine.weight().bytes();
        Bytes once = new Submission.Fetch(List.of(new Submission.Fetched(log.id, log.head(0)))).encoded();
        Bytes head = once.slice(3, once.length() - 3);
        Bytes twice = new WireWriter()
                .raw(once.slice(0, 1))
                .u16(2)
                .raw(head)
                .raw(head)
                .toBytes();
        assertFailed(
                Reply.decode(rig.machine.execute(PrincipalId.replica(3), twice, rig.nowMillis)),
                MetadataError.MALFORMED);
        assertThat(isOpen(log)).isTrue();
        assertThat(rig.machine.weight().bytes()).isEqualTo(weight);
        log.fetch(3, 0);
        assertThat(isOpen(log)).isFalse();
    }

    @Test
    void onlyReplicasSpeakForLogServers() {
        HeldLog log = filled(2);
        alice.done(new Command.Unlock());
        Submission fetch = new Submission.Fetch(List.of(new Submission.Fetched(log.id, log.head(2))));
        for (PrincipalId other : List.of(ALICE, PrincipalId.node(0), PrincipalId.replica(4))) {
            assertFailed(rig.submit(other, fetch), MetadataError.NOT_AUTHORISED);
        }
    }

    /** Rule 16: a FETCH is owed until it stands in the state, and each counts once. */
    @Test
    void aFetchIsOwedUntilItIsThere() {
        HeldLog log = filled(3);
        LockView view = rig.machine.locks();
        assertThat(view.fetchesOwed(PrincipalId.replica(0))).isEmpty();
        alice.done(new Command.Unlock());
        assertThat(view.fetchesOwed(PrincipalId.replica(0)).getFirst().id()).isEqualTo(log.id);
        log.pieces(0, 1, 3);
        for (int i = 0; i < 5; i++) {
            assertThat(log.fetch(0, 3)).isEqualTo(DONE);
            assertThat(log.fetch(0, 2)).isEqualTo(DONE);
        }
        assertThat(view.fetchesOwed(PrincipalId.replica(0))).isEmpty();
        assertThat(view.fetchesOwed(PrincipalId.replica(1))).hasSize(1);
        log.fetch(1, 1);
        assertThat(isOpen(log)).isTrue();
        log.fetch(2, 0);
        assertThat(executed(log)).isEqualTo(3);
        assertThat(log.fetch(3, 3)).isEqualTo(DONE);
        assertThat(log.pieces(3, 1, 3)).isEqualTo(DONE);
        assertThat(locks.locks()).isEmpty();
    }

    @Test
    void aLongLogIsExecutedInSteps() {
        int length = 4 * Rounds.ENTRIES_PER_COMMAND;
        HeldLog log = filled(length);
        alice.done(new Command.Unlock());
        for (int first = 1; first <= length; first += 256) {
            log.pieces(0, first, first + 255);
        }
        for (int replica = 0; replica < 3; replica++) {
            log.fetch(replica, length);
        }
        assertFailed(bob.run(new Command.DeleteObject("films", "a/1", 0)), MetadataError.LOCKED);
        int steps = 0;
        while (isOpen(log)) {
            bob.done(new Command.RenewSession());
            steps++;
        }
        assertThat(steps).isEqualTo(2);
        Reply.LogOutcome outcome = (Reply.LogOutcome) log.outcome(1);
        assertThat(outcome.first()).isEqualTo(length - LogLimits.OUTSTANDING_MAX + 1);
        assertThat(outcome.replies()).isEqualTo(log.replies.subList((int) outcome.first() - 1, length));
    }

    /** A faulty holder that signs two chains harms itself alone: one of them is executed, wherever the pieces are. */
    @Test
    void ofTwoSignedChainsOneIsExecuted() {
        HeldLog log = filled(5);
        HeldLog other = locks.held(alice, log.locked);
        for (int i = 0; i < 6; i++) {
            other.put("films", "a/other", 1);
        }
        alice.done(new Command.Unlock());
        log.pieces(0, 1, 5);
        other.pieces(1, 1, 6);
        log.fetch(0, 5);
        other.fetch(1, 6);
        log.fetch(2, 4);
        assertThat(executed(log)).isEqualTo(6);
        assertThat(((Reply.LogOutcome) other.outcome(1)).replies()).isEqualTo(other.replies);
        assertThat(rig.ask(BOB, new Query.FindObject("films", "a/other", 0))).isInstanceOf(Reply.ObjectFound.class);
        assertFailed(rig.ask(BOB, new Query.FindObject("films", "a/1", 0)), MetadataError.NO_SUCH_OBJECT);
    }

    @Test
    void aLiarFillsOnlyItsOwnShare() {
        HeldLog log = filled(5);
        alice.done(new Command.Unlock());
        Bytes large = MetadataFixture.filled(LogEntry.COMMAND_BYTES_MAX, 1);
        Bytes previous = log.root();
        long bytes = 0;
        Reply reply = DONE;
        for (int number = 1; reply.equals(DONE); number++) {
            LogEntry entry = new LogEntry(1, Optional.empty(), large);
            reply = locks.submit(3, new Submission.Pieces(log.id, number, previous, List.of(entry)));
            previous = LogChain.next(previous, number, entry);
            bytes += entry.length();
        }
        assertFailed(reply, MetadataError.LIMIT_REACHED);
        assertThat(bytes).isBetween((long) LogLimits.BYTES_MAX, LogLimits.BYTES_MAX + (64L << 10));
        LogEntry small = new LogEntry(1, Optional.empty(), Bytes.EMPTY);
        List<LogEntry> many = new ArrayList<>();
        for (int i = 0; i < 2_000; i++) {
            many.add(small);
        }
        assertFailed(locks.submit(3, new Submission.Pieces(log.id, 1, log.root(), many)), MetadataError.LIMIT_REACHED);
        log.finish();
        assertThat(executed(log)).isEqualTo(5);
        assertThat(MetadataStateMachine.restore(rig.machine.snapshot()).digest())
                .isEqualTo(rig.machine.digest());
    }

    /** However the chain is cut among servers, no log is longer than a log may be. */
    @Test
    void aChainOfManyServersIsNotLongerThanALog() {
        HeldLog log = locks.lock(alice, FILMS);
        alice.done(new Command.Unlock());
        Bytes previous = log.root();
        LogEntry small = new LogEntry(1, Optional.empty(), Bytes.EMPTY);
        Reply reply = DONE;
        int number = 1;
        while (reply.equals(DONE)) {
            List<LogEntry> some = new ArrayList<>();
            Bytes hash = previous;
            for (int i = 0; i < 1_000; i++) {
                some.add(small);
                hash = LogChain.next(hash, number + i, small);
            }
            reply = locks.submit(number / 1_000 % 4, new Submission.Pieces(log.id, number, previous, some));
            previous = hash;
            number += 1_000;
        }
        assertFailed(reply, MetadataError.LIMIT_REACHED);
        assertThat(number).isEqualTo(5_001);
    }

    @Test
    void anotherLogsPiecesAreIgnored() {
        HeldLog log = filled(3);
        alice.done(new Command.Unlock());
        LogId never = new LogId(BOB, 5, 7);
        assertThat(locks.submit(0, new Submission.Fetch(List.of(new Submission.Fetched(never, log.head(3))))))
                .isEqualTo(DONE);
        assertThat(locks.submit(0, new Submission.Pieces(never, 1, log.root(), log.entries)))
                .isEqualTo(DONE);
        assertFailed(
                locks.submit(0, new Submission.Pieces(log.id, 1, log.hashAt(1), log.entries)),
                MetadataError.BAD_ARGUMENT);
        assertThat(rig.machine.locks().backedLength(log.id, log.hashes)).isZero();
    }

    /** The state holds the entries of a few closing logs at a time, however many rounds are open. */
    @Test
    void theOldestRoundsAreServedFirst() {
        bob.done(new Command.SetGrant(READER, new Scope.All(), new Rights(true, true, false)));
        List<HeldLog> logs = new ArrayList<>();
        for (int i = 0; i < Rounds.ADMITTED_MAX + 5; i++) {
            PrincipalId principal = List.of(ALICE, BOB, READER).get(i % 3);
            HeldLog log = locks.lock(rig.user(principal, rig.volume), new Subtree("diary", "k" + i + "/"));
            log.put("diary", "k" + i + "/x", 1);
            logs.add(log);
        }
        rig.user(READER, 0).done(new Command.OpenRound(DIARY));
        assertThat(rig.machine.locks().fetchesOwed(PrincipalId.replica(0))).hasSize(Rounds.ADMITTED_MAX);
        HeldLog last = logs.getLast();
        assertThat(last.pieces(0, 1, 1)).isEqualTo(DONE);
        assertThat(rig.machine.locks().backedLength(last.id, last.hashes)).isZero();
        logs.forEach(HeldLog::finish);
        assertThat(locks.locks()).isEmpty();
    }

    @Test
    void aRoundGoesOnInARestoredState() {
        HeldLog log = filled(150);
        alice.done(new Command.Unlock());
        log.pieces(0, 1, 100);
        log.fetch(0, 150);
        rig.machine = MetadataStateMachine.restore(rig.machine.snapshot());
        log.pieces(1, 101, 150);
        log.fetch(1, 120);
        rig.machine = MetadataStateMachine.restore(rig.machine.snapshot());
        log.fetch(2, 0);
        rig.machine = MetadataStateMachine.restore(rig.machine.snapshot());
        bob.done(new Command.RenewSession());
        rig.machine = MetadataStateMachine.restore(rig.machine.snapshot());
        bob.done(new Command.RenewSession());
        assertThat(executed(log)).isEqualTo(150);
        assertThat(MetadataStateMachine.restore(rig.machine.snapshot()).digest())
                .isEqualTo(rig.machine.digest());
    }

    /** Rule 17: what locks and rounds add to the state is charged to the holder, and goes with them. */
    @Test
    void theStateCountsLocksAndPieces() {
        long before = rig.machine.weight().bytesOf(ALICE);
        User writer = rig.user(ALICE, rig.volume);
        HeldLog log = locks.lock(writer, FILMS);
        long length = 0;
        for (int i = 0; i < 20; i++) {
            log.put("films", "a/" + i % 7, i % 3);
            length += log.entries.getLast().length();
        }
        writer.done(new Command.Unlock());
        long open = rig.machine.weight().bytesOf(ALICE);
        assertThat(open).isGreaterThanOrEqualTo(before + log.locked.weight() + Weight.LOCK_BYTES);
        log.pieces(0, 1, 20);
        assertThat(rig.machine.weight().bytesOf(ALICE)).isGreaterThanOrEqualTo(open + length);
        log.finish();
        for (int i = 0; i < 7; i++) {
            bob.run(new Command.DeleteObject("films", "a/" + i, 0));
        }
        writer.done(new Command.CloseSession());
        rig.pass(bob, Inodes.GRACE_MILLIS + 10_000);
        assertThat(rig.machine.weight().bytesOf(ALICE)).isEqualTo(before);
    }

    @Test
    void anEntryThatNoLogHoldsIsRefusedAlikeEverywhere() {
        HeldLog log = locks.lock(alice, FILMS, new Subtree("diary", "d/"));
        log.put("films", "a/b", 10);
        for (Command command : List.of(
                new Command.CreateBucket("more", "main", Versioning.KEEP_ALL, 0),
                new Command.DeleteObject("films", "b", 0),
                new Command.RenameObject("films", "a/b", "films", "b", Condition.NONE),
                new Command.CopyObject("diary", "x", 0, "films", "a/c", Condition.NONE),
                new Command.RegisterPending(List.of(alice.range(500, 1))),
                new Command.Unlock(),
                lockOf(DIARY))) {
            assertFailed(log.append(command), MetadataError.NOT_LOCKABLE);
        }
        assertFailed(log.append(new LogEntry(0, Optional.empty(), Bytes.of((byte) 99))), MetadataError.MALFORMED);
        assertFailed(
                log.append(new LogEntry(0, Optional.of(BOB), encoded(new Command.DeleteObject("films", "a/b", 0)))),
                MetadataError.NOT_AUTHORISED);
        assertThat(log.append(new Command.RenameObject("films", "a/b", "diary", "d/b", Condition.NONE)))
                .isInstanceOf(Reply.ObjectStored.class);
        assertFailed(log.query(new Query.FindObject("films", "b", 0)), MetadataError.NOT_LOCKABLE);
        assertThat(log.query(new Query.FindObject("diary", "d/b", 0))).isInstanceOf(Reply.ObjectFound.class);
        log.close();
        assertThat(((Reply.LogOutcome) log.outcome(1)).replies()).isEqualTo(log.replies);
    }

    /** Time of an entry is the holder's: never before the lock, never back, never far ahead. */
    @Test
    void timesOfEntriesAscendFromTheLockOn() {
        HeldLog log = locks.lock(alice, FILMS);
        long locked = log.locked.agreedMillis();
        long far = locked + 10 * Grant.SPAN_MILLIS;
        long[] given = {0, locked + 5_000, locked + 4_000, far, locked};
        long[] counted = {locked, locked + 5_000, locked + 5_000, locked + Grant.SPAN_MILLIS, locked + Grant.SPAN_MILLIS
        };
        for (int i = 0; i < given.length; i++) {
            Command put = alice.putOf("films", "a/b", Condition.NONE, alice.layout(0));
            Reply.ObjectStored stored =
                    (Reply.ObjectStored) log.append(new LogEntry(given[i], Optional.empty(), encoded(put)));
            assertThat(stored.linkedMillis()).isEqualTo(counted[i]);
            assertThat(stored.inode()).isEqualTo(log.locked.firstInode() + i);
            assertThat(stored.version()).isEqualTo(log.locked.firstVersion() + 2L * i);
        }
        log.close();
        assertThat(((Reply.LogOutcome) log.outcome(1)).replies()).isEqualTo(log.replies);
    }

    /** Rule 17: a log adds no more than its part of what is free. */
    @PlantedBug(
            in = Grant.class,
            rule = "a log draws no more of a quota than it took",
            replace = "refuseUnless(added <= buckets.getOrDefault(bucket.name, 0L), added + \" bytes more in the"
                    + " bucket\");",
            with = "")
    @Test
    void anExhaustedLogRefusesAlikeEverywhere() {
        bob.run(new Command.CreateVolume("small", VolumeKind.OBJECT, MetadataFixture.POLICY, 0, 0, 640_000));
        bob.done(new Command.CreateBucket("little", "small", Versioning.KEEP_ALL, 256_000));
        rig.volume = 2;
        User writer = rig.user(ALICE, 2);
        HeldLog log = locks.lock(writer, new Subtree("little", ""));
        assertThat(log.locked.bytes()).isEqualTo(10_000);
        int stored = 0;
        Reply last = DONE;
        for (int i = 0; i < 20; i++) {
            last = log.append(writer.putOf("little", "k" + i, Condition.NONE, writer.layout(500)));
            stored += last instanceof Reply.ObjectStored ? 1 : 0;
        }
        assertFailed(last, MetadataError.LOG_EXHAUSTED);
        // A sixteenth of a quarter of the bucket's 256,000 bytes.
        assertThat(stored).isEqualTo(8);
        assertThat(log.append(new Command.DeleteObject("little", "k0", 0))).isInstanceOf(Reply.Deleted.class);
        User other = rig.user(BOB, 2);
        assertFailed(other.run(other.putOf("little", "x", Condition.NONE, other.layout(100))), MetadataError.LOCKED);
        log.finish();
        assertThat(((Reply.LogOutcome) log.outcome(1)).replies()).isEqualTo(log.replies);
        assertThat(other.put("little", "x", 252_000)).isNotNull();
    }
}

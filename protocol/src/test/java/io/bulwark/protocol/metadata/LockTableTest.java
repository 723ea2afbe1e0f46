package io.bulwark.protocol.metadata;

import static io.bulwark.protocol.metadata.LockFixture.DIARY;
import static io.bulwark.protocol.metadata.LockFixture.FILMS;
import static io.bulwark.protocol.metadata.LockFixture.lockOf;
import static io.bulwark.protocol.metadata.MetadataFixture.ALICE;
import static io.bulwark.protocol.metadata.MetadataFixture.BOB;
import static io.bulwark.protocol.metadata.MetadataFixture.READER;
import static io.bulwark.protocol.metadata.MetadataFixture.assertFailed;
import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.cluster.SessionState;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.locking.Subtree;
import io.bulwark.protocol.metadata.LockFixture.HeldLog;
import io.bulwark.protocol.metadata.MetadataFixture.User;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Tests who gets locks, what opens rounds, and how others wait (docs/protocols/locking.md). */
@NullMarked
class LockTableTest {
    private final LockFixture locks = new LockFixture();
    private final MetadataFixture rig = locks.rig;
    private final User alice = rig.user(ALICE, rig.volume);
    private final User bob = rig.user(BOB, rig.volume);
    private final User admin = rig.user(ALICE, 0);

    @Test
    void aLockTakesIdsAboveAllGivenBefore() {
        Reply.ObjectStored before = alice.put("films", "b", 10);
        User holder = rig.user(ALICE, rig.volume);
        Reply.Locked locked = (Reply.Locked) holder.run(lockOf(FILMS));
        assertThat(locked.firstInode()).isEqualTo(before.inode() + 1);
        assertThat(locked.firstVersion()).isEqualTo(before.version() + 1);
        Reply.ObjectStored after = bob.put("films", "b", 10);
        assertThat(after.inode()).isGreaterThan(locked.firstInode() + 4_000);
        assertThat(after.version()).isGreaterThan(locked.firstVersion() + 8_000);
        assertThat(locks.locks()).containsExactly(new Reply.LockEntry(FILMS, locked.log(), 1_000, Optional.empty()));
    }

    @PlantedBug(
            in = LockTable.class,
            rule = "locks are disjoint",
            replace = "SubtreeKey.anyOverlapping(tables.locks, SubtreeKey.of(subtree)).isEmpty(),",
            with = "true,")
    @Test
    void locksAreDisjoint() {
        locks.lock(alice, FILMS);
        for (String prefix : List.of("", "a", "a/", "a/b")) {
            bob.refused(MetadataError.LOCKED, lockOf(new Subtree("films", prefix)));
        }
        assertThat(bob.run(lockOf(new Subtree("films", "a.b"), new Subtree("films", "b"))))
                .isInstanceOf(Reply.Locked.class);
        User third = rig.user(BOB, rig.volume);
        third.refused(MetadataError.BAD_ARGUMENT, lockOf(new Subtree("diary", "x"), new Subtree("diary", "x/y")));
        third.refused(MetadataError.LOCKED, lockOf(DIARY, new Subtree("films", "a.b.c")));
        assertThat(third.run(lockOf(DIARY))).isInstanceOf(Reply.Locked.class);
    }

    @PlantedBug(
            in = Replicas.class,
            rule = "(8) no lock is given where executed commands may be taken back",
            replace = "!staying, MetadataError.NOT_LOCKABLE,",
            with = "true, MetadataError.NOT_LOCKABLE,")
    @Test
    void onlyWhatCanBeGrantedIsLocked() {
        alice.done(new Command.CreateBucket("vault", "main", Versioning.KEEP_ALL, 0, true));
        alice.run(new Command.CreateVolume("disk", VolumeKind.REGISTER, MetadataFixture.POLICY, 100, 2, 0));
        alice.run(MetadataFixture.objectVolume("other"));
        alice.done(new Command.CreateBucket("there", "other", Versioning.KEEP_ALL, 0));
        alice.refused(MetadataError.NOT_LOCKABLE, lockOf(new Subtree("vault", "")));
        alice.refused(MetadataError.NOT_LOCKABLE, lockOf(new Subtree("there", "")));
        alice.refused(MetadataError.NO_SUCH_BUCKET, lockOf(new Subtree("nothing", "")));
        alice.refused(MetadataError.BAD_KEY, lockOf(new Subtree("films", "a\n")));
        admin.refused(MetadataError.NOT_LOCKABLE, lockOf(FILMS));
        rig.user(READER, 0).refused(MetadataError.NOT_AUTHORISED, lockOf(FILMS));
        rig.machine.withReplicasThatStay();
        alice.refused(MetadataError.NOT_LOCKABLE, lockOf(FILMS));
    }

    /** Rule 5: what a group's next epoch opens must not change under a log. */
    @PlantedBug(
            in = LockTable.class,
            rule = "(5) no lock is given in a volume whose holders are being changed",
            replace = "volume.groups().stream().allMatch(group -> group.change().isEmpty()),",
            with = "true,")
    @Test
    void noVolumeWhoseHoldersChangeIsLocked() {
        alice.done(new Command.ChangeHolder("main", 0, 1, 0, 4));
        bob.refused(MetadataError.NOT_LOCKABLE, lockOf(FILMS));
    }

    @Test
    void nobodyHoldsTooManyLogs() {
        for (int i = 0; i < LockTable.HOLDERS_OF_ONE_MAX; i++) {
            locks.lock(rig.user(BOB, rig.volume), new Subtree("diary", i + "/"));
        }
        bob.refused(MetadataError.LIMIT_REACHED, lockOf(new Subtree("diary", "x/")));
        assertThat(alice.run(lockOf(new Subtree("diary", "x/")))).isInstanceOf(Reply.Locked.class);
    }

    /** Rule 1: the log alone uses the session. */
    @PlantedBug(
            in = MetadataStateMachine.class,
            rule = "the session of a log orders nothing else",
            replace = "default -> !locks.hasLog(session);",
            with = "default -> true;")
    @Test
    void aSessionWithALogOrdersNothingElse() {
        HeldLog log = locks.lock(alice, FILMS);
        Command.PutObject put = alice.putOf("diary", "b", Condition.NONE, alice.layout(5));
        alice.refused(MetadataError.HOLDER_SESSION, put);
        alice.refused(MetadataError.HOLDER_SESSION, new Command.DeleteObject("diary", "b", 0));
        alice.done(new Command.RenewSession());
        log.close();
        assertThat(alice.run(put)).isInstanceOf(Reply.ObjectStored.class);
        assertThat(alice.run(lockOf(FILMS))).isInstanceOf(Reply.Locked.class);
    }

    @Test
    void aTouchIsRefusedAndOpensTheRound() {
        HeldLog log = locks.lock(alice, FILMS);
        log.put("films", "a/b", 10);
        bob.put("films", "b", 10);
        assertThat(locks.locks().getFirst().reason()).isEmpty();
        Reply refused = bob.run(bob.putOf("films", "a/x", Condition.NONE, bob.layout(3)));
        assertThat(refused).isEqualTo(new Reply.Failed(MetadataError.LOCKED, "films/a/"));
        assertThat(locks.locks().getFirst().reason()).contains(RoundReason.CONTENDED);
        assertThat(rig.machine.locks().log(ALICE, alice.session).orElseThrow().isClosing())
                .isTrue();
        log.finish();
        assertThat(locks.locks()).isEmpty();
        assertThat(((Reply.ObjectFound) rig.ask(BOB, new Query.FindObject("films", "a/b", 0)))
                        .inode()
                        .id())
                .isEqualTo(log.locked.firstInode());
        bob.put("films", "a/x", 3);
    }

    /** Rule 12: who has no right to a name learns nothing of its lock, and opens nothing. */
    @Test
    void strangersOpenNoRounds() {
        locks.lock(alice, FILMS);
        User reader = rig.user(READER, 0);
        reader.refused(MetadataError.NOT_AUTHORISED, new Command.DeleteObject("films", "a/b", 0));
        assertFailed(
                rig.ask(MetadataFixture.STRANGER, new Query.FindObject("films", "a/b", 0)),
                MetadataError.NOT_AUTHORISED);
        rig.user(READER, 0).refused(MetadataError.NOT_AUTHORISED, new Command.DeleteBucket("films"));
        assertThat(locks.locks().getFirst().reason()).isEmpty();
    }

    @Test
    void aQueryIsRefusedAndChangesNothing() {
        HeldLog log = locks.lock(alice, FILMS);
        log.put("films", "a/b", 10);
        for (Query query : List.of(
                new Query.FindObject("films", "a/b", 0),
                new Query.FindObject("films", "a/not there", 0),
                new Query.ListObjects("films", "", "", Bytes.EMPTY, 10, false),
                new Query.ListVersions("films", "b", "a/b", 0, 10))) {
            assertFailed(rig.ask(READER, query), MetadataError.LOCKED);
        }
        assertThat(rig.ask(READER, new Query.ListObjects("films", "b", "", Bytes.EMPTY, 10, false)))
                .isInstanceOf(Reply.ObjectList.class);
        assertThat(locks.locks().getFirst().reason()).isEmpty();
        rig.user(READER, 0).done(new Command.OpenRound(new Subtree("films", "a/b")));
        assertThat(locks.locks().getFirst().reason()).contains(RoundReason.CONTENDED);
        log.finish();
        assertThat(rig.ask(READER, new Query.FindObject("films", "a/b", 0))).isInstanceOf(Reply.ObjectFound.class);
    }

    @PlantedBug(
            in = LockTable.class,
            rule = "a holder keeps the subtrees that nobody else needs",
            replace = "case Touch.OfKey of -> subtree.contains(of.bucket(), of.key());",
            with = "case Touch.OfKey ignored -> true;")
    @Test
    void onlyThePartThatOthersNeedIsMarked() {
        for (int round = 0; round < 4; round++) {
            rig.pass(admin, 10_000);
            HeldLog log = locks.lock(alice, DIARY, FILMS);
            assertFailed(bob.run(new Command.DeleteObject("films", "a/b", 0)), MetadataError.LOCKED);
            log.finish();
        }
        Reply.Failed refused = (Reply.Failed) alice.run(lockOf(DIARY, FILMS));
        assertThat(refused.error()).isEqualTo(MetadataError.LOCKED);
        assertThat(refused.detail()).isEqualTo(FILMS.toString());
        assertThat(alice.run(lockOf(DIARY))).isInstanceOf(Reply.Locked.class);
    }

    /** Rule 13: contention forbids locks there for a while, longer each time. */
    @PlantedBug(
            in = LockTable.class,
            rule = "contended subtrees are marked",
            replace = "contention.mark(subtree, holder.owner);",
            with = "")
    @Test
    void contendedSubtreesTakeNoLockForAWhile() {
        Subtree within = new Subtree("films", "a/b");
        for (int round = 0; round < 4; round++) {
            HeldLog log = locks.lock(alice, FILMS);
            assertFailed(bob.run(new Command.DeleteObject("films", "a/b", 0)), MetadataError.LOCKED);
            log.finish();
            // A second of agreed time passes with each command.
            int refused = 0;
            Reply reply = alice.run(lockOf(within));
            while (reply instanceof Reply.Failed failed) {
                assertThat(failed.error()).isEqualTo(MetadataError.LOCKED);
                refused++;
                reply = alice.run(lockOf(within));
            }
            assertThat(refused).isEqualTo(Math.max(0, (1 << round) - 3));
            locks.held(alice, (Reply.Locked) reply).close();
        }
    }

    @Test
    void withoutContentionASubtreeIsLockedAgainAtOnce() {
        HeldLog log = locks.lock(alice, FILMS);
        log.close();
        assertThat(alice.run(lockOf(FILMS))).isInstanceOf(Reply.Locked.class);
    }

    /** Rule 7: what a log relies on changes only once its entries are executed. */
    @PlantedBug(
            in = Touches.class,
            rule = "rights change after the logs that rely on them",
            replace = "case Command.SetGrant set -> List.of(new Touch.OfPrincipal(set.client()));",
            with = "case Command.SetGrant ignored -> List.of();")
    @PlantedBug(
            in = LockTable.class,
            rule = "no new log keeps a command waiting",
            replace = "contention.pause(touch, holder.owner);",
            with = "")
    @Test
    void rightsChangeAfterTheLog() {
        HeldLog log = locks.lock(bob, FILMS);
        log.put("films", "a/b", 10);
        Command.SetGrant none = new Command.SetGrant(BOB, new Scope.All(), Rights.NONE);
        admin.refused(MetadataError.LOCKED, none);
        assertThat(locks.locks().getFirst().reason()).contains(RoundReason.FROZEN);
        log.finish();
        // The command waits: no new log keeps it waiting.
        assertFailed(bob.run(lockOf(FILMS)), MetadataError.LOCKED);
        assertThat(alice.run(lockOf(FILMS))).isInstanceOf(Reply.Locked.class);
        admin.done(none);
        assertThat(rig.ask(ALICE, new Query.ListVersions("films", "b", "", 0, 10)))
                .isInstanceOf(Reply.VersionList.class);
    }

    @Test
    void whatALogReliesOnWaitsForItsRound() {
        for (Command command : List.of(
                new Command.UpdateBucket("films", BucketChange.NONE.withQuota(50_000)),
                new Command.DeleteBucket("films"),
                new Command.ChangeHolder("main", 0, 1, 0, 4),
                new Command.DeleteVolume("main"),
                new Command.RevokePrincipal(BOB),
                new Command.RotateKey(BOB, List.of(Samples.KEY)),
                new Command.SetActFor(BOB, READER, new Rights(true, true, false)),
                new Command.SetGrant(BOB, new Scope.OfBucket("diary"), Rights.ALL))) {
            HeldLog log = locks.lock(rig.user(BOB, rig.volume), FILMS);
            admin.refused(MetadataError.LOCKED, command);
            log.finish();
            rig.pass(admin, Contention.PAUSE_MILLIS + 10_000);
        }
    }

    @Test
    void aDoorsLogReliesOnThePersonsRights() {
        alice.done(new Command.SetActFor(BOB, READER, new Rights(true, true, false)));
        HeldLog log = locks.lock(bob, FILMS);
        admin.refused(MetadataError.LOCKED, new Command.SetGrant(READER, new Scope.All(), Rights.ALL));
        log.finish();
        assertFailed(bob.run(lockOf(FILMS)), MetadataError.LOCKED);
        admin.done(new Command.SetGrant(READER, new Scope.All(), Rights.ALL));
    }

    @PlantedBug(
            in = LockTable.class,
            rule = "a session whose end opened the round is closed after it",
            replace = "found.closing = true;",
            with = "")
    @PlantedBug(
            in = LockTable.class,
            rule = "(15) a session that waits for its round has left the queue of those that expire",
            replace = "sessions.expire(session);",
            with = "")
    @Test
    void aSessionWithALogClosesAfterItsRound() {
        HeldLog log = locks.lock(alice, FILMS);
        log.put("films", "a/b", 10);
        alice.done(new Command.CloseSession());
        assertFailed(alice.run(new Command.RenewSession()), MetadataError.SESSION_CLOSED);
        // Nodes serve its blocks until then.
        assertThat(rig.ask(ALICE, new Query.SessionOf(rig.volume, ALICE, alice.session)))
                .isEqualTo(new Reply.Session(SessionState.OPEN));
        log.finish();
        assertThat(rig.ask(ALICE, new Query.SessionOf(rig.volume, ALICE, alice.session)))
                .isEqualTo(new Reply.Session(SessionState.CLOSED));
        assertThat(rig.ask(BOB, new Query.FindObject("films", "a/b", 0))).isInstanceOf(Reply.ObjectFound.class);
        assertFailed(log.outcome(1), MetadataError.NO_SUCH_LOG);
    }

    /** Rule 15: a session that waits for its round is no longer in the queue of those that expire. */
    @Test
    void anExpiredSessionClosesAfterItsRound() {
        HeldLog log = locks.lock(alice, FILMS);
        log.put("films", "a/b", 10);
        User expiring = rig.user(BOB, 0);
        rig.pass(bob, SessionTable.TTL_MILLIS + 20_000);
        assertFailed(expiring.run(new Command.RenewSession()), MetadataError.SESSION_CLOSED);
        assertFailed(alice.run(new Command.RenewSession()), MetadataError.SESSION_CLOSED);
        log.finish();
        assertThat(rig.ask(ALICE, new Query.SessionOf(rig.volume, ALICE, alice.session)))
                .isEqualTo(new Reply.Session(SessionState.CLOSED));
        bob.run(new Command.DeleteObject("films", "a/b", 0));
    }

    @Test
    void anAgedLogIsClosed() {
        HeldLog log = locks.lock(alice, FILMS);
        rig.pass(bob, LockTable.AGE_MILLIS - 10_000);
        assertThat(locks.locks().getFirst().reason()).isEmpty();
        rig.pass(bob, 20_000);
        assertThat(locks.locks().getFirst().reason()).contains(RoundReason.AGED);
        Reply.OpenLogs open = ((Reply.Status) rig.ask(ALICE, new Query.GetStatus())).logs();
        assertThat(open)
                .isEqualTo(new Reply.OpenLogs(1, 1, locks.locks().getFirst().ageMillis()));
        assertThat(open.oldestMillis()).isBetween(LockTable.AGE_MILLIS, LockTable.AGE_MILLIS + 20_000);
        log.finish();
        assertThat(((Reply.Status) rig.ask(ALICE, new Query.GetStatus())).logs())
                .isEqualTo(new Reply.OpenLogs(0, 0, 0));
        assertThat(alice.run(lockOf(FILMS))).isInstanceOf(Reply.Locked.class);
    }

    /** Rule 2: one lock for each log. */
    @Test
    void anotherLockClosesTheLogFirst() {
        HeldLog log = locks.lock(alice, FILMS);
        alice.refused(MetadataError.LOCKED, lockOf(DIARY));
        assertThat(locks.locks().getFirst().reason()).contains(RoundReason.UNLOCKED);
        log.finish();
        HeldLog next = locks.lock(alice, DIARY);
        assertThat(next.id.lock()).isGreaterThan(log.id.lock());
        assertThat(next.locked.firstInode()).isGreaterThan(log.locked.firstInode() + 4_000);
    }

    @Test
    void locksAreListedInPages() {
        for (int i = 0; i < 5; i++) {
            locks.lock(rig.user(i % 2 == 0 ? ALICE : BOB, rig.volume), new Subtree("diary", "k" + i));
        }
        Optional<Subtree> after = Optional.empty();
        List<Subtree> seen = new ArrayList<>();
        boolean more = true;
        while (more) {
            Reply.LockList page = (Reply.LockList) rig.ask(ALICE, new Query.ListLocks(after, 2));
            page.locks().forEach(lock -> seen.add(lock.subtree()));
            after = Optional.of(page.locks().getLast().subtree());
            more = page.more();
        }
        assertThat(seen).hasSize(5).doesNotHaveDuplicates();
        assertThat(((Reply.LockList) rig.ask(PrincipalId.node(0), new Query.ListLocks(Optional.empty(), 10))).locks())
                .isEmpty();
    }
}

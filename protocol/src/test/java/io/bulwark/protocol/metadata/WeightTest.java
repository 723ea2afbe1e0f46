package io.bulwark.protocol.metadata;

import static io.bulwark.protocol.metadata.MetadataFixture.ALICE;
import static io.bulwark.protocol.metadata.MetadataFixture.BOB;
import static io.bulwark.protocol.metadata.MetadataFixture.assertFailed;
import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.MetadataFixture.User;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.object.ObjectAttributes;
import io.bulwark.protocol.state.TreeMapState;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Tests the influence of one writer on the size of the state, and of one primary on its times. */
@NullMarked
class WeightTest {
    private static final int MAX = 60_000;
    private static final int BUCKETS_MAX = 10;

    @PlantedBug(
            in = MetadataStateMachine.class,
            rule = "a full state refuses more",
            replace = "tables.supply().requireWeight(submitter);",
            with = "")
    @Test
    void emptyObjectsCannotFillTheReplicas() {
        MetadataFixture rig = small();
        User bob = rig.user(BOB, 0);
        assertThat(fill(bob, i -> empty(bob, "key" + i))).isLessThan(MAX / Weight.INODE_BYTES);
        bob.refused(
                MetadataError.LIMIT_REACHED,
                new Command.CopyObject("diary", "key0", 0, "diary", "copy", Condition.NONE));
        bob.refused(MetadataError.LIMIT_REACHED, new Command.CreateBucket("more", "main", Versioning.KEEP_ALL, 0));
        assertThat(rig.machine.snapshot().length()).isLessThan(2 * MAX);
    }

    @Test
    void aHalfFullStateTakesExtentsButNoBytes() {
        MetadataFixture rig = small();
        User bob = rig.user(BOB, rig.volume);
        User alice = rig.user(ALICE, rig.volume);
        for (User user : List.of(bob, alice)) {
            assertThat(fill(
                            user,
                            MetadataError.NOT_INLINE,
                            i -> user.putOf("films", user.session + "-" + i, Condition.NONE, user.inline(1_000))))
                    .as("both find room")
                    .isBetween(1, MAX / 2_000);
            user.refused(MetadataError.NOT_INLINE, user.putOf("films", "x", Condition.NONE, user.inline(1)));
        }
        assertThat(bob.put("films", "x", 1_000)).isNotNull();
    }

    @Test
    void copiesCannotFillTheReplicas() {
        MetadataFixture rig = small();
        User bob = rig.user(BOB, 0);
        bob.run(empty(bob, "a"));
        assertThat(fill(bob, i -> new Command.CopyObject("diary", "a", 0, "diary", "b", Condition.NONE)))
                .isLessThan(MAX / Weight.LINK_BYTES);
    }

    /** Neighbours merge, so that the bound of intervals does not bound the pending uploads. */
    @Test
    void pendingUploadsCannotFillTheReplicas() {
        MetadataFixture rig = small();
        User bob = rig.user(BOB, rig.volume);
        assertThat(fill(bob, i -> new Command.RegisterPending(List.of(bob.range(i, 1)))))
                .isLessThan(MAX / Weight.INODE_BYTES);
        bob.done(new Command.CloseSession());
        User alice = rig.user(ALICE, rig.volume);
        assertThat(alice.put("films", "a", 10)).isNotNull();
    }

    /** One referenced block keeps a closed session with all its intervals. */
    @Test
    void closedSessionsCannotFillTheReplicas() {
        MetadataFixture rig = small();
        int sessions = 0;
        boolean stored = true;
        while (stored && sessions < 1000) {
            User bob = rig.user(BOB, rig.volume);
            bob.run(new Command.AbandonRanges(
                    IntStream.range(1, 100).mapToObj(i -> bob.range(2L * i, 1)).toList(), List.of()));
            Reply reply = bob.run(bob.putOf("films", "key" + sessions, Condition.NONE, bob.layout(1)));
            stored = reply instanceof Reply.ObjectStored;
            bob.done(new Command.CloseSession());
            sessions++;
        }
        assertThat(sessions).isLessThan(MAX / 100 / Weight.INTERVAL_BYTES);
        assertThat(rig.machine.snapshot().length()).isLessThan(2 * MAX);
    }

    @Test
    void afterDeletingThereIsRoomAgain() {
        MetadataFixture rig = small();
        User bob = rig.user(BOB, 0);
        int count = fill(
                bob,
                i -> new Command.PutObject(
                        "films",
                        "key" + i,
                        Condition.NONE,
                        bob.layout(0),
                        ObjectAttributes.NONE,
                        List.of(),
                        List.of()));
        for (int i = 0; i < count; i++) {
            assertThat(bob.run(new Command.DeleteObject("films", "key" + i, 0))).isInstanceOf(Reply.Deleted.class);
        }
        rig.pass(bob, Inodes.GRACE_MILLIS + 20_000);
        assertThat(bob.run(empty(bob, "new"))).isInstanceOf(Reply.ObjectStored.class);
    }

    /** The weight decides on commands, so a restored replica must count as the others do. */
    @Test
    void aRestoredReplicaCountsTheSame() {
        MetadataFixture rig = MetadataFixture.ready();
        long start = rig.machine.weight().bytes();
        int bytes = rig.machine.snapshot().length();
        User alice = rig.user(ALICE, rig.volume);
        User bob = rig.user(BOB, rig.volume);
        for (int i = 0; i < 20; i++) {
            alice.put("diary", "key" + i % 7, 700);
            alice.put("films", "key" + i % 7, 700);
            bob.run(new Command.RegisterPending(List.of(bob.range(4L * i, 2))));
            bob.run(new Command.AbandonRanges(
                    List.of(bob.range(4L * i + 3, 1)), i % 2 == 0 ? List.of() : List.of(i + 1L)));
        }
        alice.run(new Command.DeleteObject("diary", "key1", 0));
        alice.run(new Command.DeleteObject("films", "key2", 0));
        alice.run(new Command.RenameObject("films", "key3", "diary", "key4", Condition.NONE));
        rig.pass(alice, Inodes.GRACE_MILLIS + 20_000);
        bob.done(new Command.CloseSession());
        long weight = rig.machine.weight().bytes();
        assertThat(2 * (weight - start))
                .isGreaterThanOrEqualTo(rig.machine.snapshot().length() - bytes);
        assertThat(MetadataStateMachine.restore(rig.machine.snapshot()).weight().bytes())
                .isEqualTo(weight);
        alice.done(new Command.CloseSession());
        Weight restored = MetadataStateMachine.restore(rig.machine.snapshot()).weight();
        assertThat(restored.bytes()).isEqualTo(rig.machine.weight().bytes());
        for (PrincipalId owner : List.of(ALICE, BOB)) {
            assertThat(restored.bytesOf(owner)).isEqualTo(rig.machine.weight().bytesOf(owner));
        }
        assertThat(restored.bytesOf(ALICE) + restored.bytesOf(BOB)).isEqualTo(restored.bytes());
    }

    @Test
    void oneWriterLeavesRoomForTheOthers() {
        MetadataFixture rig = small();
        User bob = rig.user(BOB, 0);
        fill(bob, i -> empty(bob, "bob" + i));
        assertThat(rig.machine.weight().bytes()).isBetween(MAX / 2L, MAX / 2L + 3_000);
        User alice = rig.user(ALICE, 0);
        assertThat(fill(alice, i -> empty(alice, "alice" + i))).isGreaterThan(20);
        bob.refused(MetadataError.LIMIT_REACHED, empty(bob, "more"));
        // Entries that another user replaces or deletes leave the account of their creator.
        long before = rig.machine.weight().bytesOf(BOB);
        assertThat(alice.run(new Command.DeleteObject("diary", "bob0", 1_000_000)))
                .isInstanceOf(Reply.Failed.class);
        long version = ((Reply.ObjectFound) rig.ask(ALICE, new Query.FindObject("diary", "bob0", 0))).version();
        assertThat(alice.run(new Command.DeleteObject("diary", "bob0", version)))
                .isInstanceOf(Reply.Deleted.class);
        assertThat(rig.machine.weight().bytesOf(BOB)).isLessThan(before);
    }

    @Test
    void oneWriterLeavesBucketsForTheOthers() {
        MetadataFixture rig = small();
        User bob = rig.user(BOB, 0);
        // Two there are.
        for (int i = 0; i < 4; i++) {
            bob.done(new Command.CreateBucket("bob" + i, "main", Versioning.KEEP_ALL, 0));
        }
        bob.refused(MetadataError.LIMIT_REACHED, new Command.CreateBucket("bob4", "main", Versioning.KEEP_ALL, 0));
        User alice = rig.user(ALICE, 0);
        alice.done(new Command.CreateBucket("alice", "main", Versioning.KEEP_ALL, 0));
        bob.done(new Command.DeleteBucket("bob0"));
        bob.done(new Command.DeleteBucket("bob1"));
        bob.done(new Command.CreateBucket("again", "main", Versioning.KEEP_ALL, 0));
        assertThat(MetadataStateMachine.restore(rig.machine.snapshot()).digest())
                .isEqualTo(rig.machine.digest());
    }

    @Test
    void aSessionHasABoundedNumberOfPendingUploads() {
        MetadataFixture rig = MetadataFixture.ready();
        User bob = rig.user(BOB, rig.volume);
        for (int i = 0; i < Inodes.PENDING_MAX; i++) {
            assertThat(bob.run(new Command.RegisterPending(List.of(bob.range(i, 1)))))
                    .isInstanceOf(Reply.PendingRegistered.class);
        }
        bob.refused(
                MetadataError.LIMIT_REACHED, new Command.RegisterPending(List.of(bob.range(Inodes.PENDING_MAX, 1))));
        bob.done(new Command.CloseSession());
        assertThat(rig.references()).isEmpty();
    }

    @Test
    void whatIsDueIsDoneInBoundedSteps() {
        MetadataFixture rig = MetadataFixture.ready();
        User bob = rig.user(BOB, 0);
        int count = 2 * Inodes.DUE_PER_COMMAND + 100;
        for (int i = 0; i < count; i++) {
            bob.run(new Command.PutObject(
                    "films", "key" + i, Condition.NONE, bob.layout(0), ObjectAttributes.NONE, List.of(), List.of()));
            rig.nowMillis -= 1_000;
        }
        for (int i = 0; i < count; i++) {
            bob.run(new Command.DeleteObject("films", "key" + i, 0));
            rig.nowMillis -= 1_000;
        }
        rig.pass(bob, Inodes.GRACE_MILLIS - 10_000);
        assertThat(inodes(rig)).isEqualTo(count);
        long before = count;
        for (int step = 0; step < 4; step++) {
            rig.pass(bob, 10_000);
            assertThat(before - inodes(rig)).isLessThanOrEqualTo(Inodes.DUE_PER_COMMAND);
            before = inodes(rig);
        }
        assertThat(before).isZero();
    }

    @Test
    void expiredSessionsAreClosedInBoundedStepsAndServeNobodyMeanwhile() {
        MetadataFixture rig = MetadataFixture.ready();
        List<User> users =
                IntStream.range(0, 20).mapToObj(i -> rig.user(ALICE, 0)).toList();
        User bob = rig.user(BOB, 0);
        rig.pass(bob, SessionTable.TTL_MILLIS - 30_000);
        long before = openSessions(rig);
        assertThat(before).isGreaterThan(20);
        rig.pass(bob, 30_000);
        assertThat(before - openSessions(rig)).isBetween(1L, 3L * Inodes.SESSIONS_PER_COMMAND);
        assertFailed(users.getLast().run(new Command.RenewSession()), MetadataError.SESSION_CLOSED);
        rig.pass(bob, 100_000);
        assertThat(openSessions(rig)).isEqualTo(1);
    }

    /** Nor does it free what readers may still want. */
    @Test
    void aJumpOfTheAgreedTimeEndsNoGrace() {
        MetadataFixture rig = MetadataFixture.ready();
        User alice = rig.user(ALICE, rig.volume);
        alice.put("films", "a", 10);
        assertThat(alice.run(new Command.DeleteObject("films", "a", 0))).isInstanceOf(Reply.Deleted.class);
        for (int jump = 0; jump < 5; jump++) {
            rig.nowMillis += 30 * 60_000;
            alice.done(new Command.RenewSession());
            assertThat(rig.references()).hasSize(1);
        }
        rig.pass(alice, 10_000);
        assertThat(rig.references()).isEmpty();
    }

    private static long inodes(MetadataFixture rig) {
        return ((Reply.Status) rig.ask(ALICE, new Query.GetStatus())).inodes();
    }

    private static long openSessions(MetadataFixture rig) {
        return ((Reply.Status) rig.ask(ALICE, new Query.GetStatus())).openSessions();
    }

    @Test
    void aPrimaryFromTheFarFutureMovesTheTimeOnByAStepOnly() {
        MetadataFixture rig = MetadataFixture.ready();
        User alice = rig.user(ALICE, rig.volume);
        alice.put("films", "a", 10);
        long before = rig.machine.agreedMillis();
        long right = rig.nowMillis;
        rig.nowMillis = Long.MAX_VALUE - 1000;
        assertThat(alice.run(new Command.DeleteObject("films", "a", 0))).isInstanceOf(Reply.Deleted.class);
        assertThat(rig.machine.agreedMillis()).isEqualTo(before + MetadataStateMachine.STEP_MILLIS_MAX);
        rig.nowMillis = right + 2 * MetadataStateMachine.STEP_MILLIS_MAX;
        alice.done(new Command.RenewSession());
        assertThat(rig.machine.agreedMillis()).isEqualTo(before + 2 * MetadataStateMachine.STEP_MILLIS_MAX);
        assertThat(MetadataStateMachine.restore(rig.machine.snapshot()).digest())
                .isEqualTo(rig.machine.digest());
        assertThat(rig.references()).hasSize(1);
    }

    @Test
    void theFirstTimeIsTakenUpToTheEndOfTimes() {
        MetadataFixture rig = new MetadataFixture();
        rig.nowMillis = Long.MAX_VALUE - 1000;
        rig.user(ALICE, 0);
        assertThat(rig.machine.agreedMillis()).isEqualTo(MetadataStateMachine.TIME_MILLIS_MAX);
        assertThat(MetadataStateMachine.restore(rig.machine.snapshot()).digest())
                .isEqualTo(rig.machine.digest());
    }

    private static MetadataFixture small() {
        MetadataFixture rig = new MetadataFixture();
        rig.machine = new MetadataStateMachine(MetadataFixture.genesis(5), new TreeMapState(), MAX, BUCKETS_MAX);
        User alice = rig.user(ALICE, 0);
        rig.volume = ((Reply.VolumeCreated) alice.run(MetadataFixture.objectVolume("main"))).volume();
        alice.done(new Command.CreateBucket("films", "main", Versioning.LATEST_ONLY, 0));
        alice.done(new Command.CreateBucket("diary", "main", Versioning.KEEP_ALL, 0));
        return rig;
    }

    private static Command empty(User user, String key) {
        return new Command.PutObject(
                "diary", key, Condition.NONE, user.layout(0), ObjectAttributes.NONE, List.of(), List.of());
    }

    /** Returns how many of these commands are accepted until one is refused for lack of room. */
    private static int fill(User user, java.util.function.IntFunction<Command> commands) {
        return fill(user, MetadataError.LIMIT_REACHED, commands);
    }

    private static int fill(User user, MetadataError refusal, java.util.function.IntFunction<Command> commands) {
        for (int i = 0; i < MAX; i++) {
            Reply reply = user.run(commands.apply(i));
            if (reply instanceof Reply.Failed) {
                assertFailed(reply, refusal);
                return i;
            }
        }
        throw new AssertionError("nothing was refused");
    }
}

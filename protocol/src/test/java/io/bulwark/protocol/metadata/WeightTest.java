package io.bulwark.protocol.metadata;

import static io.bulwark.protocol.metadata.Rig.ALICE;
import static io.bulwark.protocol.metadata.Rig.BOB;
import static io.bulwark.protocol.metadata.Rig.assertFailed;
import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.metadata.Rig.User;
import io.bulwark.protocol.object.ObjectAttributes;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** What one writer can do to the size of the state, and one primary to its times. */
@NullMarked
class WeightTest {
    private static final int MAX = 60_000;

    @Test
    void emptyObjectsCannotFillTheReplicas() {
        Rig rig = small();
        User bob = rig.user(BOB, 0);
        assertThat(fill(bob, i -> empty(bob, "key" + i))).isLessThan(MAX / Weight.INODE_BYTES);
        bob.refused(
                MetadataError.LIMIT_REACHED,
                new Command.CopyObject("diary", "key0", 0, "diary", "copy", Condition.NONE));
        bob.refused(MetadataError.LIMIT_REACHED, new Command.CreateBucket("more", "main", Versioning.KEEP_ALL, 0));
        assertThat(rig.machine.snapshot().length()).isLessThan(2 * MAX);
    }

    @Test
    void copiesCannotFillTheReplicas() {
        Rig rig = small();
        User bob = rig.user(BOB, 0);
        bob.run(empty(bob, "a"));
        assertThat(fill(bob, i -> new Command.CopyObject("diary", "a", 0, "diary", "b", Condition.NONE)))
                .isLessThan(MAX / Weight.LINK_BYTES);
    }

    /** Neighbours merge, so that the bound of intervals does not bound the pending uploads. */
    @Test
    void pendingUploadsCannotFillTheReplicas() {
        Rig rig = small();
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
        Rig rig = small();
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
        Rig rig = small();
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
        Rig rig = Rig.ready();
        long start = rig.machine.weightBytes();
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
        long weight = rig.machine.weightBytes();
        assertThat(weight - start).isGreaterThanOrEqualTo(rig.machine.snapshot().length() - bytes);
        assertThat(MetadataStateMachine.restore(rig.machine.snapshot()).weightBytes())
                .isEqualTo(weight);
        alice.done(new Command.CloseSession());
        assertThat(MetadataStateMachine.restore(rig.machine.snapshot()).weightBytes())
                .isEqualTo(rig.machine.weightBytes());
    }

    @Test
    void aPrimaryFromTheFarFutureBreaksNoSnapshot() {
        Rig rig = Rig.ready();
        User alice = rig.user(ALICE, rig.volume);
        alice.put("films", "a", 10);
        rig.nowMillis = Long.MAX_VALUE - 1000;
        assertThat(alice.run(new Command.DeleteObject("films", "a", 0))).isInstanceOf(Reply.Deleted.class);
        assertThat(rig.machine.agreedMillis()).isEqualTo(MetadataStateMachine.TIME_MILLIS_MAX);
        assertThat(MetadataStateMachine.restore(rig.machine.snapshot()).digest())
                .isEqualTo(rig.machine.digest());
        assertThat(rig.references()).hasSize(1);
    }

    private static Rig small() {
        Rig rig = new Rig();
        rig.machine = new MetadataStateMachine(Rig.genesis(5), new Weight(MAX));
        User alice = rig.user(ALICE, 0);
        rig.volume = ((Reply.VolumeCreated) alice.run(Rig.objectVolume("main"))).volume();
        alice.done(new Command.CreateBucket("films", "main", Versioning.LATEST_ONLY, 0));
        alice.done(new Command.CreateBucket("diary", "main", Versioning.KEEP_ALL, 0));
        return rig;
    }

    private static Command empty(User user, String key) {
        return new Command.PutObject(
                "diary",
                key,
                Condition.NONE,
                user.layout(0),
                new ObjectAttributes("", new TreeMap<>()),
                List.of(),
                List.of());
    }

    /** How many of these are accepted until one is refused for want of room. */
    private static int fill(User user, java.util.function.IntFunction<Command> commands) {
        for (int i = 0; i < MAX; i++) {
            Reply reply = user.run(commands.apply(i));
            if (reply instanceof Reply.Failed) {
                assertFailed(reply, MetadataError.LIMIT_REACHED);
                return i;
            }
        }
        throw new AssertionError("nothing was refused");
    }
}

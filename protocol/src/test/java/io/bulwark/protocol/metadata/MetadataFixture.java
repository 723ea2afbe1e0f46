package io.bulwark.protocol.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.cluster.ClusterMap;
import io.bulwark.protocol.cluster.NodeAddress;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.effect.Verdict;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.BlockRange;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.object.InlineContent;
import io.bulwark.protocol.object.ObjectAttributes;
import io.bulwark.protocol.object.ObjectLayout;
import io.bulwark.protocol.object.ObjectLock;
import io.bulwark.protocol.object.OwnContent;
import io.bulwark.protocol.object.Retention;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.NullMarked;

/** A state machine with five nodes, a volume and a bucket, and a clock that each submission moves by a second. */
@NullMarked
final class MetadataFixture {
    static final PrincipalId ALICE = PrincipalId.client(1);
    static final PrincipalId BOB = PrincipalId.client(2);
    static final PrincipalId READER = PrincipalId.client(3);
    static final PrincipalId STRANGER = PrincipalId.client(9);
    static final int BLOCK = 512;
    static final ProtectionPolicy POLICY = new ProtectionPolicy(1, 2, 4, BLOCK);

    MetadataStateMachine machine = new MetadataStateMachine(genesis(5));
    long nowMillis = 1_700_000_000_000L;
    int volume;

    /** All that was executed, in order. */
    final List<Executed> history = new ArrayList<>();

    private int nonces;

    record Executed(PrincipalId submitter, Bytes submission, long atMillis) {}

    static Genesis genesis(int nodes) {
        return new Genesis(
                IntStream.range(0, nodes)
                        .mapToObj(node -> new NodeAddress(node, "127.0.0.1", 4000 + node))
                        .toList(),
                List.of(
                        Genesis.Grant.all(ALICE),
                        Genesis.Grant.all(BOB),
                        new Genesis.Grant(READER, false, true, false)));
    }

    /** With volume {@code main} and bucket {@code films}. */
    static MetadataFixture ready() {
        MetadataFixture rig = new MetadataFixture();
        User alice = rig.user(ALICE, 0);
        rig.volume = ((Reply.VolumeCreated) alice.run(objectVolume("main"))).volume();
        alice.done(new Command.CreateBucket("films", "main", Versioning.LATEST_ONLY, 0));
        alice.done(new Command.CreateBucket("diary", "main", Versioning.KEEP_ALL, 0));
        return rig;
    }

    /** With some of everything that a state can have. */
    static MetadataFixture withSomeOfEverything() {
        MetadataFixture rig = ready();
        User alice = rig.user(ALICE, rig.volume);
        User bob = rig.user(BOB, rig.volume);
        for (int i = 0; i < 5; i++) {
            alice.put("diary", "a/" + i % 3, 700 + i);
            bob.put("films", "b/" + i % 3, i);
        }
        alice.run(alice.putOf("diary", "inline", Condition.NONE, alice.inline(40)));
        alice.run(new Command.CopyObject("diary", "a/1", 0, "films", "copy", Condition.NONE));
        alice.run(new Command.RenameObject("diary", "a/2", "diary", "renamed", Condition.IF_ABSENT));
        alice.run(new Command.DeleteObject("diary", "a/0", 0));
        bob.run(new Command.DeleteObject("films", "b/1", 0));
        bob.run(new Command.AbandonRanges(List.of(bob.range(90, 3), bob.range(95, 1)), List.of()));
        rig.pass(alice, Inodes.GRACE_MILLIS + 10_000);
        bob.done(new Command.CloseSession());
        for (int i = 0; i < 3; i++) {
            rig.user(BOB, 0).done(new Command.CloseSession());
        }
        User again = rig.user(BOB, rig.volume);
        again.run(new Command.RegisterPending(List.of(again.range(3, 4), again.range(10, 1))));
        again.run(new Command.RegisterPending(List.of(again.range(20, 2))));
        again.put("films", "b/2", 3 * BLOCK);
        alice.run(new Command.CreateVolume("blocks", VolumeKind.REGISTER, POLICY, 100, 2, 0));
        alice.run(new Command.CreateVolume("gone", VolumeKind.OBJECT, POLICY, 0, 0, 5_000));
        rig.user(ALICE, 3);
        alice.done(new Command.DeleteVolume("gone"));
        alice.run(new Command.CreateBucket("empty", "main", Versioning.KEEP_ALL, 99));
        for (int node = 0; node < 3; node++) {
            User reporter = rig.user(PrincipalId.node(node), 0);
            reporter.run(
                    new Command.ReportEvidence(3, BlockId.register(2, node / 2), Verdict.CORRUPT, "by node " + node));
        }
        alice.run(new Command.DeleteObject("films", "copy", 0));
        alice.put("films", "b/0", 20);
        rig.addVault(alice);
        rig.someUploads(again);
        return rig;
    }

    private void someUploads(User user) {
        ObjectRange slice = new ObjectRange("diary", "renamed", 0, 5, 100);
        user.run(new Command.ComposeObject(
                "films", "c", Condition.NONE, List.of(slice, slice), ObjectAttributes.NONE, ObjectLock.NONE));
        for (String key : List.of("d", "e")) {
            Reply.UploadBegun begun = (Reply.UploadBegun)
                    user.run(new Command.BeginUpload("films", key, ObjectAttributes.NONE, ObjectLock.NONE));
            UploadName upload = new UploadName("films", key, begun.upload());
            ObjectLayout layout = user.layout(50, List.of(user.range(1000 + begun.upload(), 1)));
            Reply.PartStored one = (Reply.PartStored) user.run(new Command.PutPart(
                    upload, 1, layout, ObjectAttributes.NONE, EpochClaim.of(mainVolume()), List.of()));
            Reply.PartStored two =
                    (Reply.PartStored) user.run(new Command.CopyPart(upload, 2, List.of(slice), ObjectAttributes.NONE));
            if (key.equals("e")) {
                PartSelection both = PartSelection.of(
                        List.of(new PartSelection.Part(1, one.inode()), new PartSelection.Part(2, two.inode())));
                user.run(new Command.CompleteUpload(upload, both, Condition.NONE, ObjectAttributes.NONE));
            }
        }
    }

    /** Adds a bucket with locked versions and a document, and versions above a null version. */
    void addVault(User alice) {
        alice.done(new Command.CreateBucket("vault", "main", Versioning.KEEP_ALL, 0, true));
        DefaultRetention year = new DefaultRetention(Retention.Mode.GOVERNANCE, 1, true);
        alice.done(new Command.UpdateBucket("vault", BucketChange.NONE.withRetention(year)));
        alice.put("vault", "deed", 20);
        alice.run(new Command.SetLegalHold("vault", "deed", 0, true));
        alice.run(new Command.PutDocument("vault", "cors", Condition.IF_ABSENT, filled(40, 0xD0)));
        alice.done(new Command.UpdateBucket("films", BucketChange.NONE.withVersioning(Versioning.KEEP_ALL)));
        alice.put("films", "b/0", 30);
        alice.done(new Command.UpdateBucket("films", BucketChange.NONE.withVersioning(Versioning.SUSPENDED)));
    }

    static Command.CreateVolume objectVolume(String name) {
        return new Command.CreateVolume(name, VolumeKind.OBJECT, POLICY, 0, 0, 0);
    }

    Reply submit(PrincipalId submitter, Submission submission) {
        nowMillis += 1000;
        history.add(new Executed(submitter, submission.encoded(), nowMillis));
        return Reply.decode(machine.execute(submitter, submission.encoded(), nowMillis));
    }

    Reply ask(PrincipalId asker, Query query) {
        Bytes bytes = query.encoded();
        assertThat(Query.decode(bytes)).isEqualTo(query);
        return Reply.decode(machine.query(asker, bytes));
    }

    ClusterMap map() {
        return ((Reply.Map) ask(ALICE, new Query.GetMap())).map();
    }

    Volume mainVolume() {
        return map().volume(volume).orElseThrow();
    }

    /** Opens a session. */
    User user(PrincipalId principal, int forVolume) {
        Bytes nonce = filled(Submission.OpenSession.NONCE_BYTES, ++nonces);
        Reply.SessionOpened opened =
                (Reply.SessionOpened) submit(principal, new Submission.OpenSession(nonce, forVolume));
        return new User(principal, opened.session(), forVolume);
    }

    List<SessionChange> changesAfter(long sequence) {
        return ((Reply.SessionChanges) ask(PrincipalId.node(0), new Query.SessionChanges(sequence, 1000))).changes();
    }

    List<Reply.Reference> references() {
        return ((Reply.References) ask(PrincipalId.node(0), new Query.References(volume, 0, 1000))).references();
    }

    /** Lets agreed time pass in steps of ten seconds. */
    void pass(User user, long millis) {
        for (long passed = 0; passed < millis; passed += 10_000) {
            nowMillis += 9000;
            user.done(new Command.RenewSession());
        }
    }

    static Bytes filled(int length, int value) {
        byte[] bytes = new byte[length];
        Arrays.fill(bytes, (byte) value);
        return Bytes.of(bytes);
    }

    static void assertFailed(Reply reply, MetadataError error) {
        assertThat(reply).isInstanceOf(Reply.Failed.class);
        assertThat(((Reply.Failed) reply).error())
                .as(((Reply.Failed) reply).detail())
                .isEqualTo(error);
    }

    /** One session of a principal. */
    final class User {
        final PrincipalId principal;
        final long session;
        final int forVolume;
        private long number;
        private long counter;

        private User(PrincipalId principal, long session, int forVolume) {
            this.principal = principal;
            this.session = session;
            this.forVolume = forVolume;
        }

        Reply run(Command command) {
            number++;
            return submit(principal, new Submission.InSession(session, number, number, command));
        }

        Reply runFor(PrincipalId person, Command command) {
            number++;
            return submit(principal, new Submission.InSession(session, number, number, command).onBehalfOf(person));
        }

        void refusedFor(PrincipalId person, MetadataError error, Command command) {
            Bytes before = withoutCommandCounts(machine);
            assertFailed(runFor(person, command), error);
            assertThat(withoutCommandCounts(machine)).isEqualTo(before);
        }

        void done(Command command) {
            assertThat(run(command)).isEqualTo(new Reply.Done());
        }

        void refused(MetadataError error, Command command) {
            Bytes before = withoutCommandCounts(machine);
            assertFailed(run(command), error);
            assertThat(withoutCommandCounts(machine)).isEqualTo(before);
        }

        BlockRange range(long first, long count) {
            return new BlockRange(forVolume, principal, session, first, count);
        }

        /** Returns a layout with as many fresh blocks as an object of this length has extents. */
        ObjectLayout layout(long length) {
            long extents = ObjectLayout.extents(BLOCK, length);
            long first = counter;
            counter += extents;
            return layout(length, extents == 0 ? List.of() : List.of(range(first, extents)));
        }

        ObjectLayout layout(long length, List<BlockRange> ranges) {
            long[] levels = ObjectLayout.levels(BLOCK, length);
            Bytes pins = filled((int) levels[levels.length - 1] * ObjectLayout.PIN_BYTES, 7);
            return new ObjectLayout(volume, BLOCK, length, ranges, pins);
        }

        InlineContent inline(int length) {
            return new InlineContent(volume, filled(length, length));
        }

        Command.PutObject putOf(String bucket, String key, Condition condition, OwnContent layout) {
            return new Command.PutObject(
                    bucket,
                    key,
                    condition,
                    layout,
                    ObjectAttributes.NONE,
                    layout.ranges().isEmpty() ? List.of() : EpochClaim.of(mainVolume()),
                    List.of());
        }

        Reply.ObjectStored put(String bucket, String key, long length) {
            return (Reply.ObjectStored) run(putOf(bucket, key, Condition.NONE, layout(length)));
        }
    }

    /** Returns the state that a refused command must not change: names, inodes and facts. */
    private Bytes withoutCommandCounts(MetadataStateMachine of) {
        PrincipalId node = PrincipalId.node(0);
        return Bytes.of((of.query(node, new Query.GetMap().encoded()).toHex()
                        + of.query(node, new Query.SessionChanges(0, 1000).encoded())
                                .toHex()
                        + of.query(node, new Query.References(volume, 0, 1000).encoded())
                                .toHex()
                        + of.query(ALICE, new Query.ListBuckets("", 1000).encoded())
                                .toHex()
                        + of.query(ALICE, new Query.ListVersions("films", "", "", "", 0, 1000, true).encoded())
                                .toHex()
                        + of.query(ALICE, new Query.ListVersions("diary", "", "", "", 0, 1000, true).encoded())
                                .toHex()
                        + of.query(ALICE, new Query.ListUploads("films", "", "", 0, 1000).encoded())
                                .toHex()
                        + of.query(ALICE, new Query.ListEvidence(0, 1000).encoded())
                                .toHex())
                .getBytes(java.nio.charset.StandardCharsets.US_ASCII));
    }
}

package io.bulwark.protocol.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.object.ObjectAttributes;
import io.bulwark.protocol.object.ObjectLock;
import io.bulwark.protocol.object.Retention;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.CodecFuzzing;
import io.bulwark.protocol.wire.FuzzedBytes;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.params.provider.MethodSource;

/** Fuzz test of replicas that execute any commands: they answer, agree, and a snapshot is the state. */
@NullMarked
class MetadataStateMachineFuzzTest {
    private static final int SESSIONS = 4;
    private static final List<PrincipalId> PRINCIPALS = List.of(
            MetadataFixture.ALICE,
            MetadataFixture.BOB,
            PrincipalId.node(0),
            MetadataFixture.READER,
            PrincipalId.node(1),
            PrincipalId.node(2),
            MetadataFixture.STRANGER);
    private static final List<Query> QUERIES = List.copyOf(Samples.queries().values());
    private static final ObjectRange HALF = new ObjectRange("diary", "a", 0, 10, MetadataFixture.BLOCK);
    private static final Bytes START = start();
    private static final List<Command> COMMANDS = commands();

    /** SessionTable 1 and 2 are Alice's, 3 is Bob's, 4 a node's. */
    private static Bytes start() {
        MetadataFixture rig = MetadataFixture.ready();
        MetadataFixture.User alice = rig.user(MetadataFixture.ALICE, rig.volume);
        rig.user(MetadataFixture.BOB, rig.volume);
        rig.user(PrincipalId.node(0), 0);
        alice.put("films", "a", 10);
        alice.put("diary", "a", 2 * MetadataFixture.BLOCK);
        alice.run(new Command.RegisterPending(List.of(alice.range(50, 2))));
        rig.addVault(alice);
        Reply.UploadBegun begun = (Reply.UploadBegun)
                alice.run(new Command.BeginUpload("films", "u", ObjectAttributes.NONE, ObjectLock.NONE));
        alice.run(new Command.CopyPart(
                new UploadName("films", "u", begun.upload()), 1, List.of(HALF), ObjectAttributes.NONE));
        for (PrincipalId person : List.of(MetadataFixture.BOB, MetadataFixture.READER)) {
            alice.run(new Command.SetActFor(MetadataFixture.ALICE, person, Rights.ALL));
        }
        return rig.machine.snapshot();
    }

    private static List<Command> commands() {
        MetadataFixture rig = MetadataFixture.ready();
        MetadataFixture.User alice = rig.user(MetadataFixture.ALICE, rig.volume);
        MetadataFixture.User bob = rig.user(MetadataFixture.BOB, rig.volume);
        List<Command> commands = new ArrayList<>();
        for (MetadataFixture.User user : List.of(alice, bob)) {
            for (String bucket : List.of("films", "diary")) {
                user.layout(5 * MetadataFixture.BLOCK);
                commands.add(user.putOf(bucket, "a", Condition.NONE, user.layout(700)));
                commands.add(user.putOf(bucket, "b", Condition.IF_ABSENT, user.layout(10)));
            }
            commands.add(new Command.RegisterPending(List.of(user.range(60, 5))));
            commands.add(new Command.AbandonRanges(List.of(user.range(70, 2)), List.of(3L)));
        }
        commands.add(new Command.DeleteObject("films", "a", 1));
        commands.add(new Command.DeleteObject("diary", "a", 0));
        commands.add(new Command.RenameObject("films", "a", "diary", "b", Condition.NONE));
        commands.add(new Command.CopyObject("films", "a", 0, "diary", "c", Condition.NONE));
        commands.add(new Command.CopyObject("diary", "a", 0, "diary", "a", Condition.ifVersion(1)));
        commands.add(new Command.DeleteObject("vault", "deed", Versioning.NULL_VERSION));
        commands.add(new Command.SetLegalHold("vault", "deed", 0, false));
        commands.add(new Command.SetRetention("vault", "deed", 0, Retention.NONE, true));
        commands.add(new Command.UpdateBucket("films", BucketChange.NONE.withVersioning(Versioning.KEEP_ALL)));
        commands.addAll(ofUploads(alice));
        Samples.submissions().values().stream()
                .filter(Submission.InSession.class::isInstance)
                .map(in -> ((Submission.InSession) in).command())
                .forEach(commands::add);
        return commands;
    }

    /** Commands about the upload that the state begins with. */
    private static List<Command> ofUploads(MetadataFixture.User alice) {
        MetadataStateMachine begun = MetadataStateMachine.restore(START);
        Bytes asked = new Query.ListUploads("films", "", "", 0, 1).encoded();
        Reply.UploadList uploads = (Reply.UploadList) Reply.decode(begun.query(MetadataFixture.ALICE, asked));
        UploadName upload =
                new UploadName("films", "u", uploads.uploads().getFirst().upload());
        Bytes parts = begun.query(MetadataFixture.ALICE, new Query.ListParts(upload, 0, 1).encoded());
        long part = ((Reply.PartList) Reply.decode(parts)).parts().getFirst().inode();
        PartSelection selection = PartSelection.of(List.of(new PartSelection.Part(1, part)));
        return List.of(
                new Command.ComposeObject(
                        "diary", "b", Condition.NONE, List.of(HALF, HALF), ObjectAttributes.NONE, ObjectLock.NONE),
                new Command.CopyPart(upload, 2, List.of(HALF, HALF), ObjectAttributes.NONE),
                new Command.PutPart(
                        upload, 1, alice.layout(10), ObjectAttributes.NONE, List.of(new EpochClaim(5, 1)), List.of()),
                new Command.CompleteUpload(upload, selection, Condition.NONE, ObjectAttributes.NONE),
                new Command.AbortUpload(upload));
    }

    static Stream<byte[]> histories() {
        byte[] each = new byte[COMMANDS.size() * 4];
        for (int i = 0; i < COMMANDS.size(); i++) {
            each[4 * i] = (byte) (i % 3);
            each[4 * i + 1] = (byte) (1 + i % 2);
            each[4 * i + 2] = (byte) i;
        }
        byte[] onBehalf = new byte[COMMANDS.size() * 5];
        for (int i = 0; i < COMMANDS.size(); i++) {
            onBehalf[5 * i] = 8;
            onBehalf[5 * i + 1] = (byte) (i % 2);
            onBehalf[5 * i + 2] = (byte) (1 + 2 * (i % 2));
            onBehalf[5 * i + 3] = (byte) i;
        }
        return Stream.of(new byte[0], each, onBehalf, new byte[] {4, 0, 0, 0, 5, 100, 0, 1, 16, 0, 6, 3, 7, 0, 5, 0});
    }

    static Stream<byte[]> snapshotSamples() {
        return Stream.of(
                START.toByteArray(),
                MetadataFixture.withSomeOfEverything().machine.snapshot().toByteArray(),
                MetadataFixture.ready().machine.snapshot().toByteArray(),
                new MetadataFixture().machine.snapshot().toByteArray());
    }

    @MethodSource("histories")
    @FuzzTest
    void submissions(byte[] bytes) {
        FuzzedBytes decisions = new FuzzedBytes(bytes);
        MetadataStateMachine first = MetadataStateMachine.restore(START);
        MetadataStateMachine second = MetadataStateMachine.restore(START);
        long[] numbers = {100, 100, 100, 100};
        long nowMillis = first.agreedMillis();
        while (!decisions.isOver()) {
            int kind = decisions.below(9);
            switch (kind) {
                case 4 -> {
                    Query query = QUERIES.get(decisions.below(QUERIES.size()));
                    PrincipalId asker = PRINCIPALS.get(decisions.below(PRINCIPALS.size()));
                    Bytes asked = decisions.changed(query.encoded());
                    agree(first.query(asker, asked), second.query(asker, asked));
                }
                case 5 -> nowMillis += decisions.u8() * 10_000L;
                case 6 -> {
                    Bytes nonce = MetadataFixture.filled(Submission.OpenSession.NONCE_BYTES, decisions.u8());
                    PrincipalId opener = PRINCIPALS.get(decisions.below(PRINCIPALS.size()));
                    Bytes open = new Submission.OpenSession(nonce, decisions.below(3)).encoded();
                    agree(first.execute(opener, open, nowMillis), second.execute(opener, open, nowMillis));
                }
                case 7 -> second = MetadataStateMachine.restore(second.snapshot());
                case 8 -> {
                    int session = decisions.below(2);
                    PrincipalId person = PRINCIPALS.get(decisions.below(PRINCIPALS.size()));
                    Command command = COMMANDS.get(decisions.below(COMMANDS.size()));
                    long number = ++numbers[session];
                    Submission submission =
                            new Submission.InSession(session + 1, number, number, command).onBehalfOf(person);
                    Bytes bytesOnBehalf = decisions.changed(submission.encoded());
                    agree(
                            first.execute(MetadataFixture.ALICE, bytesOnBehalf, nowMillis),
                            second.execute(MetadataFixture.ALICE, bytesOnBehalf, nowMillis));
                }
                default -> {
                    PrincipalId submitter = PRINCIPALS.get(kind);
                    int session = decisions.below(SESSIONS);
                    Command command = COMMANDS.get(decisions.below(COMMANDS.size()));
                    long number = ++numbers[session];
                    Bytes submission =
                            decisions.changed(new Submission.InSession(session + 1, number, number, command).encoded());
                    agree(
                            first.execute(submitter, submission, nowMillis),
                            second.execute(submitter, submission, nowMillis));
                }
            }
        }
        assertThat(second.digest()).isEqualTo(first.digest());
        MetadataStateMachine restored = MetadataStateMachine.restore(first.snapshot());
        assertThat(restored.snapshot()).isEqualTo(first.snapshot());
        assertThat(restored.weight().bytes()).isEqualTo(first.weight().bytes()).isNotNegative();
    }

    private static void agree(Bytes first, Bytes second) {
        assertThat(second).isEqualTo(first);
        assertThat(Reply.decode(first).encoded()).isEqualTo(first);
    }

    @MethodSource("snapshotSamples")
    @FuzzTest
    void snapshots(byte[] bytes) {
        CodecFuzzing.malformedOrCanonical(
                bytes, snapshot -> MetadataStateMachine.restore(snapshot).snapshot());
    }
}

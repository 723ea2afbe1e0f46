package io.bulwark.protocol.metadata;

import static io.bulwark.protocol.metadata.MetadataFixture.ALICE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.metadata.MetadataFixture.User;
import io.bulwark.protocol.object.InlineContent;
import io.bulwark.protocol.object.ObjectAttributes;
import io.bulwark.protocol.object.ObjectLock;
import io.bulwark.protocol.wire.Bytes;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Bytes of small objects that stand in the metadata (docs/decisions/0036). */
@NullMarked
class InlineTest {
    private final MetadataFixture rig = MetadataFixture.ready();
    private final User alice = rig.user(ALICE, rig.volume);

    private Reply.ObjectStored put(User user, String bucket, String key, int length) {
        return (Reply.ObjectStored) user.run(user.putOf(bucket, key, Condition.NONE, user.inline(length)));
    }

    private InlineContent found(String bucket, String key) {
        return (InlineContent) ((Reply.ObjectFound) rig.ask(ALICE, new Query.FindObject(bucket, key, 0)))
                .inode()
                .content();
    }

    private long bytesOfVolume() {
        return ((Reply.BucketList) rig.ask(ALICE, new Query.ListBuckets("", 10)))
                .buckets().stream().mapToLong(Reply.BucketEntry::bytes).sum();
    }

    @Test
    void theInodeHasTheBytesAndNoNodeHearsOfIt() {
        Reply.ObjectStored stored = put(alice, "films", "a", 100);
        assertThat(found("films", "a")).isEqualTo(alice.inline(100));
        assertThat(rig.references()).isEmpty();
        assertThat(bytesOfVolume()).isEqualTo(100);
        assertThat(rig.ask(
                        ALICE,
                        new Query.FindInode(stored.inode(), alice.range(0, 1).at(0))))
                .isEqualTo(new Reply.InodeFound(true, true, false));
        Reply.ObjectList list =
                (Reply.ObjectList) rig.ask(ALICE, new Query.ListObjects("films", "", "", Bytes.EMPTY, 10, false));
        assertThat(list.objects().getFirst().length()).isEqualTo(100);
    }

    @Test
    void theBytesGoWithTheLastLinkAfterTheGrace() {
        Reply.ObjectStored stored = put(alice, "films", "a", 100);
        alice.run(new Command.CopyObject("films", "a", 0, "diary", "copy", Condition.NONE));
        alice.run(new Command.RenameObject("films", "a", "films", "b", Condition.NONE));
        assertThat(found("diary", "copy")).isEqualTo(alice.inline(100));
        alice.run(new Command.DeleteObject("films", "b", 0));
        alice.run(new Command.DeleteObject("diary", "copy", versionOf("diary", "copy")));
        rig.pass(alice, Inodes.GRACE_MILLIS + 10_000);
        assertThat(rig.ask(
                        ALICE,
                        new Query.FindInode(stored.inode(), alice.range(0, 1).at(0))))
                .isEqualTo(Reply.InodeFound.GONE);
        assertThat(bytesOfVolume()).isZero();
        assertThat(MetadataStateMachine.restore(rig.machine.snapshot()).snapshot())
                .isEqualTo(rig.machine.snapshot());
    }

    private long versionOf(String bucket, String key) {
        return ((Reply.ObjectFound) rig.ask(ALICE, new Query.FindObject(bucket, key, 0))).version();
    }

    @Test
    void theReaderOfASliceLearnsNoOtherBytes() {
        put(alice, "films", "a", 100);
        ObjectRange slice = new ObjectRange("films", "a", 0, 10, 5);
        Reply.ObjectStored made = (Reply.ObjectStored) alice.run(new Command.ComposeObject(
                "films", "c", Condition.NONE, List.of(slice), ObjectAttributes.NONE, ObjectLock.NONE));
        Reply.SliceList list =
                (Reply.SliceList) rig.ask(ALICE, new Query.FindSlices("films", "c", made.version(), 0, Query.PAGE_MAX));
        InlineContent told = (InlineContent) list.slices().getFirst().content();
        assertThat(told.length()).isEqualTo(100);
        assertThat(told.bytes().slice(10, 5)).isEqualTo(MetadataFixture.filled(5, 100));
        assertThat(told.bytes().slice(0, 10)).isEqualTo(MetadataFixture.filled(10, 0));
        assertThat(told.bytes().slice(15, 85)).isEqualTo(MetadataFixture.filled(85, 0));
    }

    @Test
    void aPartOfAnUploadMayBeInline() {
        Reply.UploadBegun begun = (Reply.UploadBegun)
                alice.run(new Command.BeginUpload("films", "u", ObjectAttributes.NONE, ObjectLock.NONE));
        UploadName upload = new UploadName("films", "u", begun.upload());
        Reply.PartStored part = (Reply.PartStored) alice.run(
                new Command.PutPart(upload, 1, alice.inline(30), ObjectAttributes.NONE, List.of(), List.of()));
        PartSelection one = PartSelection.of(List.of(new PartSelection.Part(1, part.inode())));
        alice.run(new Command.CompleteUpload(upload, one, Condition.NONE, ObjectAttributes.NONE));
        assertThat(found("films", "u")).isEqualTo(alice.inline(30));
    }

    @Test
    void nodesThatProtectBetterKeepTheBytes() {
        MetadataFixture wide = new MetadataFixture();
        wide.machine = new MetadataStateMachine(MetadataFixture.genesis(7));
        User user = wide.user(ALICE, 0);
        ProtectionPolicy policy = new ProtectionPolicy(2, 3, 7, 512);
        user.run(new Command.CreateVolume("strong", VolumeKind.OBJECT, policy, 0, 1, 0));
        user.done(new Command.CreateBucket("safe", "strong", Versioning.LATEST_ONLY, 0));
        int strong = wide.map().volumes().getLast().id();
        Command put = new Command.PutObject(
                "safe",
                "a",
                Condition.NONE,
                new InlineContent(strong, MetadataFixture.filled(5, 5)),
                ObjectAttributes.NONE,
                List.of(),
                List.of());
        MetadataFixture.assertFailed(user.run(put), MetadataError.NOT_INLINE);
        wide.machine.withFaulty(2);
        assertThat(user.run(put)).isInstanceOf(Reply.ObjectStored.class);
        assertThat(InlineContent.isAllowedBy(ProtectionPolicy.archive(1, 4, 10, 512), 3))
                .as("an archive survives more absent nodes than replicas")
                .isFalse();
    }

    @Test
    void replicasThatOnlyCrashKeepNoBytes() {
        rig.machine.withReplicasThatStay();
        alice.refused(MetadataError.NOT_INLINE, alice.putOf("films", "a", Condition.NONE, alice.inline(5)));
    }

    @Test
    void theBytesCountForTheQuotaAndMustBeOfTheVolume() {
        alice.done(new Command.CreateBucket("small", "main", Versioning.LATEST_ONLY, 99));
        alice.refused(MetadataError.QUOTA_EXCEEDED, alice.putOf("small", "a", Condition.NONE, alice.inline(100)));
        alice.refused(
                MetadataError.WRONG_LAYOUT,
                alice.putOf(
                        "films", "a", Condition.NONE, new InlineContent(rig.volume + 1, MetadataFixture.filled(5, 5))));
        assertThatThrownBy(() -> new InlineContent(1, MetadataFixture.filled(InlineContent.BYTES_MAX + 1, 0)))
                .isInstanceOf(IllegalArgumentException.class);
    }
}

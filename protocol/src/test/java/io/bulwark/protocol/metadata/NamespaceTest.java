package io.bulwark.protocol.metadata;

import static io.bulwark.protocol.metadata.MetadataFixture.ALICE;
import static io.bulwark.protocol.metadata.MetadataFixture.BLOCK;
import static io.bulwark.protocol.metadata.MetadataFixture.BOB;
import static io.bulwark.protocol.metadata.MetadataFixture.READER;
import static io.bulwark.protocol.metadata.MetadataFixture.assertFailed;
import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.metadata.MetadataFixture.User;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.object.ObjectLayout;
import io.bulwark.protocol.wire.Bytes;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@NullMarked
class NamespaceTest {
    private final MetadataFixture rig = MetadataFixture.ready();
    private final User alice = rig.user(ALICE, rig.volume);

    @ParameterizedTest
    @ValueSource(strings = {"", "ab", "UPPER", "a..b", "-abc", "abc-", ".abc", "abc.", "a_b", "a/b", "\u00e4bc"})
    void badBucketNamesAreTyped(String name) {
        alice.refused(MetadataError.BAD_NAME, new Command.CreateBucket(name, "main", Versioning.LATEST_ONLY, 0));
        assertFailed(rig.ask(ALICE, new Query.FindObject(name, "a", 0)), MetadataError.BAD_NAME);
    }

    @Test
    void aNameOfTenThousandCharactersIsTyped() {
        String longName = "a".repeat(10_000);
        alice.refused(MetadataError.BAD_NAME, new Command.CreateBucket(longName, "main", Versioning.LATEST_ONLY, 0));
        alice.refused(MetadataError.BAD_KEY, alice.putOf("films", longName, Condition.NONE, alice.layout(0)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a\nb", "a\u0000", "\u007f", "\u0085"})
    void badKeysAreTyped(String key) {
        alice.refused(MetadataError.BAD_KEY, alice.putOf("films", key, Condition.NONE, alice.layout(0)));
        assertFailed(rig.ask(ALICE, new Query.FindObject("films", key, 0)), MetadataError.BAD_KEY);
    }

    @Test
    void keysHaveUpTo1024BytesOfUtf8() {
        assertThat(alice.put("films", "\u00fc".repeat(512), 0).version()).isPositive();
        alice.refused(
                MetadataError.BAD_KEY, alice.putOf("films", "\u00fc".repeat(513), Condition.NONE, alice.layout(0)));
        assertThat(Names.problemOfKey("lone \ud800 surrogate")).isPresent();
    }

    @Test
    void bucketsAreMadeAndDeleted() {
        alice.refused(MetadataError.BUCKET_EXISTS, new Command.CreateBucket("films", "main", Versioning.KEEP_ALL, 0));
        alice.refused(MetadataError.NO_SUCH_VOLUME, new Command.CreateBucket("music", "other", Versioning.KEEP_ALL, 0));
        alice.run(new Command.CreateVolume("disk", VolumeKind.REGISTER, MetadataFixture.POLICY, 10, 0, 0));
        alice.refused(MetadataError.BAD_ARGUMENT, new Command.CreateBucket("music", "disk", Versioning.KEEP_ALL, 0));
        alice.refused(MetadataError.NO_SUCH_BUCKET, new Command.DeleteBucket("music"));
        alice.put("films", "a", 10);
        alice.refused(MetadataError.BUCKET_NOT_EMPTY, new Command.DeleteBucket("films"));
        alice.run(new Command.DeleteObject("films", "a", 0));
        alice.done(new Command.DeleteBucket("films"));
        rig.user(READER, 0)
                .refused(
                        MetadataError.NOT_AUTHORISED, new Command.CreateBucket("mine", "main", Versioning.KEEP_ALL, 0));
    }

    @Test
    void conditionsGuardPuts() {
        Condition absent = Condition.IF_ABSENT;
        assertThat(alice.run(alice.putOf("films", "a", absent, alice.layout(10))))
                .isInstanceOf(Reply.ObjectStored.class);
        alice.refused(MetadataError.CONDITION_FAILED, alice.putOf("films", "a", absent, alice.layout(10)));
        long version = find("films", "a").version();
        alice.refused(
                MetadataError.CONDITION_FAILED,
                alice.putOf("films", "a", Condition.ifVersion(version + 1), alice.layout(10)));
        Reply.ObjectStored second = (Reply.ObjectStored)
                alice.run(alice.putOf("films", "a", Condition.ifVersion(version), alice.layout(10)));
        assertThat(second.version()).isGreaterThan(version);
        assertFailed(rig.ask(ALICE, new Query.FindObject("films", "a", version)), MetadataError.NO_SUCH_VERSION);
    }

    @Test
    void aRefusedPutLeavesItsRangesToTheSubmitter() {
        alice.put("films", "a", 10);
        var layout = alice.layout(3 * BLOCK);
        alice.refused(MetadataError.CONDITION_FAILED, alice.putOf("films", "a", Condition.IF_ABSENT, layout));
        assertThat(alice.run(alice.putOf("films", "b", Condition.IF_ABSENT, layout)))
                .isInstanceOf(Reply.ObjectStored.class);
    }

    @Test
    void versionsAreKeptAndDeletedByNumber() {
        long first = alice.put("diary", "day", 10).version();
        long second = alice.put("diary", "day", 20).version();
        assertThat(find("diary", "day").inode().content().length()).isEqualTo(20);
        Reply.Deleted marker = (Reply.Deleted) alice.run(new Command.DeleteObject("diary", "day", 0));
        assertThat(marker.marker()).isTrue();
        assertFailed(rig.ask(ALICE, new Query.FindObject("diary", "day", 0)), MetadataError.NO_SUCH_OBJECT);
        assertFailed(
                rig.ask(ALICE, new Query.FindObject("diary", "day", marker.version())), MetadataError.IS_DELETE_MARKER);
        alice.refused(MetadataError.NO_SUCH_OBJECT, new Command.DeleteObject("diary", "day", 0));
        assertThat(versions("diary"))
                .extracting(Reply.VersionEntry::version)
                .containsExactly(marker.version(), second, first);
        assertThat(versions("diary").getFirst().deleteMarker()).isTrue();
        alice.run(new Command.DeleteObject("diary", "day", marker.version()));
        assertThat(find("diary", "day").version()).isEqualTo(second);
        alice.run(new Command.DeleteObject("diary", "day", second));
        assertThat(find("diary", "day").version()).isEqualTo(first);
        alice.refused(MetadataError.NO_SUCH_VERSION, new Command.DeleteObject("diary", "day", second));
        alice.run(new Command.DeleteObject("diary", "day", first));
        assertThat(versions("diary")).isEmpty();
    }

    @Test
    void renameMovesALinkWithinTheVolume() {
        Reply.ObjectStored stored = alice.put("films", "a", 700);
        alice.put("films", "b", 10);
        var rename = new Command.RenameObject("films", "a", "films", "b", Condition.IF_ABSENT);
        alice.refused(MetadataError.CONDITION_FAILED, rename);
        Reply.ObjectStored moved =
                (Reply.ObjectStored) alice.run(new Command.RenameObject("films", "a", "films", "b", Condition.NONE));
        assertThat(moved.inode()).isEqualTo(stored.inode());
        assertThat(find("films", "b").inode().content().length()).isEqualTo(700);
        assertFailed(rig.ask(ALICE, new Query.FindObject("films", "a", 0)), MetadataError.NO_SUCH_OBJECT);
        alice.refused(MetadataError.BAD_ARGUMENT, new Command.RenameObject("films", "b", "films", "b", Condition.NONE));
        alice.run(new Command.RenameObject("films", "b", "diary", "c", Condition.NONE));
        alice.run(new Command.RenameObject("diary", "c", "diary", "d", Condition.NONE));
        assertThat(find("diary", "d").inode().id()).isEqualTo(stored.inode());
        assertThat(versions("diary")).hasSize(3);
    }

    @Test
    void copyAddsALinkAndTheInodeLivesAsLongAsOne() {
        Reply.ObjectStored stored = alice.put("films", "a", 700);
        alice.run(new Command.CopyObject("films", "a", 0, "diary", "copy", Condition.NONE));
        alice.run(new Command.CopyObject("films", "a", 0, "films", "a", Condition.NONE));
        alice.run(new Command.DeleteObject("films", "a", 0));
        rig.pass(alice, 2 * Inodes.GRACE_MILLIS);
        assertThat(find("diary", "copy").inode().id()).isEqualTo(stored.inode());
        assertThat(rig.references()).hasSize(1);
        alice.run(
                new Command.DeleteObject("diary", "copy", find("diary", "copy").version()));
        rig.pass(alice, 2 * Inodes.GRACE_MILLIS);
        assertThat(rig.references()).isEmpty();
    }

    @Test
    void linksStayWithinOneVolume() {
        alice.run(MetadataFixture.objectVolume("other"));
        alice.done(new Command.CreateBucket("far", "other", Versioning.LATEST_ONLY, 0));
        alice.put("films", "a", 10);
        alice.refused(MetadataError.OTHER_VOLUME, new Command.CopyObject("films", "a", 0, "far", "a", Condition.NONE));
        alice.refused(MetadataError.OTHER_VOLUME, new Command.RenameObject("films", "a", "far", "a", Condition.NONE));
        alice.refused(MetadataError.WRONG_LAYOUT, alice.putOf("far", "a", Condition.NONE, alice.layout(10)));
    }

    @Test
    void quotasBoundBucketsAndVolumes() {
        alice.done(new Command.CreateBucket("small", "main", Versioning.LATEST_ONLY, 1000));
        alice.put("small", "a", 900);
        alice.refused(MetadataError.QUOTA_EXCEEDED, alice.putOf("small", "b", Condition.NONE, alice.layout(101)));
        assertThat(alice.put("small", "a", 1000).version()).isPositive();
        assertThat(alice.run(new Command.RenameObject("small", "a", "small", "b", Condition.NONE)))
                .isInstanceOf(Reply.ObjectStored.class);
        alice.refused(
                MetadataError.QUOTA_EXCEEDED, new Command.CopyObject("small", "b", 0, "small", "c", Condition.NONE));

        alice.run(new Command.CreateVolume("tight", VolumeKind.OBJECT, MetadataFixture.POLICY, 0, 0, 3L * BLOCK));
        alice.done(new Command.CreateBucket("inside", "tight", Versioning.LATEST_ONLY, 0));
        rig.volume = rig.map().volume("tight").orElseThrow().id();
        User bob = rig.user(BOB, rig.volume);
        bob.refused(MetadataError.QUOTA_EXCEEDED, new Command.RegisterPending(List.of(bob.range(10, 4))));
        bob.run(new Command.RegisterPending(List.of(bob.range(10, 2))));
        bob.refused(MetadataError.QUOTA_EXCEEDED, bob.putOf("inside", "a", Condition.NONE, bob.layout(BLOCK + 1)));
        assertThat(bob.put("inside", "a", BLOCK).version()).isPositive();
    }

    @PlantedBug(
            in = Permissions.class,
            rule = "a reader writes nothing",
            replace = "require(by, delete.bucket(), Right.WRITE);\n                requireBypass",
            with = "require(by, delete.bucket(), Right.READ);\n                requireBypass")
    @Test
    void readersReadAndDoNotWrite() {
        alice.put("films", "a", 10);
        User reader = rig.user(READER, 0);
        reader.refused(MetadataError.NOT_AUTHORISED, new Command.DeleteObject("films", "a", 0));
        assertThat(rig.ask(READER, new Query.FindObject("films", "a", 0))).isInstanceOf(Reply.ObjectFound.class);
        assertFailed(
                rig.ask(MetadataFixture.STRANGER, new Query.FindObject("films", "a", 0)), MetadataError.NOT_AUTHORISED);
        assertFailed(rig.ask(READER, new Query.References(rig.volume, 0, 10)), MetadataError.NOT_AUTHORISED);
    }

    @Test
    void pinsAreToldToReadersOfTheBucketOnly() {
        Reply.ObjectStored secret = alice.put("diary", "day", 10);
        Bytes pins = ((ObjectLayout) find("diary", "day").inode().content()).pins();
        alice.done(new Command.AddPrincipal(MetadataFixture.STRANGER, Samples.KEY));
        alice.done(new Command.SetGrant(
                MetadataFixture.STRANGER, new Scope.OfBucket("films"), new Rights(true, false, false)));
        Bytes answer = rig.machine.query(
                MetadataFixture.STRANGER,
                new Query.FindInode(secret.inode(), alice.range(0, 1).at(0)).encoded());
        assertThat(Reply.decode(answer)).isEqualTo(new Reply.InodeFound(true, true, true));
        assertThat(HexFormat.of().formatHex(answer.toByteArray()))
                .doesNotContain(HexFormat.of().formatHex(pins.toByteArray()));
    }

    private Reply.ObjectFound find(String bucket, String key) {
        return (Reply.ObjectFound) rig.ask(ALICE, new Query.FindObject(bucket, key, 0));
    }

    private List<Reply.VersionEntry> versions(String bucket) {
        return ((Reply.VersionList) rig.ask(ALICE, new Query.ListVersions(bucket, "", "", 0, 1000))).versions();
    }
}

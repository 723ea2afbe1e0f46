package io.bulwark.protocol.metadata;

import static io.bulwark.protocol.metadata.MetadataFixture.ALICE;
import static io.bulwark.protocol.metadata.MetadataFixture.assertFailed;
import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.metadata.Command.DeleteMode;
import io.bulwark.protocol.metadata.MetadataFixture.User;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.object.ObjectAttributes;
import io.bulwark.protocol.object.ObjectLock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Tests the states of versioning, the null version, conditions, and attributes of versions. */
@NullMarked
class VersioningTest {
    private static final String BUCKET = "films";
    private static final String KEY = "a";

    private final MetadataFixture rig = MetadataFixture.ready();
    private final User alice = rig.user(ALICE, rig.volume);

    private void become(Versioning next) {
        alice.done(new Command.UpdateBucket(BUCKET, BucketChange.NONE.withVersioning(next)));
    }

    private Reply find(long version) {
        return rig.ask(ALICE, new Query.FindObject(BUCKET, KEY, version));
    }

    private long length(long version) {
        return ((Reply.ObjectFound) find(version)).inode().content().length();
    }

    private Reply.Deleted delete(long version) {
        return (Reply.Deleted) alice.run(new Command.DeleteObject(BUCKET, KEY, version));
    }

    private List<String> versions() {
        Reply.VersionList list = (Reply.VersionList) rig.ask(ALICE, new Query.ListVersions(BUCKET, "", "", 0, 1000));
        return list.versions().stream()
                .map(entry -> (entry.deleteMarker() ? "marker" : String.valueOf(entry.length()))
                        + (entry.state().isNull() ? " null" : ""))
                .toList();
    }

    private void putTagged(String etag) {
        ObjectAttributes attributes = ObjectAttributes.NONE.withProperties(new TreeMap<>(Map.of("etag", etag)));
        Reply reply = alice.run(
                new Command.PutObject(BUCKET, KEY, Condition.NONE, alice.layout(0), attributes, List.of(), List.of()));
        assertThat(reply).isInstanceOf(Reply.ObjectStored.class);
    }

    @Test
    void versionsFromBeforeStayAsTheNullVersion() {
        alice.put(BUCKET, KEY, 1);
        become(Versioning.KEEP_ALL);
        alice.put(BUCKET, KEY, 2);
        assertThat(versions()).containsExactly("2", "1 null");
        assertThat(length(Versioning.NULL_VERSION)).isEqualTo(1);
        assertThat(delete(Versioning.NULL_VERSION).isNull()).isTrue();
        assertThat(versions()).containsExactly("2");
        assertFailed(find(Versioning.NULL_VERSION), MetadataError.NO_SUCH_VERSION);
    }

    @Test
    void aSuspendedBucketReplacesJustTheNullVersion() {
        alice.put(BUCKET, KEY, 1);
        become(Versioning.KEEP_ALL);
        alice.put(BUCKET, KEY, 2);
        become(Versioning.SUSPENDED);
        alice.put(BUCKET, KEY, 3);
        assertThat(versions()).containsExactly("3 null", "2");
        alice.put(BUCKET, KEY, 4);
        assertThat(versions()).containsExactly("4 null", "2");
        Reply.Deleted marker = delete(0);
        assertThat(marker.marker() && marker.isNull()).isTrue();
        assertThat(versions()).containsExactly("marker null", "2");
        assertFailed(find(0), MetadataError.NO_SUCH_OBJECT);
        assertFailed(find(Versioning.NULL_VERSION), MetadataError.IS_DELETE_MARKER);
        assertThat(delete(marker.version()).marker()).isTrue();
        assertThat(length(0)).isEqualTo(2);
    }

    @Test
    void versioningGoesOnAboveTheNullVersion() {
        become(Versioning.SUSPENDED);
        alice.put(BUCKET, KEY, 1);
        become(Versioning.KEEP_ALL);
        alice.put(BUCKET, KEY, 2);
        delete(0);
        assertThat(versions()).containsExactly("marker", "2", "1 null");
        become(Versioning.SUSPENDED);
        alice.put(BUCKET, KEY, 3);
        assertThat(versions()).containsExactly("3 null", "marker", "2");
    }

    @Test
    void versioningNeverGoesBackToTheFirstState() {
        for (Versioning next : List.of(Versioning.LATEST_ONLY, Versioning.SUSPENDED, Versioning.KEEP_ALL)) {
            become(next);
        }
        alice.refused(
                MetadataError.BAD_BUCKET_STATE,
                new Command.UpdateBucket(BUCKET, BucketChange.NONE.withVersioning(Versioning.LATEST_ONLY)));
    }

    @Test
    void theLengthOfAReplacedNullVersionLeavesTheQuota() {
        alice.done(new Command.UpdateBucket(BUCKET, BucketChange.NONE.withQuota(10)));
        become(Versioning.KEEP_ALL);
        alice.put(BUCKET, KEY, 4);
        become(Versioning.SUSPENDED);
        alice.put(BUCKET, KEY, 5);
        alice.put(BUCKET, KEY, 6);
        alice.refused(MetadataError.QUOTA_EXCEEDED, alice.putOf(BUCKET, KEY, Condition.NONE, alice.layout(7)));
    }

    @Test
    void aDeletionWithoutAnObjectMakesAMarkerOnlyWhenAsked() {
        Command even = new Command.DeleteObject(BUCKET, KEY, 0, Condition.NONE, DeleteMode.EVEN_IF_ABSENT);
        assertThat(alice.run(even)).isEqualTo(new Reply.Deleted(0, false, true));
        assertThat(versions()).isEmpty();
        become(Versioning.KEEP_ALL);
        Reply.Deleted marker = (Reply.Deleted) alice.run(even);
        assertThat(marker.marker()).isTrue();
        assertThat(versions()).containsExactly("marker");
        delete(marker.version());
        assertThat(versions()).isEmpty();
    }

    @Test
    void aDeletionKeepsItsCondition() {
        putTagged("x");
        Condition wrong = Condition.ifProperty("etag", "y");
        alice.refused(
                MetadataError.CONDITION_FAILED, new Command.DeleteObject(BUCKET, KEY, 0, wrong, DeleteMode.STRICT));
        become(Versioning.KEEP_ALL);
        putTagged("y");
        alice.refused(
                MetadataError.CONDITION_FAILED,
                new Command.DeleteObject(BUCKET, KEY, Versioning.NULL_VERSION, wrong, DeleteMode.STRICT));
        Condition right = Condition.ifProperty("etag", "x");
        assertThat(alice.run(new Command.DeleteObject(BUCKET, KEY, Versioning.NULL_VERSION, right, DeleteMode.STRICT)))
                .isInstanceOf(Reply.Deleted.class);
    }

    @Test
    void aPutKeepsItsCondition() {
        alice.refused(MetadataError.CONDITION_FAILED, alice.putOf(BUCKET, KEY, Condition.IF_PRESENT, alice.layout(0)));
        putTagged("x");
        alice.refused(
                MetadataError.CONDITION_FAILED,
                alice.putOf(BUCKET, KEY, Condition.ifProperty("etag", "y"), alice.layout(0)));
        alice.refused(
                MetadataError.CONDITION_FAILED,
                alice.putOf(BUCKET, KEY, Condition.ifProperty("other", "x"), alice.layout(0)));
        Reply replaced = alice.run(alice.putOf(BUCKET, KEY, Condition.ifProperty("etag", "x"), alice.layout(0)));
        assertThat(replaced).isInstanceOf(Reply.ObjectStored.class);
    }

    @PlantedBug(
            in = Namespace.class,
            rule = "tags that were read before are replaced only if they are the same",
            replace = "set.before().map(present::equals).orElse(true),",
            with = "true,")
    @Test
    void tagsThatOthersHaveChangedAreNotReplaced() {
        alice.put(BUCKET, KEY, 5);
        TreeMap<String, String> red = new TreeMap<>(Map.of("colour", "red"));
        TreeMap<String, String> blue = new TreeMap<>(Map.of("colour", "blue"));
        assertThat(alice.run(new Command.SetTags(BUCKET, KEY, 0, red, Optional.of(new TreeMap<>()))))
                .isInstanceOf(Reply.ObjectStored.class);
        alice.refused(
                MetadataError.CONDITION_FAILED,
                new Command.SetTags(BUCKET, KEY, 0, blue, Optional.of(new TreeMap<>())));
        assertThat(alice.run(new Command.SetTags(BUCKET, KEY, 0, blue, Optional.of(red))))
                .isInstanceOf(Reply.ObjectStored.class);
    }

    @Test
    void tagsChangeAndPropertiesStay() {
        putTagged("x");
        Reply.ObjectStored stored = (Reply.ObjectStored)
                alice.run(new Command.SetTags(BUCKET, KEY, 0, new TreeMap<>(Map.of("colour", "red"))));
        Reply.ObjectFound found = (Reply.ObjectFound) find(stored.version());
        assertThat(found.attributes().tags()).containsOnly(Map.entry("colour", "red"));
        assertThat(found.attributes().properties()).containsOnly(Map.entry("etag", "x"));
        alice.refused(MetadataError.NO_SUCH_VERSION, new Command.SetTags(BUCKET, KEY, 999, new TreeMap<>()));
    }

    @Test
    void aCopyHasOtherAttributesWithoutAByteMoved() {
        alice.put(BUCKET, KEY, 600);
        ObjectAttributes others = ObjectAttributes.ofType("text/plain");
        Reply.ObjectStored copied = (Reply.ObjectStored) alice.run(new Command.CopyObject(
                BUCKET, KEY, 0, BUCKET, KEY, Condition.NONE, Optional.of(others), ObjectLock.NONE));
        Reply.ObjectFound found = (Reply.ObjectFound) find(0);
        assertThat(found.version()).isEqualTo(copied.version());
        assertThat(found.attributes()).isEqualTo(others);
        assertThat(rig.references()).hasSize(1);
    }

    @Test
    void tagsAreOnTheAccountOfWhoSetsThem() {
        User bob = rig.user(MetadataFixture.BOB, 0);
        putTagged("x");
        long before = rig.machine.weight().bytesOf(MetadataFixture.BOB);
        TreeMap<String, String> tags = new TreeMap<>(Map.of("long", "x".repeat(4000)));
        assertThat(bob.run(new Command.SetTags(BUCKET, KEY, 0, tags))).isInstanceOf(Reply.ObjectStored.class);
        assertThat(rig.machine.weight().bytesOf(MetadataFixture.BOB) - before).isGreaterThan(4000);
    }
}

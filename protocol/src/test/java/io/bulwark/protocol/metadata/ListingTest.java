package io.bulwark.protocol.metadata;

import static io.bulwark.protocol.metadata.MetadataFixture.ALICE;
import static io.bulwark.protocol.metadata.MetadataFixture.assertFailed;
import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.metadata.MetadataFixture.User;
import io.bulwark.protocol.object.ObjectAttributes;
import io.bulwark.protocol.wire.Bytes;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@NullMarked
class ListingTest {
    private final MetadataFixture rig = MetadataFixture.ready();
    private final User alice = rig.user(ALICE, rig.volume);

    private void put(String... keys) {
        for (String key : keys) {
            alice.put("films", key, 0);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 1000})
    void prefixesAndDelimitersRollUpPageByPage(int limit) {
        put("a/1", "a/2", "a/b/3", "a/b/4", "a/c/5", "b", "c/", "c/6", "\ud83d\ude00/x", "\uffee");
        assertThat(all("", "", limit))
                .containsExactly("a/1", "a/2", "a/b/3", "a/b/4", "a/c/5", "b", "c/", "c/6", "\uffee", "\ud83d\ude00/x");
        assertThat(all("", "/", limit)).containsExactly("<a/>", "b", "<c/>", "\uffee", "<\ud83d\ude00/>");
        assertThat(all("a/", "/", limit)).containsExactly("a/1", "a/2", "<a/b/>", "<a/c/>");
        assertThat(all("c/", "/", limit)).containsExactly("c/", "c/6");
        assertThat(all("a/b", "", limit)).containsExactly("a/b/3", "a/b/4");
        assertThat(all("zzz", "", limit)).isEmpty();
    }

    @Test
    void deletedObjectsAreNotListed() {
        alice.put("diary", "a", 0);
        alice.put("diary", "b", 0);
        alice.run(new Command.DeleteObject("diary", "a", 0));
        Reply.ObjectList list = list("diary", "", "", Bytes.EMPTY, 10);
        assertThat(list.objects()).extracting(Reply.ObjectEntry::key).containsExactly("b");
        assertThat(list.next()).isEqualTo(Bytes.EMPTY);
    }

    @Test
    void tagsComeIfAskedForAndPagesAreBounded() {
        TreeMap<String, String> tags = new TreeMap<>();
        tags.put("x", "y".repeat(4000));
        ObjectAttributes attributes = new ObjectAttributes("text/plain", tags, new TreeMap<>());
        for (int i = 0; i < 400; i++) {
            alice.run(new Command.PutObject(
                    "films", "k" + i, Condition.NONE, alice.layout(0), attributes, List.of(), List.of()));
        }
        Query.ListObjects with = new Query.ListObjects("films", "", "", Bytes.EMPTY, 1000, true);
        Reply.ObjectList page = (Reply.ObjectList) rig.ask(ALICE, with);
        assertThat(page.objects()).hasSizeBetween(200, 300);
        assertThat(page.objects().getFirst().attributes()).isEqualTo(attributes);
        assertThat(page.next().isEmpty()).isFalse();
        Reply.ObjectList without = list("films", "", "", Bytes.EMPTY, 1000);
        assertThat(without.objects()).hasSize(400);
        assertThat(without.objects().getFirst().attributes().contentType()).isEqualTo("text/plain");
        assertThat(without.objects().getFirst().attributes().tags()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 5, 1000})
    void versionsAreListedNewestFirstPageByPage(int limit) {
        List<String> expected = new ArrayList<>();
        for (String key : List.of("a", "b", "ba")) {
            List<String> versions = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                versions.addFirst(key + " " + alice.put("diary", key, i).version());
            }
            expected.addAll(versions);
        }
        assertThat(allVersions("", limit)).isEqualTo(expected);
        assertThat(allVersions("b", limit)).isEqualTo(expected.subList(3, 9));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 1000})
    void versionsRollUpIntoCommonPrefixes(int limit) {
        for (String key : List.of("a", "b/1", "b/2", "b/2", "c", "d/1")) {
            alice.put("diary", key, 1);
        }
        List<String> found = new ArrayList<>();
        Reply.VersionList page = new Reply.VersionList(List.of(), List.of(), true, "", 0);
        while (page.more()) {
            page = (Reply.VersionList) rig.ask(
                    ALICE, new Query.ListVersions("diary", "", "/", page.nextKey(), page.nextVersion(), limit, false));
            page.versions().forEach(entry -> found.add(entry.key()));
            page.commonPrefixes().forEach(common -> found.add("<" + common + ">"));
        }
        assertThat(found).containsExactlyInAnyOrder("a", "<b/>", "c", "<d/>");
        Reply.VersionList inside =
                (Reply.VersionList) rig.ask(ALICE, new Query.ListVersions("diary", "b/", "/", "", 0, 1000, false));
        assertThat(inside.versions()).extracting(Reply.VersionEntry::key).containsExactly("b/1", "b/2", "b/2");
        assertThat(inside.commonPrefixes()).isEmpty();
    }

    @Test
    void aListThatBeginsAtACommonPrefixSkipsIt() {
        put("a/1", "a/2", "b");
        Bytes common = Bytes.of("a/".getBytes(StandardCharsets.UTF_8));
        assertThat(list("films", "", "/", common, 10).commonPrefixes()).isEmpty();
        assertThat(list("films", "", "", common, 10).objects())
                .extracting(Reply.ObjectEntry::key)
                .containsExactly("a/1", "a/2", "b");
        assertThat(list("films", "a/", "/", common, 10).objects())
                .extracting(Reply.ObjectEntry::key)
                .containsExactly("a/1", "a/2");
    }

    @Test
    void theLatestVersionIsMarked() {
        alice.put("diary", "a", 1);
        long latest = alice.put("diary", "a", 2).version();
        Reply.VersionList list = (Reply.VersionList) rig.ask(ALICE, new Query.ListVersions("diary", "", "", 0, 10));
        assertThat(list.versions())
                .filteredOn(Reply.VersionEntry::latest)
                .singleElement()
                .satisfies(entry -> {
                    assertThat(entry.version()).isEqualTo(latest);
                    assertThat(entry.length()).isEqualTo(2);
                });
    }

    @Test
    void bucketsAreListedInOrderWithTheirSizes() {
        alice.put("films", "a", 100);
        alice.put("diary", "a", 10);
        alice.put("diary", "a", 20);
        Reply.BucketList first = (Reply.BucketList) rig.ask(ALICE, new Query.ListBuckets("", 1));
        assertThat(first.buckets()).singleElement().satisfies(bucket -> {
            assertThat(bucket.name()).isEqualTo("diary");
            assertThat(bucket.bytes()).isEqualTo(30);
            assertThat(bucket.objects()).isEqualTo(1);
        });
        Reply.BucketList second = (Reply.BucketList) rig.ask(ALICE, new Query.ListBuckets(first.next(), 1));
        assertThat(second.buckets()).extracting(Reply.BucketEntry::name).containsExactly("films");
        assertThat(second.next()).isEmpty();
    }

    @Test
    void unknownBucketsAreTyped() {
        assertFailed(
                rig.ask(ALICE, new Query.ListObjects("music", "", "", Bytes.EMPTY, 10, false)),
                MetadataError.NO_SUCH_BUCKET);
        assertFailed(
                rig.ask(ALICE, new Query.ListObjects("films", "x".repeat(1025), "", Bytes.EMPTY, 10, false)),
                MetadataError.BAD_ARGUMENT);
    }

    @Test
    void statusCounts() {
        put("a", "b");
        Reply.Status status = (Reply.Status) rig.ask(ALICE, new Query.GetStatus());
        assertThat(status.objects()).isEqualTo(2);
        assertThat(status.buckets()).isEqualTo(2);
        assertThat(status.volumes()).isEqualTo(1);
        assertThat(status.openSessions()).isEqualTo(2);
        assertThat(status.commands()).isEqualTo(rig.machine.commands());
    }

    @Test
    void theDigestInTheStatusIsThatOfTheHistory() {
        MetadataFixture other = MetadataFixture.ready();
        put("a");
        MetadataFixture twin = new MetadataFixture();
        twin.machine = MetadataStateMachine.restore(rig.machine.snapshot());
        Bytes before = digest(rig);
        assertThat(digest(twin)).isEqualTo(before).isNotEqualTo(digest(other));
        Submission.OpenSession open = new Submission.OpenSession(MetadataFixture.filled(16, 55), 0);
        for (MetadataFixture each : List.of(rig, twin)) {
            each.nowMillis = rig.nowMillis;
            Bytes reply = each.machine.execute(ALICE, open.encoded(), rig.nowMillis);
            assertThat(Reply.decode(reply)).isInstanceOf(Reply.SessionOpened.class);
        }
        assertThat(digest(twin)).isEqualTo(digest(rig)).isNotEqualTo(before);
    }

    private static Bytes digest(MetadataFixture rig) {
        return ((Reply.Status) rig.ask(ALICE, new Query.GetStatus())).digest();
    }

    private Reply.ObjectList list(String bucket, String prefix, String delimiter, Bytes after, int limit) {
        return (Reply.ObjectList) rig.ask(ALICE, new Query.ListObjects(bucket, prefix, delimiter, after, limit, false));
    }

    private List<String> all(String prefix, String delimiter, int limit) {
        TreeMap<Bytes, String> all = new TreeMap<>();
        List<String> found = new ArrayList<>();
        Bytes after = Bytes.EMPTY;
        do {
            Reply.ObjectList page = list("films", prefix, delimiter, after, limit);
            page.objects().forEach(entry -> found.add(entry.key()));
            page.commonPrefixes().forEach(common -> found.add("<" + common + ">"));
            after = page.next();
        } while (!after.isEmpty());
        found.forEach(name -> all.put(Bytes.of(name.replaceAll("[<>]", "").getBytes(StandardCharsets.UTF_8)), name));
        assertThat(all).hasSameSizeAs(found);
        return List.copyOf(all.values());
    }

    private List<String> allVersions(String prefix, int limit) {
        List<String> found = new ArrayList<>();
        Reply.VersionList page = new Reply.VersionList(List.of(), List.of(), true, "", 0);
        while (page.more()) {
            page = (Reply.VersionList)
                    rig.ask(ALICE, new Query.ListVersions("diary", prefix, page.nextKey(), page.nextVersion(), limit));
            page.versions().forEach(entry -> found.add(entry.key() + " " + entry.version()));
        }
        return found;
    }
}

package io.bulwark.protocol.metadata;

import static io.bulwark.protocol.metadata.MetadataFixture.ALICE;
import static io.bulwark.protocol.metadata.MetadataFixture.BLOCK;
import static io.bulwark.protocol.metadata.MetadataFixture.BOB;
import static io.bulwark.protocol.metadata.MetadataFixture.READER;
import static io.bulwark.protocol.metadata.MetadataFixture.STRANGER;
import static io.bulwark.protocol.metadata.MetadataFixture.assertFailed;
import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.metadata.MetadataFixture.User;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.object.Composition;
import io.bulwark.protocol.object.ObjectAttributes;
import io.bulwark.protocol.object.ObjectLayout;
import io.bulwark.protocol.object.ObjectLock;
import io.bulwark.protocol.object.Retention;
import io.bulwark.protocol.object.Slice;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

@NullMarked
class UploadTest {
    private static final long TEBIBYTE = 1L << 40;

    private final MetadataFixture rig = MetadataFixture.ready();
    private final User alice = rig.user(ALICE, rig.volume);

    private final List<EpochClaim> epochs = EpochClaim.of(rig.mainVolume());

    private UploadName begin(String bucket, String key) {
        return begin(alice, bucket, key, ObjectAttributes.NONE);
    }

    private static UploadName begin(User user, String bucket, String key, ObjectAttributes attributes) {
        Reply reply = user.run(new Command.BeginUpload(bucket, key, attributes, ObjectLock.NONE));
        return new UploadName(bucket, key, ((Reply.UploadBegun) reply).upload());
    }

    private Command.PutPart putOf(UploadName upload, int number, ObjectLayout layout) {
        return new Command.PutPart(
                upload,
                number,
                layout,
                ObjectAttributes.ofType("part " + number),
                layout.ranges().isEmpty() ? List.of() : epochs,
                List.of());
    }

    private PartSelection.Part put(UploadName upload, int number, long length) {
        Reply.PartStored stored = (Reply.PartStored) alice.run(putOf(upload, number, alice.layout(length)));
        assertThat(stored.length()).isEqualTo(length);
        return new PartSelection.Part(number, stored.inode());
    }

    private static Command.CompleteUpload completionOf(UploadName upload, PartSelection.Part... parts) {
        return new Command.CompleteUpload(
                upload, PartSelection.of(Arrays.asList(parts)), Condition.NONE, ObjectAttributes.NONE);
    }

    private Reply.ObjectFound find(String bucket, String key) {
        return (Reply.ObjectFound) rig.ask(ALICE, new Query.FindObject(bucket, key, 0));
    }

    private List<Long> referenced() {
        return rig.references().stream().map(Reply.Reference::inode).toList();
    }

    private long bytesOf(String bucket) {
        return ((Reply.BucketList) rig.ask(ALICE, new Query.ListBuckets("", 1000)))
                .buckets().stream()
                        .filter(entry -> entry.name().equals(bucket))
                        .findFirst()
                        .orElseThrow()
                        .bytes();
    }

    private long volumeBytes() {
        return ((Reply.Status) rig.ask(ALICE, new Query.GetStatus())).bytes();
    }

    @Test
    void aCompletionMakesTheSelectedPartsSlicesOfTheObject() {
        UploadName upload = begin("films", "a");
        PartSelection.Part third = put(upload, 30, 700);
        PartSelection.Part first = put(upload, 2, 10);
        PartSelection.Part empty = put(upload, 5, 0);
        PartSelection.Part unused = put(upload, 7, 20);
        assertThat(bytesOf("films")).isEqualTo(730);
        long before = volumeBytes();

        Reply.ObjectStored stored = (Reply.ObjectStored) alice.run(completionOf(upload, first, empty, third));

        assertThat(find("films", "a").inode().content()).isEqualTo(new Composition(rig.volume, 710, 2));
        assertThat(find("films", "a").version()).isEqualTo(stored.version());
        Reply.SliceList slices =
                (Reply.SliceList) rig.ask(READER, new Query.FindSlices("films", "a", stored.version(), 0, 10));
        assertThat(slices.slices())
                .extracting(Reply.SliceEntry::start, Reply.SliceEntry::slice)
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple(0L, new Slice(first.id(), 0, 10)),
                        org.assertj.core.groups.Tuple.tuple(10L, new Slice(third.id(), 0, 700)));
        assertThat(slices.slices().getLast().content().length()).isEqualTo(700);
        assertThat(bytesOf("films")).isEqualTo(710);
        assertThat(volumeBytes()).as("no bytes move").isEqualTo(before);
        rig.pass(alice, Inodes.GRACE_MILLIS + 10_000);
        assertThat(referenced()).contains(first.id(), third.id()).doesNotContain(empty.id(), unused.id());
        assertThat(volumeBytes()).isEqualTo(710);
    }

    @Test
    void theAttributesAreThoseOfTheBeginningAndOfTheEnd() {
        ObjectAttributes begun = new ObjectAttributes(
                "text/plain", new TreeMap<>(Map.of("tag", "1")), new TreeMap<>(Map.of("cache", "no", "etag", "early")));
        UploadName upload = begin(alice, "films", "a", begun);
        PartSelection.Part part = put(upload, 1, 3);
        ObjectAttributes added = ObjectAttributes.NONE.withProperties(new TreeMap<>(Map.of("etag", "late-1")));
        alice.run(new Command.CompleteUpload(upload, PartSelection.of(List.of(part)), Condition.NONE, added));
        assertThat(find("films", "a").attributes())
                .isEqualTo(begun.withProperties(new TreeMap<>(Map.of("cache", "no", "etag", "late-1"))));
        UploadName full = begin(alice, "films", "b", wide(40, "x"));
        PartSelection.Part one = put(full, 1, 3);
        alice.refused(
                MetadataError.BAD_ARGUMENT,
                new Command.CompleteUpload(full, PartSelection.of(List.of(one)), Condition.NONE, wide(40, "y")));
    }

    private static ObjectAttributes wide(int entries, String prefix) {
        TreeMap<String, String> properties = new TreeMap<>();
        for (int entry = 0; entry < entries; entry++) {
            properties.put(prefix + entry, "");
        }
        return ObjectAttributes.NONE.withProperties(properties);
    }

    /** The readers of an object in one part need not ask for slices. */
    @Test
    void onePartIsTheObjectItself() {
        UploadName upload = begin("films", "a");
        PartSelection.Part part = put(upload, 9, 700);
        Reply.ObjectStored stored = (Reply.ObjectStored) alice.run(completionOf(upload, part));
        assertThat(stored.inode()).isEqualTo(part.id());
        alice.run(new Command.DeleteObject("films", "a", 0));
        rig.pass(alice, Inodes.GRACE_MILLIS + 10_000);
        assertThat(referenced()).isEmpty();
    }

    @Test
    void aPartThatIsReplacedIsFreedAndItsIdNamesNothing() {
        UploadName upload = begin("films", "a");
        PartSelection.Part old = put(upload, 1, 100);
        PartSelection.Part other = put(upload, 2, 100);
        PartSelection.Part part = put(upload, 1, 50);
        assertThat(part.id()).isNotEqualTo(old.id());
        assertThat(bytesOf("films")).isEqualTo(150);
        alice.refused(MetadataError.NO_SUCH_PART, completionOf(upload, old, other));
        alice.refused(MetadataError.NO_SUCH_PART, completionOf(upload, part, new PartSelection.Part(3, 77)));
        rig.pass(alice, Inodes.GRACE_MILLIS + 10_000);
        assertThat(referenced()).containsExactly(other.id(), part.id());
    }

    @PlantedBug(
            in = Uploads.class,
            rule = "a completion with other parts is another one",
            replace = "if (before.isPresent() && before.get().digest.equals(digest)) {",
            with = "if (before.isPresent()) {")
    @Test
    void aCompletionThatIsRepeatedGetsTheSameAnswerForAnHour() {
        UploadName upload = begin("films", "a");
        PartSelection.Part one = put(upload, 1, 10);
        PartSelection.Part two = put(upload, 2, 10);
        Reply first = alice.run(completionOf(upload, one, two));
        assertThat(alice.run(completionOf(upload, one, two))).isEqualTo(first);
        alice.refused(MetadataError.NO_SUCH_UPLOAD, completionOf(upload, one));
        alice.done(new Command.CloseSession());
        User again = rig.user(BOB, 0);
        again.run(new Command.DeleteObject("films", "a", 0));
        assertThat(again.run(completionOf(upload, one, two))).isEqualTo(first);
        assertFailed(rig.ask(ALICE, new Query.FindObject("films", "a", 0)), MetadataError.NO_SUCH_OBJECT);
        again.refused(MetadataError.NO_SUCH_UPLOAD, new Command.AbortUpload(upload));
        rig.pass(again, Uploads.COMPLETION_MILLIS + 10_000);
        again.refused(MetadataError.NO_SUCH_UPLOAD, completionOf(upload, one, two));
    }

    @Test
    void aRefusedCompletionLeavesTheUpload() {
        UploadName upload = begin("films", "a");
        PartSelection.Part one = put(upload, 1, 10);
        alice.put("films", "a", 1);
        alice.refused(
                MetadataError.CONDITION_FAILED,
                new Command.CompleteUpload(
                        upload, PartSelection.of(List.of(one)), Condition.IF_ABSENT, ObjectAttributes.NONE));
        assertThat(alice.run(completionOf(upload, one))).isInstanceOf(Reply.ObjectStored.class);
    }

    @Test
    void anUploadOutlivesItsSessionAndKeepsItsBucket() {
        UploadName upload = begin("films", "a");
        PartSelection.Part one = put(upload, 1, 10);
        PartSelection.Part two = put(upload, 2, 10);
        alice.done(new Command.CloseSession());
        User bob = rig.user(BOB, rig.volume);
        rig.pass(bob, 2 * SessionTable.TTL_MILLIS);
        assertThat(referenced()).containsExactly(one.id(), two.id());
        bob.refused(MetadataError.BUCKET_NOT_EMPTY, new Command.DeleteBucket("films"));
        assertThat(bob.run(completionOf(upload, one, two))).isInstanceOf(Reply.ObjectStored.class);
        bob.run(new Command.DeleteObject("films", "a", 0));
        bob.done(new Command.DeleteBucket("films"));
    }

    @PlantedBug(
            in = Uploads.class,
            rule = "the parts of an aborted upload are freed",
            replace = "if (!kept.contains(entry.key().number())) {",
            with = "if (!kept.isEmpty() && !kept.contains(entry.key().number())) {")
    @Test
    void anAbortedUploadIsGoneWithItsParts() {
        UploadName upload = begin("films", "a");
        PartSelection.Part part = put(upload, 1, 10);
        alice.done(new Command.AbortUpload(upload));
        assertThat(bytesOf("films")).isZero();
        alice.refused(MetadataError.NO_SUCH_UPLOAD, new Command.AbortUpload(upload));
        alice.refused(MetadataError.NO_SUCH_UPLOAD, completionOf(upload, part));
        assertFailed(rig.ask(ALICE, new Query.FindUpload(upload)), MetadataError.NO_SUCH_UPLOAD);
        ObjectLayout unused = alice.layout(10);
        alice.refused(MetadataError.NO_SUCH_UPLOAD, putOf(upload, 2, unused));
        assertThat(alice.run(alice.putOf("films", "b", Condition.NONE, unused)))
                .as("the ranges of a refused part are the submitter's")
                .isInstanceOf(Reply.ObjectStored.class);
        rig.pass(alice, Inodes.GRACE_MILLIS + 10_000);
        assertThat(referenced()).doesNotContain(part.id());
        alice.run(new Command.DeleteObject("films", "b", 0));
        alice.done(new Command.DeleteBucket("films"));
    }

    @Test
    void aPartIsStoredAsAnObjectIs() {
        UploadName upload = begin("films", "a");
        User bob = rig.user(BOB, rig.volume);
        alice.refused(MetadataError.WRONG_SESSION, putOf(upload, 1, bob.layout(10)));
        alice.refused(
                MetadataError.STALE_EPOCH,
                new Command.PutPart(
                        upload, 1, alice.layout(10), ObjectAttributes.NONE, List.of(new EpochClaim(5, 2)), List.of()));
        Reply.PendingRegistered pending =
                (Reply.PendingRegistered) alice.run(new Command.RegisterPending(List.of(alice.range(500, 4))));
        Reply stored = alice.run(new Command.PutPart(
                upload,
                1,
                alice.layout(2 * BLOCK, List.of(alice.range(500, 2))),
                ObjectAttributes.NONE,
                EpochClaim.of(rig.mainVolume()),
                List.of(pending.pending())));
        assertThat(stored).isInstanceOf(Reply.PartStored.class);
        assertThat(volumeBytes()).isEqualTo(2 * BLOCK);
    }

    @Test
    void partsCountForTheQuotaOfTheBucket() {
        alice.done(new Command.CreateBucket("small", "main", Versioning.LATEST_ONLY, 1000));
        UploadName upload = begin("small", "a");
        PartSelection.Part first = put(upload, 1, 600);
        alice.refused(MetadataError.QUOTA_EXCEEDED, putOf(upload, 2, alice.layout(500)));
        alice.refused(MetadataError.QUOTA_EXCEEDED, alice.putOf("small", "b", Condition.NONE, alice.layout(500)));
        PartSelection.Part again = put(upload, 1, 900);
        assertThat(again).isNotEqualTo(first);
        alice.run(completionOf(upload, again));
        assertThat(bytesOf("small")).isEqualTo(900);
        UploadName next = begin("small", "a");
        alice.refused(MetadataError.QUOTA_EXCEEDED, putOf(next, 1, alice.layout(101)));
        put(next, 1, 100);
        alice.done(new Command.AbortUpload(next));
        assertThat(bytesOf("small")).isEqualTo(900);
    }

    @Test
    void sizesNearTheLimitsAreCountedRight() {
        UploadName upload = begin("films", "fifty");
        PartSelection.Part[] parts = new PartSelection.Part[10];
        for (int number = 1; number <= parts.length; number++) {
            parts[number - 1] = put(upload, number, 5 * TEBIBYTE);
        }
        alice.run(completionOf(upload, parts));
        assertThat(find("films", "fifty").inode().content().length()).isEqualTo(50 * TEBIBYTE);
        UploadName large = begin("diary", "large");
        PartSelection.Part one = put(large, 1, ObjectLayout.LENGTH_MAX);
        PartSelection.Part two = put(large, 2, 1);
        alice.refused(MetadataError.LIMIT_REACHED, completionOf(large, one, two));
        alice.run(completionOf(large, one));
        int copies = 1;
        Command copy = new Command.CopyObject("diary", "large", 0, "diary", "large", Condition.NONE);
        while (alice.run(copy) instanceof Reply.ObjectStored) {
            copies++;
        }
        assertThat(copies * (ObjectLayout.LENGTH_MAX / 1024)).isLessThanOrEqualTo(Volumes.BYTES_MAX / 1024);
        alice.refused(MetadataError.QUOTA_EXCEEDED, copy);
        assertThat(MetadataStateMachine.restore(rig.machine.snapshot()).digest())
                .isEqualTo(rig.machine.digest());
    }

    /** Takes a few seconds: each part is a command. */
    @Test
    void tenThousandPartsAreCompletedByOneCommand() {
        UploadName upload = begin("films", "a");
        List<PartSelection.Part> parts = new ArrayList<>();
        for (int number = 1; number <= PartSelection.NUMBER_MAX; number++) {
            parts.add(put(upload, number, 1));
        }
        Command complete =
                new Command.CompleteUpload(upload, PartSelection.of(parts), Condition.NONE, ObjectAttributes.NONE);
        Reply.ObjectStored stored = (Reply.ObjectStored) alice.run(complete);
        assertThat(find("films", "a").inode().content())
                .isEqualTo(new Composition(rig.volume, PartSelection.NUMBER_MAX, PartSelection.NUMBER_MAX));
        long known = 0;
        while (known < PartSelection.NUMBER_MAX) {
            Reply.SliceList page = (Reply.SliceList)
                    rig.ask(ALICE, new Query.FindSlices("films", "a", stored.version(), known, Query.PAGE_MAX));
            for (Reply.SliceEntry entry : page.slices()) {
                assertThat(entry.start()).isEqualTo(known);
                assertThat(entry.slice().inode())
                        .isEqualTo(parts.get((int) known).id());
                known++;
            }
        }
    }

    /** Every second number makes the longest list of runs. */
    @Test
    void theLongestSelectionFitsIntoASubmission() {
        List<PartSelection.Part> parts = new ArrayList<>();
        for (int number = 1; number <= PartSelection.NUMBER_MAX; number += 2) {
            parts.add(new PartSelection.Part(number, Long.MAX_VALUE - number));
        }
        Submission longest = new Submission.InSession(
                1,
                1,
                1,
                new Command.CompleteUpload(
                        new UploadName("b".repeat(63), "k".repeat(1024), Long.MAX_VALUE),
                        PartSelection.of(parts),
                        Condition.NONE,
                        wide(ObjectAttributes.ENTRIES_MAX, "p".repeat(100))));
        assertThat(longest.encoded().length()).isLessThan(Submission.BYTES_MAX);
        assertThat(Submission.decode(longest.encoded())).isEqualTo(longest);
    }

    @Test
    void uploadsAreListedByKeyAndThenById() {
        List<UploadName> all = new ArrayList<>();
        for (String key : List.of("b/1", "b/2", "b/2", "b/2", "b/20", "c", "a")) {
            all.add(begin("films", key));
        }
        begin("diary", "b/2");
        List<UploadName> listed = new ArrayList<>();
        String afterKey = "";
        long after = 0;
        boolean more = true;
        while (more) {
            Reply.UploadList page =
                    (Reply.UploadList) rig.ask(ALICE, new Query.ListUploads("films", "b/", afterKey, after, 2));
            page.uploads().forEach(entry -> listed.add(new UploadName("films", entry.key(), entry.upload())));
            more = page.more();
            afterKey = page.uploads().getLast().key();
            after = page.uploads().getLast().upload();
        }
        assertThat(listed).containsExactlyElementsOf(all.subList(0, 5));
        Reply.UploadList behind = (Reply.UploadList) rig.ask(ALICE, new Query.ListUploads("films", "", "b/2", 0, 9));
        assertThat(behind.uploads()).extracting(Reply.UploadEntry::key).containsExactly("b/20", "c");
        assertThat(behind.more()).isFalse();
        assertThat(((Reply.UploadList) rig.ask(ALICE, new Query.ListUploads("films", "d", "", 0, 9))).uploads())
                .isEmpty();
    }

    @Test
    void partsAreListedByNumber() {
        UploadName upload = begin(alice, "films", "a", ObjectAttributes.ofType("video/mp4"));
        for (int number : new int[] {5, 1, 10_000, 7}) {
            put(upload, number, number);
        }
        Reply.UploadEntry found = ((Reply.UploadFound) rig.ask(ALICE, new Query.FindUpload(upload))).upload();
        assertThat(found.parts()).isEqualTo(4);
        assertThat(found.bytes()).isEqualTo(10_013);
        assertThat(found.attributes().contentType()).isEqualTo("video/mp4");
        Reply.PartList page = (Reply.PartList) rig.ask(ALICE, new Query.ListParts(upload, 1, 2));
        assertThat(page.parts()).extracting(Reply.PartEntry::number).containsExactly(5, 7);
        assertThat(page.parts().getFirst().attributes().contentType()).isEqualTo("part 5");
        assertThat(page.more()).isTrue();
        Reply.PartList last = (Reply.PartList) rig.ask(ALICE, new Query.ListParts(upload, 7, 2));
        assertThat(last.parts()).extracting(Reply.PartEntry::length).containsExactly(10_000L);
        assertThat(last.more()).isFalse();
    }

    @Test
    void uploadsAreForThoseWhoWriteAndAreShownToThoseWhoRead() {
        UploadName upload = begin("films", "a");
        PartSelection.Part part = put(upload, 1, 10);
        User reader = rig.user(READER, 0);
        reader.refused(
                MetadataError.NOT_AUTHORISED,
                new Command.BeginUpload("films", "a", ObjectAttributes.NONE, ObjectLock.NONE));
        reader.refused(MetadataError.NOT_AUTHORISED, completionOf(upload, part));
        reader.refused(MetadataError.NOT_AUTHORISED, new Command.AbortUpload(upload));
        reader.refused(MetadataError.NOT_AUTHORISED, putOf(upload, 1, reader.layout(0)));
        assertThat(rig.ask(READER, new Query.ListParts(upload, 0, 9))).isInstanceOf(Reply.PartList.class);
        assertFailed(rig.ask(STRANGER, new Query.ListParts(upload, 0, 9)), MetadataError.NOT_AUTHORISED);
        assertFailed(rig.ask(STRANGER, new Query.FindUpload(upload)), MetadataError.NOT_AUTHORISED);
    }

    @Test
    void nothingIsLeftOfAnUploadOnceItsObjectIsDeleted() {
        // The session of the fixture expires.
        rig.pass(alice, SessionTable.TTL_MILLIS + 10_000);
        long start = rig.machine.weight().bytes();
        UploadName upload = begin(alice, "films", "a", ObjectAttributes.ofType("video/mp4"));
        PartSelection.Part one = put(upload, 1, 10);
        put(upload, 2, 700);
        put(upload, 2, 20);
        put(upload, 3, 20);
        PartSelection.Part two = put(upload, 2, 30);
        UploadName aborted = begin("films", "b");
        put(aborted, 1, 10);
        alice.done(new Command.AbortUpload(aborted));
        alice.run(completionOf(upload, one, two));
        alice.run(new Command.DeleteObject("films", "a", 0));
        User bob = rig.user(BOB, 0);
        alice.done(new Command.CloseSession());
        rig.pass(bob, Uploads.COMPLETION_MILLIS + 2 * Inodes.GRACE_MILLIS + 10_000);
        bob.done(new Command.CloseSession());
        User carol = rig.user(ALICE, rig.volume);
        carol.run(new Command.RenewSession());
        assertThat(rig.machine.weight().bytes()).isEqualTo(start);
        assertThat(volumeBytes()).isZero();
    }

    @Test
    void theObjectHasTheLockThatItsUploadBeganWith() {
        ObjectLock lock = new ObjectLock(new Retention(Retention.Mode.GOVERNANCE, rig.nowMillis + 3_600_000), true);
        alice.refused(
                MetadataError.BAD_BUCKET_STATE, new Command.BeginUpload("films", "a", ObjectAttributes.NONE, lock));
        alice.done(new Command.CreateBucket("vault", "main", Versioning.KEEP_ALL, 0, true));
        for (long passedMillis : new long[] {0, 7_200_000}) {
            Reply.UploadBegun begun = (Reply.UploadBegun)
                    alice.run(new Command.BeginUpload("vault", "a" + passedMillis, ObjectAttributes.NONE, lock));
            UploadName upload = new UploadName("vault", "a" + passedMillis, begun.upload());
            assertThat(((Reply.UploadFound) rig.ask(ALICE, new Query.FindUpload(upload)))
                            .upload()
                            .lock())
                    .isEqualTo(lock);
            PartSelection.Part part = put(upload, 1, 5);
            rig.pass(alice, passedMillis);
            Reply.ObjectStored stored = (Reply.ObjectStored) alice.run(completionOf(upload, part));
            assertThat(stored.lock())
                    .as("a retention that has ended meanwhile is none")
                    .isEqualTo(passedMillis == 0 ? lock : new ObjectLock(Retention.NONE, true));
        }
    }
}

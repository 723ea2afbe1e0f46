package io.bulwark.protocol.metadata;

import static io.bulwark.protocol.metadata.MetadataFixture.ALICE;
import static io.bulwark.protocol.metadata.MetadataFixture.READER;
import static io.bulwark.protocol.metadata.MetadataFixture.STRANGER;
import static io.bulwark.protocol.metadata.MetadataFixture.assertFailed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.protocol.metadata.MetadataFixture.User;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.object.Composition;
import io.bulwark.protocol.object.ObjectAttributes;
import io.bulwark.protocol.object.ObjectContent;
import io.bulwark.protocol.object.ObjectLayout;
import io.bulwark.protocol.object.ObjectLock;
import io.bulwark.protocol.object.Slice;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

@NullMarked
class CompositionTest {
    private final MetadataFixture rig = MetadataFixture.ready();
    private final User alice = rig.user(ALICE, rig.volume);
    private final long a = alice.put("films", "a", 100).inode();
    private final long b = alice.put("diary", "b", 50).inode();

    private static ObjectRange range(String bucket, String key, long offset, long length) {
        return new ObjectRange(bucket, key, 0, offset, length);
    }

    private static ObjectRange all(String bucket, String key) {
        return range(bucket, key, 0, ObjectRange.TO_END);
    }

    private static Command composition(String key, ObjectRange... slices) {
        return new Command.ComposeObject(
                "films", key, Condition.NONE, List.of(slices), ObjectAttributes.NONE, ObjectLock.NONE);
    }

    private Reply.ObjectStored compose(String key, ObjectRange... slices) {
        return (Reply.ObjectStored) alice.run(composition(key, slices));
    }

    private ObjectContent contentOf(String key) {
        return ((Reply.ObjectFound) rig.ask(ALICE, new Query.FindObject("films", key, 0)))
                .inode()
                .content();
    }

    private List<Slice> slices(Reply.ObjectStored of, String key, long offset) {
        Reply.SliceList list = (Reply.SliceList)
                rig.ask(ALICE, new Query.FindSlices("films", key, of.version(), offset, Query.PAGE_MAX));
        return list.slices().stream().map(Reply.SliceEntry::slice).toList();
    }

    private List<Long> referenced() {
        return rig.references().stream().map(Reply.Reference::inode).toList();
    }

    @Test
    void anObjectIsMadeOfSlicesOfOthers() {
        Reply.ObjectStored made = compose(
                "c", range("films", "a", 90, 10), all("diary", "b"), range("films", "a", 0, 0), all("films", "a"));
        assertThat(contentOf("c")).isEqualTo(new Composition(rig.volume, 160, 3));
        assertThat(slices(made, "c", 0))
                .containsExactly(new Slice(a, 90, 10), new Slice(b, 0, 50), new Slice(a, 0, 100));
        assertThat(slices(made, "c", 9)).hasSize(3);
        assertThat(slices(made, "c", 10)).startsWith(new Slice(b, 0, 50));
        assertThat(slices(made, "c", 59)).startsWith(new Slice(b, 0, 50));
        assertThat(slices(made, "c", 60)).containsExactly(new Slice(a, 0, 100));
        assertThat(slices(made, "c", 160)).isEmpty();
    }

    @Test
    void slicesThatFollowEachOtherAreOne() {
        Reply.ObjectStored made =
                compose("c", range("films", "a", 10, 20), range("films", "a", 30, 20), range("films", "a", 51, 1));
        assertThat(slices(made, "c", 0)).containsExactly(new Slice(a, 10, 40), new Slice(a, 51, 1));
        assertThat(compose("whole", range("films", "a", 0, 99), range("films", "a", 99, 1))
                        .inode())
                .as("all of an inode is that inode")
                .isEqualTo(a);
        compose("empty", range("films", "a", 100, 0));
        assertThat(contentOf("empty")).isEqualTo(new Composition(rig.volume, 0, 0));
    }

    @PlantedBug(
            in = Compositions.class,
            rule = "slices name inodes with extents of their own",
            replace = "case Composition ignored -> {",
            with = "case Composition c when length > 0 -> to.add(new Slice(inode.id(), offset, length));\n"
                    + "            case Composition ignored -> {")
    @Test
    void aSliceOfACompositionIsSlicesOfWhatItIsMadeOf() {
        compose("c", range("films", "a", 90, 10), all("diary", "b"));
        Reply.ObjectStored made = compose("d", range("films", "c", 5, 10), range("films", "c", 20, 1));
        assertThat(slices(made, "d", 0)).containsExactly(new Slice(a, 95, 5), new Slice(b, 0, 5), new Slice(b, 10, 1));
        assertThat(rig.references()).allMatch(reference -> reference.layout().isPresent());
        assertThat(referenced()).containsExactly(a, b);
    }

    @PlantedBug(
            in = Uploads.class,
            rule = "a slice is a link",
            replace = "content.slices().forEach(slice -> inodes.link(slice.inode()));\n            return",
            with = "return")
    @Test
    void whatIsSlicedIsFreedWithTheLastComposition() {
        compose("c", range("films", "a", 0, 10), all("diary", "b"));
        compose("d", range("films", "c", 5, 20));
        alice.run(new Command.CopyObject("films", "d", 0, "diary", "copy", Condition.NONE));
        alice.run(new Command.DeleteObject("films", "a", 0));
        alice.run(new Command.DeleteObject("films", "c", 0));
        alice.run(new Command.DeleteObject("films", "d", 0));
        rig.pass(alice, 3 * Inodes.GRACE_MILLIS);
        assertThat(referenced()).containsExactly(a, b);
        Reply.ObjectFound copy = (Reply.ObjectFound) rig.ask(ALICE, new Query.FindObject("diary", "copy", 0));
        alice.run(new Command.DeleteObject("diary", "copy", copy.version()));
        rig.pass(alice, Inodes.GRACE_MILLIS - 20_000);
        assertThat(referenced()).as("within the grace").containsExactly(a, b);
        rig.pass(alice, Inodes.GRACE_MILLIS + 40_000);
        assertThat(referenced()).containsExactly(b);
        assertThat(rig.ask(ALICE, new Query.FindInode(a, alice.range(0, 1).at(0))))
                .isEqualTo(Reply.InodeFound.GONE);
    }

    @Test
    void aWrongSliceIsRefused() {
        alice.refused(MetadataError.BAD_ARGUMENT, composition("c", range("films", "a", 0, 101)));
        alice.refused(MetadataError.BAD_ARGUMENT, composition("c", range("films", "a", 101, ObjectRange.TO_END)));
        alice.refused(MetadataError.BAD_ARGUMENT, composition("c", range("films", "a", Long.MAX_VALUE, 1)));
        alice.refused(MetadataError.NO_SUCH_OBJECT, composition("c", all("films", "a"), all("films", "none")));
        alice.refused(MetadataError.NO_SUCH_VERSION, composition("c", new ObjectRange("films", "a", 99, 0, 1)));
        alice.run(MetadataFixture.objectVolume("second"));
        alice.done(new Command.CreateBucket("far", "second", Versioning.LATEST_ONLY, 0));
        alice.run(alice.putOf(
                "far",
                "x",
                Condition.NONE,
                new ObjectLayout(
                        rig.map().volumes().getLast().id(),
                        MetadataFixture.BLOCK,
                        0,
                        List.of(),
                        MetadataFixture.filled(0, 0))));
        alice.refused(MetadataError.OTHER_VOLUME, composition("c", all("far", "x")));
        alice.refused(
                MetadataError.CONDITION_FAILED,
                new Command.ComposeObject(
                        "films",
                        "a",
                        Condition.IF_ABSENT,
                        List.of(all("diary", "b")),
                        ObjectAttributes.NONE,
                        ObjectLock.NONE));
        assertThatThrownBy(() -> composition("c")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new ObjectRange("films", "a", 0, -1, 1)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aSliceTakesTheRightToReadItsSource() {
        User reader = rig.user(READER, 0);
        alice.done(new Command.AddPrincipal(STRANGER, Samples.KEY));
        alice.done(new Command.SetGrant(STRANGER, new Scope.OfBucket("films"), new Rights(false, true, false)));
        reader.refused(MetadataError.NOT_AUTHORISED, composition("c", all("films", "a")));
        User writer = rig.user(STRANGER, 0);
        writer.refused(MetadataError.NOT_AUTHORISED, composition("c", all("films", "a")));
        alice.done(new Command.SetGrant(STRANGER, new Scope.OfBucket("diary"), new Rights(true, false, false)));
        writer.refused(MetadataError.NOT_AUTHORISED, composition("c", all("diary", "b"), all("films", "a")));
        Reply.ObjectStored made = (Reply.ObjectStored) writer.run(composition("c", all("diary", "b")));
        assertFailed(
                rig.ask(STRANGER, new Query.FindSlices("films", "c", made.version(), 0, 1)),
                MetadataError.NOT_AUTHORISED);
    }

    @Test
    void theReaderOfASliceLearnsNoOtherPinsOfItsSource() {
        alice.put("diary", "book", 3 * MetadataFixture.BLOCK);
        ObjectLayout book =
                (ObjectLayout) ((Reply.ObjectFound) rig.ask(ALICE, new Query.FindObject("diary", "book", 0)))
                        .inode()
                        .content();
        Reply.ObjectStored made = compose("c", range("diary", "book", MetadataFixture.BLOCK, 1), all("films", "a"));
        Reply.SliceList list =
                (Reply.SliceList) rig.ask(ALICE, new Query.FindSlices("films", "c", made.version(), 0, 1));
        ObjectLayout told = (ObjectLayout) list.slices().getFirst().content();
        int pin = ObjectLayout.PIN_BYTES;
        assertThat(told.pins().slice(pin, pin)).isEqualTo(book.pins().slice(pin, pin));
        assertThat(told.pins().slice(0, pin)).isEqualTo(MetadataFixture.filled(pin, 0));
        assertThat(told.pins().slice(2 * pin, pin)).isEqualTo(MetadataFixture.filled(pin, 0));
        assertThat(told.leadsTo(1)).isTrue();
        assertThat(told.leadsTo(0)).isFalse();
        assertThat(told.merged(book.reduced(0, MetadataFixture.BLOCK)).leadsTo(0))
                .isTrue();
    }

    @Test
    void theQuotaOfTheBucketCountsALinkAsAnother() {
        alice.done(new Command.CreateBucket("small", "main", Versioning.LATEST_ONLY, 120));
        Command compose = new Command.ComposeObject(
                "small", "c", Condition.NONE, List.of(all("films", "a")), ObjectAttributes.NONE, ObjectLock.NONE);
        assertThat(alice.run(compose)).isInstanceOf(Reply.ObjectStored.class);
        assertThat(alice.run(compose)).as("it replaces the first").isInstanceOf(Reply.ObjectStored.class);
        alice.refused(
                MetadataError.QUOTA_EXCEEDED,
                new Command.ComposeObject(
                        "small",
                        "d",
                        Condition.NONE,
                        List.of(all("diary", "b")),
                        ObjectAttributes.NONE,
                        ObjectLock.NONE));
    }

    /** Ten thousand slices are the most, and are freed a few at a time. */
    @Test
    void manySlicesAreBoundedAndFreedInSteps() {
        List<ObjectRange> thousand = new ArrayList<>();
        for (int slice = 0; slice < Command.SLICES_MAX; slice += 2) {
            thousand.add(range("films", "a", 0, 1));
            thousand.add(range("diary", "b", 0, 1));
        }
        compose("k", thousand.toArray(ObjectRange[]::new));
        compose("m", Collections.nCopies(10, all("films", "k")).toArray(ObjectRange[]::new));
        assertThat(contentOf("m")).isEqualTo(new Composition(rig.volume, 10_000, Composition.SLICES_MAX));
        alice.refused(MetadataError.LIMIT_REACHED, composition("n", all("films", "m"), all("films", "a")));
        long full = rig.machine.weight().bytes();
        for (String key : List.of("k", "m", "a")) {
            alice.run(new Command.DeleteObject("films", key, 0));
        }
        Reply.ObjectFound last = (Reply.ObjectFound) rig.ask(ALICE, new Query.FindObject("diary", "b", 0));
        alice.run(new Command.DeleteObject("diary", "b", last.version()));
        rig.pass(alice, Inodes.GRACE_MILLIS + 10_000);
        assertThat(referenced()).as("not all at once").containsExactly(a, b);
        rig.pass(alice, 3 * Inodes.GRACE_MILLIS + 11_000_000 / Inodes.DUE_PER_COMMAND * 10);
        assertThat(referenced()).isEmpty();
        assertThat(rig.machine.weight().bytes()).isLessThan(full - 11_000L * Weight.SLICE_BYTES);
    }

    @Test
    void aVolumeIsDeletedWithItsUnlinkedCompositions() {
        compose("c", range("films", "a", 0, 10), all("diary", "b"));
        for (String key : List.of("a", "c")) {
            alice.run(new Command.DeleteObject("films", key, 0));
        }
        Reply.ObjectFound last = (Reply.ObjectFound) rig.ask(ALICE, new Query.FindObject("diary", "b", 0));
        alice.run(new Command.DeleteObject("diary", "b", last.version()));
        alice.done(new Command.DeleteBucket("films"));
        alice.done(new Command.DeleteBucket("diary"));
        User other = rig.user(ALICE, 0);
        other.done(new Command.DeleteVolume("main"));
        assertThat(((Reply.Status) rig.ask(ALICE, new Query.GetStatus())).inodes())
                .isZero();
        assertThat(((Reply.Status) rig.ask(ALICE, new Query.GetStatus())).bytes())
                .isZero();
    }

    @Test
    void aPartMayBeSlicesOfOtherObjects() {
        compose("c", range("films", "a", 90, 10), all("diary", "b"));
        Reply.UploadBegun begun = (Reply.UploadBegun)
                alice.run(new Command.BeginUpload("films", "d", ObjectAttributes.NONE, ObjectLock.NONE));
        UploadName upload = new UploadName("films", "d", begun.upload());
        List<PartSelection.Part> parts = new ArrayList<>();
        for (ObjectRange slice : List.of(range("films", "c", 5, 10), all("diary", "b"), range("films", "a", 0, 1))) {
            Reply.PartStored stored = (Reply.PartStored)
                    alice.run(new Command.CopyPart(upload, parts.size() + 1, List.of(slice), ObjectAttributes.NONE));
            parts.add(new PartSelection.Part(parts.size() + 1, stored.inode()));
        }
        Reply.ObjectStored made = (Reply.ObjectStored) alice.run(
                new Command.CompleteUpload(upload, PartSelection.of(parts), Condition.NONE, ObjectAttributes.NONE));
        assertThat(slices(made, "d", 0))
                .containsExactly(new Slice(a, 95, 5), new Slice(b, 0, 5), new Slice(b, 0, 50), new Slice(a, 0, 1));
        for (String key : List.of("a", "c")) {
            alice.run(new Command.DeleteObject("films", key, 0));
        }
        rig.pass(alice, 4 * Inodes.GRACE_MILLIS);
        assertThat(referenced()).containsExactly(a, b);
        alice.run(new Command.DeleteObject("films", "d", 0));
        rig.pass(alice, 4 * Inodes.GRACE_MILLIS);
        assertThat(referenced())
                .as("the links of parts and slices are balanced")
                .containsExactly(b);
    }
}

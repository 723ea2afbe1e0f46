package io.bulwark.metadata.log;

import static io.bulwark.metadata.log.WriteAheadLogFiles.PROMISES;
import static io.bulwark.metadata.log.WriteAheadLogFiles.SUMMARY;
import static io.bulwark.metadata.log.WriteAheadLogFiles.commit;
import static io.bulwark.metadata.log.WriteAheadLogFiles.frameOf;
import static io.bulwark.metadata.log.WriteAheadLogFiles.frames;
import static io.bulwark.metadata.log.WriteAheadLogFiles.overwrite;
import static io.bulwark.metadata.log.WriteAheadLogFiles.prepare;
import static io.bulwark.metadata.log.WriteAheadLogFiles.promises;
import static io.bulwark.metadata.log.WriteAheadLogFiles.rot;
import static io.bulwark.metadata.log.WriteAheadLogFiles.scan;
import static io.bulwark.metadata.log.WriteAheadLogFiles.written;
import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.metadata.log.WriteAheadLogFiles.Frame;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.ordering.driver.LogRecord;
import io.bulwark.protocol.ordering.message.Batch;
import io.bulwark.protocol.ordering.message.Request;
import io.bulwark.protocol.wire.Bytes;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files of the log of promises that rot or are torn, at every byte and in both places (docs/ordering/checkpoints.md, damage). */
@NullMarked
class WriteAheadLogScanTest {
    @TempDir
    private Path temporary = Path.of("");

    private int directories;

    private Path directory() {
        return temporary.resolve("log-" + directories++);
    }

    @PlantedBug(
            in = FrameScan.class,
            rule = "a frame with a wrong checksum is damage",
            replace = "!= DiskFrame.checksum(frame.array())) { return 0; }",
            with = "!= DiskFrame.checksum(frame.array())) { at += 0; }")
    @Test
    void rotAtAnyByteTakesNoPromise() throws Exception {
        Path file = written(directory());
        byte[] whole = Files.readAllBytes(file);
        List<List<Frame>> places = frames(file);
        List<Frame> all =
                new ArrayList<>(List.of(new Frame(0, 48, 0), new Frame(WriteAheadLogSegment.PAGE_BYTES, 48, 0)));
        places.forEach(all::addAll);
        assertThat(promises(scan(file).records())).isEqualTo(PROMISES);
        for (Frame frame : all) {
            for (long at = frame.at(); at < frame.at() + frame.length(); at++) {
                overwrite(file, at, new byte[] {(byte) (whole[(int) at] ^ 1 << at % 8)});
                WriteAheadLogScan.Contents contents = scan(file);
                assertThat(contents.damage()).as("rot at %d", at).isEmpty();
                assertThat(promises(contents.records())).as("rot at %d", at).isEqualTo(PROMISES);
                overwrite(file, at, new byte[] {whole[(int) at]});
            }
        }
    }

    @Test
    void onePlaceIsEnoughWhateverBecomesOfTheOther() throws Exception {
        for (int place = 0; place < 2; place++) {
            Path file = written(directory());
            List<Frame> frames = frames(file).get(place);
            Frame last = frames.getLast();
            overwrite(
                    file,
                    frames.getFirst().at(),
                    new byte
                            [(int) (last.at()
                                    + last.length()
                                    - frames.getFirst().at())]);
            overwrite(file, 0, new byte[WriteAheadLogSegment.PAGE_BYTES]);
            WriteAheadLogScan.Contents contents = scan(file);
            assertThat(contents.damage()).isEmpty();
            assertThat(contents.mended()).isEqualTo(PROMISES.size());
            assertThat(promises(contents.records())).isEqualTo(PROMISES);
        }
    }

    @Test
    void aPageThatTheDiskDoesNotGiveBackIsRot() throws Exception {
        Path file = written(directory());
        for (List<Frame> place : frames(file)) {
            for (long lost : new long[] {0, 1, place.getFirst().at() / WriteAheadLogSegment.PAGE_BYTES}) {
                FailingDisk disk = new FailingDisk();
                disk.unreadable.add(lost);
                WriteAheadLogScan.Contents contents = WriteAheadLogScan.read(disk, file);
                assertThat(contents.damage()).isEmpty();
                assertThat(promises(contents.records())).isEqualTo(PROMISES);
            }
        }
    }

    @PlantedBug(
            in = WriteAheadLogScan.class,
            rule = "a synced record that is lost is damage, not a torn tail",
            replace = "if (next < synced) {",
            with = "if (false) {")
    @Test
    void whatWasSyncedAndIsLostInBothPlacesIsDamage() throws Exception {
        Path file = written(directory());
        byte[] whole = Files.readAllBytes(file);
        List<List<Frame>> places = frames(file);
        for (int ordinal = 0; ordinal < 4; ordinal++) {
            for (int within : new int[] {0, 9, 15, 22, 30, 40}) {
                for (List<Frame> place : places) {
                    rot(file, frameOf(place, ordinal).at() + within);
                }
                assertThat(scan(file).isDamaged())
                        .as("%d at %d", ordinal, within)
                        .isTrue();
                Files.write(file, whole);
            }
        }
        rot(file, 30);
        rot(file, WriteAheadLogSegment.PAGE_BYTES + 5);
        assertThat(scan(file).isDamaged()).as("both headers").isTrue();
    }

    /** After a power cut, any part of the writes since the last sync may be on disk, in any order. */
    @PlantedBug(
            in = WriteAheadLogSegment.class,
            rule = "a promise counts as synced only after the sync",
            replace = "ByteBuffer frame = DiskFrame.of(mark, promises++, synced, encoded.get(i));",
            with = "ByteBuffer frame = DiskFrame.of(mark, promises, ++promises, encoded.get(i));")
    @Test
    void anythingMissingInTheLastGroupIsATornTail() throws Exception {
        Path file = written(directory());
        byte[] whole = Files.readAllBytes(file);
        List<Frame> group = new ArrayList<>();
        for (List<Frame> place : frames(file)) {
            group.addAll(place.subList(place.indexOf(frameOf(place, 4)), place.size()));
        }
        for (int missing = 0; missing < 1 << group.size(); missing++) {
            for (int i = 0; i < group.size(); i++) {
                if ((missing >> i & 1) != 0) {
                    overwrite(file, group.get(i).at(), new byte[group.get(i).length()]);
                }
            }
            WriteAheadLogScan.Contents contents = scan(file);
            assertThat(contents.damage()).isEmpty();
            List<LogRecord> found = promises(contents.records());
            assertThat(found).isEqualTo(PROMISES.subList(0, found.size()));
            assertThat(found).hasSizeGreaterThanOrEqualTo(4);
            Files.write(file, whole);
        }
    }

    @Test
    void tailsTornAtAnyByteInBothPlacesAreCut() throws Exception {
        Path file = written(directory());
        byte[] whole = Files.readAllBytes(file);
        List<List<Frame>> places = frames(file);
        long[] from = new long[2];
        long[] to = new long[2];
        for (int place = 0; place < 2; place++) {
            List<Frame> frames = places.get(place);
            from[place] = frameOf(frames, 4).at();
            to[place] = frames.getLast().at() + frames.getLast().length();
        }
        long longest = Math.max(to[0] - from[0], to[1] - from[1]);
        for (long kept = 0; kept < longest; kept++) {
            for (int place = 0; place < 2; place++) {
                long at = Math.min(from[place] + kept, to[place]);
                overwrite(file, at, new byte[(int) (to[place] - at)]);
            }
            WriteAheadLogScan.Contents contents = scan(file);
            assertThat(contents.damage()).as("torn at %d", kept).isEmpty();
            List<LogRecord> found = promises(contents.records());
            assertThat(found).isEqualTo(PROMISES.subList(0, found.size()));
            assertThat(found).hasSizeGreaterThanOrEqualTo(4);
            Files.write(file, whole);
        }
    }

    /** The frame of another log is right but for the mark, which no client knows. */
    @Test
    void whatAClientPutsIntoACommandIsNoFrame() throws Exception {
        Path foreign = written(directory());
        Frame frame = frames(foreign).getLast().getLast();
        Bytes planted = Bytes.of(Files.readAllBytes(foreign), (int) frame.at(), frame.length());
        Request request = new Request(PrincipalId.client(1), 1, false, planted);
        LogRecord.Bodies body = new LogRecord.Bodies(new Batch(1, List.of(request.id())), List.of(request));
        Path file = Files.createDirectories(directory()).resolve("promises");
        WriteAheadLogSegment segment =
                WriteAheadLogSegment.create(FileChannel::open, file, 0, 7, List.of(SUMMARY), 4096, 4096);
        assertThat(segment.append(List.of(body, prepare(1)))).isTrue();
        segment.force();
        segment.close();
        for (List<Frame> place : frames(file)) {
            Frame first = place.get(1);
            overwrite(file, first.at(), new byte[DiskFrame.HEAD_BYTES]);
        }
        WriteAheadLogScan.Contents contents = scan(file);
        assertThat(contents.damage()).isEmpty();
        assertThat(contents.records()).contains(SUMMARY).doesNotContain(commit(2));
    }
}

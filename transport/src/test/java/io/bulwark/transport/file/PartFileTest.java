package io.bulwark.transport.file;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of files that are written in several attempts. */
@NullMarked
class PartFileTest {
    private static final int CHECKPOINT = 4;

    @TempDir
    private Path directory = Path.of("");

    private Path target = Path.of("");

    @BeforeEach
    void place() {
        target = directory.resolve("target");
    }

    private PartFile open(String identity) throws IOException {
        return PartFile.open(target, identity, false, CHECKPOINT);
    }

    private void begin(String text) throws IOException {
        try (PartFile part = open("one")) {
            part.stream().write(text.getBytes(UTF_8));
        }
    }

    private long left() throws IOException {
        try (Stream<Path> all = Files.list(directory)) {
            return all.filter(path -> PartFile.isPart(path.getFileName().toString()))
                    .count();
        }
    }

    @Test
    void itContinuesBehindTheBytesThatItHas() throws IOException {
        begin("first,");
        assertThat(target).doesNotExist();
        try (PartFile part = open("one")) {
            assertThat(part.position()).isEqualTo(6);
            part.stream().write("second".getBytes(UTF_8));
            part.finish(TargetAttributes.NONE);
        }
        assertThat(target).hasContent("first,second");
        assertThat(left()).isZero();
    }

    @Test
    void anotherSourceBeginsAgain() throws IOException {
        begin("first,");
        try (PartFile part = open("two")) {
            assertThat(part.position()).isZero();
            part.stream().write("other".getBytes(UTF_8));
            part.finish(TargetAttributes.NONE);
        }
        assertThat(target).hasContent("other");
    }

    @Test
    void bytesThatAreNotWhatWasWrittenBeginAgain() throws IOException {
        begin("first,");
        Path part = PartFile.partOf(target);
        Files.writeString(part, "fIrst,");
        try (PartFile again = open("one")) {
            assertThat(again.position()).isZero();
        }
        begin("first,");
        Files.writeString(part, "fir");
        try (PartFile again = open("one")) {
            assertThat(again.position()).as("a part that lost its end").isZero();
        }
        begin("first,");
        Files.writeString(PartFile.stateOf(part), "source=x\nbytes=6\n");
        try (PartFile again = open("one")) {
            assertThat(again.position()).as("a state that is none").isZero();
        }
    }

    @Test
    void bytesBehindTheLastStateAreWrittenAgain() throws IOException {
        begin("first,");
        Files.writeString(PartFile.partOf(target), "\0\0\0", StandardOpenOption.APPEND);
        try (PartFile part = open("one")) {
            assertThat(part.position()).isEqualTo(6);
            part.stream().write("second".getBytes(UTF_8));
            part.finish(TargetAttributes.NONE);
        }
        assertThat(target).hasContent("first,second");
    }

    @Test
    void whatIsTooLittleToContinueIsDeleted() throws IOException {
        begin("abc");
        assertThat(left()).isZero();
    }

    @Test
    void twoWritersDoNotMixTheirBytes() throws IOException {
        try (PartFile part = open("one")) {
            assertThatThrownBy(() -> open("one"))
                    .isInstanceOf(FileSystemException.class)
                    .hasMessageContaining("another process");
            part.stream().write("content".getBytes(UTF_8));
            part.finish(TargetAttributes.NONE);
        }
        assertThat(target).hasContent("content");
    }

    @Test
    void attributesAreSetBeforeTheNameIs() throws IOException {
        FileTime time = FileTime.fromMillis(1_600_000_000_000L);
        try (PartFile part = PartFile.open(target, "one", true, CHECKPOINT)) {
            part.stream().write("content".getBytes(UTF_8));
            assertThat(Files.getPosixFilePermissions(PartFile.partOf(target)))
                    .isEqualTo(PosixFilePermissions.fromString("rw-------"));
            part.finish(new TargetAttributes(time, PosixFilePermissions.fromString("r--r-----")));
        }
        assertThat(Files.getLastModifiedTime(target)).isEqualTo(time);
        assertThat(Files.getPosixFilePermissions(target)).isEqualTo(PosixFilePermissions.fromString("r--r-----"));
    }

    @Test
    void aReplacedFileKeepsItsMode() throws IOException {
        Files.writeString(target, "old");
        Files.setPosixFilePermissions(target, PosixFilePermissions.fromString("rwxr-x---"));
        try (PartFile part = open("one")) {
            part.stream().write("new content".getBytes(UTF_8));
            part.finish(TargetAttributes.NONE);
        }
        assertThat(target).hasContent("new content");
        assertThat(Files.getPosixFilePermissions(target)).isEqualTo(PosixFilePermissions.fromString("rwxr-x---"));
    }

    @Test
    void aLinkInThePlaceOfThePartIsNotFollowed() throws IOException {
        Path victim = Files.writeString(directory.resolve("victim"), "victim");
        Files.createSymbolicLink(PartFile.partOf(target), victim);
        assertThatThrownBy(() -> open("one")).isInstanceOf(FileSystemException.class);
        assertThat(victim).hasContent("victim");
    }

    @Test
    void onlyRegularFilesHaveAPlaceForAPart() throws IOException {
        Path link = Files.createSymbolicLink(directory.resolve("link"), Path.of("target"));
        assertThat(PartFile.placeOf(link)).contains(target);
        assertThat(PartFile.placeOf(directory)).isEmpty();
        assertThat(PartFile.placeOf(Path.of("/dev/stdout"))).isEmpty();
        assertThat(PartFile.placeOf(Path.of("/dev/null"))).isEmpty();
    }
}

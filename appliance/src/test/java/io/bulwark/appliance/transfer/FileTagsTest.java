package io.bulwark.appliance.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.client.ObjectInfo;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FileTagsTest {
    private static FileTags of(Map<String, String> tags) {
        return FileTags.of(
                new ObjectInfo("bucket", "key", 1, 1, Instant.EPOCH, "", new TreeMap<>(tags), List.of()));
    }

    @ParameterizedTest
    @CsvSource({
        "1700000000, 123456789, 1700000000.123456789",
        "0, 0, 0.000000000",
        "0, 1, 0.000000001",
        "-1, 500000000, -0.500000000",
        "-2, 999999999, -1.000000001"
    })
    void timesKeepTheirNanoseconds(long seconds, long nanos, String text) {
        Instant time = Instant.ofEpochSecond(seconds, nanos);
        FileTags tags = new FileTags(time, time, 0640, "");
        assertThat(tags.toMap())
                .containsEntry(FileTags.MODIFIED, text)
                .containsEntry(FileTags.CHANGED, text)
                .containsEntry(FileTags.MODE, "0640");
        assertThat(of(tags.toMap())).isEqualTo(tags);
    }

    @Test
    void aFileIsReadWithAllDigits(@TempDir Path directory) throws IOException {
        Path file = Files.writeString(directory.resolve("file"), "content");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("r-x-wx--x"));
        Instant time = Instant.ofEpochSecond(1_600_000_000, 123_456_789);
        Files.setLastModifiedTime(file, FileTime.from(time));
        FileTags tags = FileTags.of(file);
        assertThat(tags.modified()).isEqualTo(time);
        assertThat(tags.mode()).isEqualTo(0531);
        assertThat(tags.changed()).isAfter(time);
        assertThat(tags.permissions()).contains(PosixFilePermissions.fromString("r-x-wx--x"));
    }

    @Test
    void malformedTagsOfOthersAreNotKnown() {
        for (String bad : List.of("", "x", "1e9", "1.1234567890", "99999999999999999999", "NaN", "1.", "--1", "0x1")) {
            FileTags tags = of(Map.of("mtime", bad, "ctime", bad, "mode", bad + "z", "sha256", bad));
            assertThat(tags).as(bad).isEqualTo(new FileTags(null, null, -1, ""));
        }
        assertThat(of(Map.of("mode", "0104755")).mode()).as("no set-user-id bit").isEqualTo(0755);
        assertThat(of(Map.of("mode", "77777777")).mode()).isEqualTo(-1);
    }

    @Test
    void theDigestOfAnEncryptedObjectIsNotUsed() {
        Map<String, String> tags = Map.of("sha256", "a".repeat(64), "bulwark-encryption", "x");
        ObjectInfo object =
                new ObjectInfo("bucket", "key", 1, 1, Instant.EPOCH, "", new TreeMap<>(tags), List.of());
        assertThat(object.encrypted()).isTrue();
        assertThat(FileTags.of(object).sha256()).isEmpty();
    }

    @Test
    void aCoarserClockYieldsTheSameTime() {
        Instant kept = Instant.ofEpochSecond(1001, 123_456_789);
        assertThat(FileTags.isSameTime(kept, kept)).isTrue();
        assertThat(FileTags.isSameTime(Instant.ofEpochSecond(1001, 123_456_700), kept)).isTrue();
        assertThat(FileTags.isSameTime(Instant.ofEpochSecond(1001, 123_456_000), kept)).isTrue();
        assertThat(FileTags.isSameTime(Instant.ofEpochSecond(1001), kept)).isTrue();
        assertThat(FileTags.isSameTime(Instant.ofEpochSecond(1000), kept)).isTrue();
        assertThat(FileTags.isSameTime(Instant.ofEpochSecond(1002), kept)).isFalse();
        assertThat(FileTags.isSameTime(Instant.ofEpochSecond(1001, 123_456_788), kept)).isFalse();
        assertThat(FileTags.isSameTime(null, kept)).isFalse();
        assertThat(FileTags.isSameTime(kept, null)).isFalse();
    }

    @Test
    void aFileThatHasJustChangedIsYoung() {
        Instant changed = Instant.ofEpochSecond(1000, 1);
        FileTags tags = new FileTags(changed, changed, 0644, "");
        assertThat(tags.isYoungAt(changed.plusMillis(1))).isTrue();
        assertThat(tags.isYoungAt(changed.plusMillis(20))).isFalse();
        FileTags coarse = new FileTags(changed, Instant.ofEpochSecond(1000), 0644, "");
        assertThat(coarse.isYoungAt(Instant.ofEpochSecond(1001))).isTrue();
        assertThat(coarse.isYoungAt(Instant.ofEpochSecond(1002))).isFalse();
    }
}

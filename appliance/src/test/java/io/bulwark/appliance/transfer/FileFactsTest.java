package io.bulwark.appliance.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.client.ObjectInfo;
import io.bulwark.client.encryption.ObjectEncryption;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FileFactsTest {
    private static FileFacts of(Map<String, String> tags) {
        return FileFacts.of(new ObjectInfo("bucket", "key", 1, 1, Instant.EPOCH, MemoryBucket.state(tags), List.of()));
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
        FileFacts facts = new FileFacts(time, time, 0640, "");
        assertThat(facts.toMap())
                .containsEntry(FileFacts.MODIFIED, text)
                .containsEntry(FileFacts.CHANGED, text)
                .containsEntry(FileFacts.MODE, "0640");
        assertThat(of(facts.toMap())).isEqualTo(facts);
    }

    @Test
    void aFileIsReadWithAllDigits(@TempDir Path directory) throws IOException {
        Path file = Files.writeString(directory.resolve("file"), "content");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("r-x-wx--x"));
        Instant time = Instant.ofEpochSecond(1_600_000_000, 123_456_789);
        Files.setLastModifiedTime(file, FileTime.from(time));
        FileFacts facts = FileFacts.of(file);
        assertThat(facts.modified()).isEqualTo(time);
        assertThat(facts.mode()).isEqualTo(0531);
        assertThat(facts.changed()).isAfter(time);
        assertThat(facts.permissions()).contains(PosixFilePermissions.fromString("r-x-wx--x"));
    }

    @Test
    void malformedFactsOfOthersAreNotKnown() {
        for (String bad : List.of("", "x", "1e9", "1.1234567890", "99999999999999999999", "NaN", "1.", "--1", "0x1")) {
            FileFacts facts = of(Map.of(
                    FileFacts.MODIFIED, bad, FileFacts.CHANGED, bad, FileFacts.MODE, bad + "z", FileFacts.SHA256, bad));
            assertThat(facts).as(bad).isEqualTo(new FileFacts(null, null, -1, ""));
        }
        assertThat(of(Map.of(FileFacts.MODE, "0104755")).mode())
                .as("no set-user-id bit")
                .isEqualTo(0755);
        assertThat(of(Map.of(FileFacts.MODE, "77777777")).mode()).isEqualTo(-1);
        assertThat(of(Map.of(FileFacts.MODE, "33261")).mode())
                .as("a decimal number, as s3fs writes it")
                .isEqualTo(-1);
    }

    @Test
    void theDigestOfAnEncryptedObjectIsNotUsed() {
        Map<String, String> tags = Map.of(FileFacts.SHA256, "a".repeat(64), ObjectEncryption.PROPERTY, "x");
        ObjectInfo object = new ObjectInfo("bucket", "key", 1, 1, Instant.EPOCH, MemoryBucket.state(tags), List.of());
        assertThat(object.encrypted()).isTrue();
        assertThat(FileFacts.of(object).sha256()).isEmpty();
    }

    @Test
    void aCoarserClockYieldsTheSameTime() {
        Instant kept = Instant.ofEpochSecond(1001, 123_456_789);
        assertThat(FileFacts.isSameTime(kept, kept)).isTrue();
        assertThat(FileFacts.isSameTime(Instant.ofEpochSecond(1001, 123_456_700), kept))
                .isTrue();
        assertThat(FileFacts.isSameTime(Instant.ofEpochSecond(1001, 123_456_000), kept))
                .isTrue();
        assertThat(FileFacts.isSameTime(Instant.ofEpochSecond(1001), kept)).isTrue();
        assertThat(FileFacts.isSameTime(Instant.ofEpochSecond(1000), kept)).isTrue();
        assertThat(FileFacts.isSameTime(Instant.ofEpochSecond(1002), kept)).isFalse();
        assertThat(FileFacts.isSameTime(Instant.ofEpochSecond(1001, 123_456_788), kept))
                .isFalse();
        assertThat(FileFacts.isSameTime(null, kept)).isFalse();
        assertThat(FileFacts.isSameTime(kept, null)).isFalse();
    }

    @Test
    void aFileThatHasJustChangedIsYoung() {
        Instant changed = Instant.ofEpochSecond(1000, 1);
        FileFacts facts = new FileFacts(changed, changed, 0644, "");
        assertThat(facts.isYoungAt(changed.plusMillis(1))).isTrue();
        assertThat(facts.isYoungAt(changed.plusMillis(20))).isFalse();
        FileFacts coarse = new FileFacts(changed, Instant.ofEpochSecond(1000), 0644, "");
        assertThat(coarse.isYoungAt(Instant.ofEpochSecond(1001))).isTrue();
        assertThat(coarse.isYoungAt(Instant.ofEpochSecond(1002))).isFalse();
    }
}

package io.bulwark.appliance.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.client.GetOptions;
import io.bulwark.client.PartId;
import io.bulwark.client.PutOptions;
import io.bulwark.client.error.UnavailableException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Random;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of large files that go into a bucket in several attempts. They need 65 MiB each, as smaller files have no parts. */
@NullMarked
class ResumableUploadTest {
    private static final int BYTES = (int) ResumableUpload.RESUMABLE_BYTES + 12_345;
    private static final long PART_BYTES = 32L << 20;

    private final MemoryBucket memory = new MemoryBucket("bucket");

    @TempDir
    private Path directory = Path.of("");

    private Path file = Path.of("");

    @BeforeEach
    void make() throws IOException {
        byte[] content = new byte[BYTES];
        new Random(3).nextBytes(content);
        file = Files.write(directory.resolve("large"), content);
        memory.uploads().refuse(3);
        assertThatThrownBy(this::put).isInstanceOf(UnavailableException.class);
        assertThat(memory.uploads().bytesPut()).isEqualTo(2 * PART_BYTES);
        memory.uploads().refuse(0);
    }

    private void put() throws IOException {
        new FileUpload(memory.bucket(), RateLimit.NONE).put(file, "large", PutOptions.DEFAULT, TransferListener.NONE);
    }

    private void assertStored() throws Exception {
        MessageDigest digest = MessageDigest.getInstance("SHA-256");
        memory.bucket()
                .readTo("large", new DigestOutputStream(OutputStream.nullOutputStream(), digest), GetOptions.DEFAULT);
        assertThat(HexFormat.of().formatHex(digest.digest())).isEqualTo(ContentDigest.of(file));
        assertThat(new FileComparison(
                                memory.bucket(), TransferSettings.ofParallel(1).withChecksum(true))
                        .isStored(TreeFile.of(file, "large"), memory.info("large")))
                .isTrue();
        assertThat(memory.uploads().size()).as("uploads that are left").isZero();
    }

    @Test
    void aBrokenUploadGoesOnWhereItWas() throws Exception {
        put();
        assertThat(memory.uploads().bytesPut()).isEqualTo(BYTES);
        assertStored();
    }

    @Test
    void aChangedFileIsPutFromItsBeginning() throws Exception {
        FileTime time = Files.getLastModifiedTime(file);
        byte[] content = Files.readAllBytes(file);
        content[0]++;
        Files.write(file, content);
        Files.setLastModifiedTime(file, time);
        put();
        assertThat(memory.uploads().bytesPut()).isEqualTo(2 * PART_BYTES + BYTES);
        assertThat(memory.uploads().size()).as("the other upload stays").isEqualTo(1);
        memory.uploads().list("", "", 0, 1).uploads().forEach(memory.uploads()::abort);
        assertStored();
    }

    @Test
    void partsAreAsLongAsTheirNumberAllows() {
        for (long bytes : new long[] {1, PART_BYTES, 1L << 40, Long.MAX_VALUE / 2}) {
            long part = ResumableUpload.partBytes(bytes);
            assertThat(part).isGreaterThanOrEqualTo(PART_BYTES);
            assertThat(Math.ceilDiv(bytes, part)).isLessThanOrEqualTo(PartId.NUMBER_MAX);
        }
    }
}

package io.bulwark.gateway.s3.upload;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.gateway.s3.body.ChecksumAlgorithm;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import java.util.zip.Checksum;
import org.junit.jupiter.api.Test;

class CombinedCrcTest {
    private static final long SEED = Long.getLong("bulwark.seed", System.nanoTime());

    private static byte[] check(Checksum checksum, byte[] bytes, int from, int to) {
        checksum.reset();
        checksum.update(bytes, from, to - from);
        return ByteBuffer.allocate(4).putInt((int) checksum.getValue()).array();
    }

    private static void compare(ChecksumAlgorithm algorithm, Checksum checksum) {
        Random random = new Random(SEED);
        byte[] all = new byte[100_000];
        random.nextBytes(all);
        CombinedCrc combined = CombinedCrc.of(algorithm).orElseThrow();
        int at = 0;
        while (at < all.length) {
            int end = Math.min(all.length, at + random.nextInt(30_000));
            combined.append(check(checksum, all, at, end), end - at);
            at = end;
        }
        assertThat(combined.toBytes()).as("seed " + SEED).isEqualTo(check(checksum, all, 0, all.length));
    }

    @Test
    void checksOfPartsGiveThatOfTheWhole() {
        compare(ChecksumAlgorithm.CRC32, new CRC32());
        compare(ChecksumAlgorithm.CRC32C, new CRC32C());
    }

    @Test
    void wideChecksGiveThatOfTheWhole() {
        // CRC64NVME of "123456789" is AE8B14860A799888; those of its halves come from the same definition.
        byte[] text = {'1', '2', '3', '4', '5', '6', '7', '8', '9'};
        CombinedCrc combined = CombinedCrc.of(ChecksumAlgorithm.CRC64NVME).orElseThrow();
        combined.append(ByteBuffer.allocate(8).putLong(crc64(text, 0, 4)).array(), 4);
        combined.append(ByteBuffer.allocate(8).putLong(crc64(text, 4, 9)).array(), 5);
        assertThat(ByteBuffer.wrap(combined.toBytes()).getLong()).isEqualTo(0xAE8B14860A799888L);
    }

    /** Bit by bit, as the definition says. */
    private static long crc64(byte[] bytes, int from, int to) {
        long crc = -1;
        for (int i = from; i < to; i++) {
            crc ^= bytes[i] & 0xFF;
            for (int bit = 0; bit < 8; bit++) {
                crc = (crc & 1) != 0 ? (crc >>> 1) ^ 0x9A6C9329AC4BC9B5L : crc >>> 1;
            }
        }
        return ~crc;
    }
}

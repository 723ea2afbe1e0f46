package io.bulwark.metadata.pages;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.CRC32C;

/**
 * Check of RocksDB's list of its files before RocksDB reads it. Some rotten bytes it takes for an earlier end, and then
 * removes files it does not know; over others it loops for ever. Blocks of 32 KiB hold records, {@code checksum i32,
 * length u16, type u8} little-endian and then content; less than a header at the end of a block is left empty.
 */
final class Manifest {
    private static final int BLOCK_BYTES = 32 << 10;
    private static final int HEADER_BYTES = 7;
    private static final int TYPES = 4;
    private static final int MASK_DELTA = 0xa282ead8;

    private Manifest() {}

    /**
     * Returns whether the current manifest exists and each of its bytes is correct; also true if there is no store yet.
     */
    static boolean isRight(Path directory) throws IOException {
        Path current = directory.resolve("CURRENT");
        if (!Files.exists(current)) {
            return !hasFiles(directory);
        }
        byte[] name = Files.readAllBytes(current);
        for (Path manifest : named(directory, "MANIFEST-[0-9]+")) {
            if ((manifest.getFileName() + "\n").equals(new String(name, StandardCharsets.ISO_8859_1))) {
                return isRight(Files.readAllBytes(manifest));
            }
        }
        return false;
    }

    /** RocksDB would take a directory without CURRENT for an empty one, and remove all that is there. */
    private static boolean hasFiles(Path directory) throws IOException {
        return Files.isDirectory(directory)
                && !named(directory, "(.*\\.(sst|blob|log)|MANIFEST-[0-9]+)").isEmpty();
    }

    private static List<Path> named(Path directory, String pattern) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(file -> file.getFileName().toString().matches(pattern))
                    .toList();
        }
    }

    private static boolean isRight(byte[] manifest) {
        ByteBuffer in = ByteBuffer.wrap(manifest).order(ByteOrder.LITTLE_ENDIAN);
        int at = 0;
        while (at < manifest.length) {
            int left = BLOCK_BYTES - at % BLOCK_BYTES;
            if (left < HEADER_BYTES) {
                at += left;
                continue;
            }
            if (at + HEADER_BYTES > manifest.length) {
                return false;
            }
            int length = Short.toUnsignedInt(in.getShort(at + 4));
            int type = manifest[at + 6];
            if (type < 1 || type > TYPES || length > Math.min(left, manifest.length - at) - HEADER_BYTES) {
                return false;
            }
            CRC32C crc = new CRC32C();
            crc.update(manifest, at + 6, 1 + length);
            if (Integer.rotateRight((int) crc.getValue(), 15) + MASK_DELTA != in.getInt(at)) {
                return false;
            }
            at += HEADER_BYTES + length;
        }
        return true;
    }
}

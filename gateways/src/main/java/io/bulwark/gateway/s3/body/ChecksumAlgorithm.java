package io.bulwark.gateway.s3.body;

import io.bulwark.gateway.s3.request.Hashes;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.Locale;
import java.util.Optional;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import java.util.zip.Checksum;

/** Algorithms of checksums that clients of S3 send with a body. */
public enum ChecksumAlgorithm {
    CRC32(4),
    CRC32C(4),
    CRC64NVME(8),
    SHA1(20),
    SHA256(32);

    /** Prefix of the headers that carry one, and of the properties that keep one. */
    public static final String HEADER_PREFIX = "x-amz-checksum-";

    private final int bytes;

    ChecksumAlgorithm(int bytes) {
        this.bytes = bytes;
    }

    /** Returns the algorithm with this name, in any case; empty if there is none. */
    public static Optional<ChecksumAlgorithm> find(String name) {
        for (ChecksumAlgorithm each : values()) {
            if (each.name().equals(name.toUpperCase(Locale.ROOT))) {
                return Optional.of(each);
            }
        }
        return Optional.empty();
    }

    /** Returns the header that carries it, as {@code x-amz-checksum-crc32}. */
    public String header() {
        return HEADER_PREFIX + name().toLowerCase(Locale.ROOT);
    }

    /** Returns the name of the element that carries it in documents. */
    public String element() {
        return "Checksum" + name();
    }

    /** Computes the checksum of these bytes. */
    public byte[] of(byte[] content) {
        Computation computation = begin();
        computation.update(content, 0, content.length);
        return computation.finish();
    }

    /** Returns whether the text is base64 of a checksum. */
    public boolean isValid(String base64) {
        try {
            // The decoder takes other forms of the same bytes, too.
            byte[] decoded = Base64.getDecoder().decode(base64);
            return decoded.length == bytes
                    && Base64.getEncoder().encodeToString(decoded).equals(base64);
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /** Begins a computation. */
    public Computation begin() {
        return switch (this) {
            case CRC32 -> new OfCrc(new CRC32(), bytes);
            case CRC32C -> new OfCrc(new CRC32C(), bytes);
            case CRC64NVME -> new OfCrc(new Crc64Nvme(), bytes);
            case SHA1 -> new OfDigest(Hashes.sha1());
            case SHA256 -> new OfDigest(Hashes.sha256());
        };
    }

    /** One checksum in the making. */
    public interface Computation {
        /** Adds bytes. */
        void update(byte[] bytes, int offset, int length);

        /** Ends the computation and returns the checksum. */
        byte[] finish();
    }

    private record OfCrc(Checksum crc, int bytes) implements Computation {
        @Override
        public void update(byte[] content, int offset, int length) {
            crc.update(content, offset, length);
        }

        @Override
        public byte[] finish() {
            return bytes == Long.BYTES
                    ? ByteBuffer.allocate(Long.BYTES).putLong(crc.getValue()).array()
                    : ByteBuffer.allocate(Integer.BYTES)
                            .putInt((int) crc.getValue())
                            .array();
        }
    }

    private record OfDigest(MessageDigest digest) implements Computation {
        @Override
        public void update(byte[] bytes, int offset, int length) {
            digest.update(bytes, offset, length);
        }

        @Override
        public byte[] finish() {
            return digest.digest();
        }
    }
}

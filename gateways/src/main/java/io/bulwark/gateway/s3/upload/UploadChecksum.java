package io.bulwark.gateway.s3.upload;

import io.bulwark.client.UploadedPart;
import io.bulwark.gateway.s3.call.Call;
import io.bulwark.gateway.s3.request.ErrorCode;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import java.util.zip.Checksum;

/**
 * Checksum that a multipart upload was begun with.
 *
 * @param algorithm in lower case
 * @param composite whether the checksum is one of the parts' checksums instead of one of all bytes
 */
record UploadChecksum(String algorithm, boolean composite) {
    static final String CHECKSUM = "x-amz-checksum-";

    private static final String TYPE = "x-amz-checksum-type";
    private static final String PROPERTY = "s3-checksum";
    private static final Set<String> ALGORITHMS = Set.of("crc32", "crc32c", "crc64nvme", "sha1", "sha256");
    private static final Set<String> DIGESTS = Set.of("sha1", "sha256");

    /** Returns what the headers of a begin ask for. */
    static Optional<UploadChecksum> ofHeaders(Call call) {
        Optional<String> name = call.header("x-amz-checksum-algorithm");
        Optional<String> type = call.header(TYPE);
        if (name.isEmpty()) {
            if (type.isPresent()) {
                throw ErrorCode.INVALID_REQUEST.because(TYPE + " needs x-amz-checksum-algorithm");
            }
            return Optional.empty();
        }
        String algorithm = name.get().toLowerCase(Locale.ROOT);
        if (!ALGORITHMS.contains(algorithm)) {
            throw ErrorCode.INVALID_REQUEST.because("Checksum algorithm provided is unsupported.");
        }
        boolean composite = switch (type.orElse(algorithm.equals("crc64nvme") ? "FULL_OBJECT" : "COMPOSITE")) {
            case "COMPOSITE" -> true;
            case "FULL_OBJECT" -> false;
            default -> throw ErrorCode.INVALID_REQUEST.because("Value for " + TYPE + " header is invalid.");
        };
        if (composite ? algorithm.equals("crc64nvme") : DIGESTS.contains(algorithm)) {
            throw ErrorCode.INVALID_REQUEST.because(
                    "The " + type.orElse("default") + " checksum type cannot be used with this algorithm.");
        }
        return Optional.of(new UploadChecksum(algorithm, composite));
    }

    /** Returns what was kept with an upload. */
    static Optional<UploadChecksum> ofProperties(Map<String, String> properties) {
        return Optional.ofNullable(properties.get(PROPERTY))
                .map(text -> new UploadChecksum(text.substring(1), text.startsWith("c")));
    }

    /**
     * Refuses a part with a checksum of another algorithm, or without one where the checksum of the object is made of those
     * of the parts.
     *
     * @param given names of the algorithms that the part came with
     */
    void requirePart(Set<String> given) {
        boolean fits = given.isEmpty() ? !composite : given.contains(algorithm.toUpperCase(Locale.ROOT));
        if (!fits) {
            throw ErrorCode.INVALID_REQUEST.because("Checksum Type mismatch occurred, expected checksum Type: "
                    + algorithm + ", actual checksum Type: "
                    + (given.isEmpty() ? "null" : String.join(",", given).toLowerCase(Locale.ROOT)));
        }
    }

    void keep(Map<String, String> properties) {
        properties.put(PROPERTY, (composite ? "c" : "f") + algorithm);
    }

    String type() {
        return composite ? "COMPOSITE" : "FULL_OBJECT";
    }

    /** Returns the properties of the object; none if a part lacks the checksum, as copied parts do. */
    SortedMap<String, String> of(List<UploadedPart> parts) {
        SortedMap<String, String> properties = new TreeMap<>();
        Optional<String> value = composite ? composite(parts) : whole(parts);
        value.ifPresent(text -> {
            properties.put(CHECKSUM + algorithm, text);
            properties.put(TYPE, type());
        });
        return properties;
    }

    private Optional<String> whole(List<UploadedPart> parts) {
        CombinedCrc crc = CombinedCrc.of(algorithm).orElseThrow();
        for (UploadedPart part : parts) {
            String check = part.properties().get(CHECKSUM + algorithm);
            if (check == null) {
                return Optional.empty();
            }
            crc.append(Base64.getDecoder().decode(check), part.length());
        }
        return Optional.of(Base64.getEncoder().encodeToString(crc.toBytes()));
    }

    private Optional<String> composite(List<UploadedPart> parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (UploadedPart part : parts) {
            String check = part.properties().get(CHECKSUM + algorithm);
            if (check == null) {
                return Optional.empty();
            }
            all.writeBytes(Base64.getDecoder().decode(check));
        }
        return Optional.of(Base64.getEncoder().encodeToString(digest(all.toByteArray())) + "-" + parts.size());
    }

    private byte[] digest(byte[] bytes) {
        try {
            return switch (algorithm) {
                case "crc32" -> check(new CRC32(), bytes);
                case "crc32c" -> check(new CRC32C(), bytes);
                case "sha1" -> MessageDigest.getInstance("SHA-1").digest(bytes);
                default -> MessageDigest.getInstance("SHA-256").digest(bytes);
            };
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private static byte[] check(Checksum checksum, byte[] bytes) {
        checksum.update(bytes);
        return ByteBuffer.allocate(4).putInt((int) checksum.getValue()).array();
    }
}

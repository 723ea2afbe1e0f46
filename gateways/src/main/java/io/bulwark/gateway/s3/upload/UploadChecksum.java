package io.bulwark.gateway.s3.upload;

import io.bulwark.client.UploadedPart;
import io.bulwark.gateway.s3.body.ChecksumAlgorithm;
import io.bulwark.gateway.s3.call.Call;
import io.bulwark.gateway.s3.request.ErrorCode;
import java.io.ByteArrayOutputStream;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Checksum that a multipart upload was begun with.
 *
 * @param composite whether the checksum is one of the parts' checksums instead of one of all bytes
 */
record UploadChecksum(ChecksumAlgorithm algorithm, boolean composite) {
    private static final String TYPE = "x-amz-checksum-type";
    private static final String PROPERTY = "s3-checksum";
    private static final Set<ChecksumAlgorithm> DIGESTS = Set.of(ChecksumAlgorithm.SHA1, ChecksumAlgorithm.SHA256);

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
        ChecksumAlgorithm algorithm = ChecksumAlgorithm.find(name.get())
                .orElseThrow(() -> ErrorCode.INVALID_REQUEST.because("Checksum algorithm provided is unsupported."));
        boolean whole = algorithm == ChecksumAlgorithm.CRC64NVME;
        boolean composite = switch (type.orElse(whole ? "FULL_OBJECT" : "COMPOSITE")) {
            case "COMPOSITE" -> true;
            case "FULL_OBJECT" -> false;
            default -> throw ErrorCode.INVALID_REQUEST.because("Value for " + TYPE + " header is invalid.");
        };
        if (composite ? whole : DIGESTS.contains(algorithm)) {
            throw ErrorCode.INVALID_REQUEST.because(
                    "The " + type.orElse("default") + " checksum type cannot be used with this algorithm.");
        }
        return Optional.of(new UploadChecksum(algorithm, composite));
    }

    /** Returns what was kept with an upload. */
    static Optional<UploadChecksum> ofProperties(Map<String, String> properties) {
        return Optional.ofNullable(properties.get(PROPERTY))
                .filter(text -> !text.isEmpty())
                .flatMap(text -> ChecksumAlgorithm.find(text.substring(1))
                        .map(algorithm -> new UploadChecksum(algorithm, text.startsWith("c"))));
    }

    /**
     * Refuses a part with a checksum of another algorithm, or without one where the checksum of the object is made of those
     * of the parts.
     *
     * @param given names of the algorithms that the part came with
     */
    void requirePart(Set<String> given) {
        boolean fits = given.isEmpty() ? !composite : given.contains(algorithm.name());
        if (!fits) {
            throw ErrorCode.INVALID_REQUEST.because("Checksum Type mismatch occurred, expected checksum Type: "
                    + algorithm.name().toLowerCase(Locale.ROOT) + ", actual checksum Type: "
                    + (given.isEmpty() ? "null" : String.join(",", given).toLowerCase(Locale.ROOT)));
        }
    }

    void keep(Map<String, String> properties) {
        properties.put(PROPERTY, (composite ? "c" : "f") + algorithm.name().toLowerCase(Locale.ROOT));
    }

    String type() {
        return composite ? "COMPOSITE" : "FULL_OBJECT";
    }

    /** Returns the properties of the object; none if a part lacks the checksum, as copied parts do. */
    SortedMap<String, String> of(List<UploadedPart> parts) {
        SortedMap<String, String> properties = new TreeMap<>();
        Optional<String> value = composite ? composite(parts) : whole(parts);
        value.ifPresent(text -> {
            properties.put(algorithm.header(), text);
            properties.put(TYPE, type());
        });
        return properties;
    }

    private Optional<String> whole(List<UploadedPart> parts) {
        CombinedCrc crc = CombinedCrc.of(algorithm).orElseThrow();
        for (UploadedPart part : parts) {
            String check = part.properties().get(algorithm.header());
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
            String check = part.properties().get(algorithm.header());
            if (check == null) {
                return Optional.empty();
            }
            all.writeBytes(Base64.getDecoder().decode(check));
        }
        return Optional.of(Base64.getEncoder().encodeToString(algorithm.of(all.toByteArray())) + "-" + parts.size());
    }
}

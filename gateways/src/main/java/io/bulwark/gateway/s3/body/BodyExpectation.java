package io.bulwark.gateway.s3.body;

import io.bulwark.gateway.s3.request.RequestHead;
import io.bulwark.gateway.s3.request.S3Exception;
import java.util.Base64;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Digests that a request announces for its body.
 *
 * @param md5 value of {@code Content-MD5}
 * @param checksum an algorithm and the expected value; the value is empty if the trailer has it
 * @param wanted an algorithm whose checksum is to be computed without an expected value
 * @param trailer names of the fields of the trailer, lower case
 */
record BodyExpectation(
        Optional<byte[]> md5,
        Optional<Map.Entry<ChecksumAlgorithm, Optional<String>>> checksum,
        Optional<ChecksumAlgorithm> wanted,
        Set<String> trailer) {
    private static final String CHECKSUM_PREFIX = ChecksumAlgorithm.HEADER_PREFIX;
    private static final int MD5_BYTES = 16;
    /** Headers with the prefix that carry no checksum. */
    private static final Set<String> OTHERS =
            Set.of("x-amz-checksum-algorithm", "x-amz-checksum-mode", "x-amz-checksum-type");

    static final BodyExpectation NONE =
            new BodyExpectation(Optional.empty(), Optional.empty(), Optional.empty(), Set.of());

    /**
     * Reads the headers.
     *
     * @throws S3Exception if a value is invalid, or two checksums are given
     */
    static BodyExpectation of(RequestHead head) {
        Optional<byte[]> md5 = head.single("content-md5").map(BodyExpectation::decodeMd5);
        // The checksum of this request is that of the object which the parts make.
        boolean completesUpload =
                head.method().equals("POST") && head.target().query().containsKey("uploadId");
        Set<String> trailer = trailerOf(head);
        if (completesUpload) {
            return new BodyExpectation(md5, Optional.empty(), Optional.empty(), trailer);
        }
        Optional<ChecksumAlgorithm> declared = head.single("x-amz-sdk-checksum-algorithm")
                .map(name -> ChecksumAlgorithm.find(name)
                        .orElseThrow(() -> invalid("Value for x-amz-sdk-checksum-algorithm header is invalid.")));
        TreeMap<ChecksumAlgorithm, Optional<String>> given = new TreeMap<>();
        for (String name : head.headers().keySet()) {
            if (name.startsWith(CHECKSUM_PREFIX) && !OTHERS.contains(name)) {
                ChecksumAlgorithm algorithm = algorithmOf(name);
                given.put(
                        algorithm,
                        Optional.of(checked(algorithm, head.single(name).orElse(""))));
            }
        }
        for (String name : trailer) {
            ChecksumAlgorithm algorithm = algorithmOf(name);
            if (given.containsKey(algorithm)) {
                throw severalChecksums();
            }
            given.put(algorithm, Optional.empty());
        }
        if (given.size() > 1) {
            throw severalChecksums();
        }
        if (given.isEmpty()) {
            return new BodyExpectation(md5, Optional.empty(), declared, trailer);
        }
        if (declared.isPresent() && declared.get() != given.firstKey()) {
            throw invalid("Value for x-amz-sdk-checksum-algorithm header is invalid.");
        }
        return new BodyExpectation(md5, Optional.of(given.firstEntry()), Optional.empty(), trailer);
    }

    private static Set<String> trailerOf(RequestHead head) {
        TreeSet<String> names = new TreeSet<>();
        head.single("x-amz-trailer").ifPresent(list -> {
            for (String name : list.split(",", 4)) {
                String lower = name.strip().toLowerCase(Locale.ROOT);
                algorithmOf(lower);
                names.add(lower);
            }
        });
        return names;
    }

    private static ChecksumAlgorithm algorithmOf(String header) {
        return Optional.of(header)
                .filter(name -> name.startsWith(CHECKSUM_PREFIX))
                .flatMap(name -> ChecksumAlgorithm.find(name.substring(CHECKSUM_PREFIX.length())))
                .orElseThrow(() -> new S3Exception(
                        400, "InvalidRequest", "The checksum " + header + " is of no known algorithm."));
    }

    static String checked(ChecksumAlgorithm algorithm, String value) {
        if (!algorithm.isValid(value)) {
            throw invalid("Value for " + algorithm.header() + " header is invalid.");
        }
        return value;
    }

    private static byte[] decodeMd5(String text) {
        byte[] decoded;
        try {
            decoded = Base64.getDecoder().decode(text);
        } catch (IllegalArgumentException e) {
            decoded = new byte[0];
        }
        if (decoded.length != MD5_BYTES) {
            throw new S3Exception(400, "InvalidDigest", "The Content-MD5 you specified was invalid.")
                    .with("Content-MD5", text);
        }
        return decoded;
    }

    private static S3Exception invalid(String message) {
        return new S3Exception(400, "InvalidRequest", message);
    }

    private static S3Exception severalChecksums() {
        return invalid("Expecting a single x-amz-checksum- header. Multiple checksum Types are not allowed.");
    }
}

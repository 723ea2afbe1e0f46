package io.bulwark.gateway.s3.body;

import io.bulwark.gateway.s3.request.BodyDigests;
import io.bulwark.gateway.s3.request.Hashes;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.EnumMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Computes the MD5 of a body and the checksums that its request asks for. */
final class BodyDigester {
    private final MessageDigest md5 = Hashes.md5();
    private final Map<ChecksumAlgorithm, ChecksumAlgorithm.Computation> computations =
            new EnumMap<>(ChecksumAlgorithm.class);

    BodyDigester(Set<ChecksumAlgorithm> algorithms) {
        algorithms.forEach(algorithm -> computations.put(algorithm, algorithm.begin()));
    }

    void update(byte[] bytes, int offset, int count) {
        md5.update(bytes, offset, count);
        computations.values().forEach(computation -> computation.update(bytes, offset, count));
    }

    BodyDigests finish() {
        TreeMap<String, String> checksums = new TreeMap<>();
        computations.forEach((algorithm, computation) ->
                checksums.put(algorithm.name(), Base64.getEncoder().encodeToString(computation.finish())));
        return new BodyDigests(md5.digest(), checksums);
    }
}

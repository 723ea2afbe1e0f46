package io.bulwark.gateway.s3.body;

import io.bulwark.gateway.s3.request.BodyDigests;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.EnumMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Computes the MD5 of a body and the checksums that its request asks for. */
final class BodyDigester {
    private final MessageDigest md5 = of("MD5");
    private final Map<ChecksumAlgorithm, ChecksumAlgorithm.Computation> computations =
            new EnumMap<>(ChecksumAlgorithm.class);

    BodyDigester(Set<ChecksumAlgorithm> algorithms) {
        algorithms.forEach(algorithm -> computations.put(algorithm, algorithm.begin()));
    }

    static MessageDigest sha256() {
        return of("SHA-256");
    }

    private static MessageDigest of(String name) {
        try {
            return MessageDigest.getInstance(name);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this Java has no " + name, e);
        }
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

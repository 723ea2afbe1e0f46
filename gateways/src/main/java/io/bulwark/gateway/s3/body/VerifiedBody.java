package io.bulwark.gateway.s3.body;

import io.bulwark.gateway.s3.request.BodyDigests;
import io.bulwark.gateway.s3.request.S3Exception;
import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Content of a body whose length, digests and checksums are compared with the expected ones. If its length is known, the
 * last bytes come out only after all has been verified: a reader that stops there has read a verified body. Each read after
 * a failure fails with the same exception.
 */
public final class VerifiedBody extends InputStream {
    private final InputStream source;
    private final OptionalLong length;
    private final long lengthMin;
    private final long lengthMax;
    private final BodyExpectation expected;
    private final Optional<byte[]> sha256;
    private final Supplier<SortedMap<String, String>> trailer;
    private final Optional<ChecksumAlgorithm> algorithm;
    private final BodyDigester digester;
    private long count;
    private @Nullable BodyDigests digests;
    private @Nullable S3Exception failure;

    /**
     * Creates a body.
     *
     * @param source without framing
     * @param size length, if known, and its limit
     * @param sha256 digest of the content, if it is signed
     * @param trailer fields after the content, asked for when it has ended
     */
    VerifiedBody(
            InputStream source,
            Size size,
            BodyExpectation expected,
            Optional<byte[]> sha256,
            Supplier<SortedMap<String, String>> trailer) {
        this.source = source;
        this.length = size.length();
        this.lengthMin = size.lengthMin();
        this.lengthMax = size.lengthMax();
        this.expected = expected;
        this.sha256 = sha256;
        this.trailer = trailer;
        this.algorithm = expected.checksum().map(Map.Entry::getKey).or(expected::wanted);
        Set<ChecksumAlgorithm> algorithms = EnumSet.noneOf(ChecksumAlgorithm.class);
        algorithm.ifPresent(algorithms::add);
        if (sha256.isPresent()) {
            algorithms.add(ChecksumAlgorithm.SHA256);
        }
        this.digester = new BodyDigester(algorithms);
    }

    /** Length of a body, if it is known, and its bounds otherwise. */
    record Size(OptionalLong length, long lengthMin, long lengthMax) {}

    /**
     * Returns the digests.
     *
     * @throws IllegalStateException unless the body has been read to its end
     */
    public BodyDigests digests() {
        BodyDigests result = digests;
        if (result == null) {
            throw new IllegalStateException("the body has not been read to its end");
        }
        return result;
    }

    /** Returns the reason for which reading has failed; empty if it has not. */
    public Optional<S3Exception> failure() {
        return Optional.ofNullable(failure);
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] bytes, int offset, int wanted) throws IOException {
        if (failure != null) {
            throw failure;
        }
        if (digests != null) {
            return -1;
        }
        if (wanted == 0) {
            return 0;
        }
        try {
            return readOn(bytes, offset, wanted);
        } catch (S3Exception e) {
            failure = e;
            throw e;
        } catch (IOException | RuntimeException e) {
            // The next read must not go on in the middle of a frame.
            failure = new S3Exception(400, "IncompleteBody", "The request body could not be read.");
            throw e;
        }
    }

    private int readOn(byte[] bytes, int offset, int wanted) throws IOException {
        int read = source.read(bytes, offset, wanted);
        if (read < 0) {
            verify();
            return -1;
        }
        count += read;
        if (count > length.orElse(lengthMax)) {
            throw tooLong();
        }
        digester.update(bytes, offset, read);
        if (length.isPresent() && count == length.getAsLong()) {
            if (source.read() >= 0) {
                throw tooLong();
            }
            verify();
        }
        return read;
    }

    private S3Exception tooLong() {
        return length.isPresent()
                ? new S3Exception(400, "IncompleteBody", "The request body has more bytes than the request names.")
                : BodyReader.tooLarge(lengthMax);
    }

    private void verify() {
        if (length.isPresent() && count != length.getAsLong()) {
            throw new S3Exception(
                    400,
                    "IncompleteBody",
                    "You did not provide the number of bytes specified by the Content-Length HTTP header: " + count
                            + " of " + length.getAsLong() + " bytes have arrived.");
        }
        if (count < lengthMin) {
            throw new S3Exception(
                            400, "EntityTooSmall", "Your proposed upload is smaller than the minimum allowed size")
                    .with("ProposedSize", Long.toString(count))
                    .with("MinSizeAllowed", Long.toString(lengthMin));
        }
        BodyDigests computed = digester.finish();
        verifySha256(computed);
        if (expected.md5().isPresent() && !MessageDigest.isEqual(expected.md5().get(), computed.md5())) {
            throw new S3Exception(400, "BadDigest", "The Content-MD5 you specified did not match what we received.")
                    .with(
                            "ExpectedDigest",
                            HexFormat.of().formatHex(expected.md5().get()))
                    .with("CalculatedDigest", HexFormat.of().formatHex(computed.md5()));
        }
        expected.checksum().ifPresent(entry -> verifyChecksum(entry.getKey(), entry.getValue(), computed));
        TreeMap<String, String> kept = new TreeMap<>();
        algorithm.ifPresent(named -> kept.put(named.name(), computed.checksums().getOrDefault(named.name(), "")));
        digests = new BodyDigests(computed.md5(), kept);
    }

    private void verifySha256(BodyDigests computed) {
        if (sha256.isEmpty()) {
            return;
        }
        byte[] actual =
                Base64.getDecoder().decode(computed.checksums().getOrDefault(ChecksumAlgorithm.SHA256.name(), ""));
        if (!MessageDigest.isEqual(sha256.get(), actual)) {
            throw new S3Exception(
                            400,
                            "XAmzContentSHA256Mismatch",
                            "The provided 'x-amz-content-sha256' header does not match what was computed.")
                    .with("ClientComputedContentSHA256", HexFormat.of().formatHex(sha256.get()))
                    .with("S3ComputedContentSHA256", HexFormat.of().formatHex(actual));
        }
    }

    private void verifyChecksum(ChecksumAlgorithm checksum, Optional<String> header, BodyDigests computed) {
        String value = header.orElseGet(
                () -> BodyExpectation.checked(checksum, trailer.get().getOrDefault(checksum.header(), "")));
        if (!value.equals(computed.checksums().get(checksum.name()))) {
            throw new S3Exception(
                    400,
                    "BadDigest",
                    "The " + checksum.name() + " you specified did not match the calculated checksum.");
        }
    }
}

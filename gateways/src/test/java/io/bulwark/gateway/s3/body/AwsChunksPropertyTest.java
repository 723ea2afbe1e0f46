package io.bulwark.gateway.s3.body;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.gateway.s3.request.RequestHead;
import io.bulwark.gateway.s3.request.RequestTarget;
import io.bulwark.gateway.s3.request.S3Exception;
import io.bulwark.gateway.s3.signature.Authentication;
import io.bulwark.gateway.s3.signature.Chains;
import io.bulwark.gateway.s3.signature.Payload;
import io.bulwark.gateway.s3.signature.Payload.Kind;
import io.bulwark.gateway.s3.request.Caller;
import io.bulwark.protocol.id.PrincipalId;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The framing of a body never becomes content, and no damage of it changes content. */
class AwsChunksPropertyTest {
    private static final long SEED = Long.getLong("bulwark.seed", 20261129L);
    private static final ChecksumAlgorithm[] ALGORITHMS = ChecksumAlgorithm.values();

    /** A body with its headers. */
    @SuppressWarnings("ArrayRecordComponent") // Never compared.
    private record Sample(Kind kind, byte[] content, byte[] wire, TreeMap<String, List<String>> headers) {
        VerifiedBody open(byte[] arrived, Random random) {
            RequestHead head = new RequestHead("PUT", new RequestTarget("/b/k", new TreeMap<>()), headers);
            Authentication sender = new Authentication(
                    () -> new Caller(PrincipalId.client(1), Optional.empty()),
                    head,
                    Payload.parse(head.single("x-amz-content-sha256").orElseThrow()),
                    kind.hasSignedChunks()
                            ? Optional.of(Chains.begin(
                                    ChunkWriter.KEY, ChunkWriter.TIME, ChunkWriter.SCOPE, ChunkWriter.SEED))
                            : Optional.empty());
            return BodyReader.open(
                    sender,
                    new PiecesStream(arrived, random),
                    BodyReader.contentLength(sender, OptionalLong.of(arrived.length)));
        }
    }

    private static Sample sample(Kind kind, Random random, int chunksMax, int chunkMax) {
        List<byte[]> chunks = new ArrayList<>();
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        for (int i = random.nextInt(chunksMax + 1); i > 0; i--) {
            byte[] chunk = new byte[1 + random.nextInt(chunkMax)];
            random.nextBytes(chunk);
            if (random.nextInt(4) == 0) {
                // Content that looks like framing.
                byte[] frame = "\r\n0\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
                System.arraycopy(frame, 0, chunk, 0, Math.min(frame.length, chunk.length));
            }
            chunks.add(chunk);
            content.writeBytes(chunk);
        }
        TreeMap<String, List<String>> headers = new TreeMap<>();
        headers.put("content-encoding", List.of("aws-chunked"));
        headers.put("x-amz-decoded-content-length", List.of(Integer.toString(content.size())));
        headers.put("x-amz-content-sha256", List.of(textOf(kind)));
        String trailer = "";
        if (kind.mayHaveTrailer()) {
            ChecksumAlgorithm algorithm = ALGORITHMS[random.nextInt(ALGORITHMS.length)];
            ChecksumAlgorithm.Computation computation = algorithm.begin();
            computation.update(content.toByteArray(), 0, content.size());
            trailer = algorithm.header() + ":" + Base64.getEncoder().encodeToString(computation.finish());
            headers.put("x-amz-trailer", List.of(algorithm.header()));
        }
        byte[] wire = new ChunkWriter(kind.hasSignedChunks()).write(chunks, trailer);
        return new Sample(kind, content.toByteArray(), wire, headers);
    }

    private static String textOf(Kind kind) {
        return switch (kind) {
            case SIGNED_CHUNKS -> "STREAMING-AWS4-HMAC-SHA256-PAYLOAD";
            case SIGNED_CHUNKS_TRAILER -> "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER";
            case UNSIGNED_CHUNKS_TRAILER -> "STREAMING-UNSIGNED-PAYLOAD-TRAILER";
            case UNSIGNED, WHOLE -> throw new IllegalArgumentException(kind.name());
        };
    }

    private static byte[] readRandomly(InputStream in, Random random) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        byte[] some = new byte[1 + random.nextInt(300)];
        for (int read = in.read(some, 0, some.length); read >= 0; read = in.read(some, 0, some.length)) {
            all.write(some, 0, read);
        }
        return all.toByteArray();
    }

    @ParameterizedTest
    @EnumSource(
            value = Kind.class,
            names = {"SIGNED_CHUNKS", "SIGNED_CHUNKS_TRAILER", "UNSIGNED_CHUNKS_TRAILER"})
    void contentIsThatOfTheChunks(Kind kind) throws IOException {
        Random random = new Random(SEED);
        for (int run = 0; run < 300; run++) {
            Sample sample = sample(kind, random, 6, run % 10 == 0 ? 40_000 : 200);
            VerifiedBody body = sample.open(sample.wire(), random);
            assertThat(readRandomly(body, random)).as("seed %d, run %d", SEED, run).isEqualTo(sample.content());
            assertThat(body.digests().checksums()).hasSize(kind.mayHaveTrailer() ? 1 : 0);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Kind.class,
            names = {"SIGNED_CHUNKS", "SIGNED_CHUNKS_TRAILER", "UNSIGNED_CHUNKS_TRAILER"})
    void eachFlippedBitIsRefused(Kind kind) throws IOException {
        Random random = new Random(SEED);
        Sample sample = sample(kind, random, 3, 60);
        while (sample.content().length == 0) {
            sample = sample(kind, random, 3, 60);
        }
        int refused = 0;
        for (int bit = 0; bit < sample.wire().length * 8; bit++) {
            byte[] damaged = sample.wire().clone();
            damaged[bit / 8] ^= (byte) (1 << bit % 8);
            if (sameButForCase(damaged, sample.wire())) {
                // Hexadecimal digits and names of fields mean the same in both cases.
                continue;
            }
            VerifiedBody body = sample.open(damaged, random);
            assertThatThrownBy(body::readAllBytes).as("seed %d, bit %d", SEED, bit).isInstanceOf(S3Exception.class);
            assertThatThrownBy(body::read).isInstanceOf(S3Exception.class);
            assertThatThrownBy(body::digests).isInstanceOf(IllegalStateException.class);
            refused++;
        }
        assertThat(refused).isGreaterThan(sample.wire().length * 7 / 2);
    }

    private static boolean sameButForCase(byte[] one, byte[] other) {
        int i = Arrays.mismatch(one, other);
        return Character.isLetter(one[i])
                && one[i] == (byte) (other[i] ^ 0x20)
                && !Character.isLowerCase(one[i])
                && !new String(other, StandardCharsets.ISO_8859_1).substring(0, i).endsWith("=");
    }

    @ParameterizedTest
    @EnumSource(
            value = Kind.class,
            names = {"SIGNED_CHUNKS", "SIGNED_CHUNKS_TRAILER", "UNSIGNED_CHUNKS_TRAILER"})
    void eachCutAndEachAdditionIsRefused(Kind kind) {
        Random random = new Random(SEED);
        Sample sample = sample(kind, random, 3, 60);
        for (int length = 0; length < sample.wire().length; length++) {
            VerifiedBody cut = sample.open(Arrays.copyOf(sample.wire(), length), random);
            assertThatThrownBy(cut::readAllBytes).as("seed %d, cut at %d", SEED, length).isInstanceOf(S3Exception.class);
        }
        VerifiedBody longer = sample.open(Arrays.copyOf(sample.wire(), sample.wire().length + 1), random);
        assertThatThrownBy(longer::readAllBytes).isInstanceOf(S3Exception.class);
    }

    @Test
    void chunksInAnotherOrderAreRefused() {
        byte[] wire = new ChunkWriter(true).write(List.of(new byte[] {1}, new byte[] {2}), "");
        int frame = wire.length;
        String text = new String(wire, StandardCharsets.ISO_8859_1);
        int first = text.indexOf("\r\n", text.indexOf("\r\n") + 2) + 2;
        int second = text.indexOf("\r\n", text.indexOf("\r\n", first) + 2) + 2;
        String swapped = text.substring(first, second) + text.substring(0, first) + text.substring(second);
        assertThat(swapped).hasSize(frame).isNotEqualTo(text);
        TreeMap<String, List<String>> headers = new TreeMap<>();
        headers.put("x-amz-decoded-content-length", List.of("2"));
        headers.put("x-amz-content-sha256", List.of(textOf(Kind.SIGNED_CHUNKS)));
        Sample sample = new Sample(Kind.SIGNED_CHUNKS, new byte[0], wire, headers);
        VerifiedBody body = sample.open(swapped.getBytes(StandardCharsets.ISO_8859_1), new Random(1));
        assertThatThrownBy(body::readAllBytes)
                .isInstanceOfSatisfying(
                        S3Exception.class, e -> assertThat(e.code()).isEqualTo("SignatureDoesNotMatch"));
    }

    @Test
    void aReaderThatStopsAtTheLengthHasReadAVerifiedBody() throws IOException {
        Random random = new Random(SEED);
        Sample sample = sample(Kind.UNSIGNED_CHUNKS_TRAILER, random, 3, 60);
        byte[] damaged = sample.wire().clone();
        damaged[damaged.length - 6] ^= 1;
        VerifiedBody body = sample.open(damaged, random);
        assertThatThrownBy(() -> body.readNBytes(sample.content().length)).isInstanceOf(S3Exception.class);
    }

    @Test
    void theTrailerMayEndItsLinesAsOtherClientsDo() throws IOException {
        byte[] content = "123456789".getBytes(StandardCharsets.US_ASCII);
        String frames = "9\r\n123456789\r\n0\r\nx-amz-checksum-crc32:y/Q5Jg==\n\r\n";
        TreeMap<String, List<String>> headers = new TreeMap<>();
        headers.put("x-amz-decoded-content-length", List.of("9"));
        headers.put("x-amz-content-sha256", List.of(textOf(Kind.UNSIGNED_CHUNKS_TRAILER)));
        headers.put("x-amz-trailer", List.of("x-amz-checksum-crc32"));
        Sample sample = new Sample(Kind.UNSIGNED_CHUNKS_TRAILER, content, new byte[0], headers);
        assertThat(sample.open(frames.getBytes(StandardCharsets.US_ASCII), new Random(1)).readAllBytes())
                .isEqualTo(content);
    }

    @Test
    void hostileFramesAreRefused() {
        for (String frames : List.of(
                "",
                "0",
                "\r\n",
                "-1\r\n",
                "ffffffffffffffff\r\n",
                "00000000000000009\r\n",
                "9;chunk-signature=a\r\n123456789\r\n0\r\n\r\n",
                "9 \r\n123456789\r\n0\r\n\r\n",
                "9\n123456789\r\n0\r\n\r\n",
                "a\r\n1234567890\r\n0\r\n\r\n",
                "9\r\n123456789\r\n0\r\n\r\n0\r\n\r\n",
                "9\r\n123456789\r\n0\r\nx-amz-checksum-crc32:y/Q5Jg==\r\n\r\n",
                "9\r\n123456789\r\n0\r\nx-amz-trailer-signature:" + "a".repeat(64) + "\r\n\r\n",
                "9" + ";".repeat(100_000))) {
            TreeMap<String, List<String>> headers = new TreeMap<>();
            headers.put("x-amz-decoded-content-length", List.of("9"));
            headers.put("x-amz-content-sha256", List.of(textOf(Kind.UNSIGNED_CHUNKS_TRAILER)));
            Sample sample = new Sample(Kind.UNSIGNED_CHUNKS_TRAILER, new byte[0], new byte[0], headers);
            VerifiedBody body = sample.open(frames.getBytes(StandardCharsets.US_ASCII), new Random(1));
            assertThatThrownBy(body::readAllBytes)
                    .as(frames.substring(0, Math.min(40, frames.length())))
                    .isInstanceOf(S3Exception.class);
        }
    }
}

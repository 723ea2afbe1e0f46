package io.bulwark.protocol.metadata;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.bulwark.protocol.wire.CodecFuzzing;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.params.provider.MethodSource;

@NullMarked
class MetadataCodecFuzzTest {
    static Stream<byte[]> submissionSamples() {
        return Samples.submissions().values().stream()
                .map(sample -> sample.encoded().toByteArray());
    }

    static Stream<byte[]> querySamples() {
        return Samples.queries().values().stream()
                .map(sample -> sample.encoded().toByteArray());
    }

    static Stream<byte[]> replySamples() {
        return Samples.replies().values().stream()
                .map(sample -> sample.encoded().toByteArray());
    }

    static Stream<byte[]> proofSamples() {
        return Samples.proofs().values().stream().map(sample -> sample.encoded().toByteArray());
    }

    @MethodSource("submissionSamples")
    @FuzzTest
    void submissions(byte[] bytes) {
        CodecFuzzing.malformedOrCanonical(
                bytes, encoded -> Submission.decode(encoded).encoded());
    }

    @MethodSource("querySamples")
    @FuzzTest
    void queries(byte[] bytes) {
        CodecFuzzing.malformedOrCanonical(
                bytes, encoded -> Query.decode(encoded).encoded());
    }

    @MethodSource("proofSamples")
    @FuzzTest
    void proofs(byte[] bytes) {
        CodecFuzzing.malformedOrCanonical(
                bytes, encoded -> EvidenceProof.decode(encoded).encoded());
    }

    @MethodSource("replySamples")
    @FuzzTest
    void replies(byte[] bytes) {
        CodecFuzzing.malformedOrCanonical(
                bytes, encoded -> Reply.decode(encoded).encoded());
    }
}

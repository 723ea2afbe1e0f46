package io.bulwark.protocol.metadata;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireWriter;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

@NullMarked
class MetadataCodecTest {
    @Test
    void theBytesOfEachSubmissionAreFixed() throws IOException {
        check("submissions.hex", Samples.submissions(), Submission::encoded, Submission::decode);
    }

    @Test
    void theBytesOfEachQueryAreFixed() throws IOException {
        check("queries.hex", Samples.queries(), Query::encoded, Query::decode);
    }

    @Test
    void theBytesOfEachReplyAreFixed() throws IOException {
        check("replies.hex", Samples.replies(), Reply::encoded, Reply::decode);
    }

    @Test
    void theBytesOfAProofAreFixed() throws IOException {
        check("evidence.hex", Samples.proofs(), EvidenceProof::encoded, EvidenceProof::decode);
    }

    @Test
    void thereIsASampleOfEachKind() {
        assertAll(
                Command.class,
                Samples.submissions().values().stream()
                        .filter(Submission.InSession.class::isInstance)
                        .map(in -> ((Submission.InSession) in).command()));
        assertAll(Submission.class, Samples.submissions().values().stream());
        assertAll(Query.class, Samples.queries().values().stream());
        assertAll(Reply.class, Samples.replies().values().stream());
    }

    private static void assertAll(Class<?> family, Stream<?> samples) {
        Set<Class<?>> sampled = samples.map(Object::getClass).collect(Collectors.toSet());
        assertThat(sampled)
                .containsExactlyInAnyOrderElementsOf(kinds(family).distinct().toList());
    }

    private static Stream<Class<?>> kinds(Class<?> family) {
        return Stream.of(family.getPermittedSubclasses())
                .flatMap(kind -> kind.isSealed() ? kinds(kind) : Stream.of(kind));
    }

    @Test
    void onlyOperatorsCommandsAndNodesReportsAreSigned() {
        assertThat(kinds(Command.class)
                        .filter(kind -> Command.Signed.class.isAssignableFrom(kind)
                                && !Command.Administrative.class.isAssignableFrom(kind)))
                .containsExactlyInAnyOrder(Command.ReportEvidence.class, Command.ReportPoison.class);
    }

    /** A command is administrative, and so kept in the audit log, unless it is one of these. */
    @Test
    void whatUsersAndNodesDoIsNamedHereAndAllElseIsAdministrative() {
        assertThat(kinds(Command.class).filter(kind -> !Command.Administrative.class.isAssignableFrom(kind)))
                .containsExactlyInAnyOrder(
                        Command.RenewSession.class,
                        Command.CloseSession.class,
                        Command.CreateBucket.class,
                        Command.UpdateBucket.class,
                        Command.PutDocument.class,
                        Command.RemoveDocument.class,
                        Command.ClaimEvents.class,
                        Command.SetTags.class,
                        Command.SetRetention.class,
                        Command.SetLegalHold.class,
                        Command.DeleteBucket.class,
                        Command.PutObject.class,
                        Command.RefillInode.class,
                        Command.RegisterPending.class,
                        Command.AbandonRanges.class,
                        Command.DeleteObject.class,
                        Command.RenameObject.class,
                        Command.CopyObject.class,
                        Command.ComposeObject.class,
                        Command.BeginUpload.class,
                        Command.PutPart.class,
                        Command.CopyPart.class,
                        Command.CompleteUpload.class,
                        Command.AbortUpload.class,
                        Command.ReportEvidence.class,
                        Command.ReportPoison.class,
                        Command.ReportPeers.class,
                        Command.SealEpoch.class,
                        Command.ConfirmEpoch.class,
                        Command.Lock.class,
                        Command.Unlock.class,
                        Command.OpenRound.class);
    }

    @Test
    void whatNobodyWritesIsMalformed() {
        assertMalformed(new WireWriter().u8(3).toBytes());
        assertMalformed(new WireWriter().u8(2).i64(1).i64(1).i64(1).u8(99).toBytes());
        assertMalformed(new WireWriter().u8(2).i64(1).i64(1).i64(2).u8(1).toBytes());
        assertMalformed(new WireWriter().u8(2).i64(0).i64(1).i64(1).u8(1).toBytes());
        Bytes renewal = new WireWriter().i64(1).i64(1).i64(1).u8(1).toBytes();
        assertMalformed(new WireWriter()
                .u8(3)
                .raw(renewal)
                .raw(MetadataFixture.filled(64, 0))
                .toBytes());
        assertMalformed(Bytes.of(new byte[Submission.BYTES_MAX + 1]));
        assertThatThrownBy(() -> Query.decode(Bytes.of(new byte[Query.BYTES_MAX + 1])))
                .isInstanceOf(MalformedException.class);
        assertThatThrownBy(
                        () -> Query.decode(new WireWriter().u8(11).i32(0).i32(0).toBytes()))
                .isInstanceOf(MalformedException.class);
        assertThatThrownBy(() ->
                        Query.decode(new WireWriter().u8(11).i32(0).i32(1001).toBytes()))
                .isInstanceOf(MalformedException.class);
    }

    private static void assertMalformed(Bytes bytes) {
        assertThatThrownBy(() -> Submission.decode(bytes)).isInstanceOf(MalformedException.class);
    }

    /** Each line of the file: name and bytes in hexadecimal. */
    private static <T> void check(
            String file, Map<String, T> samples, Function<T, Bytes> encode, Function<Bytes, T> decode)
            throws IOException {
        Map<String, String> lines = new LinkedHashMap<>();
        samples.forEach((name, sample) -> {
            Bytes bytes = encode.apply(sample);
            lines.put(name, name + " " + bytes.toHex());
            assertThat(decode.apply(bytes)).as(name).isEqualTo(sample);
            Bytes longer = new WireWriter().raw(bytes).u8(0).toBytes();
            for (Bytes wrong : List.of(longer, bytes.slice(0, bytes.length() - 1))) {
                assertThatThrownBy(() -> decode.apply(wrong)).as(name).isInstanceOf(MalformedException.class);
            }
        });
        try (InputStream golden = MetadataCodecTest.class.getResourceAsStream("/wire/metadata/" + file)) {
            assertThat(golden).isNotNull();
            List<String> expected = new ArrayList<>(new String(golden.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .toList());
            assertThat(lines.values()).containsExactlyElementsOf(expected);
        }
    }
}

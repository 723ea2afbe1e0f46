package io.bulwark.client.evidence;

import io.bulwark.protocol.metadata.Evidence;
import io.bulwark.protocol.metadata.EvidenceProof;
import io.bulwark.protocol.metadata.EvidenceVerification;
import io.bulwark.protocol.metadata.NodeReport;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.OptionalInt;

/**
 * Text of a file with a proof: lines for people, then the proof's canonical bytes in Base64 between two marks (RFC
 * 7468). The lines for people follow from the bytes, and reading checks that they do. So what a person reads in the file
 * is what a verification checks.
 */
public final class EvidenceFile {
    /** No file is longer. */
    public static final int BYTES_MAX = 4 << 20;

    private static final String BEGIN = "-----BEGIN BULWARK EVIDENCE-----\n";
    private static final String END = "\n-----END BULWARK EVIDENCE-----\n";
    private static final int LINE_LENGTH = 64;

    private EvidenceFile() {}

    /** Returns the content of the file of a proof. */
    public static byte[] write(EvidenceProof proof) {
        return text(proof).getBytes(StandardCharsets.UTF_8);
    }

    /**
     * Reads a file, which may come from anybody. Lines may end as on Windows.
     *
     * @throws MalformedException if it is no such file, not the whole of it, or its lines do not fit its proof
     */
    public static EvidenceProof read(byte[] content) {
        if (content.length > BYTES_MAX) {
            throw new MalformedException(content.length + " bytes, the limit is " + BYTES_MAX);
        }
        String text = decoded(content).replace("\r\n", "\n");
        int begin = text.indexOf(BEGIN);
        int end = begin < 0 ? -1 : text.indexOf(END, begin + BEGIN.length());
        if (end < 0) {
            throw new MalformedException("there is no whole block between " + BEGIN.strip() + " and " + END.strip());
        }
        EvidenceProof proof = EvidenceProof.decode(unarmoured(text.substring(begin + BEGIN.length(), end)));
        if (!text(proof).equals(text)) {
            throw new MalformedException("the lines outside the block do not say what the block says");
        }
        return proof;
    }

    private static String decoded(byte[] content) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(content))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new MalformedException("not UTF-8");
        }
    }

    private static Bytes unarmoured(String block) {
        try {
            return Bytes.of(Base64.getDecoder().decode(block.replace("\n", "")));
        } catch (IllegalArgumentException e) {
            throw new MalformedException(e);
        }
    }

    /** Has nothing that a reporter or an operator chose freely: such text could pass for another line. */
    private static String text(EvidenceProof proof) {
        Evidence evidence = proof.evidence();
        StringBuilder text = new StringBuilder();
        text.append("Bulwark evidence ").append(evidence.number()).append(": ");
        text.append(EvidenceVerification.claim(evidence)).append(".\n");
        text.append("Check it without the cluster: bulwark evidence verify FILE --genesis genesis.properties\n\n");
        line(text, "Cluster", proof.cluster().toHex());
        line(text, "Recorded", time(evidence.agreedMillis()));
        line(text, "Accused", evidence.about());
        line(text, "Verdict", evidence.verdict().text());
        OptionalInt faulty = proof.faulty();
        line(text, "Faulty nodes tolerated", faulty.isPresent() ? faulty.getAsInt() : "not shown");
        for (NodeReport report : evidence.reports()) {
            line(
                    text,
                    "Report",
                    report.reporter() + " at " + time(report.agreedMillis()) + ", block "
                            + report.content().block() + ", command " + report.session() + "."
                            + report.sessionNumber());
        }
        text.append('\n').append(BEGIN);
        byte[] separator = {'\n'};
        text.append(Base64.getMimeEncoder(LINE_LENGTH, separator)
                .encodeToString(proof.encoded().toByteArray()));
        return text.append(END).toString();
    }

    private static void line(StringBuilder text, String name, Object value) {
        text.append(name).append(": ").append(value).append('\n');
    }

    private static String time(long agreedMillis) {
        return Instant.ofEpochMilli(agreedMillis).toString();
    }
}

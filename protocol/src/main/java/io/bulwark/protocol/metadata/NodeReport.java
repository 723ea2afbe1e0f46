package io.bulwark.protocol.metadata;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.Optional;

/**
 * Report of a node as the replicas executed it.
 *
 * @param agreedMillis when it was executed, in agreed time
 * @param session of the reporter; with {@code sessionNumber} it makes the signature good for this one execution
 * @param approval the reporter's signature and the key that made it; empty where nobody has keys
 */
public record NodeReport(
        PrincipalId reporter,
        long agreedMillis,
        long session,
        long sessionNumber,
        Command.Report content,
        Optional<AuditEntry.Approval> approval) {
    static final FieldFormat<NodeReport> FORM = new FieldFormat<>(NodeReport::write, NodeReport::read);

    /** Returns whether the report has a signature that is correct in this cluster. */
    public boolean isSigned(Bytes cluster) {
        Bytes signed = AuditEntry.signed(cluster, reporter, Optional.empty(), session, sessionNumber, content);
        return approval.filter(made -> made.key().verifies(signed, made.signature()))
                .isPresent();
    }

    void write(WireWriter out) {
        reporter.write(out);
        out.i64(agreedMillis).i64(session).i64(sessionNumber);
        CommandCodec.write(content, out);
        AuditEntry.Approval.write(approval, out);
    }

    static NodeReport read(WireReader in) {
        return new NodeReport(
                PrincipalId.read(in),
                in.nonNegative64(),
                in.nonNegative64(),
                in.nonNegative64(),
                readContent(in),
                AuditEntry.Approval.read(in));
    }

    private static Command.Report readContent(WireReader in) {
        if (CommandCodec.read(in) instanceof Command.Report report) {
            return report;
        }
        throw new MalformedException("a command that is no report");
    }
}

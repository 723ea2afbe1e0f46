package io.bulwark.protocol.metadata;

import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * Executed administrative command, as the audit log keeps it permanently. Each entry is chained to the one before by
 * its {@link #digest}, so that one digest covers all entries up to it.
 *
 * @param number counted from 1
 * @param agreedMillis when it was executed, in agreed time
 * @param by the principal that gave the command
 * @param session of {@code by}; with {@code sessionNumber} it makes the signature good for this one execution
 * @param approval empty where nobody has keys
 */
public record AuditEntry(
        long number,
        long agreedMillis,
        PrincipalId by,
        long session,
        long sessionNumber,
        Command.Administrative command,
        Optional<Approval> approval) {
    /** No administrative command is longer, so that no entry is. */
    public static final int COMMAND_BYTES_MAX = 4096;

    private static final Bytes ROOT_TAG = Bytes.of("bulwark audit log\0".getBytes(StandardCharsets.US_ASCII));
    private static final Bytes SIGNED_TAG = Bytes.of("bulwark command\0".getBytes(StandardCharsets.US_ASCII));

    /** A signature of {@link #signed}, and the key, which {@code by} had then, that made it. */
    public record Approval(PrincipalKey key, Bytes signature) {
        public Approval {
            if (signature.length() != PrincipalKey.SIGNATURE_BYTES) {
                throw new IllegalArgumentException("a signature of " + signature.length() + " bytes");
            }
        }

        static void write(Optional<Approval> approval, WireWriter out) {
            out.bool(approval.isPresent());
            approval.ifPresent(given -> {
                given.key.write(out);
                out.raw(given.signature);
            });
        }

        static Optional<Approval> read(WireReader in) {
            return in.bool()
                    ? Optional.of(new Approval(PrincipalKey.read(in), in.raw(PrincipalKey.SIGNATURE_BYTES)))
                    : Optional.empty();
        }
    }

    public AuditEntry {
        if (number < 1 || session < 1 || sessionNumber < 1) {
            throw new IllegalArgumentException("entry " + number + " of command " + session + "." + sessionNumber);
        }
    }

    /**
     * Returns the bytes that the issuer of a command signs; they bind it to this cluster and this number of this
     * session.
     */
    public static Bytes signed(
            Bytes cluster, PrincipalId by, long session, long number, Command.Signed command) {
        WireWriter out = new WireWriter().raw(SIGNED_TAG).raw(cluster);
        by.write(out);
        out.i64(session).i64(number);
        CommandCodec.write(command, out);
        return out.toBytes();
    }

    /**
     * Returns the root of the chain.
     *
     * @param registryVersion number of earlier changes of the registry, which the log does not contain
     */
    public static Bytes root(Bytes cluster, long registryVersion) {
        return Hashes.sha256(
                new WireWriter().raw(ROOT_TAG).raw(cluster).i64(registryVersion).toBytes());
    }

    /** SHA-256 of the digest before and of this entry in canonical bytes. */
    public Bytes digest(Bytes previous) {
        WireWriter out = new WireWriter().raw(previous);
        write(out);
        return Hashes.sha256(out.toBytes());
    }

    void write(WireWriter out) {
        by.write(out.i64(number).i64(agreedMillis));
        out.i64(session).i64(sessionNumber);
        CommandCodec.write(command, out);
        Approval.write(approval, out);
    }

    static AuditEntry read(WireReader in) {
        return new AuditEntry(
                in.nonNegative64(),
                in.nonNegative64(),
                PrincipalId.read(in),
                in.nonNegative64(),
                in.nonNegative64(),
                readCommand(in),
                Approval.read(in));
    }

    private static Command.Administrative readCommand(WireReader in) {
        if (CommandCodec.read(in) instanceof Command.Administrative administrative) {
            return administrative;
        }
        throw new MalformedException("a command that is not administrative");
    }
}

package io.bulwark.protocol.metadata;

import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.id.P256;
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
 * @param by the principal that gave the command, and whose key signed it; {@link PrincipalId#NOBODY} for a change that the
 *     replicas made by themselves, within an operator's policy
 * @param onBehalfOf the person whose rights counted, within the act-for grant of {@code by}
 * @param session of {@code by}; with {@code sessionNumber} it makes the signature good for this one execution
 * @param approval empty where nobody has keys, and for changes by the replicas
 */
public record AuditEntry(
        long number,
        long agreedMillis,
        PrincipalId by,
        Optional<PrincipalId> onBehalfOf,
        long session,
        long sessionNumber,
        Command.Administrative command,
        Optional<Approval> approval) {
    /** No administrative command is longer, so that no entry is. */
    public static final int COMMAND_BYTES_MAX = 4096;

    /** Session of entries of changes that the replicas made by themselves; {@link PrincipalId#NOBODY} gave them. */
    static final long OWN_SESSION = 1;

    /** One byte says which of the optional fields are there. */
    private static final int SIGNED = 1;

    private static final int ON_BEHALF = 2;

    private static final Bytes ROOT_TAG = Bytes.of("bulwark audit log\0".getBytes(StandardCharsets.US_ASCII));
    private static final Bytes SIGNED_TAG = Bytes.of("bulwark command\0".getBytes(StandardCharsets.US_ASCII));

    /** A signature of {@link #signed}, and the key, which {@code by} had then, that made it. */
    public record Approval(PrincipalKey key, Bytes signature) {
        public Approval {
            if (signature.length() != P256.SIGNATURE_BYTES) {
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
                    ? Optional.of(new Approval(PrincipalKey.read(in), in.raw(P256.SIGNATURE_BYTES)))
                    : Optional.empty();
        }
    }

    public AuditEntry {
        if (number < 1 || session < 1 || sessionNumber < 1) {
            throw new IllegalArgumentException("entry " + number + " of command " + session + "." + sessionNumber);
        }
    }

    /** Creates the entry of a command that its issuer gave by its own rights. */
    public AuditEntry(
            long number,
            long agreedMillis,
            PrincipalId by,
            long session,
            long sessionNumber,
            Command.Administrative command,
            Optional<Approval> approval) {
        this(number, agreedMillis, by, Optional.empty(), session, sessionNumber, command, approval);
    }

    /** Returns whether the replicas made the change by themselves. */
    public boolean isOwn() {
        return by.equals(PrincipalId.NOBODY);
    }

    /**
     * Returns the bytes that the issuer of a command signs; they bind it to this cluster, to this number of this
     * session, and to the person on whose behalf it is given.
     */
    public static Bytes signed(
            Bytes cluster,
            PrincipalId by,
            Optional<PrincipalId> onBehalfOf,
            long session,
            long number,
            Command.Signed command) {
        WireWriter out = new WireWriter().raw(SIGNED_TAG).raw(cluster);
        by.write(out);
        out.i64(session).i64(number);
        CommandCodec.write(command, out);
        onBehalfOf.ifPresent(person -> person.write(out));
        return out.toBytes();
    }

    /** Returns the bytes that the issuer of this command has signed. */
    Bytes signed(Bytes cluster) {
        return signed(cluster, by, onBehalfOf, session, sessionNumber, command);
    }

    /** Returns the root of the chain. */
    public static Bytes root(Bytes cluster) {
        return Hashes.sha256(new WireWriter().raw(ROOT_TAG).raw(cluster).toBytes());
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
        out.u8((approval.isPresent() ? SIGNED : 0) + (onBehalfOf.isPresent() ? ON_BEHALF : 0));
        onBehalfOf.ifPresent(person -> person.write(out));
        approval.ifPresent(given -> {
            given.key.write(out);
            out.raw(given.signature);
        });
    }

    static AuditEntry read(WireReader in) {
        long number = in.nonNegative64();
        long agreedMillis = in.nonNegative64();
        PrincipalId by = PrincipalId.read(in);
        long session = in.nonNegative64();
        long sessionNumber = in.nonNegative64();
        Command.Administrative command = readCommand(in);
        int flags = in.u8();
        if (flags > SIGNED + ON_BEHALF) {
            throw new MalformedException("unknown fields " + flags);
        }
        Optional<PrincipalId> onBehalfOf =
                (flags & ON_BEHALF) == 0 ? Optional.empty() : Optional.of(PrincipalId.read(in));
        Optional<Approval> approval = (flags & SIGNED) == 0
                ? Optional.empty()
                : Optional.of(new Approval(PrincipalKey.read(in), in.raw(P256.SIGNATURE_BYTES)));
        return new AuditEntry(number, agreedMillis, by, onBehalfOf, session, sessionNumber, command, approval);
    }

    private static Command.Administrative readCommand(WireReader in) {
        if (CommandCodec.read(in) instanceof Command.Administrative administrative) {
            return administrative;
        }
        throw new MalformedException("a command that is not administrative");
    }
}

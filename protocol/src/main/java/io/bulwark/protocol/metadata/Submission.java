package io.bulwark.protocol.metadata;

import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.id.P256;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.locking.LogEntry;
import io.bulwark.protocol.locking.LogHead;
import io.bulwark.protocol.locking.LogId;
import io.bulwark.protocol.locking.LogLimits;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * Input of the ordering engine: the opening of a session, a numbered command within one, or what a replica says about
 * the log server in its process.
 */
public sealed interface Submission {
    /** No submission is longer. */
    int BYTES_MAX = 64 << 10;

    /** Offset of the command in the bytes of an {@link InSession}. */
    int COMMAND_OFFSET = 1 + 3 * Long.BYTES;

    /** Commands that a session may have outstanding: numbers from the lowest unanswered one on. */
    int WINDOW = 256;

    /**
     * Opens a session of the submitter; the same nonce again, while the session is open, gives the same reply. Answered
     * by {@link Reply.SessionOpened}.
     *
     * @param nonce {@link #NONCE_BYTES} bytes chosen by the client
     * @param volume the id of the object volume whose blocks the session may write, or 0 for commands without blocks
     */
    record OpenSession(Bytes nonce, int volume) implements Submission {
        public static final int NONCE_BYTES = 16;

        public OpenSession {
            if (nonce.length() != NONCE_BYTES || volume < 0) {
                throw new IllegalArgumentException("nonce of " + nonce.length() + " bytes, volume " + volume);
            }
        }
    }

    /**
     * Command of the submitter's session. Submitted again under the same number it gets the stored reply, so a client
     * that does not know whether a command was executed submits it again.
     *
     * @param number counted from 1 by the client; at most {@link #WINDOW} above the lowest unanswered one
     * @param lowestUnanswered replies below this number are no longer needed; at most {@code number}
     * @param onBehalfOf the person whose rights count, within the submitter's act-for grant; empty if the submitter's
     *     own rights count
     * @param signature of a command that is signed: {@link P256#SIGNATURE_BYTES} bytes over {@link
     *     AuditEntry#signed}, or none
     */
    record InSession(
            long session,
            long number,
            long lowestUnanswered,
            Command command,
            Optional<PrincipalId> onBehalfOf,
            Bytes signature)
            implements Submission {
        /** Type on the wire; the other two are added to it. */
        private static final int TYPE = 2;

        private static final int SIGNED = 1;
        private static final int ON_BEHALF = 2;

        public InSession {
            if (!signature.isEmpty()
                    && (signature.length() != P256.SIGNATURE_BYTES || !(command instanceof Command.Signed))) {
                throw new IllegalArgumentException("a signature of " + signature.length() + " bytes");
            }
            if (session < 1 || lowestUnanswered < 1 || number < lowestUnanswered) {
                throw new IllegalArgumentException(
                        "session " + session + ", number " + number + ", lowest unanswered " + lowestUnanswered);
            }
        }

        /** Creates an unsigned submission by the submitter's own rights. */
        public InSession(long session, long number, long lowestUnanswered, Command command) {
            this(session, number, lowestUnanswered, command, Optional.empty(), Bytes.EMPTY);
        }

        /** Returns the same submission on behalf of a person. */
        public InSession onBehalfOf(PrincipalId person) {
            return new InSession(session, number, lowestUnanswered, command, Optional.of(person), signature);
        }

        /**
         * The same with a signature, if the command is one that is signed.
         *
         * @param cluster its id
         * @param by the submitter
         * @param signing makes the signature of what it is given
         */
        public InSession signed(Bytes cluster, PrincipalId by, UnaryOperator<Bytes> signing) {
            if (!(command instanceof Command.Signed content)) {
                return this;
            }
            Bytes signed = AuditEntry.signed(cluster, by, onBehalfOf, session, number, content);
            return new InSession(session, number, lowestUnanswered, command, onBehalfOf, signing.apply(signed));
        }
    }

    /**
     * Submission of a replica for its log server, without a session. One that is given again changes nothing. Answered by
     * {@link Reply.Done}.
     */
    sealed interface OfReplica extends Submission {}

    /** End of a log in the store of a log server, which takes no more entries of it. */
    record Fetched(LogId log, LogHead head) {
        private void write(WireWriter out) {
            log.write(out);
            head.write(out);
        }

        private static Fetched read(WireReader in) {
            return new Fetched(LogId.read(in), LogHead.read(in));
        }
    }

    /** The ends of some logs whose rounds are open, in the order of their ids; or none, so that the order takes a step. */
    record Fetch(List<Fetched> logs) implements OfReplica {
        /** Maximum number of logs. */
        public static final int LOGS_MAX = 16;

        public Fetch {
            logs = List.copyOf(logs);
            if (logs.size() > LOGS_MAX) {
                throw new IllegalArgumentException(logs.size() + " logs");
            }
            for (int i = 1; i < logs.size(); i++) {
                if (logs.get(i - 1).log.compareTo(logs.get(i).log) >= 0) {
                    throw new IllegalArgumentException(logs.get(i).log + " is not above the log before it");
                }
            }
        }
    }

    /**
     * Entries of a log whose round is open.
     *
     * @param first number of the first one
     * @param previous hash of the entry before it, or h(0)
     */
    record Pieces(LogId log, long first, Bytes previous, List<LogEntry> entries) implements OfReplica {
        public Pieces {
            entries = List.copyOf(entries);
            if (first < 1
                    || first > LogLimits.ENTRIES_MAX
                    || previous.length() != Hashes.LENGTH
                    || entries.isEmpty()
                    || entries.size() > LogLimits.ENTRIES_MAX) {
                throw new IllegalArgumentException(entries.size() + " entries from " + first + " on");
            }
        }
    }

    private static InSession readInSession(int flags, WireReader in) {
        return new InSession(
                in.i64(),
                in.i64(),
                in.i64(),
                CommandCodec.read(in),
                (flags & InSession.ON_BEHALF) == 0 ? Optional.empty() : Optional.of(PrincipalId.read(in)),
                (flags & InSession.SIGNED) == 0 ? Bytes.EMPTY : in.raw(P256.SIGNATURE_BYTES));
    }

    default Bytes encoded() {
        WireWriter out = new WireWriter();
        switch (this) {
            case OpenSession open -> out.u8(1).raw(open.nonce).i32(open.volume);
            case Fetch fetch -> Lists.write(fetch.logs, out.u8(6), Fetched::write);
            case Pieces pieces -> {
                pieces.log.write(out.u8(7));
                out.i64(pieces.first).raw(pieces.previous);
                Lists.write(pieces.entries, out, LogEntry::write);
            }
            case InSession in -> {
                int flags = (in.signature.isEmpty() ? 0 : InSession.SIGNED)
                        + (in.onBehalfOf.isEmpty() ? 0 : InSession.ON_BEHALF);
                out.u8(InSession.TYPE + flags).i64(in.session).i64(in.number).i64(in.lowestUnanswered);
                CommandCodec.write(in.command, out);
                // Behind the command, whose bytes show their end: the digest of a number's command covers it.
                in.onBehalfOf.ifPresent(person -> person.write(out));
                out.raw(in.signature);
            }
        }
        return out.toBytes();
    }

    /**
     * Reads one submission.
     *
     * @throws MalformedException unless these are its canonical bytes
     */
    static Submission decode(Bytes bytes) {
        if (bytes.length() > BYTES_MAX) {
            throw new MalformedException(bytes.length() + " bytes, the limit is " + BYTES_MAX);
        }
        WireReader in = new WireReader(bytes);
        int type = in.u8();
        try {
            Submission read = switch (type) {
                case 1 -> new OpenSession(in.raw(OpenSession.NONCE_BYTES), in.i32());
                case 2, 3, 4, 5 -> readInSession(type - InSession.TYPE, in);
                case 6 -> new Fetch(Lists.read(in, Fetch.LOGS_MAX, Fetched::read));
                case 7 ->
                    new Pieces(
                            LogId.read(in),
                            in.i64(),
                            in.raw(Hashes.LENGTH),
                            Lists.read(in, LogLimits.ENTRIES_MAX, LogEntry::read));
                default -> throw new MalformedException("unknown submission " + type);
            };
            in.end();
            return read;
        } catch (IllegalArgumentException e) {
            throw new MalformedException(e);
        }
    }
}

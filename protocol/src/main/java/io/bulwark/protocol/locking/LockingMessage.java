package io.bulwark.protocol.locking;

import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;
import java.util.List;
import java.util.Optional;

/** Messages between the holder of a log and the log servers. */
public sealed interface LockingMessage extends Message permits LockingMessage.ToServer, LockingMessage.ToHolder {
    /** The longest query of a holder, in bytes. */
    int QUERY_BYTES_MAX = 64 << 10;

    /** The longest answer to a query, in bytes. */
    int ANSWER_BYTES_MAX = 4 << 20;

    /** The longest reply to an entry, in bytes. All servers send it whole. */
    int REPLY_BYTES_MAX = 64 << 10;

    /** An answer that is no longer, in bytes, all servers send as it is. */
    int SHORT_BYTES_MAX = 32;

    /** Value of the replier with which each server sends the whole answer. */
    int ALL = 255;

    /** The log that this is about. */
    LogId log();

    /** Request of the holder. */
    sealed interface ToServer extends LockingMessage {}

    /** Answer of a log server. */
    sealed interface ToHolder extends LockingMessage {}

    /**
     * Appends a batch, whole or not at all (14).
     *
     * @param head end of the log with this batch
     */
    record Append(LogId log, List<LogEntry> entries, LogHead head) implements ToServer {
        public Append {
            entries = List.copyOf(entries);
            if (entries.isEmpty()
                    || entries.size() > LogLimits.OUTSTANDING_MAX
                    || entries.size() > head.length()
                    || bytesOf(entries) > LogLimits.BYTES_MAX) {
                throw new IllegalArgumentException(entries.size() + " entries up to " + head.length());
            }
        }

        /** Number of its first entry. */
        public long first() {
            return head.length() - entries.size() + 1;
        }

        static int bytesOf(List<LogEntry> entries) {
            return entries.stream().mapToInt(LogEntry::length).sum();
        }
    }

    /**
     * Asks for a query's answer as of a length of the log (18).
     *
     * @param call number that the holder draws for each attempt
     * @param replier number of the server that sends a long answer whole, while the others send its digest
     * @param onBehalfOf as in a submission
     */
    record LogRead(LogId log, long call, int replier, long length, Optional<PrincipalId> onBehalfOf, Bytes query)
            implements ToServer {
        public LogRead {
            if (call < 1
                    || replier < 0
                    || replier > ALL
                    || length < 0
                    || length > LogLimits.ENTRIES_MAX
                    || query.length() > QUERY_BYTES_MAX) {
                throw new IllegalArgumentException(
                        "call " + call + ", " + query.length() + " bytes as of " + length + " to " + replier);
            }
        }
    }

    /**
     * Reports that the log is durable up to this length.
     *
     * @param hash h(length)
     * @param replies to the last entries up to this length, in order
     */
    record Appended(LogId log, long length, Bytes hash, List<Bytes> replies) implements ToHolder {
        public Appended {
            replies = List.copyOf(replies);
            if (length < 1
                    || length > LogLimits.ENTRIES_MAX
                    || hash.length() != Hashes.LENGTH
                    || replies.size() > Math.min(length, LogLimits.OUTSTANDING_MAX)
                    || replies.stream().anyMatch(reply -> reply.length() > REPLY_BYTES_MAX)) {
                throw new IllegalArgumentException(replies.size() + " replies up to " + length);
            }
        }
    }

    /** Answers a query, as of the length that the holder named. */
    record LogAnswer(LogId log, long call, Bytes reply) implements ToHolder {
        public LogAnswer {
            if (call < 1 || reply.length() > ANSWER_BYTES_MAX) {
                throw new IllegalArgumentException("call " + call + ", " + reply.length() + " bytes");
            }
        }

        /** Returns the form in which a server sends it to a holder that has named this replier. */
        public ToHolder by(int server, int replier) {
            return replier == server || replier == ALL || reply.length() <= SHORT_BYTES_MAX
                    ? this
                    : new LogAnswerDigest(log, call, Hashes.sha256(reply));
        }
    }

    /** The SHA-256 of an answer that another server is to send. */
    record LogAnswerDigest(LogId log, long call, Bytes digest) implements ToHolder {
        public LogAnswerDigest {
            if (call < 1 || digest.length() != Hashes.LENGTH) {
                throw new IllegalArgumentException("call " + call + ", a digest of " + digest.length() + " bytes");
            }
        }
    }

    /**
     * Refuses a batch or a read.
     *
     * @param call of the read; {@link #BATCH} of a batch
     * @param length of the server's log
     */
    record LogRefused(LogId log, long call, LogRefusal reason, long length) implements ToHolder {
        public static final long BATCH = 0;

        public LogRefused {
            if (call < BATCH || length < 0 || length > LogLimits.ENTRIES_MAX) {
                throw new IllegalArgumentException("call " + call + ", length " + length);
            }
        }
    }
}

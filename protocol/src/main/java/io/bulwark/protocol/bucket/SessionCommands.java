package io.bulwark.protocol.bucket;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.metadata.MetadataError;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.metadata.Submission;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.TreeSet;

/**
 * Numbers the commands of one session and keeps to the window of outstanding ones (docs/protocols/metadata.md). A number is used
 * for one command only, submitted until it is answered or given up: given up, its result is never known.
 */
public final class SessionCommands {
    private static final long RENEW_MILLIS_MIN = 1_000;
    private static final long RENEW_MILLIS_MAX = 10_000;

    private final long session;
    private final TreeSet<Long> outstanding = new TreeSet<>();
    private final Deque<WaitingCommand> waiting = new ArrayDeque<>();
    private long next = 1;

    private record WaitingCommand(long token, Command command, Optional<PrincipalId> onBehalfOf) {}

    /** A command that is to be submitted now, and the token that it was added under. */
    public record NumberedCommand(long token, Submission.InSession submission) {}

    /** @param session its number */
    public SessionCommands(long session) {
        this.session = session;
    }

    /**
     * Returns whether a session is gone, so that later commands need another. {@link #mayBeExecuted} says whether the
     * answered command may be repeated there.
     */
    public static boolean isLost(Reply.Failed reply) {
        return reply.error() == MetadataError.SESSION_CLOSED || reply.error() == MetadataError.SESSION_UNKNOWN;
    }

    /**
     * Returns whether a command with this answer may have been executed all the same. A copy of it may have run while
     * the session was open, and its replies were lost and are no longer kept. Such a command has no known result, and
     * is never repeated under another number or in another session. An unknown session has never executed anything.
     */
    public static boolean mayBeExecuted(Reply.Failed reply) {
        return reply.error() == MetadataError.SESSION_CLOSED || reply.error() == MetadataError.NUMBER_TOO_OLD;
    }

    /** Returns the time from one renewal of a session to the next. */
    public static long renewAfterMillis(long ttlMillis) {
        return Math.clamp(ttlMillis / 4, RENEW_MILLIS_MIN, RENEW_MILLIS_MAX);
    }

    public void add(long token, Command command) {
        add(token, command, Optional.empty());
    }

    /**
     * Adds a command, on behalf of a person if one is given.
     *
     * @param onBehalfOf the person whose rights count; empty for those of the session's owner
     */
    public void add(long token, Command command, Optional<PrincipalId> onBehalfOf) {
        waiting.addLast(new WaitingCommand(token, command, onBehalfOf));
    }

    /** The next command, if the window has room for one. */
    public Optional<NumberedCommand> next() {
        long lowest = outstanding.isEmpty() ? next : outstanding.first();
        if (waiting.isEmpty() || next - lowest >= Submission.WINDOW) {
            return Optional.empty();
        }
        WaitingCommand first = waiting.removeFirst();
        long number = next++;
        outstanding.add(number);
        Submission.InSession submission = new Submission.InSession(session, number, lowest, first.command);
        return Optional.of(new NumberedCommand(
                first.token, first.onBehalfOf.map(submission::onBehalfOf).orElse(submission)));
    }

    /** The command of this number was answered, or is submitted no more. */
    public void done(long number) {
        outstanding.remove(number);
    }
}

package io.bulwark.protocol.locking;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.Optional;

/**
 * One operation in a log.
 *
 * @param atMillis the holder's time; it decides on dates only
 * @param onBehalfOf as in a submission
 * @param command in canonical bytes
 */
public record LogEntry(long atMillis, Optional<PrincipalId> onBehalfOf, Bytes command) {
    /** Maximum length of a command in a log. With its submission around it, an entry fits into an ordered command. */
    public static final int COMMAND_BYTES_MAX = 60 << 10;

    public LogEntry {
        if (command.length() > COMMAND_BYTES_MAX || atMillis < 0) {
            throw new IllegalArgumentException("a command of " + command.length() + " bytes at " + atMillis);
        }
    }

    /** Returns the length on the wire, in bytes. */
    public int length() {
        return Long.BYTES + 1 + (onBehalfOf.isPresent() ? PrincipalId.BYTES : 0) + Integer.BYTES + command.length();
    }

    public void write(WireWriter out) {
        out.i64(atMillis).bool(onBehalfOf.isPresent());
        onBehalfOf.ifPresent(person -> person.write(out));
        out.bytes(command);
    }

    public static LogEntry read(WireReader in) {
        return new LogEntry(
                in.nonNegative64(),
                in.bool() ? Optional.of(PrincipalId.read(in)) : Optional.empty(),
                in.bytes(COMMAND_BYTES_MAX));
    }
}

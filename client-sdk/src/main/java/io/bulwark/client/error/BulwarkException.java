package io.bulwark.client.error;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** An operation of the SDK failed. The message says what happened and to what; subclasses say which failure it was. */
public abstract class BulwarkException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient Subject subject;

    BulwarkException(String problem, Subject subject, @Nullable Throwable cause) {
        super(problem + subject.suffix(), cause);
        this.subject = subject;
    }

    public Optional<String> bucket() {
        return Optional.ofNullable(subject.bucket());
    }

    public Optional<String> key() {
        return Optional.ofNullable(subject.key());
    }

    public Optional<String> volume() {
        return Optional.ofNullable(subject.volume());
    }

    /** The server that failed or refused, such as {@code node-3} or {@code replica-0}. */
    public Optional<String> node() {
        return Optional.ofNullable(subject.node());
    }
}

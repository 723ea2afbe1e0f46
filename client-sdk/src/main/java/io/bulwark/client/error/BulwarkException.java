package io.bulwark.client.error;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Failure of an operation of the SDK. The message says what happened and to what; subclasses distinguish the failures.
 */
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

package io.bulwark.client;

import io.bulwark.client.error.CancelledException;
import io.bulwark.client.error.DeadlineExceededException;
import io.bulwark.client.error.Subject;
import io.bulwark.transport.file.FileChangedException;
import io.bulwark.transport.file.FileFailure;
import io.bulwark.transport.file.SourceStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;

/** Puts a file as it was at one moment. A file that changes while it is read is read again, a few times. */
final class FilePut {
    private FilePut() {}

    /** Puts what the stream has, whose end fails if the file has changed. */
    interface Attempt {
        ObjectInfo put(SourceStream content, PutOptions options) throws IOException;
    }

    /** The deadline of the options is that of all attempts together. */
    static ObjectInfo of(Path file, PutOptions options, Subject subject, Attempt attempt) {
        long start = System.nanoTime();
        try {
            return SourceStream.read(file, content -> {
                try {
                    return attempt.put(content, remaining(options, start, subject));
                } catch (UncheckedIOException e) {
                    if (e.getCause() instanceof FileChangedException changed) {
                        throw changed;
                    }
                    throw e;
                }
            });
        } catch (FileChangedException e) {
            throw new UncheckedIOException(
                    unreadable(subject, e).getMessage() + ", " + SourceStream.ATTEMPTS_MAX
                            + " times; nothing was stored: retry when no process writes to it",
                    e);
        } catch (InterruptedIOException e) {
            throw new CancelledException("interrupted while reading a file", subject, e);
        } catch (IOException e) {
            throw unreadable(subject, e);
        }
    }

    /** Creates the exception for a source of a put that cannot be read. */
    static UncheckedIOException unreadable(Subject subject, IOException e) {
        return new UncheckedIOException(
                "cannot put " + subject.bucket() + "/" + subject.key() + ": " + FileFailure.text(e), e);
    }

    private static PutOptions remaining(PutOptions options, long start, Subject subject) {
        if (options.deadline().isZero()) {
            return options;
        }
        Duration left = options.deadline().minusNanos(System.nanoTime() - start);
        if (!left.isPositive()) {
            throw new DeadlineExceededException(
                    "the file kept changing during the read for "
                            + options.deadline().toMillis() + " ms",
                    subject);
        }
        return options.withDeadline(left);
    }
}

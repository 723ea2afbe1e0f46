package io.bulwark.console.object;

import java.io.IOException;
import java.io.Serial;

/**
 * End of a download whose first bytes may be on their way: the connection is cut, so that the receiver sees that
 * something is missing. It is no {@link io.bulwark.client.error.BulwarkException}, and has none as its cause: for either
 * an answer would be written behind the bytes.
 */
final class BrokenDownload extends IOException {
    @Serial
    private static final long serialVersionUID = 1;

    BrokenDownload(String message, Throwable reason) {
        super(message);
        addSuppressed(reason);
    }

    BrokenDownload(String message) {
        super(message);
    }
}

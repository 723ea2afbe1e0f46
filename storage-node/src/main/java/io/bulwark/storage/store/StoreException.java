package io.bulwark.storage.store;

import java.io.IOException;

/** The store cannot be opened or read: in use, of another format, or its device or index is broken. */
public final class StoreException extends IOException {
    private static final long serialVersionUID = 1L;

    public StoreException(String message) {
        super(message);
    }

    public StoreException(String message, Throwable cause) {
        super(message, cause);
    }
}

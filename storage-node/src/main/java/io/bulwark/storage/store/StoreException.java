package io.bulwark.storage.store;

import java.io.IOException;

/** The store cannot be opened or read: in use, of another format, or its device or index is broken. */
public final class StoreException extends IOException {
    private static final long serialVersionUID = 1L;

    private final boolean damaged;

    public StoreException(String message) {
        super(message);
        this.damaged = false;
    }

    public StoreException(String message, Throwable cause) {
        this(message, cause, false);
    }

    private StoreException(String message, Throwable cause, boolean damaged) {
        super(message, cause);
        this.damaged = damaged;
    }

    /** Returns the exception for index files that are missing, or differ from the data written. */
    static StoreException damaged(String message, Throwable cause) {
        return new StoreException(message, cause, true);
    }

    /** Returns whether {@link IndexSalvage} may help. */
    boolean isDamage() {
        return damaged;
    }
}

package io.bulwark.transport;

/** An address at which this transport's security would not protect a connection. */
public final class UnsafeAddressException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    public UnsafeAddressException(String message) {
        super(message);
    }
}

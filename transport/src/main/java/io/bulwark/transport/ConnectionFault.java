package io.bulwark.transport;

/** Ends a connection. Without a stack trace, as the other side decides how often it is thrown. */
final class ConnectionFault extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final Fault fault;

    ConnectionFault(Fault fault, String detail) {
        super(detail, null, false, false);
        this.fault = fault;
    }

    Fault fault() {
        return fault;
    }
}

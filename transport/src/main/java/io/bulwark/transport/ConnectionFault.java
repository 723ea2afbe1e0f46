package io.bulwark.transport;

import io.bulwark.transport.identity.RefusedCertificateException;
import java.nio.channels.ClosedChannelException;

/** Ends a connection. Without a stack trace, as the other side decides how often it is thrown. */
final class ConnectionFault extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private static final int CAUSES_MAX = 8;

    private final Fault fault;

    ConnectionFault(Fault fault, String detail) {
        super(detail, null, false, false);
        this.fault = fault;
    }

    /** What made TLS fail: our own refusal of a certificate, or what the engine says. */
    static ConnectionFault ofTls(Throwable failure) {
        Throwable cause = failure;
        for (int depth = 0; cause != null && depth < CAUSES_MAX; depth++, cause = cause.getCause()) {
            if (cause instanceof RefusedCertificateException refused) {
                Fault fault = switch (refused.reason()) {
                    case FORM -> Fault.BAD_CERTIFICATE;
                    case EXPIRED -> Fault.EXPIRED_CERTIFICATE;
                    case UNKNOWN_KEY -> Fault.UNKNOWN_PRINCIPAL;
                    case WRONG_NAME -> Fault.WRONG_NAME;
                };
                return new ConnectionFault(fault, String.valueOf(refused.getMessage()));
            }
            if (cause instanceof ClosedChannelException) {
                return new ConnectionFault(Fault.INPUT_OUTPUT, "closed during the handshake");
            }
        }
        return new ConnectionFault(Fault.TLS, String.valueOf(failure.getMessage()));
    }

    Fault fault() {
        return fault;
    }
}

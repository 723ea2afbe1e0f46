package io.bulwark.transport;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.transport.identity.RefusedCertificateException;
import java.nio.channels.ClosedChannelException;
import java.util.Locale;
import javax.net.ssl.SSLException;

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
                    case UNKNOWN_KEY, UNKNOWN_STILL, REVOKED -> Fault.UNKNOWN_PRINCIPAL;
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

    /**
     * What a server says of the certificate that it was shown, by the alert with which it ends the handshake (RFC 8446, 6.2). Engines tell it as text
     * only, and there is none of it where what came was not from the server.
     *
     * @param who has proved to be the server
     */
    static ConnectionFault ofRefusal(PrincipalId who, PrincipalId self, SSLException said) {
        String text = String.valueOf(said.getMessage()).toLowerCase(Locale.ROOT);
        if (!text.contains("received fatal alert") && !text.contains("_alert_")) {
            return ofTls(said);
        }
        if (text.contains("certificate_revoked")) {
            return new ConnectionFault(Fault.REFUSED_REVOKED, who + " says that " + self + " was revoked");
        }
        if (text.contains("certificate_expired")) {
            return new ConnectionFault(
                    Fault.REFUSED_EXPIRED, who + " says that the certificate of " + self + " is not valid now");
        }
        return new ConnectionFault(
                text.contains("bad_certificate") ? Fault.REFUSED_UNKNOWN : Fault.REFUSED_UNSURE,
                who + " does not believe the key that is shown here for " + self + ": " + text);
    }

    Fault fault() {
        return fault;
    }
}

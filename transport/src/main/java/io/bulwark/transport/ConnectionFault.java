package io.bulwark.transport;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.transport.identity.RefusedCertificateException;
import java.nio.channels.ClosedChannelException;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;

/** Ends a connection. Without a stack trace, as the other side decides how often it is thrown. */
final class ConnectionFault extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private static final int CAUSES_MAX = 8;

    /** Alert that was received and concerns a certificate, in the words of the JDK's engine and of BoringSSL. */
    private static final Pattern CERTIFICATE_ALERT = Pattern.compile(
            "(?:received fatal alert: |_alert_)"
                    + "(bad_certificate|unsupported_certificate|certificate_(?:revoked|expired|unknown|required)"
                    + "|unknown_ca|access_denied)\\b",
            Pattern.CASE_INSENSITIVE);

    private final Fault fault;

    ConnectionFault(Fault fault, String detail) {
        super(detail, null, false, false);
        this.fault = fault;
    }

    /** Returns the fault for a TLS failure: this side's refusal of a certificate, or the engine's report. */
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
     * Returns the fault for a server's judgement of the certificate that this side presented. The server gives it by
     * the alert that ends the handshake (RFC 8446, 6.2). Engines report alerts as text only. Other alerts say nothing
     * about the certificate. A server sends them if somebody in between changes a record, and a faulty server sends
     * them itself.
     *
     * @param who has proved to be the server
     */
    static ConnectionFault ofRefusal(PrincipalId who, PrincipalId self, SSLException said) {
        Matcher alert = CERTIFICATE_ALERT.matcher(String.valueOf(said.getMessage()));
        if (!alert.find()) {
            return ofTls(said);
        }
        String name = alert.group(1).toLowerCase(Locale.ROOT);
        return switch (name) {
            case "certificate_revoked" ->
                new ConnectionFault(Fault.REFUSED_REVOKED, who + " reports that " + self + " was revoked");
            case "certificate_expired" ->
                new ConnectionFault(
                        Fault.REFUSED_EXPIRED, who + " reports that the certificate of " + self + " is not valid now");
            default ->
                new ConnectionFault(
                        name.equals("bad_certificate") ? Fault.REFUSED_UNKNOWN : Fault.REFUSED_UNSURE,
                        who + " does not trust the local key of " + self + ": " + name);
        };
    }

    Fault fault() {
        return fault;
    }
}

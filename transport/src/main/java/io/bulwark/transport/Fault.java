package io.bulwark.transport;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Reason for which this side refused or closed a connection; the label of the counter {@code bulwark.transport.faults}.
 */
enum Fault {
    MAGIC,
    VERSION,
    RESERVED,
    LENGTH,
    TYPE,
    CHECKSUM,
    BODY,
    HANDSHAKE_TIMEOUT,
    HANDSHAKE_VERSION,
    HANDSHAKE_ORDER,
    WRONG_TARGET,
    UNKNOWN_PRINCIPAL,
    WRONG_MAC,
    TLS,
    BAD_CERTIFICATE,
    EXPIRED_CERTIFICATE,
    WRONG_NAME,
    NOT_TRUSTED_ANY_MORE,
    REFUSED_REVOKED,
    REFUSED_UNKNOWN,
    REFUSED_UNSURE,
    REFUSED_EXPIRED,
    TOO_MANY_CONNECTIONS,
    FRAME_TIMEOUT,
    TOO_MANY_UNFINISHED,
    HANDLER_FAILED,
    INPUT_OUTPUT;

    String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /**
     * Returns the refusal that it implies for the connecting side: which side rejects the other. Null if there is none.
     */
    LinkRefusal.@Nullable Reason refusal() {
        return switch (this) {
            case REFUSED_REVOKED -> LinkRefusal.Reason.REVOKED;
            case REFUSED_UNKNOWN -> LinkRefusal.Reason.UNKNOWN_KEY;
            case REFUSED_UNSURE -> LinkRefusal.Reason.UNKNOWN_YET;
            case REFUSED_EXPIRED -> LinkRefusal.Reason.EXPIRED;
            case UNKNOWN_PRINCIPAL, BAD_CERTIFICATE, WRONG_NAME, WRONG_MAC -> LinkRefusal.Reason.THEIR_KEY_UNKNOWN;
            case EXPIRED_CERTIFICATE -> LinkRefusal.Reason.THEIR_CERTIFICATE_EXPIRED;
            default -> null;
        };
    }
}

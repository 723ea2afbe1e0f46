package io.bulwark.transport;

import java.util.Locale;

/** Why a connection was refused or closed by this side; the label of the counter {@code bulwark.transport.faults}. */
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
    TOO_MANY_CONNECTIONS,
    FRAME_TIMEOUT,
    TOO_MANY_UNFINISHED,
    HANDLER_FAILED,
    INPUT_OUTPUT;

    String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}

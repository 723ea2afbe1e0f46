package io.bulwark.transport.identity;

import java.io.IOException;

/** A device refused a PIN. Devices lock themselves after a few wrong ones. */
public final class WrongPinException extends IOException {
    private static final long serialVersionUID = 1;

    WrongPinException(String message, Throwable cause) {
        super(message, cause);
    }
}

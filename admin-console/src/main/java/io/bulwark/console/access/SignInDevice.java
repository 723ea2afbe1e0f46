package io.bulwark.console.access;

import io.bulwark.transport.identity.OpenedDevice;
import io.bulwark.transport.identity.Pkcs11Token;
import io.bulwark.transport.identity.WrongPinException;
import java.io.IOException;

/**
 * The device at this console's machine, which has the key of an operator. Devices lock themselves after some wrong PINs, and
 * strangers may reach the sign-in page: after {@value #WRONG_MAX} wrong ones in a row the device is asked no more. Thread-safe.
 */
final class SignInDevice {
    static final int WRONG_MAX = 2;
    private static final int PIN_LENGTH_MIN = 4;

    private final Pkcs11Token token;
    private int wrong;

    SignInDevice(Pkcs11Token token) {
        this.token = token;
    }

    /**
     * Opens the device.
     *
     * @throws IOException if the PIN is wrong, or somebody has the device open
     */
    synchronized OpenedDevice open(String pin) throws IOException {
        if (pin.length() < PIN_LENGTH_MIN) {
            throw new IOException("a PIN has at least " + PIN_LENGTH_MIN + " characters");
        }
        if (wrong >= WRONG_MAX) {
            throw new IOException(
                    WRONG_MAX + " wrong PINs in a row: the device is asked again after a restart of the console");
        }
        try {
            OpenedDevice opened = token.open(pin.toCharArray());
            wrong = 0;
            return opened;
        } catch (WrongPinException e) {
            wrong++;
            throw e;
        }
    }
}

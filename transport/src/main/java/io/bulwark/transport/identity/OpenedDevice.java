package io.bulwark.transport.identity;

import java.security.AuthProvider;
import java.security.Provider;
import javax.security.auth.login.LoginException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A device that a person opened with the PIN. A process has one login at a device: while it is open, other PINs would not
 * be checked, so {@link Pkcs11Token} opens it once at a time.
 */
public final class OpenedDevice implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(OpenedDevice.class);

    private final Identity identity;
    private final Provider provider;
    private final Runnable closed;

    OpenedDevice(Identity identity, Provider provider, Runnable closed) {
        this.identity = identity;
        this.provider = provider;
        this.closed = closed;
    }

    /** Returns the identity whose key is in the device. It signs nothing more once this is closed. */
    public Identity identity() {
        return identity;
    }

    /** Ends the login, so that the next use needs the PIN again. */
    @Override
    public void close() {
        logOut(provider);
        closed.run();
    }

    static void logOut(Provider provider) {
        if (provider instanceof AuthProvider device) {
            try {
                device.logout();
            } catch (LoginException | RuntimeException e) {
                LOG.warn("the device does not end its login: {}", e.toString());
            }
        }
    }
}

package io.bulwark.client;

import java.util.List;

/**
 * Releases of the software from which supervisors may start replicas. Releases are not checked until one is allowed.
 * Changes need the right to administer.
 */
public interface Releases {
    /** The SHA-256 of all that are allowed, in hexadecimal. */
    List<String> allowed();

    /**
     * Allows one more, as before an upgrade.
     *
     * @param hash its SHA-256 in hexadecimal
     */
    void allow(String hash);

    /** Allows it no more, as after an upgrade. */
    void forget(String hash);
}

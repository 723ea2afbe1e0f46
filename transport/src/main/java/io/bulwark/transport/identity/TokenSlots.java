package io.bulwark.transport.identity;

import java.io.IOException;
import java.nio.file.Path;

/**
 * Finds the slot of a token by its label, which the JDK's provider cannot: it wants the slot's number, and that may change.
 */
interface TokenSlots {
    /** The first Java whose interface to native code is not a preview. */
    int FOREIGN_FUNCTIONS = 22;

    /**
     * The number of the slot with this token.
     *
     * @throws IOException if the module cannot be loaded or has no such token
     */
    long slotOf(Path module, String label) throws IOException;

    /** Returns the implementation for this virtual machine, which needs Java 22: older ones cannot link its class. */
    static TokenSlots ofThisJava() throws IOException {
        if (Runtime.version().feature() < FOREIGN_FUNCTIONS) {
            throw new IOException("keys in a PKCS#11 token need Java " + FOREIGN_FUNCTIONS + " or later, this is Java "
                    + Runtime.version().feature());
        }
        try {
            return Class.forName("io.bulwark.transport.identity.ForeignTokenSlots")
                    .asSubclass(TokenSlots.class)
                    .getDeclaredConstructor()
                    .newInstance();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("the jar of transport lost META-INF/versions or its Multi-Release", e);
        }
    }
}

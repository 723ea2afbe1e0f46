package io.bulwark.protocol.erasure;

/** Detector for whether code on {@code jdk.incubator.vector} can be linked in this virtual machine. */
public final class VectorUnit {
    /** The first Java whose lookups wrap an index that is too great; before, they throw an exception. */
    private static final int WRAPPING_LOOKUPS = 24;

    private VectorUnit() {}

    /**
     * True if the incubating module was resolved ({@code --add-modules jdk.incubator.vector}), on Java 24 or later. Classes
     * that name its types are loaded by name, and only after this answered true: an application without the flag never
     * links them.
     */
    public static boolean isPresent() {
        return Runtime.version().feature() >= WRAPPING_LOOKUPS
                && ModuleLayer.boot().findModule("jdk.incubator.vector").isPresent();
    }
}

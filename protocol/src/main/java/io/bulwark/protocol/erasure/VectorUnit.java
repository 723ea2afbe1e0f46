package io.bulwark.protocol.erasure;

/** Detector for whether code on {@code jdk.incubator.vector} can be linked in this virtual machine. */
public final class VectorUnit {
    private VectorUnit() {}

    /**
     * True if the incubating module was resolved ({@code --add-modules jdk.incubator.vector}). Classes that name its
     * types are loaded by name, and only after this answered true: an application without the flag never links them.
     */
    public static boolean isPresent() {
        return ModuleLayer.boot().findModule("jdk.incubator.vector").isPresent();
    }
}

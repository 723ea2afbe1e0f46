package io.bulwark.protocol.mutation;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Loads Bulwark's classes anew, some of them with other code: the same simulator, tests and protocols run around a
 * planted bug, and each bug has statics of its own.
 */
final class MutatedClasses extends ClassLoader {
    private static final String OURS = "io.bulwark.";
    /** Packages that are shared between trials: they stay compiled to machine code, and they depend on no other package of ours. */
    private static final List<String> LEAVES =
            List.of("protocol.wire.", "protocol.id.", "protocol.erasure.", "protocol.fingerprint.");

    private static final Map<String, Optional<byte[]>> KNOWN = new ConcurrentHashMap<>();

    private final Map<String, byte[]> mutated;
    private final boolean keepsLeaves;

    /** @param entry the class that will be asked for */
    MutatedClasses(Map<String, byte[]> mutated, String entry) {
        super("mutated", MutatedClasses.class.getClassLoader());
        this.mutated = Map.copyOf(mutated);
        this.keepsLeaves = !isLeaf(entry) && mutated.keySet().stream().noneMatch(MutatedClasses::isLeaf);
    }

    private static boolean isLeaf(String name) {
        return LEAVES.stream().anyMatch(leaf -> name.startsWith(OURS + leaf));
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            if (loaded == null && name.startsWith(OURS) && !(keepsLeaves && isLeaf(name))) {
                loaded = define(name);
            }
            return loaded == null ? super.loadClass(name, resolve) : loaded;
        }
    }

    private @Nullable Class<?> define(String name) {
        byte[] other = mutated.get(name);
        byte[] bytes = other == null ? KNOWN.computeIfAbsent(name, this::read).orElse(null) : other;
        return bytes == null ? null : defineClass(name, bytes, 0, bytes.length);
    }

    private Optional<byte[]> read(String name) {
        String file = name.replace('.', '/') + ".class";
        try (InputStream in = getParent().getResourceAsStream(file)) {
            return in == null ? Optional.empty() : Optional.of(in.readAllBytes());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

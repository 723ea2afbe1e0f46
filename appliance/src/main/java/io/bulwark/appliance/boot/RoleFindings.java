package io.bulwark.appliance.boot;

import io.bulwark.client.error.ConfigException;
import io.bulwark.client.error.Subject;
import io.bulwark.transport.Destination;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Errors in the file of a role, collected so that they are reported together. Its results are not valid before {@link
 * #end}.
 */
final class RoleFindings {
    private static final InetSocketAddress NOWHERE = InetSocketAddress.createUnresolved("nowhere", 0);

    private final Path file;
    private final String role;
    private final Set<String> missing = new TreeSet<>();
    private final Set<String> wrong = new LinkedHashSet<>();
    private final Set<String> wrongKeys = new HashSet<>();

    RoleFindings(Path file, String role) {
        this.file = file;
        this.role = role;
    }

    /** There is a key or a variable that means nothing, or the like. */
    void note(String what) {
        wrong.add(what);
    }

    /** A key has a value that it cannot have. */
    void note(String key, String what) {
        if (wrongKeys.add(key)) {
            wrong.add(key + ": " + what);
        }
    }

    /** There is nothing to read: no section, or one that is no section. */
    void noteNoSection() {
        note("there is no section bulwark." + role + " with keys");
    }

    /** One of these words, in any case, if it is given. */
    String word(String key, @Nullable String text, String otherwise, List<String> words) {
        if (text == null) {
            return otherwise;
        }
        String word = text.toLowerCase(Locale.ROOT);
        if (!words.contains(word)) {
            note(key, "\"" + text + "\" is not " + String.join(" or ", words));
        }
        return word;
    }

    /** Returns the value of a required key, or records the key as missing. */
    <T> T given(String key, @Nullable T value, T otherwise) {
        if (value != null) {
            return value;
        }
        if (!wrongKeys.contains(key)) {
            missing.add(key);
        }
        return otherwise;
    }

    /** A path that must be given; one that is relative is relative to the file. */
    Path path(String key, @Nullable String text) {
        return beside(given(key, text, ""));
    }

    Path beside(String path) {
        return file.toAbsolutePath().resolveSibling(path).normalize();
    }

    /** An address that must be given. */
    InetSocketAddress address(String key, @Nullable String text) {
        return text == null ? given(key, null, NOWHERE) : parsed(key, text);
    }

    /** A list of them that must be given. */
    List<InetSocketAddress> addresses(String key, @Nullable List<String> texts) {
        return given(key, texts, List.<String>of()).stream()
                .map(text -> parsed(key, text))
                .toList();
    }

    /** An address of this host, if it is given. */
    Optional<InetSocketAddress> own(String key, @Nullable String text) {
        if (text == null) {
            return Optional.empty();
        }
        InetSocketAddress found = Destination.resolve(parsed(key, text));
        if (found.isUnresolved() && !wrongKeys.contains(key)) {
            note(key, "cannot resolve the host of " + text);
        }
        return Optional.of(found);
    }

    private InetSocketAddress parsed(String key, String text) {
        int colon = text.lastIndexOf(':');
        String host = text.substring(0, Math.max(0, colon));
        try {
            boolean bracketed = host.startsWith("[") && host.endsWith("]");
            String bare = bracketed ? host.substring(1, host.length() - 1) : host;
            if (!bare.isEmpty()) {
                return Destination.of(bare, Integer.parseInt(text.substring(colon + 1)));
            }
        } catch (IllegalArgumentException e) {
            // Said below.
        }
        note(key, "\"" + text + "\" is not HOST:PORT");
        return NOWHERE;
    }

    /**
     * Nothing more is looked at.
     *
     * @throws ConfigException if anything was found
     */
    void end() {
        List<String> all = new ArrayList<>();
        if (!missing.isEmpty()) {
            all.add((missing.size() == 1 ? "the key " : "the keys ")
                    + String.join(", ", missing)
                    + (missing.size() == 1 ? " is missing" : " are missing"));
        }
        all.addAll(wrong);
        if (!all.isEmpty()) {
            throw failure(String.join("; ", all));
        }
    }

    /** Returns the failure for the operator, with the places to look at. */
    ConfigException failure(String what) {
        return new ConfigException(
                file + ": " + what + "; see docs/reference/configuration.md and docker/examples/" + example() + ".yaml",
                Subject.NONE);
    }

    private String example() {
        return role.equals("supervisor") ? "replica" : role;
    }
}

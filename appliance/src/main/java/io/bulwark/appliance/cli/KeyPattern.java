package io.bulwark.appliance.cli;

import io.bulwark.appliance.transfer.Glob;
import io.bulwark.appliance.transfer.ObjectTree;
import io.bulwark.appliance.transfer.TreeFilter;
import io.bulwark.client.Bucket;
import io.bulwark.client.ObjectInfo;
import io.bulwark.client.error.InvalidNameException;
import io.bulwark.client.error.NoSuchKeyException;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A key or a pattern of keys on the command line. A word that is the key of an object means this object, also if it holds characters of
 * patterns; a backslash takes away their meaning.
 *
 * @param key the key or prefix, or the text with which all matching keys begin
 * @param glob null for a plain key or prefix
 */
record KeyPattern(String key, @Nullable Glob glob) {
    static KeyPattern of(Bucket bucket, String text) {
        String plain = Glob.unescaped(text);
        if ((!Glob.isPattern(text) && plain.equals(text)) || find(bucket, text).isPresent()) {
            return new KeyPattern(text, null);
        }
        if (!Glob.isPattern(text)) {
            return new KeyPattern(plain, null);
        }
        try {
            return new KeyPattern(Glob.literalPrefix(text), Glob.ofPath(text));
        } catch (IllegalArgumentException e) {
            throw new CommandFailure(CommandFailure.USAGE, String.valueOf(e.getMessage()));
        }
    }

    boolean isPattern() {
        return glob != null;
    }

    /** Returns the directory to which filters and files are relative: a plain key itself, or the last before a pattern. */
    String directory() {
        return glob == null ? ObjectTree.directory(key) : key.substring(0, key.lastIndexOf('/') + 1);
    }

    /**
     * Returns the objects that commands with {@code -r} take, which all of them must agree on: those below a directory,
     * and for a pattern also the objects that match. Fails if there is none below a directory or for a pattern.
     *
     * @param taken judges the paths below {@link #directory}
     */
    List<ObjectInfo> tree(Bucket bucket, TreeFilter taken) {
        List<ObjectInfo> found;
        if (glob != null) {
            found = objects(bucket, true);
        } else {
            try (Stream<ObjectInfo> all = bucket.stream(directory())) {
                found = all.toList();
            }
            requireAny(bucket, !found.isEmpty());
        }
        int from = directory().length();
        return found.stream()
                .filter(object -> taken.accepts(object.key().substring(from)))
                .toList();
    }

    /** Fails if nothing was found below a directory, whose name is probably wrong. A bucket may be empty. */
    void requireAny(Bucket bucket, boolean found) {
        if (!found && !key.isEmpty()) {
            throw new CommandFailure(
                    CommandFailure.FAILED,
                    "no object of " + bucket.name() + " is below " + Text.printable(directory()));
        }
    }

    /** Returns the objects that match; with {@code below} also those below a directory that matches. Fails if there is none. */
    List<ObjectInfo> objects(Bucket bucket, boolean below) {
        List<ObjectInfo> found;
        try (Stream<ObjectInfo> all = bucket.stream(key)) {
            found = all.filter(object -> takes(object.key(), below)).toList();
        }
        if (found.isEmpty() && glob != null) {
            throw new CommandFailure(
                    CommandFailure.FAILED,
                    "no object of " + bucket.name() + " matches " + Text.printable(glob.toString()));
        }
        return found;
    }

    private boolean takes(String name, boolean below) {
        return glob == null
                || glob.matches(name)
                || (below && !directoryOf(name).isEmpty());
    }

    /** Returns the first directory of the key that matches, with a '/' at its end; empty if none does. */
    String directoryOf(String name) {
        for (int end = name.indexOf('/'); glob != null && end >= 0; end = name.indexOf('/', end + 1)) {
            if (glob.matches(name.substring(0, end))) {
                return name.substring(0, end + 1);
            }
        }
        return "";
    }

    /** Returns the object of a plain key that is not below its own directory. */
    Optional<ObjectInfo> named(Bucket bucket) {
        return glob == null && !key.equals(directory()) ? find(bucket, key) : Optional.empty();
    }

    private static Optional<ObjectInfo> find(Bucket bucket, String key) {
        try {
            return Optional.of(bucket.head(key));
        } catch (NoSuchKeyException | InvalidNameException e) {
            return Optional.empty();
        }
    }
}

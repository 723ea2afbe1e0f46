package io.bulwark.appliance.cli;

import io.bulwark.appliance.transfer.ObjectTree;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * {@code BUCKET} or {@code BUCKET/KEY} as people write it on the command line.
 *
 * @param key may be empty
 */
record ObjectPath(String bucket, String key) {
    static ObjectPath parse(String text) {
        int slash = text.indexOf('/');
        return slash < 0
                ? new ObjectPath(text, "")
                : new ObjectPath(text.substring(0, slash), text.substring(slash + 1));
    }

    /** Returns this path, or fails with a message that says what is missing. */
    ObjectPath needKey() {
        if (key.isEmpty()) {
            throw new CommandFailure(CommandFailure.USAGE, "name the object: " + bucket + "/KEY");
        }
        return this;
    }

    /** The key, or the name in its place where the path ends in a slash or names only a bucket. */
    String keyOr(String name) {
        return key.isEmpty() || key.endsWith("/") ? key + name : key;
    }

    /** Returns whether this path names a key, or a directory above it. */
    boolean reaches(String other) {
        return other.equals(key) || other.startsWith(ObjectTree.directory(key));
    }

    /** Returns text for people: control characters as escapes. */
    String printable() {
        return Text.printable(toString());
    }

    @Override
    public String toString() {
        return key.isEmpty() ? bucket : bucket + "/" + key;
    }

    /** Converts arguments for picocli. */
    static final class Converter implements ITypeConverter<ObjectPath> {
        @Override
        public ObjectPath convert(String text) {
            ObjectPath path = parse(text);
            if (path.bucket().isEmpty()) {
                throw new TypeConversionException("'" + text + "' is not BUCKET/KEY");
            }
            return path;
        }
    }
}

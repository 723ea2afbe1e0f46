package io.bulwark.client;

/**
 * Options of a listing of versions. Immutable; begin with {@link #DEFAULT}.
 *
 * @param prefix only keys with this prefix
 * @param delimiter if not empty, keys that have it after the prefix are rolled up into one common prefix
 * @param afterKey empty, or the key to go on behind; a common prefix stands for all keys with it
 * @param beforeVersion goes on within {@code afterKey}, with the versions before this one; 0 to go on with the next key
 * @param limit entries per page at most, 1 to 1000
 */
public record VersionListOptions(String prefix, String delimiter, String afterKey, long beforeVersion, int limit) {
    public static final VersionListOptions DEFAULT = new VersionListOptions("", "", "", 0, 1000);

    public VersionListOptions {
        if (limit < 1 || limit > 1000) {
            throw new IllegalArgumentException("limit " + limit + " is not in 1..1000");
        }
    }

    public VersionListOptions withPrefix(String wanted) {
        return new VersionListOptions(wanted, delimiter, afterKey, beforeVersion, limit);
    }

    public VersionListOptions withDelimiter(String separator) {
        return new VersionListOptions(prefix, separator, afterKey, beforeVersion, limit);
    }

    /** Begins behind a version, as {@link VersionPage} tells it. */
    public VersionListOptions withAfter(String key, long version) {
        return new VersionListOptions(prefix, delimiter, key, version, limit);
    }

    public VersionListOptions withLimit(int entries) {
        return new VersionListOptions(prefix, delimiter, afterKey, beforeVersion, entries);
    }
}

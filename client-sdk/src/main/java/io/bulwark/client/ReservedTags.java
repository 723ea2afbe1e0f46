package io.bulwark.client;

import io.bulwark.client.error.InvalidRequestException;
import io.bulwark.client.error.PreconditionFailedException;
import io.bulwark.client.error.Subject;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** Tags that doors keep with a version, such as its access control list of S3. They are not the user's to change. */
public final class ReservedTags {
    /** Prefix of their names. */
    public static final String PREFIX = "bulwark-";

    private static final int ATTEMPTS_MAX = 10;

    private ReservedTags() {}

    /** Returns whether a tag is not the user's. */
    public static boolean isReserved(String name) {
        return name.startsWith(PREFIX);
    }

    /**
     * Refuses tags of a user whose names are reserved.
     *
     * @throws InvalidRequestException if there are some
     */
    static void refuse(Map<String, String> tags, Subject subject) {
        tags.keySet().stream().filter(ReservedTags::isReserved).findFirst().ifPresent(name -> {
            throw new InvalidRequestException(
                    "the tag " + name + ": names that begin with " + PREFIX + " are reserved; choose another name",
                    subject);
        });
    }

    /** Returns these tags of a user beside the reserved ones of a version. */
    static SortedMap<String, String> with(SortedMap<String, String> before, Map<String, String> tags) {
        SortedMap<String, String> all = new TreeMap<>(before);
        all.keySet().removeIf(name -> !isReserved(name));
        all.putAll(tags);
        return all;
    }

    /** Replaces the tags of a user, on top of what doors change at the same time. */
    static void replaceOthers(Bucket bucket, String key, long version, SortedMap<String, String> tags) {
        for (int attempt = 1; ; attempt++) {
            SortedMap<String, String> before = bucket.head(key, version).tags();
            try {
                bucket.replaceTags(key, version, before, with(before, tags));
                return;
            } catch (PreconditionFailedException e) {
                if (attempt == ATTEMPTS_MAX) {
                    throw e;
                }
            }
        }
    }
}

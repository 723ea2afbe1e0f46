package io.bulwark.appliance.transfer;

import io.bulwark.client.Bucket;
import io.bulwark.client.ObjectInfo;
import io.bulwark.client.bulk.ParallelWork;
import io.bulwark.client.error.NoSuchKeyException;
import io.bulwark.client.error.Subject;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The objects below a prefix as a tree of files. */
public final class ObjectTree {
    /** Fewer changes cost less in the order of all than a lock and its end. */
    private static final int LOCKED_CHANGES_MIN = 32;

    private final Bucket bucket;
    private final String prefix;

    /** @param prefix put before each relative path; a '/' is added between the two if it is not empty */
    ObjectTree(Bucket bucket, String prefix) {
        this.bucket = bucket;
        this.prefix = directory(prefix);
    }

    /** Returns the prefix of all keys below a path. */
    public static String directory(String path) {
        return path.isEmpty() || path.endsWith("/") ? path : path + "/";
    }

    Bucket bucket() {
        return bucket;
    }

    String prefix() {
        return prefix;
    }

    String key(String path) {
        return prefix + path;
    }

    /** Hints that this client is about to make so many changes here. */
    void expect(int changes) {
        if (changes >= LOCKED_CHANGES_MIN) {
            bucket.lock(prefix);
        }
    }

    /** Returns the objects that the filter takes, by their path. */
    SortedMap<String, ObjectInfo> list(TreeFilter filter) {
        SortedMap<String, ObjectInfo> found = new TreeMap<>();
        try (Stream<ObjectInfo> all = bucket.stream(prefix)) {
            all.forEach(object -> {
                String path = object.key().substring(prefix.length());
                if (!path.isEmpty() && filter.accepts(path)) {
                    found.put(path, object);
                }
            });
        }
        return Collections.unmodifiableSortedMap(found);
    }

    /** Returns the objects that the filter takes. Fails if there is none below a prefix, whose name is probably wrong. */
    SortedMap<String, ObjectInfo> listSource(TreeFilter filter) {
        SortedMap<String, ObjectInfo> found = list(filter);
        if (found.isEmpty() && !prefix.isEmpty()) {
            try (Stream<ObjectInfo> all = bucket.stream(prefix)) {
                if (all.findAny().isEmpty()) {
                    throw new NoSuchKeyException(
                            "there are no objects below this prefix", Subject.key(bucket.name(), prefix));
                }
            }
        }
        return found;
    }

    /** Looks whether the source of a path is gone still. */
    interface GoneCheck {
        boolean isGone(String path) throws IOException;
    }

    /** Deletes the objects of these paths, in parallel, each only if its source is still gone. */
    void delete(Collection<String> paths, GoneCheck check, int parallel, TransferLog log) throws InterruptedException {
        List<Runnable> deletions = new ArrayList<>();
        for (String path : paths) {
            deletions.add(() -> log.attempt(path, () -> {
                if (check.isGone(path)) {
                    bucket.delete(key(path));
                    log.deleted();
                }
            }));
        }
        ParallelWork.run(deletions, parallel);
    }

    /** Returns whether there is no object of this path now. */
    boolean isGone(String path) {
        try {
            bucket.head(key(path));
            return false;
        } catch (NoSuchKeyException e) {
            return true;
        }
    }
}

package io.bulwark.appliance.cli;

import io.bulwark.appliance.transfer.BucketCopy;
import io.bulwark.appliance.transfer.Transfer;
import io.bulwark.appliance.transfer.TransferSettings;
import io.bulwark.appliance.transfer.TreeDownload;
import io.bulwark.appliance.transfer.TreeUpload;
import io.bulwark.client.Bulwark;
import io.bulwark.client.error.InvalidNameException;
import io.bulwark.client.error.NoSuchBucketException;
import io.bulwark.client.error.NotPermittedException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Source and target of a transfer, as people write them: directories, or prefixes of buckets.
 *
 * <pre>
 * /DIR  ./DIR  ../DIR  .  ..     a directory
 * bucket:NAME[/PREFIX]           a bucket
 * NAME[/...]                     the one of the two that exists
 * </pre>
 *
 * A pair that has two meanings is refused: the wrong one could delete what the other holds. At least one of the two is a bucket. A
 * target that does not exist is a new directory.
 */
final class TreePlaces {
    private static final String BUCKET = "bucket:";

    private final Bulwark client;
    private final Place source;
    private final Place target;

    /** Meanings that one word may have. */
    private record Place(
            String text, @Nullable Path directory, @Nullable ObjectPath bucket) {}

    /** One meaning of both words. */
    private record Pair(
            @Nullable Path fromDirectory, @Nullable ObjectPath fromBucket, Place to, boolean toBucket) {}

    TreePlaces(Bulwark client, String source, String target) {
        this.client = client;
        this.source = place(source);
        this.target = place(target);
    }

    /** Returns the transfer between the two. */
    Transfer transfer(TransferSettings settings) {
        List<Pair> pairs = pairs();
        if (pairs.size() > 1) {
            Place twofold = source.directory() != null && source.bucket() != null ? source : target;
            throw new CommandFailure(
                    CommandFailure.USAGE,
                    Text.printable(twofold.text()) + " is a directory here and a bucket; write ./" + twofold.text()
                            + " or " + BUCKET + twofold.text());
        }
        if (pairs.isEmpty()) {
            throw missing();
        }
        Pair pair = pairs.getFirst();
        if (pair.fromDirectory() != null) {
            ObjectPath to = needed(pair.to().bucket());
            return new TreeUpload(pair.fromDirectory(), client.bucket(to.bucket()), to.key(), settings);
        }
        ObjectPath from = needed(pair.fromBucket());
        if (!pair.toBucket()) {
            return new TreeDownload(client.bucket(from.bucket()), from.key(), directory(pair.to()), settings);
        }
        ObjectPath to = needed(pair.to().bucket());
        try {
            return new BucketCopy(
                    client.bucket(from.bucket()), from.key(), client.bucket(to.bucket()), to.key(), settings);
        } catch (IllegalArgumentException e) {
            throw new CommandFailure(CommandFailure.USAGE, String.valueOf(e.getMessage()));
        }
    }

    private List<Pair> pairs() {
        List<Pair> pairs = new ArrayList<>();
        if (source.directory() != null && target.bucket() != null) {
            pairs.add(new Pair(source.directory(), null, target, true));
        }
        if (source.bucket() != null && target.directory() != null) {
            pairs.add(new Pair(null, source.bucket(), target, false));
        }
        if (source.bucket() != null && target.bucket() != null) {
            pairs.add(new Pair(null, source.bucket(), target, true));
        }
        if (pairs.isEmpty() && source.bucket() != null && !target.text().startsWith(BUCKET)) {
            pairs.add(new Pair(null, source.bucket(), target, false)); // A new directory.
        }
        return pairs;
    }

    private CommandFailure missing() {
        if (source.directory() == null && source.bucket() == null) {
            return new CommandFailure(
                    CommandFailure.FAILED,
                    Text.printable(source.text())
                            + (isDirectory(source.text())
                                    ? " is not a directory"
                                    : " is neither a directory nor a bucket"));
        }
        return new CommandFailure(
                CommandFailure.FAILED,
                Text.printable(target.text())
                        + " is no bucket; `bulwark ls` shows the buckets, `bulwark mb` makes one");
    }

    private Place place(String text) {
        if (text.startsWith(BUCKET)) {
            return new Place(text, null, bucket(text.substring(BUCKET.length())));
        }
        Path directory = Files.isDirectory(path(text)) ? path(text) : null;
        return new Place(text, directory, isDirectory(text) ? null : bucket(text));
    }

    /** Returns whether the word can only mean a directory. */
    private static boolean isDirectory(String text) {
        return text.startsWith("/")
                || text.startsWith("./")
                || text.startsWith("../")
                || text.equals(".")
                || text.equals("..")
                || path(text).isAbsolute();
    }

    private @Nullable ObjectPath bucket(String text) {
        ObjectPath path = ObjectPath.parse(text);
        try {
            client.bucket(path.bucket());
            return path;
        } catch (NotPermittedException e) {
            return path;
        } catch (NoSuchBucketException | InvalidNameException e) {
            return null;
        }
    }

    private static Path directory(Place place) {
        return place.directory() == null ? path(place.text()) : place.directory();
    }

    private static Path path(String text) {
        try {
            return Path.of(text);
        } catch (InvalidPathException e) {
            throw new CommandFailure(CommandFailure.USAGE, Text.printable(text) + " is no path");
        }
    }

    private static ObjectPath needed(@Nullable ObjectPath path) {
        if (path == null) {
            throw new IllegalStateException("a pair without its bucket");
        }
        return path;
    }
}

package io.bulwark.appliance.transfer;

import io.bulwark.appliance.transfer.FileComparison.Difference;
import io.bulwark.appliance.transfer.TransferPlan.Change;
import io.bulwark.appliance.transfer.TransferPlan.Findings;
import io.bulwark.client.Bucket;
import io.bulwark.client.GetOptions;
import io.bulwark.client.ObjectInfo;
import io.bulwark.client.bulk.ParallelWork;
import io.bulwark.client.error.ChangedWhileReadingException;
import io.bulwark.client.error.NoSuchKeyException;
import io.bulwark.transport.file.TargetAttributes;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.text.Normalizer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * Gives a directory the content of the objects below a prefix: files with the times and modes that the objects keep. Keys are hostile
 * input: one that names no file of the directory is a failure, and nothing is ever written elsewhere. It deletes files last,
 * and only those that no object stands for.
 */
public final class TreeDownload implements Transfer {
    private static final int ATTEMPTS_MAX = 3;

    private final ObjectTree source;
    private final Path directory;
    private final TransferSettings settings;
    private @Nullable Found found;

    /**
     * Result of the comparison.
     *
     * @param objects the objects that can be files
     * @param markers the directories for which objects stand
     * @param files of the directory
     */
    private record Found(Map<String, ObjectInfo> objects, Set<String> markers, Map<String, TreeFile> files) {}

    public TreeDownload(Bucket bucket, String prefix, Path directory, TransferSettings settings) {
        this.source = new ObjectTree(bucket, prefix);
        this.directory = directory;
        this.settings = settings;
    }

    @Override
    public TransferPlan plan() throws IOException, InterruptedException {
        Map<String, ObjectInfo> listed = source.listSource(settings.filter());
        TransferLog log = new TransferLog();
        Found sorted = sort(listed, log);
        found = sorted;
        Map<String, Difference> differences = new ConcurrentHashMap<>();
        FileComparison comparison = new FileComparison(source.bucket(), settings);
        List<Runnable> comparisons = new ArrayList<>();
        sorted.objects().forEach((path, object) -> {
            TreeFile file = sorted.files().get(path);
            if (file == null) {
                differences.put(path, Difference.CONTENT);
                return;
            }
            comparisons.add(() -> log.attempt(path, () -> differences.put(path, comparison.ofDownload(object, file))));
        });
        ParallelWork.run(comparisons, settings.parallel());
        List<Change> changed = new ArrayList<>();
        sorted.objects().forEach((path, object) -> {
            Difference difference = differences.get(path);
            if (difference == Difference.CONTENT || difference == Difference.ATTRIBUTES) {
                boolean there = sorted.files().containsKey(path);
                changed.add(new Change(path, object.length(), there, difference == Difference.ATTRIBUTES, object));
            }
        });
        long unchanged = differences.values().stream()
                .filter(difference -> difference == Difference.NONE)
                .count();
        return new TransferPlan(
                changed,
                unchanged,
                gone(sorted, listed.keySet()),
                Collections.emptySortedMap(),
                new Findings(List.of(), log.failures(), 0));
    }

    /** Sorts out the keys that cannot be files here. */
    private Found sort(Map<String, ObjectInfo> listed, TransferLog log) throws IOException {
        Set<String> markers = new TreeSet<>();
        Set<String> directories = new TreeSet<>();
        Map<String, ObjectInfo> objects = new TreeMap<>();
        listed.forEach((path, object) -> {
            boolean marker = path.endsWith("/") && object.length() == 0;
            String name = marker ? path.substring(0, path.length() - 1) : path;
            TreeTarget.problemOf(name).ifPresentOrElse(problem -> log.failed(source.key(path) + ": " + problem), () -> {
                if (marker) {
                    markers.add(name);
                    directories.add(name);
                } else {
                    objects.put(name, object);
                }
                for (int end = name.indexOf('/'); end >= 0; end = name.indexOf('/', end + 1)) {
                    directories.add(name.substring(0, end));
                }
            });
        });
        for (String path : directories) {
            if (objects.remove(path) != null) {
                log.failed(source.key(path) + ": it cannot be a file, as there are objects below " + path + "/");
            }
        }
        Map<String, TreeFile> files = Files.exists(directory)
                ? TreeScan.of(directory, settings.filter()).files()
                : Map.of();
        return new Found(objects, markers, files);
    }

    /** Files without an object, also not one whose name a file system may take for the same. */
    private static List<String> gone(Found found, Set<String> listed) {
        Set<String> names = new TreeSet<>();
        listed.forEach(path -> names.add(folded(path)));
        return found.files().keySet().stream()
                .filter(path -> !names.contains(folded(path)))
                .sorted()
                .toList();
    }

    @Override
    public Result run(TransferPlan plan, boolean deleteGone, TransferListener listener)
            throws IOException, InterruptedException {
        Found known = Objects.requireNonNull(found, "there is no plan yet");
        TreeTarget target = new TreeTarget(Files.createDirectories(directory).toRealPath());
        TransferLog log = new TransferLog();
        Queue<Change> blocked = new ConcurrentLinkedQueue<>();
        Map<String, List<String>> namesakes = namesakes(known.objects().keySet());
        List<Runnable> work = new ArrayList<>();
        Map<String, List<Change>> groups = new TreeMap<>();
        plan.changed()
                .forEach(change -> groups.computeIfAbsent(folded(change.path()), _ -> new ArrayList<>())
                        .add(change));
        for (List<Change> group : groups.values()) {
            // One after the other, as they may be the same file.
            work.add(() -> group.forEach(change -> {
                log.attempt(change.path(), () -> {
                    try {
                        write(target, change, namesakes, log, listener);
                    } catch (TreeTarget.ObstacleException e) {
                        if (!deleteGone) {
                            throw e;
                        }
                        blocked.add(change);
                    }
                });
                listener.onFile();
            }));
        }
        ParallelWork.run(work, settings.parallel());
        makeMarkers(target, known.markers(), log);
        if (deleteGone && !log.hasFailures()) {
            for (String path : plan.gone()) {
                log.attempt(
                        path,
                        () -> delete(
                                target, Objects.requireNonNull(known.files().get(path)), log));
            }
        }
        for (Change change : blocked) {
            log.attempt(change.path(), () -> write(target, change, namesakes, log, listener));
        }
        return log.result();
    }

    private static void makeMarkers(TreeTarget target, Set<String> markers, TransferLog log) {
        markers.forEach(path -> log.attempt(path, () -> target.makeDirectories(path)));
    }

    private void delete(TreeTarget target, TreeFile file, TransferLog log) throws IOException {
        if (source.isGone(file.path())) {
            target.delete(file);
            log.deleted();
        }
    }

    private void write(
            TreeTarget target,
            Change change,
            Map<String, List<String>> namesakes,
            TransferLog log,
            TransferListener listener)
            throws IOException {
        ObjectInfo object = Objects.requireNonNull(change.object());
        Path place = target.placeOf(change.path());
        for (String other : namesakes.getOrDefault(folded(change.path()), List.of())) {
            if (other.equals(change.path())) {
                break; // The first of them has the file.
            }
            if (isSameFile(place, target, other)) {
                throw new FileSystemException(
                        change.path(), null, "this file system takes its name for that of " + other);
            }
        }
        if (!change.attributesOnly()) {
            download(change.path(), object, place, log, listener);
            return;
        }
        if (Files.isSymbolicLink(place)) {
            throw new FileSystemException(
                    change.path(), null, "a symbolic link is in its place, whose target has other times or modes");
        }
        attributes(object).applyTo(place);
        log.moved(0);
    }

    /** Writes the version that was listed, or the one that has replaced it meanwhile. */
    private void download(String path, ObjectInfo listed, Path place, TransferLog log, TransferListener listener)
            throws IOException {
        ObjectDownload download =
                new ObjectDownload(source.bucket(), settings.limits().down());
        ObjectInfo object = listed;
        for (int attempt = 1; ; attempt++) {
            try {
                download.write(object, place, attributes(object), GetOptions.DEFAULT, listener);
                log.moved(object.length());
                return;
            } catch (NoSuchKeyException | ChangedWhileReadingException e) {
                if (attempt == ATTEMPTS_MAX) {
                    throw e;
                }
            }
            try {
                object = source.bucket().head(object.key());
            } catch (NoSuchKeyException e) {
                log.note(path + ": not written, since it was deleted meanwhile");
                return;
            }
        }
    }

    private static TargetAttributes attributes(ObjectInfo object) {
        return new TargetAttributes(
                FileTime.from(FileComparison.modified(object)),
                FileFacts.of(object).permissions().orElse(null));
    }

    private static boolean isSameFile(Path place, TreeTarget target, String other) throws IOException {
        if (!Files.exists(place, LinkOption.NOFOLLOW_LINKS)) {
            return false;
        }
        Path second;
        try {
            second = target.placeOf(other);
        } catch (FileSystemException e) {
            return false; // It is a failure of its own.
        }
        return Files.exists(second, LinkOption.NOFOLLOW_LINKS) && Files.isSameFile(place, second);
    }

    /** Returns the paths that differ only in case or in the composition of characters, by their common form. */
    private static Map<String, List<String>> namesakes(Set<String> paths) {
        Map<String, List<String>> groups = new HashMap<>();
        paths.forEach(path ->
                groups.computeIfAbsent(folded(path), _ -> new ArrayList<>()).add(path));
        groups.values().removeIf(group -> group.size() == 1);
        return groups;
    }

    private static String folded(String path) {
        return Normalizer.normalize(path, Normalizer.Form.NFC)
                .toUpperCase(Locale.ROOT)
                .toLowerCase(Locale.ROOT);
    }
}

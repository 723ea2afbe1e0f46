package io.bulwark.appliance.transfer;

import io.bulwark.transport.file.FileFailure;
import io.bulwark.transport.file.PartFile;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Scan of a directory tree. It follows symbolic links that lead to regular files of the tree. Paths that could not be
 * read, or were left out, are unknown: an object below such a path does not count as gone. All paths are relative to the tree.
 */
public final class TreeScan {
    private final Path root;
    private final TreeFilter filter;
    private final Map<String, TreeFile> files = new TreeMap<>();
    private final List<String> skipped = new ArrayList<>();
    private final List<String> failures = new ArrayList<>();
    private final Set<String> unknown = new TreeSet<>();
    private final Set<Path> empty = new HashSet<>();

    private TreeScan(Path root, TreeFilter filter) {
        this.root = root;
        this.filter = filter;
    }

    /**
     * Looks at all of a tree that the filter takes.
     *
     * @throws IOException if there is no such directory
     */
    static TreeScan of(Path root, TreeFilter filter) throws IOException {
        TreeScan scan = new TreeScan(root.toRealPath(), filter);
        Files.walkFileTree(scan.root, scan.visitor());
        scan.empty.remove(scan.root);
        return scan;
    }

    /** The files of the tree, by their path. */
    Map<String, TreeFile> files() {
        return Collections.unmodifiableMap(files);
    }

    /** Returns what the scan found besides files. */
    TransferPlan.Findings findings() {
        return new TransferPlan.Findings(skipped, failures, empty.size());
    }

    /** Returns the unknown path, "" for the tree itself, at or below which the object's file may be. */
    Optional<String> unreadPlaceOf(String relative) {
        if (unknown.contains("")) {
            return Optional.of("");
        }
        for (int end = relative.indexOf('/'); end >= 0; end = relative.indexOf('/', end + 1)) {
            if (unknown.contains(relative.substring(0, end))) {
                return Optional.of(relative.substring(0, end));
            }
        }
        return unknown.contains(relative) ? Optional.of(relative) : Optional.empty();
    }

    /**
     * Takes out the files whose name is not possible in the target, as failures. Such a file may be the new name of any
     * missing one, also by a directory's new name, so nothing counts as gone then.
     */
    void refuse(Function<String, Optional<String>> problemOf) {
        for (TreeFile file : List.copyOf(files.values())) {
            problemOf.apply(file.path()).ifPresent(problem -> {
                files.remove(file.path());
                failures.add(file.file() + ": " + problem);
                unknown.add("");
            });
        }
    }

    /**
     * Returns whether it is still gone: a file may have appeared since.
     *
     * @throws IOException if that cannot be determined
     */
    boolean isStillGone(String relative) throws IOException {
        Path at = root;
        for (String name : relative.split("/", -1)) {
            if (name.isEmpty() || name.equals(".") || name.equals("..") || name.indexOf('\0') >= 0) {
                return true; // No file has such a name.
            }
            try {
                at = at.resolve(name);
                if (!Files.readAttributes(at, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                        .isDirectory()) {
                    return !at.equals(root.resolve(relative));
                }
            } catch (NoSuchFileException | InvalidPathException e) {
                return true;
            }
        }
        return true;
    }

    /** The walk of the tree, step by step. */
    SimpleFileVisitor<Path> visitor() {
        return new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
                found(directory);
                if (!directory.equals(root) && filter.excludesAllBelow(path(directory))) {
                    return FileVisitResult.SKIP_SUBTREE;
                }
                empty.add(directory);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                found(file);
                if (!filter.accepts(path(file))) {
                    return FileVisitResult.CONTINUE;
                }
                try {
                    visit(file, attributes);
                } catch (IOException e) {
                    failed(file, e);
                }
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException failure) {
                found(file);
                if (!filter.excludesAllBelow(path(file))) {
                    failed(file, failure);
                }
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException failure) {
                if (failure != null) {
                    failed(directory, failure);
                }
                return FileVisitResult.CONTINUE;
            }
        };
    }

    private void found(Path path) {
        Path parent = path.getParent();
        if (parent != null) {
            empty.remove(parent);
        }
    }

    private void visit(Path file, BasicFileAttributes attributes) throws IOException {
        BasicFileAttributes actual = attributes;
        if (attributes.isSymbolicLink()) {
            try {
                actual = Files.readAttributes(file, BasicFileAttributes.class);
                if (!file.toRealPath().startsWith(root)) {
                    skip(file, "a link to a target outside the tree");
                    return;
                }
            } catch (NoSuchFileException e) {
                skip(file, "a broken link");
                return;
            }
        }
        if (!actual.isRegularFile()) {
            skip(file, actual.isDirectory() ? "a link to a directory" : "a pipe, socket or device");
            return;
        }
        if (!isText(root.relativize(file))) {
            failed(file, new IOException("a name that this locale cannot decode; rename it"));
            return;
        }
        if (PartFile.isPart(String.valueOf(file.getFileName()))) {
            skip(file, "part of an unfinished download");
            return;
        }
        files.put(path(file), TreeFile.of(file, path(file)));
    }

    private String path(Path file) {
        String relative = root.relativize(file).toString();
        String separator = root.getFileSystem().getSeparator();
        return separator.equals("/") ? relative : relative.replace(separator, "/");
    }

    private void skip(Path path, String why) {
        skipped.add(root.relativize(path) + " (" + why + ")");
        unknown.add(known(path));
    }

    private void failed(Path path, IOException failure) {
        empty.remove(path);
        failures.add(path + ": " + FileFailure.cause(failure));
        unknown.add(known(path));
    }

    /** Returns the path as keys have it; if its name is not text, the nearest directory that has a text name. */
    private String known(Path path) {
        Path relative = root.relativize(path);
        while (!isText(relative)) {
            Path parent = relative.getParent();
            if (parent == null) {
                return "";
            }
            relative = parent;
        }
        return relative.toString();
    }

    /** Returns whether text represents the name exactly. Other names would collide. */
    private static boolean isText(Path name) {
        try {
            return Path.of(name.toString()).equals(name);
        } catch (InvalidPathException e) {
            return false;
        }
    }
}

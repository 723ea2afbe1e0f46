package io.bulwark.appliance.transfer;

import io.bulwark.transport.file.PartFile;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A directory in which files get the names that others have chosen. No name leads out of it: a name that is no plain one is refused, and
 * a symbolic link on the way is not followed.
 */
final class TreeTarget {
    private final Path root;

    /** @param root without symbolic links */
    TreeTarget(Path root) {
        this.root = root;
    }

    /** A file stands where a directory is needed, or the reverse. The deletion of what is gone may clear the place. */
    static final class ObstacleException extends FileSystemException {
        private static final long serialVersionUID = 1L;

        ObstacleException(Path place, String why) {
            super(place.toString(), null, why);
        }
    }

    /** Returns why a path cannot be that of a file in a directory, for people. */
    static Optional<String> problemOf(String path) {
        for (String name : path.split("/", -1)) {
            if (name.isEmpty()) {
                return Optional.of(path.startsWith("/") ? "the path is absolute" : "a name in the path is empty");
            }
            if (name.equals(".") || name.equals("..")) {
                return Optional.of("the path holds the name " + name);
            }
            if (name.indexOf('\0') >= 0) {
                return Optional.of("the path holds a NUL character");
            }
            if (PartFile.isPart(name)) {
                return Optional.of("the name is reserved for unfinished downloads");
            }
            if (!isPlain(name)) {
                return Optional.of("this system has no such file names");
            }
        }
        return Optional.empty();
    }

    private static boolean isPlain(String name) {
        try {
            Path plain = Path.of(name);
            return !plain.isAbsolute()
                    && plain.getNameCount() == 1
                    && plain.toString().equals(name);
        } catch (InvalidPathException e) {
            return false;
        }
    }

    /**
     * Returns the place of a file, whose directories exist then.
     *
     * @throws ObstacleException if a file is in the place of a directory
     */
    Path placeOf(String path) throws IOException {
        int last = path.lastIndexOf('/');
        Path directory = last < 0 ? root : makeDirectories(path.substring(0, last));
        Path place = plain(directory, path.substring(last + 1));
        BasicFileAttributes there = attributes(place);
        if (there != null && there.isDirectory()) {
            throw new ObstacleException(place, "a directory is in the place of the file");
        }
        return place;
    }

    /** Makes the directories of a path. */
    Path makeDirectories(String path) throws IOException {
        Path at = root;
        for (String name : path.split("/", -1)) {
            at = plain(at, name);
            makeDirectory(at);
        }
        return at;
    }

    private static Path plain(Path directory, String name) throws IOException {
        Optional<String> problem = problemOf(name);
        if (problem.isPresent()) {
            throw new FileSystemException(name, null, problem.get());
        }
        return directory.resolve(name);
    }

    private static void makeDirectory(Path place) throws IOException {
        BasicFileAttributes there = attributes(place);
        if (there == null) {
            try {
                Files.createDirectory(place);
                return;
            } catch (FileAlreadyExistsException e) {
                there = attributes(place); // Another thread made it.
            }
        }
        if (there == null || there.isSymbolicLink()) {
            throw new FileSystemException(place.toString(), null, "a symbolic link is in the place of a directory");
        }
        if (!there.isDirectory()) {
            throw new ObstacleException(place, "a file is in the place of a directory");
        }
    }

    /** Deletes a file that is still as the scan saw it, and the directories that are empty then. */
    void delete(TreeFile file) throws IOException {
        if (!file.isUnchanged()) {
            throw new FileSystemException(file.path(), null, "not deleted: it changed meanwhile");
        }
        Files.delete(file.file());
        Path parent = file.file().getParent();
        while (parent != null && !parent.equals(root)) {
            try {
                Files.delete(parent);
            } catch (DirectoryNotEmptyException e) {
                return;
            }
            parent = parent.getParent();
        }
    }

    private static @Nullable BasicFileAttributes attributes(Path place) throws IOException {
        try {
            return Files.readAttributes(place, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        } catch (NoSuchFileException e) {
            return null;
        }
    }
}

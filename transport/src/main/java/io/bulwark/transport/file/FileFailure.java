package io.bulwark.transport.file;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;

/** Says why a file could not be read or written, for people. */
public final class FileFailure {
    private FileFailure() {}

    /** The path, where the failure names one, and the cause. */
    public static String text(IOException failure) {
        String path = failure instanceof FileSystemException known ? known.getFile() : null;
        return path == null ? cause(failure) : path + ": " + cause(failure);
    }

    /** The cause alone. */
    public static String cause(IOException failure) {
        String text = failure.getMessage() == null ? failure.toString() : failure.getMessage();
        return switch (failure) {
            case AccessDeniedException ignored -> "permission denied";
            case NoSuchFileException ignored -> "no such file or directory";
            case FileAlreadyExistsException ignored -> "it already exists";
            case FileSystemLoopException ignored -> "the symbolic links form a loop";
            case NotDirectoryException ignored -> "it is not a directory";
            case DirectoryNotEmptyException ignored -> "the directory is not empty";
            case FileSystemException known
            when known.getReason() != null ->
                known.getReason().startsWith("Too many levels of symbolic links")
                        ? "the symbolic links form a loop"
                        : known.getReason();
            default -> text;
        };
    }
}

package io.bulwark.client.config;

import io.bulwark.client.error.BulwarkException;
import io.bulwark.client.error.ConfigException;
import io.bulwark.client.error.FileAccessException;
import io.bulwark.client.error.Subject;
import io.bulwark.transport.file.FileFailure;
import io.bulwark.transport.file.TextFile;
import io.bulwark.transport.file.UnusableFileException;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Properties;

/** Reads files of the configuration, and tells a file that is wrong from one that the system cannot read. */
public final class ConfigurationFile {
    private ConfigurationFile() {}

    /**
     * Reads a file of properties.
     *
     * @param kind names it in messages, such as {@code genesis file}
     * @throws ConfigException if it is missing, or no such file
     * @throws FileAccessException if the system cannot read it
     */
    public static Properties properties(Path file, String kind, int bytesMax) {
        try {
            return TextFile.properties(file, bytesMax);
        } catch (IOException e) {
            throw failure(file, kind, e);
        }
    }

    /**
     * Returns the failure to throw when a file was not read. Only a file that is missing or wrong is a wrong
     * configuration, which stays wrong until somebody mends it.
     *
     * @param kind names the file in messages
     */
    public static BulwarkException failure(Path file, String kind, IOException cause) {
        return switch (cause) {
            case NoSuchFileException ignored ->
                new ConfigException("there is no " + kind + " at " + file, Subject.NONE, cause);
            case UnusableFileException ignored ->
                new ConfigException(String.valueOf(cause.getMessage()), Subject.NONE, cause);
            default ->
                new FileAccessException(
                        "cannot read the " + kind + " " + file + ": " + FileFailure.cause(cause), Subject.NONE, cause);
        };
    }
}

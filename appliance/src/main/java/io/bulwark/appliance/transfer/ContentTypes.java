package io.bulwark.appliance.transfer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/** The media type that a file's name suggests to this Java and to this machine's tables. */
public final class ContentTypes {
    private static final String UNKNOWN = "application/octet-stream";

    private ContentTypes() {}

    /** Never fails: names that are none have no known type. */
    public static String of(String name) {
        try {
            String known = Files.probeContentType(Path.of(name));
            return known == null ? UNKNOWN : known;
        } catch (IOException | InvalidPathException e) {
            return UNKNOWN;
        }
    }
}

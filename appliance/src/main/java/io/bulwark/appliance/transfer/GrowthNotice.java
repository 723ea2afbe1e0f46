package io.bulwark.appliance.transfer;

import io.bulwark.client.ObjectInfo;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Reports that a file has grown beyond what was stored of it. */
public final class GrowthNotice {
    private GrowthNotice() {}

    /** A line for people, or nothing. */
    public static Optional<String> of(Path file, ObjectInfo stored) {
        try {
            long now = Files.size(file);
            return now > stored.length()
                    ? Optional.of(file + " is growing: stored the " + stored.length()
                            + " bytes of its size at the start; its size is now " + now)
                    : Optional.empty();
        } catch (IOException e) {
            return Optional.empty(); // It went away after it was stored.
        }
    }
}

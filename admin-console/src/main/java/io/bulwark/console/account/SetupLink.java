package io.bulwark.console.account;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;

/**
 * One-time link with which the first administrator sets up an account, or one who lost the password another. Its hash lies
 * in {@code setup-link.json} of the console's directory: who can write there has the authority to make one.
 */
public final class SetupLink {
    /** A link ends after its use, or after so long. */
    public static final Duration VALIDITY = Duration.ofHours(1);

    private final Path file;
    private final Clock clock;

    /** Content of the file. */
    private record Content(String hash, Instant ends) {}

    /** Opens the link of a console's directory. */
    public SetupLink(Path directory, Clock clock) {
        this.file = directory.resolve("setup-link.json");
        this.clock = clock;
    }

    /** Makes a link in place of an earlier one; returns its token. */
    public String make() {
        String token = Secret.make();
        JsonFile.write(file, new Content(Secret.hash(token), clock.instant().plus(VALIDITY)));
        return token;
    }

    /** Returns whether this is the token of a link that has neither been used nor ended. */
    public boolean isValid(String token) {
        return JsonFile.read(file, Content.class)
                .filter(link -> clock.instant().isBefore(link.ends) && Secret.matches(token, link.hash))
                .isPresent();
    }

    /** Ends the link. */
    public void end() {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

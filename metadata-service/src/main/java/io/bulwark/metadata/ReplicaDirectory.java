package io.bulwark.metadata;

import io.bulwark.metadata.log.AppliedLog;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.transport.file.AtomicFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Layout of a replica's files, and the engine to which each belongs.
 *
 * <pre>
 * log-N, snapshot-N, incarnation, damaged    of engines with incarnations
 * pages/, promises/                          of the engine after the proactive recovery paper
 * promises-C/, begun-C                       of that, in the configuration of replicas with the number C
 * logs/                                      of its log server
 * replica                                    the name of the replica whose directory this is
 * contradiction                              why its replica has stopped for good
 * </pre>
 */
public record ReplicaDirectory(Path path) {
    private static final String LATER = "promises-";
    private static final String BEGUN = "begun-";
    private static final Pattern NUMBERED = Pattern.compile("(?:promises|begun)-(\\d{1,18})");

    public Path pages() {
        return path.resolve("pages");
    }

    public Path promises() {
        return promises(0);
    }

    /** Returns the directory of the logs of holders. */
    public Path logs() {
        return path.resolve("logs");
    }

    /** Returns the directory of the replica's promises in the configuration with this number. */
    public Path promises(long configuration) {
        return path.resolve(configuration == 0 ? "promises" : LATER + configuration);
    }

    /** There once a promise was durable in this configuration: from then on a log that is not there is lost. */
    private Path begun(long configuration) {
        return path.resolve(BEGUN + configuration);
    }

    /** Returns whether anything was promised in a configuration after the genesis's. */
    public boolean hasBegun(long configuration) {
        return Files.exists(begun(configuration));
    }

    /** The last configuration in which anything was promised; 0 if in none after the genesis's. */
    public long lastBegun() throws IOException {
        if (!Files.isDirectory(path)) {
            return 0;
        }
        try (Stream<Path> files = Files.list(path)) {
            return files.map(file -> String.valueOf(file.getFileName()))
                    .filter(name ->
                            name.startsWith(BEGUN) && NUMBERED.matcher(name).matches())
                    .mapToLong(name -> Long.parseLong(name.substring(BEGUN.length())))
                    .max()
                    .orElse(0);
        }
    }

    /** Returns once it is durable that something was promised in this configuration; what was in those before it goes. */
    public void begin(long configuration) throws IOException {
        AtomicFile.replace(begun(configuration));
        try (Stream<Path> files = Files.list(path)) {
            for (Path file : files.toList()) {
                if (isBefore(file, configuration)) {
                    remove(file);
                }
            }
        }
    }

    private static boolean isBefore(Path file, long configuration) {
        String name = String.valueOf(file.getFileName());
        Matcher later = NUMBERED.matcher(name);
        return name.equals("promises") || (later.matches() && Long.parseLong(later.group(1)) < configuration);
    }

    private static void remove(Path file) throws IOException {
        if (Files.isDirectory(file)) {
            try (Stream<Path> inside = Files.list(file)) {
                for (Path each : inside.toList()) {
                    Files.delete(each);
                }
            }
        }
        Files.delete(file);
    }

    private Path owner() {
        return path.resolve("replica");
    }

    /**
     * Makes the directory that of this replica, if it is nobody's.
     *
     * @throws IOException if it is that of another one: what that has promised this one would break
     */
    public void claim(int replica) throws IOException {
        String name = PrincipalId.replica(replica).toString();
        if (Files.exists(owner())) {
            String owner = Files.readString(owner()).strip();
            if (!owner.equals(name)) {
                throw new IOException(path + " is the directory of " + owner + ", not of " + name + ": give " + name
                        + " its own directory; if that is lost, give it an empty one, and it copies the state from "
                        + "the others");
            }
            return;
        }
        Files.createDirectories(path);
        AtomicFile.replace(owner(), StandardCharsets.UTF_8.encode(name));
    }

    private Path contradiction() {
        return path.resolve("contradiction");
    }

    /**
     * Returns the reason why its replica has stopped for good: its executed state contradicts that of the others. Empty
     * if it has not.
     */
    public Optional<String> stopped() throws IOException {
        return Files.exists(contradiction())
                ? Optional.of(Files.readString(contradiction()).strip())
                : Optional.empty();
    }

    /** Returns once it is durable that its replica has stopped for good. */
    public void stop(String why) throws IOException {
        AtomicFile.replace(contradiction(), StandardCharsets.UTF_8.encode(why));
    }

    /** Returns whether an engine with incarnations has kept a history here. */
    public boolean hasHistory() throws IOException {
        if (!Files.isDirectory(path)) {
            return false;
        }
        try (Stream<Path> files = Files.list(path)) {
            return files.anyMatch(AppliedLog::isLog);
        }
    }

    /** Returns whether the engine after the proactive recovery paper has run here, and so promised something. */
    public boolean hasPromised() {
        if (!Files.isDirectory(path)) {
            return false;
        }
        try (Stream<Path> files = Files.list(path)) {
            return files.anyMatch(file -> String.valueOf(file.getFileName()).startsWith("promises"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Must be called before an engine with incarnations starts here.
     *
     * @throws IOException if the directory belongs to the other engine
     */
    public void requireForIncarnations() throws IOException {
        if (hasPromised()) {
            throw new IOException(path + " belongs to the engine bft, no other engine can read it");
        }
    }

    /**
     * Must be called before the engine after the proactive recovery paper starts here.
     *
     * @throws IOException if the directory belongs to another engine
     */
    public void requireForPromises() throws IOException {
        if (hasHistory()) {
            throw new IOException(path + " was written by the engine bft-smart, no other engine can read it");
        }
    }
}

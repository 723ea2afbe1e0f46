package io.bulwark.appliance.cluster;

import io.bulwark.transport.file.AtomicFile;
import io.bulwark.transport.file.TextFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Properties;

/**
 * The directory that holds everything of an appliance on one machine.
 *
 * <pre>
 * cluster.properties      choices of the first start; later starts keep them
 * client.properties       how the command line reaches the cluster
 * genesis.properties      the public keys that are trusted from the start
 * keys/PRINCIPAL.pem      identities: private key and certificate, mode 0600
 * keys/PRINCIPAL.keys     pairwise MAC keys, mode 0600
 * nodes/N/                a storage node's data
 * replicas/N/             a metadata replica's data
 * logs/                   of members in processes of their own
 * control.sock            while the appliance runs
 * lock                    of the process that runs it, whose number is in it
 * </pre>
 */
public final class DataDirectory {
    private static final int FILE_BYTES_MAX = 64 << 10;

    private final Path root;

    private DataDirectory(Path root) {
        this.root = root;
    }

    /** {@code BULWARK_DATA}, or {@code .bulwark} in the home directory. */
    public static Path defaultPath() {
        String set = System.getenv("BULWARK_DATA");
        return set == null || set.isEmpty() ? Path.of(System.getProperty("user.home"), ".bulwark") : Path.of(set);
    }

    /** Returns the directory as it is; it may not exist. */
    public static DataDirectory at(Path path) {
        return new DataDirectory(path.toAbsolutePath().normalize());
    }

    /** Makes the directory, closed to other users, if it is not there. */
    public static DataDirectory create(Path path) throws IOException {
        DataDirectory made = at(path);
        Path root = made.root;
        Files.createDirectories(root);
        Files.setPosixFilePermissions(root, PosixFilePermissions.fromString("rwx------"));
        for (String name : new String[] {"keys", "nodes", "replicas", "logs"}) {
            Files.createDirectories(root.resolve(name));
        }
        return made;
    }

    public Path root() {
        return root;
    }

    public Path keys() {
        return root.resolve("keys");
    }

    public Path genesis() {
        return root.resolve("genesis.properties");
    }

    public Path node(int number) {
        return root.resolve("nodes").resolve(Integer.toString(number));
    }

    public Path replica(int number) {
        return root.resolve("replicas").resolve(Integer.toString(number));
    }

    public Path log(String member) {
        return root.resolve("logs").resolve(member + ".log");
    }

    public Path clientProperties() {
        return clientProperties(root);
    }

    public static Path clientProperties(Path root) {
        return root.resolve("client.properties");
    }

    /**
     * Returns the shape that this directory was first started with; if there is none, keeps and returns {@code wanted}.
     */
    public ClusterShape shape(ClusterShape wanted) throws IOException {
        Optional<ClusterShape> kept = shape();
        if (kept.isEmpty()) {
            keep(wanted);
        }
        return kept.orElse(wanted);
    }

    /** The shape that this directory was first started with, if it ever was. */
    public Optional<ClusterShape> shape() throws IOException {
        Path file = shapeFile();
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        return Optional.of(ClusterShape.from(TextFile.properties(file, FILE_BYTES_MAX), file));
    }

    /** Returns whether an appliance was ever started here, or made by {@code init}. */
    public boolean wasStarted() {
        return Files.exists(shapeFile());
    }

    /** Keeps the shape; returns once that is durable. */
    public void keep(ClusterShape shape) throws IOException {
        Properties properties = new Properties();
        shape.to(properties);
        String text =
                TextFile.text(properties, "Settings of the first start of this appliance. Later starts keep them.");
        AtomicFile.replace(shapeFile(), StandardCharsets.UTF_8.encode(text));
    }

    private Path shapeFile() {
        return root.resolve("cluster.properties");
    }

    /**
     * Returns the process that has taken the directory: one that starts, serves or ends. Its number is 0 if it has not
     * written it yet.
     */
    public OptionalLong holder() throws IOException {
        return DirectoryLock.holder(lockFile());
    }

    private Path lockFile() {
        return root.resolve("lock");
    }

    /**
     * Takes the directory for this process until the returned lock is closed.
     *
     * @throws IOException if another process has it
     */
    public DirectoryLock lock() throws IOException {
        return DirectoryLock.take(lockFile())
                .orElseThrow(() ->
                        new IOException("an appliance already runs on " + root + "; stop it with `bulwark down`"));
    }
}

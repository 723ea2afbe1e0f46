package io.bulwark.storage.store;

import io.bulwark.client.error.ConfigException;
import io.bulwark.client.error.Subject;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.transport.file.AtomicFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Owner of the store in a directory. The file {@code identity} of the directory records it, written once, before
 * anything else. The index records it too, so that a copy of one without the other is noticed. A node's key is no part
 * of it: keys are replaced, while a node's number is never given to another one.
 *
 * @param cluster the cluster's id; zeros where principals have no keys
 * @param node the node's number
 */
public record StoreIdentity(Bytes cluster, int node) {
    private static final String FILE = "identity";
    private static final int FORMAT = 1;
    private static final int BYTES_MAX = 1024;

    /**
     * Makes sure that the store in this directory is this node's; an empty directory becomes it.
     *
     * @throws ConfigException if it is another one's, or does not say whose it is
     * @throws IOException if the device fails
     */
    public void claim(Path directory) throws IOException {
        Files.createDirectories(directory);
        Path file = directory.resolve(FILE);
        if (!Files.exists(file)) {
            if (isUsed(directory)) {
                throw failure(
                        "the store in " + directory + " has no readable owner: its file " + FILE + " is missing",
                        "restore the file");
            }
            AtomicFile.replace(file, StandardCharsets.US_ASCII.encode(text()));
        }
        boolean isLong = Files.size(file) > BYTES_MAX;
        check(directory, "file " + FILE, isLong ? "" : Files.readString(file, StandardCharsets.ISO_8859_1));
    }

    /** Does the same as {@link #claim(Path)} for the index, which may be damaged or copied apart from the file. */
    void claim(Path directory, RecordIndex index) throws StoreException {
        byte[] found = index.owner();
        if (found == null) {
            index.own(text().getBytes(StandardCharsets.US_ASCII));
        } else {
            check(directory, "index", new String(found, StandardCharsets.ISO_8859_1));
        }
    }

    /** Returns it for people: {@code node-3 of cluster 0123456789abcdef0123456789abcdef}. */
    @Override
    public String toString() {
        return "node-" + node + " of cluster " + cluster.toHex();
    }

    private void check(Path directory, String where, String found) {
        StoreIdentity owner = parse(found)
                .orElseThrow(() -> failure(
                        "the store in " + directory + " has no readable owner: its " + where + " is damaged",
                        "restore its content"));
        if (!owner.equals(this)) {
            throw failure(
                    "the store in " + directory + " belongs to " + owner + ", as its " + where + " says, but this is "
                            + this,
                    "give each node its own directory, and this one its previous directory");
        }
    }

    private static ConfigException failure(String problem, String first) {
        return new ConfigException(
                problem + ". Nothing was changed. Do this: " + first
                        + "; or start the node with an empty directory, and it rebuilds its fragments from its peers",
                Subject.NONE);
    }

    private static boolean isUsed(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.anyMatch(file -> !String.valueOf(file.getFileName()).startsWith(FILE));
        }
    }

    private String text() {
        return "# The owner of this store. A node starts only on its own store.\nformat=" + FORMAT + "\ncluster="
                + cluster.toHex() + "\nnode=" + node + "\n";
    }

    private static Optional<StoreIdentity> parse(String text) {
        String[] lines = text.split("\n", -1);
        if (lines.length != 5 || !lines[2].startsWith("cluster=") || !lines[3].startsWith("node=")) {
            return Optional.empty();
        }
        try {
            Bytes cluster = Bytes.of(HexFormat.of().parseHex(lines[2].substring("cluster=".length())));
            int node = Integer.parseInt(lines[3].substring("node=".length()));
            return Optional.of(new StoreIdentity(cluster, node))
                    .filter(identity -> identity.text().equals(text));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}

package io.bulwark.metadata.log;

import io.bulwark.protocol.ordering.PeerMessage;
import io.bulwark.protocol.ordering.Position;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import io.bulwark.transport.file.AtomicFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The last two snapshots of the state. A file holds the magic (8), the position (8 + 32), the length (8) and the SHA-256
 * (32) of the state, then the state. Thread-safe.
 */
public final class SnapshotStore {
    private static final Logger LOG = LoggerFactory.getLogger(SnapshotStore.class);
    private static final long MAGIC = 0x42574B534E415031L;
    private static final int HEADER_BYTES = 8 + 8 + PeerMessage.DIGEST_BYTES + 8 + PeerMessage.DIGEST_BYTES;
    private static final int KEPT = 2;
    private static final String PREFIX = "snapshot-";

    private final Path directory;
    private final List<PeerMessage.Snapshot> held = new ArrayList<>();
    private int damaged;

    private SnapshotStore(Path directory) {
        this.directory = directory;
    }

    /** Opens the store and checks every snapshot; damaged ones are reported and removed. */
    public static SnapshotStore open(Path directory) throws IOException {
        SnapshotStore store = new SnapshotStore(directory);
        List<Path> files;
        try (Stream<Path> all = Files.list(directory)) {
            files = all.filter(file -> file.getFileName().toString().startsWith(PREFIX))
                    .sorted()
                    .toList();
        }
        for (Path file : files) {
            if (file.toString().endsWith(".tmp")) {
                Files.delete(file);
                continue;
            }
            Optional<PeerMessage.Snapshot> intact = store.check(file)
                    .filter(snapshot ->
                            file.equals(store.file(snapshot.position().sequence())));
            if (intact.isPresent()) {
                store.held.add(intact.get());
            } else {
                LOG.error("snapshot {} is damaged and is not used", file);
                store.damaged++;
                Files.delete(file);
            }
        }
        store.held.sort(Comparator.comparingLong(snapshot -> snapshot.position().sequence()));
        return store;
    }

    /** Returns the snapshots on disk, oldest first. */
    public synchronized List<PeerMessage.Snapshot> held() {
        return List.copyOf(held);
    }

    /** Returns the number of damaged snapshots found at the start. */
    public int damaged() {
        return damaged;
    }

    /** Writes a snapshot, and returns once it is durable; then drops all but the last two. */
    public void write(Position position, Bytes state) throws IOException {
        Bytes hash = sha256(state);
        WireWriter header = new WireWriter(HEADER_BYTES).i64(MAGIC);
        position.write(header);
        Bytes head = header.i64(state.length()).raw(hash).toBytes();
        AtomicFile.replace(
                file(position.sequence()),
                ByteBuffer.wrap(head.toByteArray()),
                ByteBuffer.wrap(state.array(), state.offset(), state.length()));
        synchronized (this) {
            held.removeIf(snapshot -> snapshot.position().sequence() == position.sequence());
            held.add(new PeerMessage.Snapshot(position, state.length(), hash));
            held.sort(Comparator.comparingLong(snapshot -> snapshot.position().sequence()));
            while (held.size() > KEPT) {
                Files.deleteIfExists(file(held.removeFirst().position().sequence()));
            }
        }
    }

    /** Forgets snapshots beyond a position, which turned out not to be of this history. */
    public synchronized void dropAfter(long sequence) throws IOException {
        while (!held.isEmpty() && held.getLast().position().sequence() > sequence) {
            Files.deleteIfExists(file(held.removeLast().position().sequence()));
        }
        AtomicFile.syncDirectory(directory);
    }

    /**
     * The state of a snapshot that is held.
     *
     * @throws IOException also if it was damaged since it was written
     */
    public Bytes read(PeerMessage.Snapshot snapshot) throws IOException {
        Path path = file(snapshot.position().sequence());
        byte[] all = Files.readAllBytes(path);
        Bytes state = Bytes.of(all, HEADER_BYTES, Math.max(0, all.length - HEADER_BYTES));
        if (!sha256(state).equals(snapshot.hash())) {
            throw new IOException(path + " is damaged");
        }
        return state;
    }

    /** Returns at most {@code max} bytes of the state from this offset; empty if it is not held, or has no byte there. */
    public Bytes chunk(long sequence, long offset, int max) throws IOException {
        Optional<PeerMessage.Snapshot> found;
        synchronized (this) {
            found = held.stream()
                    .filter(snapshot -> snapshot.position().sequence() == sequence)
                    .findFirst();
        }
        if (found.isEmpty() || offset >= found.get().length()) {
            return Bytes.EMPTY;
        }
        ByteBuffer buffer = ByteBuffer.allocate((int) Math.min(max, found.get().length() - offset));
        try (FileChannel channel = FileChannel.open(file(sequence), StandardOpenOption.READ)) {
            while (buffer.hasRemaining() && channel.read(buffer, HEADER_BYTES + offset + buffer.position()) > 0) {
                // Reads on until the buffer is full.
            }
        }
        return Bytes.of(buffer.array(), 0, buffer.position());
    }

    /** SHA-256. */
    public static Bytes sha256(Bytes bytes) {
        try {
            MessageDigest sha = MessageDigest.getInstance("SHA-256");
            sha.update(bytes.array(), bytes.offset(), bytes.length());
            return Bytes.of(sha.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this Java has no SHA-256", e);
        }
    }

    private static Optional<PeerMessage.Snapshot> checked(byte[] all) {
        WireReader in = new WireReader(Bytes.of(all));
        if (in.i64() != MAGIC) {
            return Optional.empty();
        }
        PeerMessage.Snapshot snapshot =
                new PeerMessage.Snapshot(Position.read(in), in.nonNegative64(), in.raw(PeerMessage.DIGEST_BYTES));
        Bytes state = in.raw(in.remaining());
        boolean whole = state.length() == snapshot.length() && sha256(state).equals(snapshot.hash());
        return whole ? Optional.of(snapshot) : Optional.empty();
    }

    private Optional<PeerMessage.Snapshot> check(Path file) throws IOException {
        try {
            return checked(Files.readAllBytes(file));
        } catch (MalformedException e) {
            LOG.debug("{}: {}", file, e.getMessage());
            return Optional.empty();
        }
    }

    private Path file(long sequence) {
        return directory.resolve(String.format("%s%020d", PREFIX, sequence));
    }
}

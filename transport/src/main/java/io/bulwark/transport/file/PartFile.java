package io.bulwark.transport.file;

import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Begins a file that is written from its first byte to its last, and continues it in a later process after a failure. Beside the target
 * stand the part and a state file: the source of the bytes, how many of them are durable, and their SHA-256. A part
 * continues only with the same source, and only behind the bytes that still have this digest. Not thread-safe.
 */
public final class PartFile implements Closeable {
    /** Bytes between two states: so many are read again after a crash at most. */
    public static final long CHECKPOINT_BYTES = 32L << 20;

    private static final Pattern NAME = Pattern.compile("\\.bulwark-.{1,64}\\.(?:part|state)", Pattern.DOTALL);
    private static final Pattern STATE =
            Pattern.compile("source=([0-9a-f]{64})\nbytes=([0-9]{1,18})\nsha256=([0-9a-f]{64})\n");
    private static final int STATE_BYTES_MAX = 4096;
    private static final int BUFFER_BYTES = 1 << 16;
    private static final int NAME_DIGITS = 24;
    private static final FileAttribute<?> OWNER_ONLY =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    private final Path target;
    private final Path part;
    private final Path state;
    private final String source;
    private final long checkpointBytes;
    private final FileChannel channel;
    private final MessageDigest digest = sha256();
    private long position;
    private long checkpoint;
    private boolean finished;

    private PartFile(Path target, Path part, String source, long checkpointBytes, FileChannel channel) {
        this.target = target;
        this.part = part;
        this.state = stateOf(part);
        this.source = source;
        this.checkpointBytes = checkpointBytes;
        this.channel = channel;
    }

    /** Returns whether a file of this name is such a part, or the state of one. */
    public static boolean isPart(String name) {
        return NAME.matcher(name).matches();
    }

    /**
     * Returns the place of a target that a user named: a new file, or the regular file that its links lead to. Empty for pipes, devices
     * and directories, which have no parts.
     */
    public static Optional<Path> placeOf(Path target) throws IOException {
        return OutputFile.regularPlace(target);
    }

    /**
     * Begins or continues the part of a target.
     *
     * @param identity of the exact bytes, such as an object with its version
     * @param secret whether only its owner may read the part
     * @throws IOException also if another writer has it
     */
    public static PartFile open(Path target, String identity, boolean secret) throws IOException {
        return open(target, identity, secret, CHECKPOINT_BYTES);
    }

    static PartFile open(Path target, String identity, boolean secret, long checkpointBytes) throws IOException {
        Path absolute = target.toAbsolutePath();
        Path part = partOf(absolute);
        FileChannel channel = openChannel(part, secret || Files.exists(absolute, LinkOption.NOFOLLOW_LINKS));
        try {
            lock(channel, part);
            PartFile opened = new PartFile(absolute, part, hex(identity), checkpointBytes, channel);
            opened.resume();
            return opened;
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    private static FileChannel openChannel(Path part, boolean secret) throws IOException {
        Set<StandardOpenOption> options =
                Set.of(StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        FileAttribute<?>[] fresh =
                secret && OutputFile.hasModes(part) ? new FileAttribute<?>[] {OWNER_ONLY} : new FileAttribute<?>[0];
        if (Files.isSymbolicLink(part)) {
            throw new FileSystemException(part.toString(), null, "it is a symbolic link; delete it");
        }
        return FileChannel.open(part, options, fresh);
    }

    /** Two writers of one part would mix their bytes. */
    private static void lock(FileChannel channel, Path part) throws IOException {
        FileLock lock;
        try {
            lock = channel.tryLock();
        } catch (OverlappingFileLockException e) {
            lock = null;
        }
        if (lock == null || !Files.exists(part, LinkOption.NOFOLLOW_LINKS)) {
            throw new FileSystemException(part.toString(), null, "another process is writing it");
        }
    }

    /** Returns the number of bytes that it has. */
    public long position() {
        return position;
    }

    /** Returns the SHA-256 of the bytes that it has. */
    public String sha256Hex() {
        return HexFormat.of().formatHex(copyOf(digest).digest());
    }

    /** Discards all bytes. */
    public void restart() throws IOException {
        Files.deleteIfExists(state);
        channel.truncate(0);
        channel.position(0);
        digest.reset();
        position = 0;
        checkpoint = 0;
    }

    /** A stream that appends. Closing it does nothing. */
    public OutputStream stream() {
        return new OutputStream() {
            @Override
            public void write(int value) throws IOException {
                write(new byte[] {(byte) value}, 0, 1);
            }

            @Override
            public void write(byte[] bytes, int offset, int length) throws IOException {
                append(bytes, offset, length);
            }
        };
    }

    private void append(byte[] bytes, int offset, int length) throws IOException {
        ByteBuffer left = ByteBuffer.wrap(bytes, offset, length);
        while (left.hasRemaining()) {
            channel.write(left);
        }
        digest.update(bytes, offset, length);
        position += length;
        if (position - checkpoint >= checkpointBytes) {
            keep();
        }
    }

    /** Makes the file durable, and puts it in the place of the target in one step. A link there is replaced, not followed. */
    public void finish(TargetAttributes attributes) throws IOException {
        BasicFileAttributes there = TargetAttributes.unfollowed(target);
        OutputFile.checkNoDirectory(target, there);
        attributes.applyTo(part, there);
        channel.force(true);
        Files.move(part, target, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
        finished = true;
        Files.deleteIfExists(state);
    }

    /** Keeps the bytes of an unfinished file for a later attempt, or deletes what is too little for that. */
    @Override
    public void close() throws IOException {
        try (channel) {
            if (finished || !channel.isOpen()) {
                return;
            }
            if (position >= Math.min(checkpointBytes, CHECKPOINT_BYTES / 4)) {
                keep();
            } else {
                Files.deleteIfExists(state);
                Files.deleteIfExists(part);
            }
        }
    }

    private void keep() throws IOException {
        channel.force(true);
        OutputFile.write(state, "source=" + source + "\nbytes=" + position + "\nsha256=" + sha256Hex() + "\n");
        checkpoint = position;
    }

    private void resume() throws IOException {
        Matcher known = readState();
        if (known != null && known.group(1).equals(source)) {
            long bytes = Long.parseLong(known.group(2));
            if (channel.size() >= bytes && digestOf(bytes).equals(known.group(3))) {
                channel.truncate(bytes);
                channel.position(bytes);
                position = bytes;
                checkpoint = bytes;
                return;
            }
        }
        restart();
    }

    private @Nullable Matcher readState() throws IOException {
        BasicFileAttributes there = TargetAttributes.unfollowed(state);
        if (there == null || !there.isRegularFile() || there.size() > STATE_BYTES_MAX) {
            return null;
        }
        Matcher matcher = STATE.matcher(new String(Files.readAllBytes(state), StandardCharsets.US_ASCII));
        return matcher.matches() ? matcher : null;
    }

    private String digestOf(long bytes) throws IOException {
        digest.reset();
        ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);
        for (long at = 0; at < bytes; ) {
            buffer.clear().limit((int) Math.min(BUFFER_BYTES, bytes - at));
            int count = channel.read(buffer, at);
            if (count < 0) {
                return "";
            }
            digest.update(buffer.flip());
            at += count;
        }
        return sha256Hex();
    }

    /** A name of its own: one that is made of the target's could be too long. */
    static Path partOf(Path target) {
        String name = hex(String.valueOf(target.getFileName())).substring(0, NAME_DIGITS);
        return target.resolveSibling(".bulwark-" + name + ".part");
    }

    static Path stateOf(Path part) {
        String name = Objects.requireNonNull(part.getFileName()).toString();
        return part.resolveSibling(name.substring(0, name.length() - "part".length()) + "state");
    }

    private static String hex(String text) {
        return HexFormat.of().formatHex(sha256().digest(text.getBytes(StandardCharsets.UTF_8)));
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("each Java has SHA-256", e);
        }
    }

    private static MessageDigest copyOf(MessageDigest digest) {
        try {
            return (MessageDigest) digest.clone();
        } catch (CloneNotSupportedException e) {
            throw new IllegalStateException("this provider's SHA-256 cannot be copied", e);
        }
    }
}

package io.bulwark.transport.file;

import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Writes a file that a user named. The kind of the existing file decides the method:
 *
 * <pre>
 * nothing                      a new file with the mode that the umask gives
 * a regular file               replaced in one step, whole or not at all; the mode stays, and the owner where this
 *                              process may give files away
 * a symbolic link              followed: the link stays, its target is replaced or made
 * a pipe, a device             written into
 * /dev/stdout, /dev/fd/N       written into
 * a directory, a socket        refused
 * </pre>
 *
 * <p>Replacement in one step uses a temporary file in the same directory, which is renamed at the end. It is deleted
 * after a failure and when a signal ends the process. The new file is durable before the old content is removed.
 */
public final class OutputFile {
    /** Maximum number of links followed, as in Linux. */
    private static final int LINKS_MAX = 40;

    private static final Pattern DESCRIPTOR =
            Pattern.compile("/(?:dev|proc/(self|thread-self|[0-9]{1,9}))/fd/([0-9]{1,9})");

    private static final int NONE = -1;
    private static final int OF_ANOTHER_PROCESS = Integer.MAX_VALUE;

    private static final FileAttribute<?> OWNER_ONLY =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    private OutputFile() {}

    /** Writer of the file's content; returns a result for the caller. */
    public interface Content<T> {
        T writeTo(OutputStream out) throws IOException;
    }

    /** Writes the file as described above. */
    public static <T> T write(Path target, Content<T> content) throws IOException {
        return write(target, false, content);
    }

    /** Writes text as UTF-8. */
    public static void write(Path target, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        write(target, out -> {
            out.write(bytes);
            return bytes;
        });
    }

    /** Writes a file as above, but a new file is readable by its owner only; an existing one keeps its mode. */
    public static void writeSecret(Path target, byte[] bytes) throws IOException {
        write(target, true, out -> {
            out.write(bytes);
            return bytes;
        });
    }

    private static <T> T write(Path target, boolean secret, Content<T> content) throws IOException {
        Path place = resolveLinks(target);
        int descriptor = descriptor(place);
        if (descriptor != NONE) {
            return writeInto(descriptor, place, content);
        }
        BasicFileAttributes there = attributes(place);
        if (there == null) {
            FileAttribute<?>[] fresh = secret ? new FileAttribute<?>[] {OWNER_ONLY} : new FileAttribute<?>[0];
            return replace(place, null, fresh, TargetAttributes.NONE, content);
        }
        if (there.isDirectory()) {
            throw new FileSystemException(target.toString(), null, "it is a directory; name a file in it");
        }
        if (there.isRegularFile()) {
            checkWritable(place);
        }
        return there.isRegularFile()
                ? replace(place, there, new FileAttribute<?>[] {OWNER_ONLY}, TargetAttributes.NONE, content)
                : writeInto(Files.newOutputStream(place, StandardOpenOption.WRITE), content);
    }

    /**
     * Writes a regular file at exactly this place, with these attributes. Neither a link nor a special file there is followed: it is
     * replaced, also a file that this user may not write. A directory stays, and the call fails.
     */
    public static <T> T writeInPlace(Path place, TargetAttributes attributes, Content<T> content) throws IOException {
        BasicFileAttributes there = TargetAttributes.unfollowed(place);
        checkNoDirectory(place, there);
        boolean closed = there != null || attributes.permissions() != null;
        return replace(
                place.toAbsolutePath(),
                there,
                closed ? new FileAttribute<?>[] {OWNER_ONLY} : new FileAttribute<?>[0],
                attributes,
                content);
    }

    /** A rename would move the file into no directory, but fail with less to say. */
    static void checkNoDirectory(Path place, @Nullable BasicFileAttributes there) throws IOException {
        if (there != null && there.isDirectory()) {
            throw new FileSystemException(place.toString(), null, "it is a directory");
        }
    }

    /**
     * Creates a file that must not exist yet; returns once it is durable.
     *
     * @param secret whether only its owner may read it (mode 0600)
     * @throws FileAlreadyExistsException rather than changing an existing file
     */
    public static void create(Path file, boolean secret, byte[] bytes) throws IOException {
        Path made = file.toAbsolutePath();
        try (FileChannel channel = UnfinishedFiles.begin(
                made, () -> open(made, secret ? new FileAttribute<?>[] {OWNER_ONLY} : new FileAttribute<?>[0]))) {
            ByteBuffer left = ByteBuffer.wrap(bytes);
            while (left.hasRemaining()) {
                channel.write(left);
            }
            channel.force(true);
            UnfinishedFiles.keep(made);
        } finally {
            UnfinishedFiles.discard(made);
        }
    }

    /** This process's standard output, whose failures are not swallowed as those of {@code System.out} are. Closing only flushes. */
    public static OutputStream standardOutput() {
        System.out.flush();
        return unclosable(FileDescriptor.out);
    }

    /** Returns whether the name is one of this process's standard output, or leads there. */
    public static boolean isStandardOutput(Path target) throws IOException {
        return descriptor(resolveLinks(target)) == 1;
    }

    /** Returns the final target of symbolic links, which may not exist yet. */
    private static Path resolveLinks(Path target) throws IOException {
        Path place = target.toAbsolutePath();
        for (int links = 0; descriptor(place) == NONE && Files.isSymbolicLink(place); links++) {
            if (links == LINKS_MAX) {
                throw new FileSystemLoopException(target.toString());
            }
            place = place.resolveSibling(Files.readSymbolicLink(place));
        }
        return place;
    }

    /** The number of one of this process's file descriptors, {@link #OF_ANOTHER_PROCESS}, or {@link #NONE}. */
    private static int descriptor(Path place) {
        Matcher matcher = DESCRIPTOR.matcher(place.normalize().toString());
        if (!matcher.matches()) {
            return NONE;
        }
        String process = matcher.group(1);
        boolean own = process == null
                || process.endsWith("self")
                || process.equals(Long.toString(ProcessHandle.current().pid()));
        return own ? Integer.parseInt(matcher.group(2)) : OF_ANOTHER_PROCESS;
    }

    private static @Nullable BasicFileAttributes attributes(Path place) throws IOException {
        try {
            return hasModes(place)
                    ? Files.readAttributes(place, PosixFileAttributes.class)
                    : Files.readAttributes(place, BasicFileAttributes.class);
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    /** Returns the target of the links if it is a regular file, or nothing yet; empty for what is written into. */
    static Optional<Path> regularPlace(Path target) throws IOException {
        Path place = resolveLinks(target);
        if (descriptor(place) != NONE) {
            return Optional.empty();
        }
        BasicFileAttributes there = attributes(place);
        if (there != null && there.isRegularFile()) {
            checkWritable(place);
        }
        return there == null || there.isRegularFile() ? Optional.of(place) : Optional.empty();
    }

    private static void checkWritable(Path place) throws IOException {
        if (!Files.isWritable(place)) {
            throw new AccessDeniedException(place.toString());
        }
    }

    static boolean hasModes(Path place) {
        return place.getFileSystem().supportedFileAttributeViews().contains("posix");
    }

    /**
     * Writes into an open descriptor. The shell that redirected it continues behind the output: at its offset for 1 and
     * 2, otherwise at the end.
     */
    private static <T> T writeInto(int descriptor, Path place, Content<T> content) throws IOException {
        return switch (descriptor) {
            case 1 -> writeInto(standardOutput(), content);
            case 2 -> {
                System.err.flush();
                yield writeInto(unclosable(FileDescriptor.err), content);
            }
            default ->
                writeInto(Files.newOutputStream(place, StandardOpenOption.WRITE, StandardOpenOption.APPEND), content);
        };
    }

    private static <T> T writeInto(OutputStream stream, Content<T> content) throws IOException {
        try (OutputStream out = new BufferedOutputStream(stream)) {
            return content.writeTo(out);
        }
    }

    private static OutputStream unclosable(FileDescriptor descriptor) {
        return new FilterOutputStream(new FileOutputStream(descriptor)) {
            @Override
            public void write(byte[] bytes, int offset, int length) throws IOException {
                out.write(bytes, offset, length);
            }

            @Override
            public void close() throws IOException {
                flush();
            }
        };
    }

    /** @param there the file that is replaced, or null; only its owner sees the new content until it takes the name */
    private static <T> T replace(
            Path place,
            @Nullable BasicFileAttributes there,
            FileAttribute<?>[] fresh,
            TargetAttributes attributes,
            Content<T> content)
            throws IOException {
        // A name of its own: one that is made of the target's could be too long.
        Path part = place.resolveSibling(".bulwark-" + UUID.randomUUID() + ".part");
        FileChannel channel = begin(part, place, fresh);
        try {
            T result;
            try (channel;
                    OutputStream out = new BufferedOutputStream(Channels.newOutputStream(channel))) {
                result = content.writeTo(out);
                out.flush();
                attributes.applyTo(part, there);
                if (there != null) {
                    channel.force(true);
                }
            }
            UnfinishedFiles.move(part, place);
            return result;
        } finally {
            UnfinishedFiles.discard(part);
        }
    }

    /** The user knows the target, not the temporary file. */
    private static FileChannel begin(Path part, Path place, FileAttribute<?>[] fresh) throws IOException {
        try {
            return UnfinishedFiles.begin(part, () -> open(part, fresh));
        } catch (FileSystemException e) {
            throw new FileSystemException(
                    place.toString(), null, "cannot write into its directory: " + FileFailure.cause(e));
        }
    }

    private static FileChannel open(Path file, FileAttribute<?>[] fresh) throws IOException {
        Set<OpenOption> options = Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        return FileChannel.open(file, options, hasModes(file) ? fresh : new FileAttribute<?>[0]);
    }

    static void keepOwnerAndMode(Path part, PosixFileAttributes there) throws IOException {
        PosixFileAttributeView view = Files.getFileAttributeView(part, PosixFileAttributeView.class);
        PosixFileAttributes now = view.readAttributes();
        // Not everybody may give files away.
        if (!now.group().equals(there.group())) {
            try {
                view.setGroup(there.group());
            } catch (FileSystemException e) {
                // The file stays with the group of its writer.
            }
        }
        if (!now.owner().equals(there.owner())) {
            try {
                view.setOwner(there.owner());
            } catch (FileSystemException e) {
                // It belongs to whoever wrote it.
            }
        }
        if (!view.readAttributes().permissions().equals(there.permissions())) {
            view.setPermissions(there.permissions());
        }
    }
}

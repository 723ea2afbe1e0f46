package io.bulwark.appliance.transfer;

import io.bulwark.client.Volume;
import io.bulwark.transport.file.FileChangedException;
import io.bulwark.transport.file.FileFailure;
import io.bulwark.transport.file.OutputFile;
import io.bulwark.transport.file.SourceStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Files in consecutive blocks of a register volume, a few of which are under way at once. Each block is written for itself. */
public final class BlockFile {
    private static final int AT_ONCE = 8;

    private final Volume volume;
    private final int blockBytes;

    public BlockFile(Volume volume) {
        this.volume = volume;
        this.blockBytes = volume.info().policy().blockBytes();
    }

    /** Returns the number of blocks that so many bytes take. */
    public long blocks(long bytes) {
        return Math.ceilDiv(bytes, blockBytes);
    }

    /**
     * Writes a whole file, the rest of its last block filled with zeros. A pipe is read to its end.
     *
     * @return how many bytes the file had
     * @throws IOException if it cannot be read, or changes while it is read: then some of the blocks are written
     */
    public long write(Path file, long firstBlock) throws IOException {
        if (!Files.isRegularFile(file)) {
            try (InputStream in = Files.newInputStream(file)) {
                return write(in, firstBlock);
            }
        }
        try {
            return SourceStream.read(file, content -> write(content, firstBlock));
        } catch (FileChangedException e) {
            throw new IOException(
                    FileFailure.text(e) + "; the blocks from " + firstBlock + " on hold a mixture of old and new "
                            + "data",
                    e);
        }
    }

    private long write(InputStream in, long firstBlock) throws IOException {
        long bytes = 0;
        long block = firstBlock;
        Deque<CompletableFuture<Void>> inFlight = new ArrayDeque<>();
        for (byte[] next = in.readNBytes(blockBytes); next.length > 0; next = in.readNBytes(blockBytes)) {
            if (inFlight.size() == AT_ONCE) {
                join(inFlight.removeFirst());
            }
            bytes += next.length;
            inFlight.addLast(volume.writeBlockAsync(block++, Arrays.copyOf(next, blockBytes)));
        }
        while (!inFlight.isEmpty()) {
            join(inFlight.removeFirst());
        }
        return bytes;
    }

    /** Reads so many bytes into a file, as {@link OutputFile} has it. */
    public void read(long firstBlock, long bytes, Path file) throws IOException {
        OutputFile.write(file, out -> read(firstBlock, bytes, out));
    }

    private long read(long firstBlock, long bytes, OutputStream out) throws IOException {
        Deque<CompletableFuture<byte[]>> inFlight = new ArrayDeque<>();
        long asked = 0;
        for (long written = 0; written < bytes; ) {
            while (inFlight.size() < AT_ONCE && asked < blocks(bytes)) {
                inFlight.addLast(volume.readBlockAsync(firstBlock + asked++));
            }
            int length = (int) Math.min(blockBytes, bytes - written);
            out.write(join(inFlight.removeFirst()), 0, length);
            written += length;
        }
        return bytes;
    }

    private static <T> T join(CompletableFuture<T> future) {
        try {
            return future.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
    }
}

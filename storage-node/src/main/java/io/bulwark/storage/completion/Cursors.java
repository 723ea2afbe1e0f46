package io.bulwark.storage.completion;

import io.bulwark.protocol.completion.Progress;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How far a node has come, in a small file: version (1 byte), sequence of session changes (8), count (2), then volume and
 * inode (4 + 8) each, CRC-32C of all this (4). A file that is lost or damaged means to begin again, which costs time only.
 */
final class Cursors {
    private static final Logger LOG = LoggerFactory.getLogger(Cursors.class);
    private static final long LOG_INTERVAL_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final int VERSION = 1;
    private static final int VOLUMES_MAX = 1024;
    private static final int BYTES_MAX = 15 + 12 * VOLUMES_MAX;

    private final Path file;
    private long sequence;
    private long saidNanos = System.nanoTime() - LOG_INTERVAL_NANOS;
    private final SortedMap<Integer, Long> inodes = new TreeMap<>();

    Cursors(Path file) {
        this.file = file;
        try {
            if (Files.size(file) <= BYTES_MAX) {
                read(Bytes.of(Files.readAllBytes(file)));
            }
        } catch (NoSuchFileException e) {
            LOG.debug("{} is not there yet", file);
        } catch (IOException | MalformedException e) {
            LOG.warn("{} cannot be read; what is referenced is learned again from the beginning", file, e);
            sequence = 0;
            inodes.clear();
        }
    }

    synchronized Progress progress() {
        return new Progress(sequence, inodes);
    }

    /** Remembers what is new, in place of the old file at once. Where that fails, as on a full disk, it is said now and then. */
    synchronized void save(Progress progress) {
        if (progress.equals(progress())) {
            return;
        }
        sequence = progress.sequence();
        inodes.clear();
        inodes.putAll(progress.inodes());
        WireWriter out = new WireWriter().u8(VERSION).i64(sequence).u16(inodes.size());
        inodes.forEach((volume, inode) -> out.i32(volume).i64(inode));
        Bytes body = out.toBytes();
        Bytes all = new WireWriter().raw(body).i32(checksum(body)).toBytes();
        Path next = file.resolveSibling(file.getFileName() + ".next");
        try {
            Files.write(next, all.toByteArray());
            Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            long now = System.nanoTime();
            if (now - saidNanos >= LOG_INTERVAL_NANOS) {
                LOG.warn("{} cannot be written, after a restart it will be begun further back: {}", file, e.toString());
                saidNanos = now;
            }
        }
    }

    private void read(Bytes all) {
        WireReader in = new WireReader(all);
        if (in.u8() != VERSION) {
            throw new MalformedException("unknown version");
        }
        sequence = in.nonNegative64();
        int count = in.count16(VOLUMES_MAX);
        for (int i = 0; i < count; i++) {
            inodes.put(in.i32(), in.nonNegative64());
        }
        if (in.i32() != checksum(all.slice(0, all.length() - 4))) {
            throw new MalformedException("wrong checksum");
        }
        in.end();
    }

    private static int checksum(Bytes bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes.array(), bytes.offset(), bytes.length());
        return (int) crc.getValue();
    }
}

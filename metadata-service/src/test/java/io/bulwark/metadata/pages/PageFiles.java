package io.bulwark.metadata.pages;

import io.bulwark.protocol.wire.Bytes;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;

/** The files of a store of pages that is closed, and their rot. */
@NullMarked
public final class PageFiles {
    private PageFiles() {}

    /** Returns the files whose names match. */
    public static List<Path> files(Path store, String pattern) throws IOException {
        try (Stream<Path> all = Files.list(store)) {
            return all.filter(file -> file.getFileName().toString().matches(pattern))
                    .sorted()
                    .toList();
        }
    }

    /** Moves records that are only in a log to files of pages. */
    public static void flush(Path store) throws IOException {
        RocksPageStore.open(store).close();
    }

    public static void flip(Path file, long at) throws IOException {
        try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
            open.seek(at);
            int old = open.read();
            open.seek(at);
            open.write(old ^ 4);
        }
    }

    /** A byte of this page rots, wherever it stands in a blob file: not of its digest. */
    public static void rot(Path store, Bytes page) throws IOException {
        int found = 0;
        String wanted = new String(page.toByteArray(), StandardCharsets.ISO_8859_1);
        for (Path file : files(store, ".*\\.blob")) {
            String text = Files.readString(file, StandardCharsets.ISO_8859_1);
            for (int at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
                flip(file, at + page.length() / 2);
                found++;
            }
        }
        if (found == 0) {
            throw new AssertionError("the page is in no blob file of " + store);
        }
    }
}

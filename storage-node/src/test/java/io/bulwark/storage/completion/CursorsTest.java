package io.bulwark.storage.completion;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.bulwark.protocol.completion.Progress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

class CursorsTest {
    @TempDir
    Path directory;

    private static Progress at(long inode) {
        SortedMap<Integer, Long> inodes = new TreeMap<>();
        inodes.put(3, inode);
        return new Progress(inode, inodes);
    }

    @Test
    void whatWasSavedIsThereAgain() {
        Path file = directory.resolve("completion");
        new Cursors(file).save(at(7));
        assertThat(new Cursors(file).progress()).isEqualTo(at(7));
    }

    /** As on a full disk, where it fails again and again. */
    @Test
    void whatCannotBeSavedIsOneLineNowAndThen() throws IOException {
        Path file = directory.resolve("missing").resolve("completion");
        Logger logger = (Logger) LoggerFactory.getLogger(Cursors.class);
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.start();
        Cursors cursors = new Cursors(file);
        logger.addAppender(log);
        try {
            for (int inode = 1; inode <= 30; inode++) {
                cursors.save(at(inode));
            }
            assertThat(log.list)
                    .singleElement()
                    .satisfies(line -> assertThat(line.getThrowableProxy()).isNull());
            Files.createDirectory(directory.resolve("missing"));
            cursors.save(at(31));
            assertThat(new Cursors(file).progress()).isEqualTo(at(31));
        } finally {
            logger.detachAppender(log);
        }
    }
}

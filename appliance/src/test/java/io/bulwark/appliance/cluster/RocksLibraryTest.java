package io.bulwark.appliance.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;

@NullMarked
class RocksLibraryTest {
    @TempDir
    Path directory = Path.of("");

    @Test
    void aProcessThatIsKilledLeavesNoLibraryBehind() throws Exception {
        Path temporary = Files.createDirectory(directory.resolve("tmp"));
        Path log = directory.resolve("log");
        Process process = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:-UsePerfData",
                        "-Djava.io.tmpdir=" + temporary,
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Killed.class.getName(),
                        directory.resolve("db").toString()))
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        assertThat(process.waitFor()).as("%s", Files.readString(log)).isEqualTo(Killed.CODE);
        try (Stream<Path> left = Files.list(temporary)) {
            assertThat(left).isEmpty();
        }
    }

    /** Opens a store, and ends as one that is killed does, and one that leaves: nothing is tidied up. */
    static final class Killed {
        static final int CODE = 42;

        private Killed() {}

        public static void main(String[] args) throws Exception {
            RocksLibrary.load();
            try (Options options = new Options().setCreateIfMissing(true);
                    RocksDB db = RocksDB.open(options, args[0])) {
                db.put(new byte[] {1}, new byte[] {2});
                Runtime.getRuntime().halt(CODE);
            }
        }
    }
}

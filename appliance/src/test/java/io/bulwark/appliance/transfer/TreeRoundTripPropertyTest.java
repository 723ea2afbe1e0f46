package io.bulwark.appliance.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Random trees go into a bucket, are changed there and here, and come back: names, bytes, times and modes are the same in both
 * directories. {@code -Dbulwark.seed} repeats a run.
 */
@NullMarked
class TreeRoundTripPropertyTest {
    private static final long SEED = Long.getLong("bulwark.seed", System.nanoTime());
    private static final int ROUNDS = 15;
    private static final int FILES_MAX = 12;
    private static final TransferSettings SETTINGS = TransferSettings.ofParallel(4);
    private static final String[] NAMES = {
        "a", "b", "C", "c", "ä", "a\u0308", "z z", "*", "[x]", "back\\slash", "-n", "...", "~", "名", "😀", "a.b"
    };

    private final Random random = new Random(SEED);

    @TempDir
    private Path directory = Path.of("");

    @Test
    void aTreeComesBackAsItWas() throws Exception {
        System.out.println("seed " + SEED);
        MemoryBucket memory = new MemoryBucket("bucket");
        Path here = Files.createDirectory(directory.resolve("here"));
        Path back = directory.resolve("back");
        Files.writeString(here.resolve("always"), "so that no tree is empty");
        for (int round = 0; round < ROUNDS; round++) {
            change(here);
            if (Files.exists(back) && random.nextBoolean()) {
                change(back); // Somebody works in the copy, whose changes must go.
            }
            String about = "seed " + SEED + ", round " + round;
            Transfer up = new TreeUpload(here, memory.bucket(), "tree", SETTINGS);
            run(up, about);
            Transfer down = new TreeDownload(memory.bucket(), "tree/", back, SETTINGS);
            run(down, about);
            assertThat(state(back)).as(about).isEqualTo(state(here));
            assertThat(memory.keys()).as(about).hasSize(state(here).size());
            for (Transfer again : List.of(up, down)) {
                TransferPlan plan = again.plan();
                assertThat(plan.changed()).as(about).isEmpty();
                assertThat(plan.gone()).as(about).isEmpty();
            }
        }
    }

    private static void run(Transfer transfer, String about) throws Exception {
        TransferPlan plan = transfer.plan();
        assertThat(plan.findings().failures()).as(about).isEmpty();
        assertThat(transfer.run(plan, true, TransferListener.NONE).failures())
                .as(about)
                .isEmpty();
    }

    private void change(Path root) throws IOException {
        for (int i = random.nextInt(FILES_MAX); i >= 0; i--) {
            List<Path> files = files(root);
            Path file = random.nextBoolean() || files.isEmpty()
                    ? root.resolve(path())
                    : files.get(random.nextInt(files.size()));
            if (file.endsWith("always")) {
                continue;
            }
            switch (random.nextInt(6)) {
                case 0 -> Files.deleteIfExists(regular(file) ? file : root.resolve("none"));
                case 1 -> {
                    if (regular(file)) {
                        Files.setPosixFilePermissions(file, mode());
                    }
                }
                case 2 -> {
                    if (regular(file)) {
                        Files.setLastModifiedTime(file, time());
                    }
                }
                case 3 -> overwriteSecretly(file);
                default -> write(root, file);
            }
        }
    }

    /** Other bytes of the same size and time. */
    private void overwriteSecretly(Path file) throws IOException {
        if (!regular(file)) {
            return;
        }
        FileTime time = Files.getLastModifiedTime(file);
        byte[] content = new byte[(int) Files.size(file)];
        random.nextBytes(content);
        Files.write(file, content);
        Files.setLastModifiedTime(file, time);
    }

    private void write(Path root, Path file) throws IOException {
        Path parent = root;
        for (Path name : root.relativize(file)) {
            if (Files.isRegularFile(parent)) {
                Files.delete(parent);
            }
            if (!Files.exists(parent)) {
                Files.createDirectory(parent);
            }
            parent = parent.resolve(name);
        }
        if (Files.isDirectory(file)) {
            return;
        }
        byte[] content = new byte[random.nextInt(3) == 0 ? 0 : random.nextInt(2_000)];
        random.nextBytes(content);
        Files.write(file, content);
        if (random.nextBoolean()) {
            Files.setPosixFilePermissions(file, mode());
        }
        if (random.nextBoolean()) {
            Files.setLastModifiedTime(file, time());
        }
    }

    private String path() {
        StringBuilder path = new StringBuilder(name());
        for (int depth = random.nextInt(4); depth > 0; depth--) {
            path.append('/').append(name());
        }
        return path.toString();
    }

    private String name() {
        return NAMES[random.nextInt(NAMES.length)];
    }

    /** The owner may read and write, as another user could not go on with the test. */
    private Set<PosixFilePermission> mode() {
        String text = (random.nextBoolean() ? "rwx" : "rw-")
                + (random.nextBoolean() ? "r-x" : "-w-")
                + (random.nextBoolean() ? "---" : "rwx");
        return PosixFilePermissions.fromString(text);
    }

    private FileTime time() {
        return FileTime.from(
                Instant.ofEpochSecond(random.nextLong(-1_000_000, 4_000_000_000L), random.nextInt(1_000_000_000)));
    }

    private static boolean regular(Path file) {
        return Files.isRegularFile(file);
    }

    private static List<Path> files(Path root) throws IOException {
        try (Stream<Path> all = Files.walk(root)) {
            return new ArrayList<>(all.filter(Files::isRegularFile).sorted().toList());
        }
    }

    private static SortedMap<String, String> state(Path root) throws IOException {
        SortedMap<String, String> state = new TreeMap<>();
        for (Path file : files(root)) {
            state.put(
                    root.relativize(file).toString(),
                    Arrays.toString(Files.readAllBytes(file))
                            + Files.getLastModifiedTime(file).toInstant()
                            + PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
        }
        return state;
    }
}

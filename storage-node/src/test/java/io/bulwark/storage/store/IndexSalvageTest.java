package io.bulwark.storage.store;

import static io.bulwark.storage.store.Records.bytes;
import static io.bulwark.storage.store.Records.extent;
import static io.bulwark.storage.store.Records.load;
import static io.bulwark.storage.store.Records.put;
import static io.bulwark.storage.store.Records.small;
import static io.bulwark.storage.store.Records.store;
import static io.bulwark.storage.store.Records.text;
import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.effect.Loaded;
import io.bulwark.protocol.effect.Mutation;
import io.bulwark.protocol.effect.RecordKey;
import io.bulwark.protocol.effect.RecordKind;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Every file of the index is damaged in every way: the store opens, has nothing wrong, and keeps what can be read. */
@Execution(ExecutionMode.CONCURRENT)
class IndexSalvageTest {
    private static final int RECORDS = 16;

    private final SplittableRandom random = new SplittableRandom(7);
    private final Map<RecordKey, Mutation.Put> records = new LinkedHashMap<>();
    /** All that was ever written. */
    private final Set<Loaded> ever = new HashSet<>();

    /** Keys of the records written last: they are in the log, and in no table. */
    private final Set<RecordKey> late = new HashSet<>();

    @TempDir
    Path directory;

    enum Damage {
        FLIPPED,
        TRUNCATED,
        EMPTIED,
        DELETED
    }

    @BeforeEach
    void fill() throws IOException {
        write(0);
        // Opening puts what the log has into a table.
        write(1);
        write(2);
    }

    private void write(int round) throws IOException {
        try (FragmentStore store = FragmentStore.open(small(directory))) {
            late.clear();
            for (int i = 0; i < RECORDS; i++) {
                Mutation.Put put = put(extent(1_000L * round + i), "meta", bytes(random, i % 2 == 0 ? 300 : 6_000));
                store(store, put);
                wrote(put);
                late.add(put.key());
            }
            if (round > 0) {
                Mutation.Put old = put(extent(1_000L * (round - 1)), "replaced", bytes(random, 500));
                store(store, old, new Mutation.UpdateMeta(extent(1_000L * (round - 1) + 1), text("changed")));
                wrote(old);
                RecordKey changed = extent(1_000L * (round - 1) + 1);
                Mutation.Put before = Objects.requireNonNull(records.get(changed));
                wrote(new Mutation.Put(changed, text("changed"), before.fragment()));
                RecordKey gone = extent(1_000L * (round - 1) + 2);
                store(store, new Mutation.Delete(gone));
                records.remove(gone);
                late.addAll(List.of(old.key(), changed));
            }
        }
    }

    private void wrote(Mutation.Put put) {
        records.put(put.key(), put);
        ever.add(new Loaded.Found(put.key(), put.meta(), put.fragment()));
    }

    @ParameterizedTest
    @CsvSource({
        "MANIFEST, FLIPPED",
        "MANIFEST, EMPTIED",
        "MANIFEST, DELETED",
        "CURRENT, FLIPPED",
        "CURRENT, TRUNCATED",
        "CURRENT, EMPTIED",
        "CURRENT, DELETED",
        "OPTIONS, FLIPPED",
        "OPTIONS, TRUNCATED",
        "OPTIONS, EMPTIED",
        "OPTIONS, DELETED",
        "IDENTITY, FLIPPED",
        "IDENTITY, TRUNCATED",
        "IDENTITY, EMPTIED",
        "IDENTITY, DELETED"
    })
    void withoutItsListOfFilesTheIndexLosesNothing(String name, Damage damage) throws IOException {
        damage(files(name), damage);
        try (FragmentStore store = FragmentStore.open(small(directory))) {
            for (Mutation.Put put : records.values()) {
                Records.assertFound(store, put);
            }
            stillWorks(store);
        }
        try (FragmentStore store = FragmentStore.open(small(directory))) {
            assertThat(wrong(store)).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource
    void aDamagedListOfFilesInventsNothing(Damage damage) throws IOException {
        damage(files("MANIFEST"), damage);
        opensAndHasNothingWrong(0);
    }

    @ParameterizedTest
    @EnumSource
    void damagedTablesCostTheirOwnRecordsOnly(Damage damage) throws IOException {
        damage(files(".sst"), damage);
        opensAndHasNothingWrong(late.size() / 2);
    }

    @ParameterizedTest
    @EnumSource
    void aDamagedLogCostsItsOwnRecordsOnly(Damage damage) throws IOException {
        damage(files(".log"), damage);
        opensAndHasNothingWrong(records.size() - late.size());
    }

    @ParameterizedTest
    @EnumSource
    void damagedSegmentsCostTheirOwnFragmentsOnly(Damage damage) throws IOException {
        List<Path> segments = list(directory.resolve("segments"));
        damage(segments.subList(0, 1), damage);
        opensAndHasNothingWrong(RECORDS);
    }

    /** A comparison of the index alone with the references must detect it. */
    @Test
    void recordsWhoseSegmentIsGoneAreShownByTheIndexAsLost() throws IOException {
        for (Path segment : list(directory.resolve("segments"))) {
            Files.delete(segment);
        }
        try (FragmentStore store = FragmentStore.open(small(directory))) {
            List<Loaded.Meta> metas = store.scan(
                            RecordKind.EXTENT, Records.block(0), Records.block(9_999), 9_999, _ -> true)
                    .join()
                    .records();
            for (Loaded.Meta meta : metas) {
                boolean whole = load(store, meta.key()) instanceof Loaded.Found;
                assertThat(meta.meta().length() > 0).as(meta.key().toString()).isEqualTo(whole);
            }
            assertThat(metas).anyMatch(meta -> meta.meta().length() == 0);
        }
    }

    @Test
    void aSalvageThatWasCutShortIsEnded() throws IOException {
        damage(files("CURRENT"), Damage.DELETED);
        try (FragmentStore store = FragmentStore.open(small(directory))) {
            assertThat(wrong(store)).isEmpty();
        }
        assertThat(directory.resolve("index-damaged")).exists();
        Files.move(directory.resolve("index"), directory.resolve("index-new"));
        try (FragmentStore store = FragmentStore.open(small(directory))) {
            records.values().forEach(put -> Records.assertFound(store, put));
        }
        FragmentStore.open(small(directory)).close();
        assertThat(directory.resolve("index-damaged")).doesNotExist();
    }

    /** It was seen damaged when it was used: an index that opens may have parts that nobody reads at a start. */
    @Test
    void anIndexThatWasFoundDamagedIsSalvagedOnce() throws IOException {
        Files.createFile(directory.resolve("index-suspect"));
        try (FragmentStore store = FragmentStore.open(small(directory))) {
            records.values().forEach(put -> Records.assertFound(store, put));
            assertThat(directory.resolve("index-damaged")).exists();
        }
        assertThat(directory.resolve("index-suspect")).doesNotExist();
    }

    /** @param least so many records are right yet */
    private void opensAndHasNothingWrong(int least) throws IOException {
        try (FragmentStore store = FragmentStore.open(small(directory))) {
            assertThat(wrong(store)).isEmpty();
            assertThat(records.values().stream()
                            .filter(put -> right(store, put))
                            .count())
                    .isGreaterThanOrEqualTo(least);
            stillWorks(store);
        }
        try (FragmentStore store = FragmentStore.open(small(directory))) {
            assertThat(wrong(store)).isEmpty();
        }
    }

    /** Returns records with contents that were never written. Deleted or older records may come back. */
    private List<Loaded> wrong(FragmentStore store) {
        return ever.stream()
                .map(each -> load(store, ((Loaded.Found) each).key()))
                .filter(now -> now instanceof Loaded.Found && !ever.contains(now))
                .toList();
    }

    private static boolean right(FragmentStore store, Mutation.Put put) {
        return load(store, put.key()).equals(new Loaded.Found(put.key(), put.meta(), put.fragment()));
    }

    private void stillWorks(FragmentStore store) {
        for (int i = 0; i < 3; i++) {
            Mutation.Put put = put(extent(9_000 + i), "new", bytes(random, 100 + 5_000 * i));
            store(store, put);
            Records.assertFound(store, put);
            wrote(put);
        }
        for (Mutation.Put put : List.copyOf(records.values())) {
            store(store, put);
            Records.assertFound(store, put);
        }
    }

    private void damage(List<Path> files, Damage damage) throws IOException {
        assertThat(files).isNotEmpty();
        for (Path file : files) {
            byte[] content = Files.readAllBytes(file);
            switch (damage) {
                case FLIPPED -> {
                    for (int i = 0; i < Math.max(1, content.length / 2_000); i++) {
                        content[random.nextInt(content.length)] ^= 0x55;
                    }
                    Files.write(file, content);
                }
                case TRUNCATED -> {
                    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                        var _ = channel.truncate(content.length / 2);
                    }
                }
                case EMPTIED -> Files.write(file, new byte[0]);
                case DELETED -> Files.delete(file);
            }
        }
    }

    /** The files of the index with this in their names. */
    private List<Path> files(String part) throws IOException {
        return list(directory.resolve("index")).stream()
                .filter(file -> String.valueOf(file.getFileName()).contains(part))
                .toList();
    }

    private static List<Path> list(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(Files::isRegularFile).sorted().toList();
        }
    }
}

package io.bulwark.protocol.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.locking.Subtree;
import io.bulwark.protocol.state.TreeMapState;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Compares the search for subtrees with a look at all of them. */
@NullMarked
class SubtreeKeyTest {
    private static final long SEED = Long.getLong("bulwark.seed", 20261129L);

    private Random random = new Random(SEED);

    @Test
    void aSearchFindsWhatALookAtAllFinds() {
        System.out.println("SubtreeKeyTest bulwark.seed=" + SEED);
        for (int round = 0; round < 300; round++) {
            random = new Random(SEED + round);
            Table<SubtreeKey, Long> table =
                    new Table<>(new TreeMapState(), 1, SubtreeKey.FORM, FieldFormat.LONG_NUMBER);
            Set<Subtree> all = new TreeSet<>();
            for (int i = random.nextInt(20); i > 0; i--) {
                Subtree subtree = subtree();
                all.add(subtree);
                table.put(SubtreeKey.of(subtree), 1L);
            }
            for (int i = 0; i < 20; i++) {
                Subtree asked = subtree();
                SubtreeKey key = SubtreeKey.of(asked);
                List<Subtree> covering = all.stream()
                        .filter(each -> each.contains(asked.bucket(), asked.prefix()))
                        .sorted(Comparator.comparingInt(
                                (Subtree each) -> -each.prefix().length()))
                        .toList();
                List<Subtree> below = all.stream()
                        .filter(each -> asked.contains(each.bucket(), each.prefix()) && !each.equals(asked))
                        .toList();
                assertThat(subtrees(SubtreeKey.allCovering(table, key))).isEqualTo(covering);
                assertThat(subtrees(SubtreeKey.below(table, key))).containsExactlyInAnyOrderElementsOf(below);
                assertThat(SubtreeKey.covering(table, key)
                                .map(entry -> entry.key().subtree()))
                        .isEqualTo(covering.stream().findFirst());
                assertThat(SubtreeKey.anyOverlapping(table, key).isPresent())
                        .isEqualTo(all.stream().anyMatch(asked::overlaps));
            }
        }
    }

    private static List<Subtree> subtrees(Iterable<Table.Entry<SubtreeKey, Long>> entries) {
        List<Subtree> found = new ArrayList<>();
        entries.forEach(entry -> found.add(entry.key().subtree()));
        return found;
    }

    private Subtree subtree() {
        StringBuilder prefix = new StringBuilder();
        for (int i = random.nextInt(5); i > 0; i--) {
            prefix.append(List.of("a", "b", "\u00fc", "\uDBFF\uDFFF").get(random.nextInt(4)));
        }
        return new Subtree(random.nextBoolean() ? "films" : "films-2", prefix.toString());
    }
}

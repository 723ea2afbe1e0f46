package io.bulwark.protocol.extent;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.effect.Mutation;
import io.bulwark.protocol.effect.RecordKey;
import io.bulwark.protocol.id.PrincipalId;
import java.util.BitSet;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** A session's freed ranges against a set of bits. */
@NullMarked
class SessionRecordPropertyTest {
    private static final int COUNTERS = 200;

    @Test
    void freesClosesAndRemembersLikeASet() {
        long seed = Long.getLong("bulwark.seed", System.nanoTime());
        Random random = new Random(seed);
        for (int round = 0; round < 500; round++) {
            SessionRecord record = new SessionRecord();
            BitSet freed = new BitSet();
            for (int step = 0; step < 30; step++) {
                if (random.nextInt(15) == 0 && !record.closed()) {
                    close(record, freed, random);
                } else {
                    int first = random.nextInt(COUNTERS);
                    int end = first + 1 + random.nextInt(20);
                    BitSet before = (BitSet) freed.clone();
                    freed.set(first, end);
                    assertThat(record.free(first, end)).as("seed %d", seed).isEqualTo(!before.equals(freed));
                }
                record = SessionRecord.decode(record.encoded());
                for (int counter = 0; counter < COUNTERS + 50; counter++) {
                    assertThat(record.isFreed(counter)).as("seed %d", seed).isEqualTo(freed.get(counter));
                }
            }
        }
    }

    @Test
    void nothingFreedIsForgottenHoweverManyGapsThereAre() {
        SessionRecord open = new SessionRecord();
        SessionRecord closed = new SessionRecord();
        NavigableMap<Long, Long> referenced = new TreeMap<>();
        for (long i = 0; i < 3L * SessionRecord.INTERVALS_MAX; i++) {
            open.free(2 * i, 2 * i + 1);
            referenced.put(2 * i, 2 * i + 1);
        }
        closed.close(referenced);
        closed.setSweeping(true);
        for (SessionRecord record : new SessionRecord[] {open, closed}) {
            assertThat(record.encoded())
                    .hasSize(3)
                    .allSatisfy(page -> assertThat(page.length()).isLessThan(Mutation.META_BYTES_MAX));
            SessionRecord again = SessionRecord.decode(record.encoded());
            assertThat(again.encoded()).isEqualTo(record.encoded());
            for (long i = 0; i < 3L * SessionRecord.INTERVALS_MAX; i++) {
                assertThat(again.isFreed(2 * i)).isEqualTo(record == open);
                assertThat(again.isFreed(2 * i + 1)).isEqualTo(record == closed);
            }
        }
    }

    @Test
    void onlyPagesThatChangedAreWritten() {
        RecordKey key = SessionRecord.key(1, PrincipalId.client(1), 1);
        SessionRecord record = new SessionRecord();
        for (long i = 0; i < 2L * SessionRecord.INTERVALS_MAX; i++) {
            record.free(2 * i, 2 * i + 1);
        }
        assertThat(record.changes(key, record.encoded())).hasSize(2);
        record.stored(record.encoded());
        assertThat(record.changes(key, record.encoded())).isEmpty();
        record.setSweeping(true);
        assertThat(record.changes(key, record.encoded())).singleElement().isInstanceOf(Mutation.Put.class);
        record.free(0, 4L * SessionRecord.INTERVALS_MAX);
        assertThat(record.changes(key, record.encoded())).hasSize(2).last().isInstanceOf(Mutation.Delete.class);
    }

    private static void close(SessionRecord record, BitSet freed, Random random) {
        NavigableMap<Long, Long> referenced = new TreeMap<>();
        BitSet kept = new BitSet();
        for (int i = 0; i < 4; i++) {
            long first = random.nextInt(COUNTERS);
            long end = first + 1 + random.nextInt(20);
            referenced.merge(first, end, Math::max);
            kept.set((int) first, (int) referenced.getOrDefault(first, end).longValue());
        }
        kept.andNot(freed);
        record.close(referenced);
        freed.set(0, COUNTERS + 50);
        freed.andNot(kept);
    }
}

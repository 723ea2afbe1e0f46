package io.bulwark.protocol.extent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.protocol.effect.Loaded;
import io.bulwark.protocol.effect.Mutation;
import io.bulwark.protocol.effect.RecordKey;
import io.bulwark.protocol.effect.RecordKind;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class SessionRecordTest {
    private static final RecordKey KEY = SessionRecord.key(1, PrincipalId.client(1), 1);

    private static NavigableMap<Long, Long> ranges(Map<Long, Long> ranges) {
        return new TreeMap<>(ranges);
    }

    @Test
    void closedAgainWithFewerReferencesFreesTheOthers() {
        SessionRecord record = new SessionRecord();
        assertThat(record.close(ranges(Map.of(0L, 10L, 20L, 30L)))).isTrue();
        assertThat(record.close(ranges(Map.of(0L, 10L, 20L, 30L)))).isFalse();
        assertThat(record.close(ranges(Map.of(5L, 7L, 20L, 25L)))).isTrue();
        assertThat(record.isFreed(4)).isTrue();
        assertThat(record.isFreed(5)).isFalse();
        assertThat(record.isFreed(7)).isTrue();
        assertThat(record.isFreed(24)).isFalse();
        assertThat(record.isFreed(25)).isTrue();
        assertThat(record.close(ranges(Map.of()))).isTrue();
        assertThat(record.isFreed(5)).isTrue();
        assertThat(record.isFreed(24)).isTrue();
    }

    @Test
    void closedAgainWithALaterBeginningFreesWhatLiesBefore() {
        SessionRecord record = new SessionRecord();
        record.close(ranges(Map.of(0L, 10L, 20L, 30L)));
        assertThat(record.close(ranges(Map.of(5L, 10L, 20L, 30L)))).isTrue();
        assertThat(record.isFreed(4)).isTrue();
    }

    /** Other protocols remember something of the session, too. */
    @Test
    void itsPagesAreThoseWithItsName() {
        SessionRecord record = new SessionRecord();
        for (long i = 0; i < 2L * SessionRecord.INTERVALS_MAX; i++) {
            record.free(2 * i, 2 * i + 1);
        }
        List<Loaded.Meta> metas = new ArrayList<>();
        record.changes(KEY, record.encoded()).forEach(change -> {
            Mutation.Put put = (Mutation.Put) change;
            metas.addFirst(new Loaded.Meta(put.key(), put.meta()));
        });
        metas.add(new Loaded.Meta(RecordKey.of(RecordKind.SESSION, KEY.block()), Bytes.of((byte) 1)));
        metas.add(new Loaded.Meta(
                new RecordKey(RecordKind.SESSION, KEY.block(), Bytes.of((byte) 'y', (byte) 0, (byte) 1)),
                Bytes.of((byte) 1)));
        List<Bytes> pages = SessionRecord.in(new Loaded.Metas(RecordKind.SESSION, metas));
        assertThat(pages).isEqualTo(record.encoded());
        assertThatThrownBy(() -> SessionRecord.decode(pages.reversed())).isInstanceOf(MalformedException.class);
    }

    @Test
    void onlyWhatEncodingGivesIsTaken() {
        for (long[] intervals : new long[][] {{0, 1, 1, 2}, {3, 3}, {4, 5, 2, 3}}) {
            WireWriter page = new WireWriter().u8(1).bool(false).bool(false).u16(intervals.length / 2);
            LongStream.of(intervals).forEach(page::i64);
            assertThatThrownBy(() -> SessionRecord.decode(List.of(page.toBytes())))
                    .isInstanceOf(MalformedException.class);
        }
        Bytes page = new SessionRecord().encoded().getFirst();
        Bytes longer = new WireWriter().raw(page).u8(0).toBytes();
        assertThatThrownBy(() -> SessionRecord.decode(List.of(longer))).isInstanceOf(MalformedException.class);
    }

    @Test
    void anInterruptedSweepIsKnownAlsoWhereTheRecordWasDamaged() {
        SessionRecord record = SessionRecord.forgotten(List.of());
        record.free(1, 2);
        assertThat(isSweeping(record)).isFalse();
        record.setSweeping(true);
        assertThat(isSweeping(record)).isTrue();
        Bytes page = record.encoded().getFirst();
        assertThat(SessionRecord.isSweeping(new Loaded.Meta(KEY, page.slice(0, 2))))
                .isFalse();
        assertThat(SessionRecord.isSweeping(new Loaded.Meta(RecordKey.of(RecordKind.SESSION, KEY.block()), page)))
                .isFalse();
    }

    private static boolean isSweeping(SessionRecord record) {
        return SessionRecord.isSweeping(new Loaded.Meta(KEY, record.encoded().getFirst()));
    }

    @Test
    void whatIsFreedComesNotBackWithAnEarlierClosing() {
        SessionRecord record = new SessionRecord();
        record.close(ranges(Map.of(0L, 10L)));
        record.free(0, 5);
        assertThat(record.close(ranges(Map.of(0L, 10L)))).isFalse();
        assertThat(record.isFreed(4)).isTrue();
        assertThat(record.isFreed(5)).isFalse();
    }
}

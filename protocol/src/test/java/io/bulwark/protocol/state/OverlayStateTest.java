package io.bulwark.protocol.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Compares an overlay with a state in which all changes were made. */
@NullMarked
class OverlayStateTest {
    private static final long SEED = Long.getLong("bulwark.seed", 20261129L);

    private Random random = new Random(SEED);

    @Test
    void anOverlayReadsAsIfItsChangesWereMade() {
        System.out.println("OverlayStateTest bulwark.seed=" + SEED);
        for (int round = 0; round < 200; round++) {
            random = new Random(SEED + round);
            TreeMapState base = new TreeMapState();
            for (int i = random.nextInt(20); i > 0; i--) {
                base.put(key(), value());
            }
            TreeMapState model = base.copy();
            TreeMapState untouched = base.copy();
            OverlayState overlay = new OverlayState(base);
            for (int i = random.nextInt(20); i > 0; i--) {
                Bytes key = key();
                if (random.nextInt(3) == 0) {
                    overlay.remove(key);
                    model.remove(key);
                } else {
                    Bytes value = value();
                    overlay.put(key, value);
                    model.put(key, value);
                }
                Bytes asked = key();
                assertThat(overlay.get(asked)).isEqualTo(model.get(asked));
                Bytes from = key();
                Bytes to = key();
                int limit = 1 + random.nextInt(10);
                assertThat(scan(overlay, from, to, limit)).isEqualTo(scan(model, from, to, limit));
            }
            Bytes end = Bytes.of((byte) 0xFF);
            assertThat(scan(overlay, Bytes.EMPTY, end, 100)).isEqualTo(scan(model, Bytes.EMPTY, end, 100));
            assertThat(scan(base, Bytes.EMPTY, end, 100)).isEqualTo(scan(untouched, Bytes.EMPTY, end, 100));
        }
    }

    @Test
    void memoryOfChangesIsCountedOnceForEachKey() {
        OverlayState overlay = new OverlayState(new TreeMapState());
        Bytes key = Bytes.of(new byte[10]);
        overlay.put(key, Bytes.of(new byte[100]));
        long once = overlay.bytes();
        assertThat(once).isBetween(110L, 500L);
        overlay.put(key, Bytes.of(new byte[30]));
        assertThat(overlay.bytes()).isEqualTo(once - 70);
        overlay.remove(key);
        assertThat(overlay.bytes()).isEqualTo(once - 100);
        overlay.remove(Bytes.of(new byte[11]));
        assertThat(overlay.bytes()).isEqualTo(2 * once - 199);
    }

    @Test
    void whatChangesBelowShowsThrough() {
        TreeMapState base = new TreeMapState();
        OverlayState overlay = new OverlayState(base);
        Bytes one = Bytes.of((byte) 1);
        Bytes two = Bytes.of((byte) 2);
        overlay.put(one, one);
        base.put(one, two);
        base.put(two, two);
        assertThat(overlay.get(one)).contains(one);
        assertThat(overlay.get(two)).contains(two);
        base.remove(two);
        assertThat(overlay.get(two)).isEmpty();
    }

    private Bytes key() {
        byte[] bytes = new byte[1 + random.nextInt(2)];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) random.nextInt(6);
        }
        return Bytes.of(bytes);
    }

    private Bytes value() {
        return Bytes.of((byte) random.nextInt(100));
    }

    private static List<Bytes> scan(KeyValueState state, Bytes from, Bytes to, int limit) {
        List<Bytes> shown = new ArrayList<>();
        state.scan(from, to, (key, value) -> {
            shown.add(key);
            shown.add(value);
            return shown.size() < 2 * limit;
        });
        return shown;
    }
}

package io.bulwark.protocol.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Contract of every {@link KeyValueState}, tested against a sorted map as the model. */
@NullMarked
abstract class KeyValueStateContract {
    private static final long SEED = Long.getLong("bulwark.seed", 20261122L);
    private static final Bytes BEYOND_ALL_KEYS = filled(0xFF, KeyValueState.KEY_BYTES_MAX + 1);

    abstract KeyValueState create();

    /** Runs between the operations of the random test; it must not change the visible state. */
    void disturb(KeyValueState state, Random random) {}

    @Test
    void randomOperationsGiveWhatASortedMapGives() {
        for (KeyMaker keys : KeyMaker.values()) {
            System.out.println(getClass().getSimpleName() + " " + keys + " bulwark.seed=" + SEED);
            randomOperations(keys, new Random(SEED + keys.ordinal()));
        }
    }

    private void randomOperations(KeyMaker keys, Random random) {
        KeyValueState state = create();
        TreeMap<Bytes, Bytes> model = new TreeMap<>();
        for (int phase = 0; phase < 6; phase++) {
            int removals = phase % 2 == 0 ? 2 : 7;
            for (int i = 0; i < 400; i++) {
                Bytes key = keys.next(random);
                if (random.nextInt(10) < removals) {
                    Bytes near = model.ceilingKey(key);
                    Bytes victim = near == null ? key : near;
                    state.remove(victim);
                    model.remove(victim);
                } else {
                    Bytes value = value(random);
                    state.put(key, value);
                    model.put(key, value);
                }
                Bytes asked = keys.next(random);
                assertThat(state.get(asked).equals(Optional.ofNullable(model.get(asked))))
                        .isTrue();
                disturb(state, random);
            }
            checkScans(state, model, keys, random);
        }
        for (Bytes key : List.copyOf(model.keySet())) {
            state.remove(key);
        }
        assertThat(all(state)).isEmpty();
    }

    private static void checkScans(
            KeyValueState state, NavigableMap<Bytes, Bytes> model, KeyMaker keys, Random random) {
        assertThat(all(state).equals(List.copyOf(model.entrySet()))).isTrue();
        for (int i = 0; i < 20; i++) {
            Bytes from = keys.next(random);
            Bytes to = keys.next(random);
            int most = 1 + random.nextInt(40);
            List<Map.Entry<Bytes, Bytes>> expected = from.compareTo(to) >= 0
                    ? List.of()
                    : model.subMap(from, to).entrySet().stream().limit(most).toList();
            assertThat(scanned(state, from, to, most).equals(expected)).isTrue();
        }
    }

    @Test
    void theLongestKeysAndValuesAreTakenAndLongerOnesRefused() {
        KeyValueState state = create();
        Bytes key = filled(7, KeyValueState.KEY_BYTES_MAX);
        Bytes value = filled(8, KeyValueState.VALUE_BYTES_MAX);
        state.put(key, value);
        state.put(Bytes.EMPTY, Bytes.EMPTY);
        Bytes tooLongKey = filled(7, KeyValueState.KEY_BYTES_MAX + 1);
        Bytes tooLongValue = filled(8, KeyValueState.VALUE_BYTES_MAX + 1);
        assertThatThrownBy(() -> state.put(tooLongKey, value)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> state.put(key, tooLongValue)).isInstanceOf(IllegalArgumentException.class);
        state.remove(tooLongKey);
        assertThat(state.get(tooLongKey)).isEmpty();
        assertThat(state.get(key)).contains(value);
        assertThat(state.get(Bytes.EMPTY)).contains(Bytes.EMPTY);
        assertThat(all(state)).hasSize(2);
    }

    @Test
    void aKeyComesBeforeThoseThatItBeginsAndBytesAreUnsigned() {
        KeyValueState state = create();
        for (Bytes key : List.of(key(0x80), key(1, 0), key(1), key(0x7F), key(1, 0, 0))) {
            state.put(key, key);
        }
        List<Bytes> seen = new ArrayList<>();
        state.scan(Bytes.EMPTY, BEYOND_ALL_KEYS, (key, value) -> seen.add(key));
        assertThat(seen).containsExactly(key(1), key(1, 0), key(1, 0, 0), key(0x7F), key(0x80));
        assertThat(scanned(state, key(1), key(1, 0, 0), 9)).hasSize(2);
        assertThat(scanned(state, key(2), key(1), 9)).isEmpty();
    }

    @Test
    void aVisitorMayReadTheState() {
        KeyValueState state = create();
        for (int i = 0; i < 200; i++) {
            state.put(key(i), key(i, i));
        }
        int[] seen = {0};
        state.scan(key(10), key(90), (key, value) -> {
            assertThat(state.get(key)).contains(value);
            assertThat(state.get(key(seen[0]++))).isPresent();
            return true;
        });
        assertThat(seen[0]).isEqualTo(80);
    }

    static List<Map.Entry<Bytes, Bytes>> all(KeyValueState state) {
        return scanned(state, Bytes.EMPTY, BEYOND_ALL_KEYS, Integer.MAX_VALUE);
    }

    static List<Map.Entry<Bytes, Bytes>> scanned(KeyValueState state, Bytes from, Bytes to, int most) {
        List<Map.Entry<Bytes, Bytes>> seen = new ArrayList<>();
        state.scan(from, to, (key, value) -> {
            seen.add(Map.entry(key, value));
            return seen.size() < most;
        });
        return seen;
    }

    /** Mostly short values; some around the size of a page, few that are large. */
    static Bytes value(Random random) {
        int kind = random.nextInt(100);
        int length = kind < 80 ? random.nextInt(200) : kind < 99 ? random.nextInt(12_000) : random.nextInt(60_000);
        byte[] value = new byte[length];
        random.nextBytes(value);
        return Bytes.of(value);
    }

    static Bytes key(int... bytes) {
        byte[] key = new byte[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            key[i] = (byte) bytes[i];
        }
        return Bytes.of(key);
    }

    static Bytes filled(int with, int length) {
        byte[] bytes = new byte[length];
        Arrays.fill(bytes, (byte) with);
        return Bytes.of(bytes);
    }
}

package io.bulwark.protocol.fountain;

import io.bulwark.protocol.erasure.VectorUnit;
import io.bulwark.protocol.wire.Bytes;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;

/**
 * A systematic fountain code (e-SAFE 4.1): symbols 0 to k-1 are the source itself, and any k symbols, or a few more, give it back. All
 * symbols are fixed sums of intermediate ones ({@link SymbolSchedule}, {@link Precode}), which the source determines.
 *
 * <p>Random sets of k symbols fail with a probability near 2^-8, and each further symbol lowers it by about as much. Which
 * symbols are source symbols makes no difference.
 *
 * <p>Immutable apart from a cache of programs, and safe for use by many threads.
 */
public final class FountainCode {
    /** Bounds of k. Below, Reed-Solomon is faster; above, tables take more memory than they are worth. */
    public static final int SOURCE_SYMBOLS_MIN = 8;

    public static final int SOURCE_SYMBOLS_MAX = 4096;

    /** Bytes of each symbol that are coded before the next ones, so that the arena stays in the second cache. */
    private static final int PIECE = 512;

    /** Below this many bytes per symbol vectors save little, and are slow until they are compiled. */
    private static final int VECTOR_THRESHOLD = 512;

    private static final int PROGRAMS_MAX = 64;

    private static final SymbolLoop PORTABLE = new PortableSymbolLoop();
    private static final SymbolLoop FASTEST = fastest();
    private static final ConcurrentHashMap<Integer, FountainCode> CODES = new ConcurrentHashMap<>();

    private final int k;
    private final SymbolSchedule schedule;
    private final Precode precode;
    private final SymbolProgram fromSource;
    private final SymbolLoop loop;
    private final Map<List<Integer>, Optional<SymbolProgram>> programs = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<List<Integer>, Optional<SymbolProgram>> eldest) {
            return size() > PROGRAMS_MAX;
        }
    };

    private FountainCode(SymbolSchedule schedule, Precode precode, SymbolProgram fromSource, SymbolLoop loop) {
        this.k = schedule.messages();
        this.schedule = schedule;
        this.precode = precode;
        this.fromSource = fromSource;
        this.loop = loop;
    }

    /**
     * The code with k source symbols. Its seed is the first, from 0 on, with which the source determines all symbols.
     *
     * @throws IllegalArgumentException unless k is within the bounds
     */
    public static FountainCode of(int k) {
        if (k < SOURCE_SYMBOLS_MIN || k > SOURCE_SYMBOLS_MAX) {
            throw new IllegalArgumentException("no fountain code with " + k + " source symbols; it needs "
                    + SOURCE_SYMBOLS_MIN + " to " + SOURCE_SYMBOLS_MAX);
        }
        return CODES.computeIfAbsent(k, FountainCode::find);
    }

    private static FountainCode find(int k) {
        int[] source = IntStream.range(0, k).toArray();
        for (int seed = 0; ; seed++) {
            SymbolSchedule schedule = new SymbolSchedule(k, seed);
            Precode precode = new Precode(schedule);
            Optional<SymbolProgram> program = SymbolProgram.of(schedule, precode, source);
            if (program.isPresent()) {
                return new FountainCode(schedule, precode, program.get(), FASTEST);
            }
        }
    }

    /** The same code on another loop. */
    FountainCode on(SymbolLoop other) {
        return new FountainCode(schedule, precode, fromSource, other);
    }

    private static SymbolLoop fastest() {
        if (VectorUnit.isPresent()) {
            try {
                return Class.forName("io.bulwark.protocol.fountain.VectorSymbolLoop")
                        .asSubclass(SymbolLoop.class)
                        .getDeclaredConstructor()
                        .newInstance();
            } catch (ReflectiveOperationException | LinkageError e) {
                return PORTABLE; // no vectors of a useful width on this machine
            }
        }
        return PORTABLE;
    }

    /** k: the number of source symbols. */
    public int sourceSymbols() {
        return k;
    }

    /** Places where symbols are written: symbol {@code numbers[i]} to {@code arrays[i]}, from {@code positions[i]} on. */
    public static final class Targets {
        private final int[] numbers;
        private final byte[][] arrays;
        private final int[] positions;

        public Targets(int[] numbers, byte[][] arrays, int[] positions) {
            this.numbers = numbers;
            this.arrays = arrays;
            this.positions = positions;
        }

        private Targets of(int[] indexes) {
            return new Targets(
                    Arrays.stream(indexes).map(i -> numbers[i]).toArray(),
                    Arrays.stream(indexes).mapToObj(i -> arrays[i]).toArray(byte[][]::new),
                    Arrays.stream(indexes).map(i -> positions[i]).toArray());
        }
    }

    /**
     * Computes symbols.
     *
     * @param source k symbols, one after the other
     */
    public void encode(Bytes source, Targets targets) {
        if (source.length() % k != 0) {
            throw new IllegalArgumentException("a source of " + source.length() + " bytes in " + k + " symbols");
        }
        int length = source.length() / k;
        int count = targets.numbers.length;
        for (int i = 0; i < count; i++) {
            int number = targets.numbers[i];
            if (number < k) {
                source.copyTo(number * length, targets.arrays[i], targets.positions[i], length);
            }
        }
        int[] others =
                IntStream.range(0, count).filter(i -> targets.numbers[i] >= k).toArray();
        if (others.length > 0) {
            Bytes[] inputs = new Bytes[k];
            Arrays.setAll(inputs, i -> source.slice(i * length, length));
            code(fromSource, inputs, targets.of(others));
        }
    }

    /**
     * Computes symbols from any that determine them.
     *
     * @param numbers the numbers of the received symbols, all different
     * @param symbols the received symbols, of one length
     * @return false if they do not determine the others; some more are needed then
     */
    public boolean decode(int[] numbers, Bytes[] symbols, Targets targets) {
        Optional<SymbolProgram> program = program(numbers);
        program.ifPresent(present -> code(present, symbols, targets));
        return program.isPresent();
    }

    /** Returns whether the symbols with these numbers determine all others. */
    public boolean isDecodable(int... numbers) {
        return program(numbers).isPresent();
    }

    private Optional<SymbolProgram> program(int[] numbers) {
        List<Integer> key = Arrays.stream(numbers).boxed().toList();
        synchronized (programs) {
            Optional<SymbolProgram> known = programs.get(key);
            if (known != null) {
                return known;
            }
        }
        Optional<SymbolProgram> compiled = compile(numbers);
        synchronized (programs) {
            programs.put(key, compiled);
        }
        return compiled;
    }

    /** Does what {@link #isDecodable} does, and remembers nothing. */
    Optional<SymbolProgram> compile(int... numbers) {
        return SymbolProgram.of(schedule, precode, numbers);
    }

    private void code(SymbolProgram program, Bytes[] inputs, Targets targets) {
        int length = inputs[0].length();
        SymbolLoop fast = length < VECTOR_THRESHOLD ? PORTABLE : loop;
        int unit = fast.unit();
        int piece = Math.min(PIECE, Math.ceilDiv(length, unit) * unit);
        // Symbols do not begin at multiples of a power of two, else they would compete for few lines of the cache.
        int stride = piece + unit;
        int scratch = program.arenaSymbols();
        byte[] bytes = new byte[(scratch + 1) * stride];
        int[][] sums = sums(targets.numbers);
        for (int from = 0; from < length; from += piece) {
            int count = Math.min(piece, length - from);
            for (int i = 0; i < inputs.length; i++) {
                inputs[i].copyTo(from, bytes, program.input(i) * stride, count);
            }
            var arena = new SymbolLoop.Arena(bytes, stride, Math.ceilDiv(count, unit) * unit);
            program.run(fast, arena);
            for (int i = 0; i < sums.length; i++) {
                byte[] target = targets.arrays[i];
                int at = targets.positions[i] + from;
                if (count == arena.length) {
                    fast.sum(arena, sums[i], 0, target, at);
                } else {
                    fast.sum(arena, sums[i], 0, bytes, scratch * stride);
                    System.arraycopy(bytes, scratch * stride, target, at, count);
                }
            }
        }
    }

    /** The intermediate symbols in each symbol, after their number. */
    private int[][] sums(int[] numbers) {
        int[][] sums = new int[numbers.length][];
        for (int i = 0; i < sums.length; i++) {
            int[] columns = schedule.columns(numbers[i]);
            sums[i] = new int[columns.length + 1];
            sums[i][0] = columns.length;
            System.arraycopy(columns, 0, sums[i], 1, columns.length);
        }
        return sums;
    }
}

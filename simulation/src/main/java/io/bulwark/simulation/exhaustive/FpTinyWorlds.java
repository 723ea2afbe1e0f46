package io.bulwark.simulation.exhaustive;

import io.bulwark.simulation.fp.FpParts;
import java.util.List;
import java.util.Set;

/** The worlds of the FP register that are explored. */
public final class FpTinyWorlds {
    private FpTinyWorlds() {}

    /**
     * Small enough to be explored to their ends in seconds.
     *
     * @param parts what correct parties run
     */
    public static List<TinyWorld> small(FpParts parts) {
        return List.of(
                new FpTinyWorld("a write, then a read; a liar", parts)
                        .liar(0, FpTinyWorld.KNOWS_NOTHING)
                        .write(1, -1, 0)
                        .read(2, 0, 0)
                        .build(),
                new FpTinyWorld("a write, then another, then a read; a liar stays with the first", parts)
                        .staleLiar(0)
                        .write(1, -1, 0)
                        .write(2, 0, 0)
                        .read(3, 1, 0)
                        .build(),
                new FpTinyWorld("a write, then a read; a node crashes at any time, another lies", parts)
                        .liar(1, FpTinyWorld.KNOWS_NOTHING)
                        .crash(0)
                        .write(1, -1, 0)
                        .read(2, 0, 0)
                        .build(),
                new FpTinyWorld("a partial write, two readers in turn; a liar", parts)
                        .liar(0, FpTinyWorld.KNOWS_NOTHING)
                        .partialWrite(1, Set.of(0, 1))
                        .read(2, -1, 0)
                        .read(3, 1, 0)
                        .build(),
                new FpTinyWorld("a write and a read; a liar", parts)
                        .liar(0, FpTinyWorld.KNOWS_NOTHING)
                        .write(1, -1, 0)
                        .read(2, -1, 0)
                        .build(),
                new FpTinyWorld("two writes", parts)
                        .write(1, -1, 0)
                        .write(2, -1, 0)
                        .build());
    }

    /** Minutes or more to their ends: on demand. */
    public static List<TinyWorld> large(FpParts parts) {
        return List.of(
                new FpTinyWorld("a write, two readers in turn", parts)
                        .write(1, -1, 0)
                        .read(2, -1, 0)
                        .read(3, 1, 0)
                        .build(),
                new FpTinyWorld("a partial write, two readers in turn, the second impatient", parts)
                        .partialWrite(1, Set.of(0))
                        .read(2, -1, 0)
                        .read(3, 1, 1)
                        .build(),
                new FpTinyWorld("a write, then a read; a liar that answers later timestamps", parts)
                        .liar(0, FpTinyWorld.ANSWERS_LATER)
                        .write(1, -1, 0)
                        .read(2, 0, 0)
                        .build(),
                new FpTinyWorld("two writes, a read after the first", parts)
                        .write(1, -1, 0)
                        .write(2, -1, 0)
                        .read(3, 0, 0)
                        .build(),
                new FpTinyWorld("an impatient write, then an impatient read", parts)
                        .write(1, -1, 1)
                        .read(2, 0, 1)
                        .build());
    }
}

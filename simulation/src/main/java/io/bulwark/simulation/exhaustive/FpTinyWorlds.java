package io.bulwark.simulation.exhaustive;

import io.bulwark.simulation.fp.FpParts;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** The worlds of the FP register that are explored. */
public final class FpTinyWorlds {
    private static final int NODES = 4;

    private FpTinyWorlds() {}

    /**
     * Small enough to be explored to their ends in seconds.
     *
     * @param parts what correct parties run
     */
    public static List<TinyWorld> small(FpParts parts) {
        List<TinyWorld> worlds = new ArrayList<>(oneAfterTheOther(parts));
        worlds.addAll(inAnyOrder(parts));
        return List.copyOf(worlds);
    }

    private static List<TinyWorld> oneAfterTheOther(FpParts parts) {
        return List.of(
                new FpTinyWorld("a write, then a read; a liar", parts)
                        .liar(0, FpTinyLies.KNOWS_NOTHING)
                        .write(1, -1, 0)
                        .read(2, 0, 0)
                        .build(),
                new FpTinyWorld("a write, then another, then a read; a liar stays with the first", parts)
                        .staleLiar(0)
                        .write(1, -1, 0)
                        .write(2, 0, 0)
                        .read(3, 1, 0)
                        .build(),
                new FpTinyWorld("a write, another that is committed too early, a read that must end", parts)
                        .liar(0, FpTinyLies.KNOWS_NOTHING)
                        .write(1, -1, 0)
                        .without(3)
                        .inTurn()
                        .hastyWrite(2, 0, Set.of(0, 1))
                        .inTurn()
                        .read(3, 1, 0)
                        .without(0)
                        .inTurn(3)
                        .ends()
                        .build(),
                new FpTinyWorld("a write, another that must end without the liar", parts)
                        .forgetful(0)
                        .write(1, -1, 0)
                        .without(2)
                        .inTurn()
                        .write(2, 0, 0)
                        .without(0)
                        .inTurn(3)
                        .ends()
                        .build());
    }

    private static List<TinyWorld> inAnyOrder(FpParts parts) {
        return List.of(
                new FpTinyWorld("a write, then a read; a node crashes at any time, another lies", parts)
                        .liar(1, FpTinyLies.KNOWS_NOTHING)
                        .crash(0)
                        .write(1, -1, 0)
                        .read(2, 0, 0)
                        .build(),
                new FpTinyWorld("a write that nobody commits, a read; a liar swears that it is committed", parts)
                        .perjurer(0)
                        .partialWrite(1, Set.of())
                        .read(2, -1, 0)
                        .build(),
                new FpTinyWorld("a write, then a read; a message arrives twice; a liar", parts)
                        .liar(0, FpTinyLies.KNOWS_NOTHING)
                        .repeating(1)
                        .write(1, -1, 0)
                        .read(2, 0, 0)
                        .build(),
                new FpTinyWorld("a write and a read; a liar", parts)
                        .liar(0, FpTinyLies.KNOWS_NOTHING)
                        .write(1, -1, 0)
                        .read(2, -1, 0)
                        .build(),
                new FpTinyWorld("a partial write, two readers in turn; a liar", parts)
                        .liar(0, FpTinyLies.KNOWS_NOTHING)
                        .partialWrite(1, Set.of(0, 1))
                        .read(2, -1, 0)
                        .read(3, 1, 0)
                        .build(),
                new FpTinyWorld("two writes", parts)
                        .write(1, -1, 0)
                        .write(2, -1, 0)
                        .build(),
                new FpTinyWorld("two writes and a read in turn; a liar forgets", parts)
                        .forgetful(0)
                        .write(1, -1, 0)
                        .without(2)
                        .inTurn()
                        .write(2, 0, 0)
                        .without(1)
                        .inTurn()
                        .read(3, 1, 0)
                        .inTurn()
                        .build());
    }

    /**
     * Returns worlds with m = f + 2, in which more slots exist than decide on timestamps.
     *
     * @param parts what correct parties run
     */
    public static List<TinyWorld> wide(FpParts parts) {
        return List.of(
                new FpTinyWorld("m = 3, a partial write, two readers in turn; a liar", parts, 3)
                        .liar(0, FpTinyLies.KNOWS_NOTHING)
                        .partialWrite(1, Set.of(0, 3, 4))
                        .without(1)
                        .inTurn()
                        .read(2, 0, 0)
                        .without(2)
                        .inTurn()
                        .read(3, 1, 0)
                        .without(3)
                        .inTurn()
                        .build(),
                new FpTinyWorld("m = 3, a partial write, a read, a write, a read; a liar forgets", parts, 3)
                        .forgetful(0)
                        .partialWrite(1, Set.of(0, 1, 2))
                        .inTurn()
                        .read(2, 0, 0)
                        .without(3)
                        .inTurn()
                        .write(3, 1, 1)
                        .without(1)
                        .read(4, 2, 0)
                        .inTurn()
                        .build());
    }

    /**
     * Returns worlds of sequential operations, each of which reaches all nodes but one, in every combination. A liar
     * forgets, is stale or swears; a client leaves a write in the middle or commits too early.
     *
     * @param parts the protocol code that correct parties run
     */
    public static List<TinyWorld> turns(FpParts parts) {
        List<TinyWorld> worlds = new ArrayList<>();
        for (int first = 0; first < NODES; first++) {
            for (int second = 0; second < NODES; second++) {
                String name = "a write and a read in turn, without " + first + " and " + second + "; a liar forgets";
                worlds.add(new FpTinyWorld(name, parts)
                        .forgetful(0)
                        .write(1, -1, 0)
                        .without(first)
                        .inTurn()
                        .read(2, 0, 0)
                        .without(second)
                        .inTurn()
                        .build());
                for (int third = 0; third < NODES; third++) {
                    worlds.addAll(threeInTurn(parts, first, second, third));
                }
            }
        }
        return worlds;
    }

    private static List<TinyWorld> threeInTurn(FpParts parts, int first, int second, int third) {
        String without = " without " + first + ", " + second + " and " + third;
        return List.of(
                new FpTinyWorld("two writes and a read in turn," + without + "; a liar forgets", parts)
                        .forgetful(0)
                        .write(1, -1, 0)
                        .without(first)
                        .inTurn()
                        .write(2, 0, 0)
                        .without(second)
                        .inTurn()
                        .read(3, 1, 0)
                        .without(third)
                        .inTurn()
                        .build(),
                new FpTinyWorld("two writes and a read in turn," + without + "; a liar is stale", parts)
                        .staleLiar(0)
                        .write(1, -1, 0)
                        .without(first)
                        .inTurn()
                        .write(2, 0, 0)
                        .without(second)
                        .inTurn()
                        .read(3, 1, 0)
                        .without(third)
                        .inTurn()
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
                        .liar(0, FpTinyLies.ANSWERS_LATER)
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

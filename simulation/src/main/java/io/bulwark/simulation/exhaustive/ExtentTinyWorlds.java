package io.bulwark.simulation.exhaustive;

import io.bulwark.protocol.extent.ReadRefusal;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.simulation.extent.ExtentParts;
import java.util.List;

/** The worlds of extents that are explored. */
public final class ExtentTinyWorlds {
    private ExtentTinyWorlds() {}

    /**
     * Small enough to be explored to their ends in seconds.
     *
     * @param parts what correct parties run
     */
    public static List<TinyWorld> small(ExtentParts parts) {
        return List.of(
                new ExtentTinyWorld("a write that misses a node, then a read; a liar forgets", parts)
                        .forgetful(0)
                        .write(0, -1)
                        .without(3)
                        .read(2, 0, 0)
                        .build(),
                new ExtentTinyWorld("two contents under one id; a liar forgets", parts)
                        .forgetful(0)
                        .write(0, -1)
                        .write(1, -1)
                        .build(),
                new ExtentTinyWorld("a stranger's content under an id, and its owner's", parts)
                        .write(PrincipalId.client(3), 1, -1)
                        .write(0, -1)
                        .build(),
                new ExtentTinyWorld("a write, then a read; a node crashes at any time, another forgets", parts)
                        .forgetful(1)
                        .crash(0)
                        .write(0, -1)
                        .without(3)
                        .inTurn()
                        .read(2, 0, 0)
                        .without(3)
                        .build(),
                new ExtentTinyWorld("a write, then a read that must end without the liar", parts)
                        .forgetful(0)
                        .write(0, -1)
                        .inTurn()
                        .read(2, 0, 0)
                        .without(0)
                        .inTurn()
                        .ends()
                        .build(),
                new ExtentTinyWorld("a write that misses a node, which hears of it, a read; a liar forgets", parts)
                        .forgetful(0)
                        .referenced(3, 0)
                        .write(0, -1)
                        .without(3)
                        .inTurn()
                        .read(2, 0, 0)
                        .without(3)
                        .inTurn()
                        .build(),
                new ExtentTinyWorld("a write without a node, then a read, in turn; a liar forgets", parts)
                        .forgetful(0)
                        .write(0, -1)
                        .without(1)
                        .inTurn()
                        .read(2, 0, 0)
                        .inTurn()
                        .build());
    }

    /** Liars that may answer anything, at each question: too many orders for an end, of which the first are explored. */
    public static List<TinyWorld> wide(ExtentParts parts) {
        return List.of(
                new ExtentTinyWorld("a write, then a read; a liar refuses and invents", parts)
                        .liar(0, ReadRefusal.FREED, ReadRefusal.NOT_PERMITTED, ReadRefusal.WRONG_EPOCH)
                        .write(0, -1)
                        .inTurn()
                        .read(2, 0, 0)
                        .build(),
                new ExtentTinyWorld("a write that misses a node, which hears of it, a read; a liar", parts)
                        .liar(0, ReadRefusal.NONE)
                        .referenced(3, 0)
                        .write(0, -1)
                        .without(3)
                        .read(2, 0, 0)
                        .build(),
                new ExtentTinyWorld("a write and a read, two messages arrive twice, a node crashes; a liar", parts)
                        .liar(1)
                        .crash(0)
                        .repeating(2)
                        .write(0, -1)
                        .inTurn()
                        .read(2, 0, 0)
                        .inTurn()
                        .build());
    }
}

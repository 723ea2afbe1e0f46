package io.bulwark.simulation.byzantine;

import io.bulwark.protocol.fingerprint.BlockCode;
import io.bulwark.protocol.fingerprint.Fpcc;
import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** Cross-checksums and fragments that do not belong together. */
public final class Forgery {
    private Forgery() {}

    /** Says of every slot that it holds this fragment. */
    public static List<Bytes> crossChecksum(Bytes fragment, int slots) {
        return Collections.nCopies(slots, Hashes.sha256(fragment));
    }

    /**
     * Fragments of two blocks under one fpcc. Which of them are consistent with it depends on where the fingerprints come
     * from: none, the data fragments only, or those of one of the blocks.
     */
    public static BlockCode.Encoded poison(BlockCode code, int m, Bytes one, Bytes other, Random random) {
        BlockCode.Encoded a = code.encode(one);
        BlockCode.Encoded b = code.encode(other);
        List<Bytes> mixed = new ArrayList<>();
        for (int slot = 0; slot < a.fragments().size(); slot++) {
            mixed.add((random.nextBoolean() ? a : b).fragments().get(slot));
        }
        int f = mixed.size() - m;
        Fpcc fitting = Fpcc.of(code.erasureCode(), f, mixed);
        Fpcc fpcc = switch (random.nextInt(4)) {
            case 0 -> fitting;
            case 1 -> Fpcc.of(fitting.length(), fitting.cc(), a.fpcc().fp());
            case 2 -> Fpcc.of(fitting.length(), a.fpcc().cc(), b.fpcc().fp());
            default -> a.fpcc();
        };
        return new BlockCode.Encoded(fpcc, mixed);
    }
}

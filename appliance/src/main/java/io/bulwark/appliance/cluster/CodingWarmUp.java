package io.bulwark.appliance.cluster;

import io.bulwark.protocol.fingerprint.BlockCode;
import io.bulwark.protocol.fingerprint.Share;
import io.bulwark.protocol.wire.Bytes;
import java.util.concurrent.CompletableFuture;

/**
 * First use of the coding of blocks in this process. It takes a processor for a second: the library of vectors begins, and the
 * compiler meets its loops. Without it the first put of a client would wait for that.
 */
public final class CodingWarmUp {
    private static final int BLOCK_BYTES = 256 << 10;
    private static final int ROUNDS = 3;

    private static final CompletableFuture<Void> DONE = CompletableFuture.runAsync(
            CodingWarmUp::run,
            task -> Thread.ofPlatform().daemon().name("coding-warm-up").start(task));

    private CodingWarmUp() {}

    /** Begins with it if nobody has; the result ends with it. */
    public static CompletableFuture<Void> begin() {
        return DONE;
    }

    private static void run() {
        BlockCode code = new BlockCode(2, 1, 4);
        Bytes block = Bytes.of(new byte[BLOCK_BYTES]);
        for (int round = 0; round < ROUNDS; round++) {
            BlockCode.Encoded encoded = code.encode(block);
            Share share = new Share(encoded.fragments().getFirst(), null);
            if (!code.isShareOf(encoded.fpcc(), 0, share)) {
                throw new IllegalStateException(
                        "a fragment is not consistent with the cross-checksum of its own block");
            }
        }
    }
}

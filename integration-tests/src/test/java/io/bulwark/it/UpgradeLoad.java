package io.bulwark.it;

import io.bulwark.client.Bucket;
import io.bulwark.client.Bulwark;
import io.bulwark.client.Volume;
import io.bulwark.client.error.BulwarkException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.NullMarked;

/**
 * A client in a process of its own, of whichever build: until its input ends it writes objects and registers, says what was acknowledged, and reads it
 * back. It keeps to what builds have offered since. Nobody else writes to its blocks and keys.
 */
@NullMarked
final class UpgradeLoad {
    static final String BUCKET = "upgraded";
    private static final int BYTES_MAX = 20_000;
    private static final int BLOCKS = 8;
    private static final long PAUSE_MILLIS = 50;
    private static final long ATTEMPTS_MAX = 60;

    private final Bulwark client;
    private final String name;
    private final long firstBlock;
    private final Random random;
    private final AtomicBoolean over = new AtomicBoolean();

    private UpgradeLoad(Bulwark client, String name, long firstBlock, long seed) {
        this.client = client;
        this.name = name;
        this.firstBlock = firstBlock;
        this.random = new Random(seed);
    }

    /** {@code FILE NAME FIRST-BLOCK SEED}: as which client, what its keys begin with, and from where on the blocks are its own. */
    public static void main(String[] arguments) throws Exception {
        try (Bulwark client = Bulwark.connect(Path.of(arguments[0]))) {
            UpgradeLoad load =
                    new UpgradeLoad(client, arguments[1], Long.parseLong(arguments[2]), Long.parseLong(arguments[3]));
            Thread.ofPlatform().daemon().start(load::awaitEnd);
            load.run();
        }
    }

    private void awaitEnd() {
        try {
            while (System.in.read() >= 0) {
                // Nothing is said but the end.
            }
        } catch (IOException e) {
            System.out.println("failed to hear of the end: " + e);
        }
        over.set(true);
    }

    private void run() throws InterruptedException {
        Bucket bucket = client.bucket(BUCKET);
        List<String> written = new ArrayList<>();
        List<String> hashes = new ArrayList<>();
        for (int i = 0; !over.get(); i++) {
            byte[] bytes = new byte[random.nextInt(BYTES_MAX)];
            random.nextBytes(bytes);
            String key = name + "-" + i;
            until(key, () -> bucket.put(key, bytes));
            written.add(key);
            hashes.add(OlderContents.sha256(bytes));
            System.out.println("object " + key + " " + hashes.getLast());
            int earlier = random.nextInt(written.size());
            until(
                    "reading " + written.get(earlier),
                    () -> check(bucket.getBytes(written.get(earlier)), hashes.get(earlier)));
            for (String volume : List.of(OlderContents.REGISTERS_FP, OlderContents.REGISTERS_PASIS)) {
                write(client.volume(volume), firstBlock + i % BLOCKS);
            }
            Thread.sleep(PAUSE_MILLIS);
        }
    }

    private void write(Volume volume, long block) throws InterruptedException {
        byte[] bytes = new byte[OlderContents.BLOCK_BYTES];
        random.nextBytes(bytes);
        String what = volume.info().name() + " " + block;
        String hash = OlderContents.sha256(bytes);
        until(what, () -> volume.writeBlock(block, bytes));
        System.out.println("register " + what + " " + hash);
        until("reading " + what, () -> check(volume.readBlock(block), hash));
    }

    private static void check(byte[] bytes, String hash) {
        if (!OlderContents.sha256(bytes).equals(hash)) {
            throw new IllegalStateException("WRONG: " + OlderContents.sha256(bytes) + " for " + hash);
        }
    }

    /** What failed is tried again, the same once more: nobody else writes there. */
    private static void until(String what, Runnable operation) throws InterruptedException {
        for (int attempt = 1; ; attempt++) {
            try {
                operation.run();
                return;
            } catch (BulwarkException e) {
                System.out.println("failed " + what + ": " + e.getMessage());
                if (attempt == ATTEMPTS_MAX) {
                    throw e;
                }
                Thread.sleep(PAUSE_MILLIS);
            }
        }
    }
}

package io.bulwark.appliance.transfer;

import io.bulwark.client.Bucket;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Files of one caller, of 0.5 to 10 KiB, as of the Postmark benchmark: each transaction reads or replaces a file, or creates
 * or deletes one. Used by one thread.
 */
final class PostmarkFiles {
    private static final int FILES = 50;
    private static final int BYTES_MIN = 512;
    private static final int BYTES_MAX = 10_240;

    private final Bucket bucket;
    private final String directory;
    private final SplittableRandom random;
    private final List<String> keys = new ArrayList<>();
    private int created;

    PostmarkFiles(Bucket bucket, String directory, long seed) {
        this.bucket = bucket;
        this.directory = directory;
        random = new SplittableRandom(seed);
    }

    void create() {
        while (keys.size() < FILES) {
            put(directory + created++);
        }
    }

    private void put(String key) {
        byte[] content = new byte[random.nextInt(BYTES_MIN, BYTES_MAX)];
        random.nextBytes(content);
        bucket.put(key, content);
        if (!keys.contains(key)) {
            keys.add(key);
        }
    }

    void transact() {
        int choice = random.nextInt(4);
        if (choice == 0 || keys.size() < FILES / 2) {
            put(directory + created++);
            return;
        }
        String key = keys.get(random.nextInt(keys.size()));
        switch (choice) {
            case 1 -> {
                bucket.delete(key);
                keys.remove(key);
            }
            case 2 -> bucket.getBytes(key);
            default -> put(key);
        }
    }
}

package io.bulwark.protocol.state;

import io.bulwark.protocol.wire.Bytes;
import java.nio.ByteBuffer;
import java.util.Random;
import org.jspecify.annotations.NullMarked;

/** Distributions of keys, friendly and hostile. */
@NullMarked
enum KeyMaker {
    /** Few short keys: collisions, prefixes of each other, the empty key. */
    SHORT {
        @Override
        Bytes next(Random random) {
            byte[] key = new byte[random.nextInt(4)];
            for (int i = 0; i < key.length; i++) {
                key[i] = (byte) (random.nextInt(8) - 4);
            }
            return Bytes.of(key);
        }
    },
    /** As a namespace's: a few prefixes, then a number. */
    NUMBERED {
        @Override
        Bytes next(Random random) {
            return Bytes.of(ByteBuffer.allocate(12)
                    .putInt(random.nextInt(5))
                    .putLong(random.nextInt(2_000))
                    .array());
        }
    },
    /** As long as they may be, different only at the end: no separator is short. */
    LONG {
        @Override
        Bytes next(Random random) {
            byte[] key = new byte[KeyValueState.KEY_BYTES_MAX - random.nextInt(3)];
            ByteBuffer.wrap(key).putInt(key.length - 4, random.nextInt(300));
            return Bytes.of(key);
        }
    },
    /** Long and short ones side by side: pages fill unevenly. */
    MIXED {
        @Override
        Bytes next(Random random) {
            byte[] key = new byte[random.nextInt(10) == 0 ? 2_000 : 3];
            key[0] = (byte) random.nextInt(40);
            key[1] = (byte) random.nextInt(6);
            return Bytes.of(key);
        }
    };

    abstract Bytes next(Random random);
}

package io.bulwark.simulation.object;

import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.object.ObjectAttributes;
import io.bulwark.protocol.wire.Bytes;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/**
 * Values that correct clients put. Each has a name, which travels as the object's content type. All its bytes follow
 * from the name.
 */
final class Contents {
    private static final int FEW_BLOCKS = 6;

    private final int blockBytes;
    private final int manyBlocksOneIn;
    private final Random random;
    private long last;

    /** Contents of so many bytes need pin lists of their own. */
    private final int manyBlocks;

    /** @param listed whether many of them need pin lists */
    Contents(int blockBytes, boolean listed, Random random) {
        this.blockBytes = blockBytes;
        this.manyBlocksOneIn = listed ? 80 : 400;
        this.random = random;
        this.manyBlocks = 257 + random.nextInt(20);
    }

    /** The name of a new value, which tells its length. */
    String next() {
        int blocks = random.nextInt(manyBlocksOneIn) == 0 ? manyBlocks : random.nextInt(FEW_BLOCKS);
        int length = switch (random.nextInt(4)) {
            case 0 -> blocks * blockBytes;
            case 1 -> blocks * blockBytes + 1;
            default -> blocks * blockBytes + random.nextInt(blockBytes);
        };
        return "v" + ++last + "/" + length;
    }

    static Bytes of(String value) {
        byte[] content = new byte[Integer.parseInt(value.substring(value.indexOf('/') + 1))];
        new Random(value.hashCode()).nextBytes(content);
        return Bytes.of(content);
    }

    static ObjectAttributes attributes(String value) {
        return ObjectAttributes.ofType(value).withProperties(new TreeMap<>(Map.of("colour", value)));
    }

    /** The name of what a version of a correct client holds. */
    static String name(Reply.ObjectFound found) {
        return found.attributes().contentType();
    }
}

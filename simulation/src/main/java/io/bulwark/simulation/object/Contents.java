package io.bulwark.simulation.object;

import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.object.ObjectAttributes;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;

/**
 * Values that correct clients put. Each has a name, which travels as the object's content type. All its bytes follow
 * from the name, and those of a composed value from the names of the values that it has slices of.
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
        return value.startsWith("(") ? ofPieces(value) : fresh(value);
    }

    private static Bytes fresh(String value) {
        byte[] content = new byte[length(value)];
        new Random(value.hashCode()).nextBytes(content);
        return Bytes.of(content);
    }

    /** Returns the content of pieces, whose names stand one behind the other. */
    private static Bytes ofPieces(String value) {
        WireWriter all = new WireWriter();
        for (Piece piece : pieces(value)) {
            all.raw(of(piece.value).slice(piece.from, piece.count));
        }
        return all.toBytes();
    }

    /** Part of a value. */
    private record Piece(int from, int count, String value) {}

    private static List<Piece> pieces(String value) {
        List<Piece> pieces = new ArrayList<>();
        int depth = 0;
        int begin = 0;
        for (int at = 0; at < value.length(); at++) {
            if (value.charAt(at) == '(' && depth++ == 0) {
                begin = at + 1;
            } else if (value.charAt(at) == ')' && --depth == 0) {
                String[] fields = value.substring(begin, at).split(",", 3);
                pieces.add(new Piece(Integer.parseInt(fields[0]), Integer.parseInt(fields[1]), fields[2]));
            }
        }
        return pieces;
    }

    static int length(String value) {
        return value.startsWith("(")
                ? pieces(value).stream().mapToInt(Piece::count).sum()
                : Integer.parseInt(value.substring(value.indexOf('/') + 1));
    }

    /** The name of so many bytes of a value. */
    static String slice(String value, int from, int count) {
        return "(" + from + "," + count + "," + value + ")";
    }

    /** The name of a value of these pieces; empty if it would be too long to travel. */
    static Optional<String> joined(List<String> slices) {
        String name = String.join("", slices);
        return name.length() <= ObjectAttributes.CONTENT_TYPE_BYTES_MAX ? Optional.of(name) : Optional.empty();
    }

    static ObjectAttributes attributes(String value) {
        return ObjectAttributes.ofType(value).withProperties(new TreeMap<>(Map.of("colour", value)));
    }

    /** The name of what a version of a correct client holds. */
    static String name(Reply.ObjectFound found) {
        return found.attributes().contentType();
    }
}

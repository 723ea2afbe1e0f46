package io.bulwark.protocol.fingerprint;

import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.List;

/**
 * Merkle tree over the blocks of all slots (e-SAFE 4.2). A leaf is SHA-256(0, block), an inner node SHA-256(1, left, right). Missing leaves, up to a
 * power of two, are 32 zeros. The path of a slot has the siblings from its leaf up.
 */
final class MerkleTree {
    private static final Bytes LEAF = Bytes.of((byte) 0);
    private static final Bytes INNER = Bytes.of((byte) 1);
    private static final Bytes NONE = Bytes.of(new byte[Hashes.LENGTH]);

    /** From the leaves to the root. */
    private final List<List<Bytes>> levels = new ArrayList<>();

    MerkleTree(List<Bytes> blocks) {
        List<Bytes> level =
                new ArrayList<>(blocks.stream().map(MerkleTree::leaf).toList());
        while (level.size() < 1 << depth(blocks.size())) {
            level.add(NONE);
        }
        levels.add(level);
        while (level.size() > 1) {
            List<Bytes> above = new ArrayList<>();
            for (int i = 0; i < level.size(); i += 2) {
                above.add(Hashes.sha256(INNER, level.get(i), level.get(i + 1)));
            }
            levels.add(above);
            level = above;
        }
    }

    /** The number of siblings on a path. */
    static int depth(int leaves) {
        return Integer.SIZE - Integer.numberOfLeadingZeros(leaves - 1);
    }

    Bytes root() {
        return levels.getLast().getFirst();
    }

    /** Writes the path of a slot to an array. */
    void copyPath(int slot, byte[] target, int at) {
        int position = slot;
        for (int level = 0; level < levels.size() - 1; level++) {
            levels.get(level).get(position ^ 1).copyTo(0, target, at + level * Hashes.LENGTH, Hashes.LENGTH);
            position /= 2;
        }
    }

    /** The root that a block has as the leaf of a slot, with a path. */
    static Bytes root(int slot, Bytes block, Bytes path) {
        Bytes node = leaf(block);
        int position = slot;
        for (int at = 0; at < path.length(); at += Hashes.LENGTH) {
            Bytes sibling = path.slice(at, Hashes.LENGTH);
            node = position % 2 == 0 ? Hashes.sha256(INNER, node, sibling) : Hashes.sha256(INNER, sibling, node);
            position /= 2;
        }
        return node;
    }

    private static Bytes leaf(Bytes block) {
        return Hashes.sha256(LEAF, block);
    }
}

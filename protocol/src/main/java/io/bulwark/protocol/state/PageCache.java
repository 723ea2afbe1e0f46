package io.bulwark.protocol.state;

import io.bulwark.protocol.wire.Bytes;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The pages used last, decoded, up to a bound of memory. */
final class PageCache {
    /** Memory overhead of an item beside its bytes: the item, its slices, its place in the list. */
    private static final int ITEM_BYTES = 120;

    private final long bytesMax;
    private final Map<Bytes, Node> nodes = new LinkedHashMap<>(16, 0.75f, true);
    private long bytes;

    PageCache(long bytesMax) {
        this.bytesMax = bytesMax;
    }

    @Nullable
    Node get(Bytes digest) {
        return nodes.get(digest);
    }

    void put(Bytes digest, Node node) {
        Node old = nodes.put(digest, node);
        bytes += weight(node) - (old == null ? 0 : weight(old));
        Iterator<Node> eldest = nodes.values().iterator();
        while (bytes > bytesMax && eldest.hasNext()) {
            bytes -= weight(eldest.next());
            eldest.remove();
        }
    }

    /** A page that nobody will ask for again. */
    void remove(Bytes digest) {
        Node old = nodes.remove(digest);
        if (old != null) {
            bytes -= weight(old);
        }
    }

    private static long weight(Node node) {
        return node.bytes() + (long) ITEM_BYTES * node.size();
    }
}

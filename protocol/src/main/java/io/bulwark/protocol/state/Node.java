package io.bulwark.protocol.state;

import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A page in memory: entries at level 0, links above. Written only by the step of the tree whose stamp it bears; read by
 * all that share it.
 */
final class Node implements Child {
    /** The stamp of what is never written again. */
    static final long CLEAN = -1;

    private final int level;
    private final long stamp;
    private final Child.@Nullable Ref ref;
    private final List<Item> items;
    private int bytes;

    private Node(int level, long stamp, Child.@Nullable Ref ref, List<Item> items, int bytes) {
        this.level = level;
        this.stamp = stamp;
        this.ref = ref;
        this.items = items;
        this.bytes = bytes;
    }

    /** A page that has a digest. */
    static Node clean(int level, Child.Ref ref, List<Item> items, int bytes) {
        return new Node(level, CLEAN, ref, items, bytes);
    }

    static Node of(int level, long stamp, List<Item> items) {
        int bytes = PageCodec.HEADER_BYTES;
        for (Item item : items) {
            bytes += item.bytes();
        }
        return new Node(level, stamp, null, new ArrayList<>(items), bytes);
    }

    /** The same content, to be written by the step with that stamp. */
    Node copy(long forStamp) {
        return new Node(level, forStamp, null, new ArrayList<>(items), bytes);
    }

    int level() {
        return level;
    }

    long stamp() {
        return stamp;
    }

    /** Returns the reference to the page, if it has not been modified. */
    Child.@Nullable Ref ref() {
        return ref;
    }

    /** Its length when encoded. */
    int bytes() {
        return bytes;
    }

    int size() {
        return items.size();
    }

    List<Item> items() {
        return items;
    }

    Item.Entry entry(int index) {
        return (Item.Entry) items.get(index);
    }

    Item.Link link(int index) {
        return (Item.Link) items.get(index);
    }

    /** The index of the item with this key, or {@code -1 - i} if it would have to be inserted at i. */
    int find(Bytes key) {
        int low = 0;
        int high = items.size() - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            int order = items.get(middle).key().compareTo(key);
            if (order == 0) {
                return middle;
            }
            if (order < 0) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return -1 - low;
    }

    /** The index of the link under which the key belongs. */
    int floor(Bytes key) {
        int found = find(key);
        return found >= 0 ? found : Math.max(0, -2 - found);
    }

    void set(int index, Item item) {
        bytes += item.bytes() - items.set(index, item).bytes();
    }

    void add(int index, Item item) {
        items.add(index, item);
        bytes += item.bytes();
    }

    void remove(int index) {
        bytes -= items.remove(index).bytes();
    }

    /** A cut of a page in two. */
    record Cut(Bytes separator, Node right) {}

    /** Keeps the first part and gives the rest: cut where the parts' lengths are closest, the first such place. */
    Cut cut() {
        int left = PageCodec.HEADER_BYTES + items.getFirst().bytes();
        int at = 1;
        while (at < items.size() - 1) {
            int more = left + items.get(at).bytes();
            if (Math.abs(2 * more - bytes) >= Math.abs(2 * left - bytes)) {
                break;
            }
            left = more;
            at++;
        }
        List<Item> rest = items.subList(at, items.size());
        Bytes first = rest.getFirst().key();
        Bytes separator = level > 0 ? first : separator(items.get(at - 1).key(), first);
        if (level > 0) {
            rest.set(0, rest.getFirst().withKey(Bytes.EMPTY));
        }
        Node right = of(level, stamp, rest);
        rest.clear();
        bytes = left;
        return new Cut(separator, right);
    }

    /** Two neighbours in one page. */
    static Node joined(long stamp, Node left, Bytes separator, Node right) {
        List<Item> items = new ArrayList<>(left.items);
        items.addAll(right.items);
        if (left.level > 0) {
            items.set(left.size(), right.items.getFirst().withKey(separator));
        }
        return of(left.level, stamp, items);
    }

    /** The shortest beginning of {@code first} that is greater than {@code last}. */
    private static Bytes separator(Bytes last, Bytes first) {
        int common = 0;
        while (common < last.length() && last.get(common) == first.get(common)) {
            common++;
        }
        return Bytes.of(first.slice(0, common + 1).toByteArray());
    }
}

package io.bulwark.protocol.state;

import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/**
 * State whose pages form a copy-on-write tree of digests (proactive recovery paper, section 4.6.2): a B+-tree over the
 * keys, so that pages are logical key ranges. The tree depends only on the operations and the numbers of the
 * checkpoints, not on cache, store or discarded checkpoints.
 *
 * <p>Pages of items have 4 to 16 KiB (the root may have less); values above 4 KiB have pages of their own, of at most 1
 * MiB + 2 KiB + 15 bytes. For any keys and values that an attacker chooses, a cut leaves at least 4.9 KiB on each side.
 * A page above level 0 has at least three links (two at the root), so that P pages of level 0 are reached in log3 P
 * steps. With keys of 12 bytes a page has 75 to 300 links. A put or remove rewrites at most two pages per level and
 * adds at most one.
 *
 * <p>Modified pages are in memory, each with the bytes that it was read from, until they are digested: by a checkpoint,
 * which needs as much again, or before that by {@link #flush}. The others are loaded from the store, through a bounded
 * cache, and digested. A wrong or missing one is a {@link DamagedPageException}, from any operation, which then has
 * changed nothing. Single-threaded; the driver writes the store, on any thread.
 */
public final class StateTree implements KeyValueState {
    private final PageStore store;
    private final PageCache cache;
    private final NavigableMap<Long, CheckpointRecord> checkpoints = new TreeMap<>();
    private final List<Long> damaged = new ArrayList<>();
    /** Pages of checkpoints that the driver has not written yet, by number and digest. */
    private final NavigableMap<Long, Map<Bytes, Bytes>> unstored = new TreeMap<>();

    private Child root;
    /** Pages of the last checkpoint that are not in the tree any more. */
    private final List<Child.Ref> retired = new ArrayList<>();
    /** Pages with an older stamp are copied before they are written. */
    private long stamp;
    /** Digested for the next checkpoint, and handed over to be written. */
    private final Map<Bytes, Bytes> early = new HashMap<>();

    private long earlyNumber = -1;
    private long modifiedBytes;

    private Child rootBefore;
    private int retiredBefore;

    private StateTree(PageStore store, long cacheBytesMax, Child root) {
        this.store = store;
        this.cache = new PageCache(cacheBytesMax);
        this.root = root;
        this.rootBefore = root;
        stamp = 1;
    }

    /** An empty state, whose store is empty. */
    public static StateTree empty(PageStore store, long cacheBytesMax) {
        return new StateTree(store, cacheBytesMax, Node.of(0, 0, List.of()));
    }

    /**
     * The state of the last checkpoint in the store, or an empty one if there is none. Pages that were fetched for a
     * checkpoint that never became complete are to be removed by {@link StateFetch#abandoned} first.
     */
    public static StateTree open(PageStore store, long cacheBytesMax) {
        StateTree tree = empty(store, cacheBytesMax);
        store.checkpoints()
                .forEach((number, bytes) -> CheckpointRecord.decode(bytes)
                        .ifPresentOrElse(it -> tree.checkpoints.put(number, it), () -> tree.damaged.add(number)));
        if (!tree.checkpoints.isEmpty()) {
            tree.root = new Child.Ref(tree.checkpoints.lastEntry().getValue().root(), Child.LM_UNKNOWN);
            tree.begin();
        }
        return tree;
    }

    /**
     * A checkpoint that was taken.
     *
     * @param digest the digest of the root, and so of the state
     * @param batch makes it durable; {@link #stored} is due once it is written
     */
    public record Checkpoint(long number, Bytes digest, PageBatch batch) {}

    /** The live checkpoints: their numbers and digests. */
    public SortedMap<Long, Bytes> checkpoints() {
        SortedMap<Long, Bytes> digests = new TreeMap<>();
        checkpoints.forEach((number, checkpoint) -> digests.put(number, checkpoint.root()));
        return Collections.unmodifiableSortedMap(digests);
    }

    /** The numbers of the checkpoints whose records in the store were damaged when it was opened. */
    public List<Long> damagedCheckpoints() {
        return List.copyOf(damaged);
    }

    /** Sets the state to which {@link #rollback} goes back: called before each ordered operation. */
    public void begin() {
        stamp++;
        rootBefore = root;
        retiredBefore = retired.size();
    }

    /** Undoes whatever was done since {@link #begin}, as if the operation that met a damaged page had never begun. */
    public void rollback() {
        root = rootBefore;
        retired.subList(retiredBefore, retired.size()).clear();
        stamp++;
    }

    /**
     * Takes a checkpoint: digests only the pages that were modified since the last one. The state can be modified at
     * once; {@link #rollback} returns to this point, not further.
     *
     * @param number above that of the last checkpoint
     */
    public Checkpoint checkpoint(long number) {
        if (number < 0 || (!checkpoints.isEmpty() && number <= checkpoints.lastKey())) {
            throw new IllegalArgumentException("checkpoint " + number + " after " + checkpoints.lastKey());
        }
        Map<Bytes, Bytes> pages = digest(number);
        retired.forEach(ref -> cache.remove(ref.digest()));
        // A page that was written early and has left the tree belongs to no checkpoint.
        List<Bytes> vain = new ArrayList<>();
        retired.removeIf(ref -> ref.lm() == number && vain.add(ref.digest()));
        CheckpointRecord checkpoint = new CheckpointRecord(((Child.Ref) root).digest(), retired);
        retired.clear();
        begin();
        checkpoints.put(number, checkpoint);
        PageBatch batch = new PageBatch(
                pages, Map.of(), vain, Map.of(number, checkpoint.encode()), Set.of(), earlyNumber >= 0, true);
        pages.putAll(early);
        unstored.put(number, pages);
        early.clear();
        earlyNumber = -1;
        return new Checkpoint(number, checkpoint.root(), batch);
    }

    /** The batch of this checkpoint, and those of all before it, are durable. */
    public void stored(long number) {
        unstored.headMap(number, true).clear();
    }

    /** About how many bytes of pages were modified and not digested since. */
    public long modifiedBytes() {
        return modifiedBytes;
    }

    /**
     * Digests the modified pages before the next checkpoint, so that they need not stay in memory. Call it between two
     * operations, after the last flush was written. The state and its digest do not change.
     *
     * @param number of the next checkpoint; the batch is to be written before that checkpoint's
     */
    public PageBatch flush(long number) {
        early.clear();
        early.putAll(digest(number));
        earlyNumber = number;
        begin();
        return PageBatch.staged(Map.of(), early);
    }

    /** All of the tree has digests from here on; returns the pages that had none. */
    private Map<Bytes, Bytes> digest(long number) {
        if (earlyNumber >= 0 && earlyNumber != number) {
            throw new IllegalArgumentException("checkpoint " + number + ", but pages for " + earlyNumber);
        }
        Map<Bytes, Bytes> pages = new LinkedHashMap<>();
        root = digested(root, number, pages);
        // A page that was written early, left the tree, and is there again.
        retired.removeIf(ref -> ref.lm() == number && pages.containsKey(ref.digest()));
        modifiedBytes = 0;
        return pages;
    }

    /**
     * Forgets a checkpoint that is not the last one. The batch removes the pages that only it reached; it is written after
     * those of the checkpoints up to the next one.
     */
    public PageBatch discard(long number) {
        CheckpointRecord discarded = checkpoints.get(number);
        Map.Entry<Long, CheckpointRecord> next = checkpoints.higherEntry(number);
        if (discarded == null || next == null) {
            throw new IllegalArgumentException("checkpoint " + number + " of " + checkpoints.keySet());
        }
        Long before = checkpoints.lowerKey(number);
        List<Bytes> removed = new ArrayList<>();
        List<Child.Ref> retiredByNext = new ArrayList<>(before == null ? List.of() : discarded.retired());
        for (Child.Ref ref : next.getValue().retired()) {
            if (before == null || ref.lm() > before) {
                removed.add(ref.digest());
            } else {
                retiredByNext.add(ref);
            }
        }
        if (before == null) {
            discarded.retired().forEach(ref -> removed.add(ref.digest()));
        }
        CheckpointRecord replaced = new CheckpointRecord(next.getValue().root(), retiredByNext);
        checkpoints.put(next.getKey(), replaced);
        checkpoints.remove(number);
        return new PageBatch(
                Map.of(), Map.of(), removed, Map.of(next.getKey(), replaced.encode()), Set.of(number), false, false);
    }

    @Override
    public Optional<Bytes> get(Bytes key) {
        Node node = load(root);
        while (node.level() > 0) {
            node = load(node.link(node.floor(key)).child());
        }
        int at = node.find(key);
        return at < 0 ? Optional.empty() : Optional.of(value(node.entry(at)));
    }

    @Override
    public void scan(Bytes from, Bytes to, BiPredicate<Bytes, Bytes> visitor) {
        if (from.compareTo(to) < 0) {
            scan(load(root), from, to, visitor);
        }
    }

    private boolean scan(Node node, Bytes from, Bytes to, BiPredicate<Bytes, Bytes> visitor) {
        int first = node.level() > 0 ? node.floor(from) : node.find(from);
        for (int i = first < 0 ? -1 - first : first; i < node.size(); i++) {
            Item item = node.items().get(i);
            if (item.key().compareTo(to) >= 0) {
                return false;
            }
            boolean goOn = switch (item) {
                case Item.Link link -> scan(load(link.child()), from, to, visitor);
                case Item.Entry entry -> visitor.test(entry.key(), value(entry));
            };
            if (!goOn) {
                return false;
            }
        }
        return true;
    }

    @Override
    public void put(Bytes key, Bytes value) {
        KeyValueState.check(key, value);
        Path path = descend(key);
        Node leaf = path.leaf();
        int at = leaf.find(key);
        Item.Entry old = at >= 0 ? leaf.entry(at) : null;
        Item.Entry entry = Item.Entry.of(detachedCopy(key), detachedCopy(value));
        // A long value is always written, so that the old one need not be read for a comparison.
        if (old != null && old.isInline() && old.value().equals(value)) {
            return;
        }
        path.loadNeighbours(old == null ? 0 : old.bytes() - entry.bytes());
        modifiedBytes += key.length() + value.length();
        Node owned = path.own();
        if (old == null) {
            owned.add(-1 - at, entry);
        } else {
            retire(old.page());
            owned.set(at, entry);
        }
        path.balance();
    }

    @Override
    public void remove(Bytes key) {
        Path path = descend(key);
        Node leaf = path.leaf();
        int at = leaf.find(key);
        if (at >= 0) {
            Item.Entry old = leaf.entry(at);
            path.loadNeighbours(old.bytes());
            retire(old.page());
            path.own().remove(at);
            path.balance();
        }
    }

    private Path descend(Bytes key) {
        Path path = new Path(load(root));
        while (path.leaf().level() > 0) {
            Node node = path.leaf();
            int index = node.floor(key);
            path.down(index, load(node.link(index).child()));
        }
        return path;
    }

    /** The way from the root to a page of level 0, and the changes along it. */
    private final class Path {
        private final List<Node> nodes = new ArrayList<>(4);
        /** At i: which link of nodes[i] leads to nodes[i+1]. */
        private final List<Integer> indexes = new ArrayList<>(4);
        /** By depth: the neighbour that a page which may become too short is joined with. */
        private final Map<Integer, Node> neighbours = new HashMap<>(4);

        Path(Node root) {
            nodes.add(root);
        }

        void down(int index, Node node) {
            indexes.add(index);
            nodes.add(node);
        }

        Node leaf() {
            return nodes.getLast();
        }

        /** Loads what may be needed when the last page shrinks, so that nothing fails once something was changed. */
        void loadNeighbours(int shrinksBytes) {
            int shrinks = shrinksBytes;
            for (int i = nodes.size() - 1; i > 0; i--) {
                if (nodes.get(i).bytes() - shrinks >= PageCodec.PAGE_BYTES_MIN) {
                    return;
                }
                Node parent = nodes.get(i - 1);
                int left = leftOfPair(i);
                int neighbour = left == indexes.get(i - 1) ? left + 1 : left;
                neighbours.put(i, load(parent.link(neighbour).child()));
                // Above, one link goes, or one separator becomes shorter.
                shrinks = Item.Link.BYTES_MAX;
            }
        }

        /** A page is joined with the one after it, the last of a parent with the one before it. */
        private int leftOfPair(int depth) {
            int index = indexes.get(depth - 1);
            return index + 1 < nodes.get(depth - 1).size() ? index : index - 1;
        }

        /** Makes the pages writable and gives the last one. */
        Node own() {
            for (int i = 0; i < nodes.size(); i++) {
                Node node = nodes.get(i);
                if (node.stamp() != stamp) {
                    modifiedBytes += node.ref() == null ? 0 : node.bytes();
                    retire(node.ref());
                    node = node.copy(stamp);
                    nodes.set(i, node);
                    if (i == 0) {
                        root = node;
                    } else {
                        relink(nodes.get(i - 1), indexes.get(i - 1), node);
                    }
                }
            }
            return leaf();
        }

        /** Cuts pages that became too long and joins those that became too short, from below. */
        void balance() {
            for (int i = nodes.size() - 1; i >= 0; i--) {
                Node node = nodes.get(i);
                if (node.bytes() > PageCodec.PAGE_BYTES_MAX) {
                    cut(i, node);
                } else if (i > 0 && node.bytes() < PageCodec.PAGE_BYTES_MIN) {
                    join(i, node);
                }
            }
            Node top = nodes.getFirst();
            if (top == root && top.level() > 0 && top.size() == 1) {
                root = top.link(0).child();
            }
        }

        private void cut(int depth, Node node) {
            Node.Cut cut = node.cut();
            Item.Link link = new Item.Link(cut.separator(), cut.right());
            if (depth == 0) {
                root = Node.of(node.level() + 1, stamp, List.of(new Item.Link(Bytes.EMPTY, node), link));
            } else {
                nodes.get(depth - 1).add(indexes.get(depth - 1) + 1, link);
            }
        }

        private void join(int depth, Node node) {
            Node parent = nodes.get(depth - 1);
            int left = leftOfPair(depth);
            Node neighbour = neighbours.get(depth);
            if (neighbour == null) {
                throw new IllegalStateException("a page became too short unforeseen");
            }
            retire(neighbour.ref());
            Bytes separator = parent.link(left + 1).key();
            Node joined = left == indexes.get(depth - 1)
                    ? Node.joined(stamp, node, separator, neighbour)
                    : Node.joined(stamp, neighbour, separator, node);
            if (joined.bytes() > PageCodec.PAGE_BYTES_MAX) {
                Node.Cut cut = joined.cut();
                parent.set(left + 1, new Item.Link(cut.separator(), cut.right()));
            } else {
                parent.remove(left + 1);
            }
            relink(parent, left, joined);
        }

        private static void relink(Node parent, int index, Node child) {
            parent.set(index, new Item.Link(parent.link(index).key(), child));
        }
    }

    private void retire(Child.@Nullable Ref ref) {
        if (ref != null) {
            retired.add(ref);
        }
    }

    private Child.Ref digested(Child child, long number, Map<Bytes, Bytes> pages) {
        if (child instanceof Child.Ref ref) {
            return ref;
        }
        Node node = (Node) child;
        List<Item> items = new ArrayList<>(node.size());
        for (Item item : node.items()) {
            items.add(
                    switch (item) {
                        case Item.Link link -> new Item.Link(link.key(), digested(link.child(), number, pages));
                        case Item.Entry entry -> digested(entry, number, pages);
                    });
        }
        Bytes page = PageCodec.encode(node.level(), number, items, node.bytes());
        Bytes digest = Hashes.sha256(page);
        pages.put(digest, page);
        cache.put(digest, PageCodec.decode(page, digest, number));
        return new Child.Ref(digest, number);
    }

    private static Item.Entry digested(Item.Entry entry, long number, Map<Bytes, Bytes> pages) {
        if (entry.isInline() || entry.page() != null) {
            return entry;
        }
        Bytes page = PageCodec.encodeValue(number, entry.key(), entry.value());
        Bytes digest = Hashes.sha256(page);
        pages.put(digest, page);
        return new Item.Entry(entry.key(), Bytes.EMPTY, new Child.Ref(digest, number), entry.length());
    }

    private Node load(Child child) {
        return switch (child) {
            case Node node -> node;
            case Child.Ref ref -> {
                Node cached = cache.get(ref.digest());
                if (cached == null) {
                    try {
                        cached = PageCodec.decode(page(ref.digest()), ref.digest(), ref.lm());
                    } catch (MalformedException e) {
                        throw new DamagedPageException(ref.digest(), "is none: " + e.getMessage());
                    }
                    cache.put(ref.digest(), cached);
                }
                yield cached;
            }
        };
    }

    private Bytes value(Item.Entry entry) {
        if (entry.page() == null) {
            return entry.value();
        }
        try {
            return PageCodec.decodeValue(page(entry.page().digest()), entry);
        } catch (MalformedException e) {
            throw new DamagedPageException(entry.page().digest(), "is none: " + e.getMessage());
        }
    }

    private Bytes page(Bytes digest) {
        Bytes written = early.get(digest);
        if (written != null) {
            return written;
        }
        for (Map<Bytes, Bytes> pages : unstored.values()) {
            Bytes page = pages.get(digest);
            if (page != null) {
                return page;
            }
        }
        Bytes page = store.get(digest).orElseThrow(() -> new DamagedPageException(digest, "is missing"));
        if (!Hashes.sha256(page).equals(digest)) {
            throw new DamagedPageException(digest, "is wrong");
        }
        return page;
    }

    /** The bytes without the rest of what they were read from. */
    private static Bytes detachedCopy(Bytes bytes) {
        return bytes.length() == bytes.array().length ? bytes : Bytes.of(bytes.toByteArray());
    }
}

package io.bulwark.protocol.state;

import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.ArrayList;
import java.util.List;

/**
 * Codec of pages. A page begins with its level and its lm. Its digest is SHA-256 over all of its bytes, and so covers
 * level, lm and content as in section 4.6.2; no sum of digests is used.
 *
 * <p>Page of entries or links: {@code level u8, lm i64, count u16}, then the items: {@code key u16 + bytes}, and for an
 * entry {@code 0 u8, value u16 + bytes} or {@code 1 u8, length i32, lm i64, digest}, for a link {@code lm i64, digest}.
 * Page of one value: {@code 255 u8, lm i64, key u16 + bytes, value i32 + bytes}; the key distinguishes it from the page
 * of an equal value elsewhere.
 */
final class PageCodec {
    /** Longer values have pages of their own. */
    static final int INLINE_BYTES_MAX = 4_096;

    /** A page of items that becomes longer is cut in two. */
    static final int PAGE_BYTES_MAX = 16 << 10;

    /** A page of items that becomes shorter is joined with a neighbour. */
    static final int PAGE_BYTES_MIN = 4 << 10;

    static final int HEADER_BYTES = 1 + 8 + 2;

    private static final int VALUE_PAGE = 255;

    /** An empty page is only the root of an empty tree; a page above level 0 has at least two links. */
    private static final int LEVEL_MAX = 40;

    private PageCodec() {}

    /**
     * Part of a page that is needed to continue below it.
     *
     * @param level its level, or -1 for the page of one value
     */
    record Outline(int level, long lm, List<Child.Ref> below) {}

    /** A page whose items all have digests. */
    static Bytes encode(int level, long lm, List<Item> items, int bytes) {
        WireWriter out = new WireWriter(bytes).u8(level).i64(lm).u16(items.size());
        for (Item item : items) {
            out.u16(item.key().length()).raw(item.key());
            switch (item) {
                case Item.Link link when link.child() instanceof Child.Ref ref -> ref(out, ref);
                case Item.Entry entry
                when entry.isInline() -> out.u8(0).u16(entry.length()).raw(entry.value());
                case Item.Entry entry when entry.page() != null -> ref(out.u8(1).i32(entry.length()), entry.page());
                default -> throw new IllegalArgumentException("an item without a digest");
            }
        }
        return out.toBytes();
    }

    static Bytes encodeValue(long lm, Bytes key, Bytes value) {
        return new WireWriter(HEADER_BYTES + key.length() + Integer.BYTES + value.length())
                .u8(VALUE_PAGE)
                .i64(lm)
                .u16(key.length())
                .raw(key)
                .bytes(value)
                .toBytes();
    }

    /**
     * A page of items, whose digest has been checked.
     *
     * @param lm as its parent says, or {@link Child#LM_UNKNOWN}
     * @throws MalformedException if it is none
     */
    static Node decode(Bytes page, Bytes digest, long lm) {
        WireReader in = new WireReader(page);
        int level = in.u8();
        require(level <= LEVEL_MAX, "level");
        long own = in.nonNegative64();
        require(lm == Child.LM_UNKNOWN || lm == own, "lm");
        int count = in.u16();
        List<Item> items = new ArrayList<>(Math.min(count, PAGE_BYTES_MAX / 4));
        Bytes previous = null;
        for (int i = 0; i < count; i++) {
            Bytes key = in.raw(in.count16(KeyValueState.KEY_BYTES_MAX));
            require(level == 0 || i > 0 || key.isEmpty(), "first key");
            require(previous == null || previous.compareTo(key) < 0, "order");
            items.add(level == 0 ? entry(in, key) : new Item.Link(key, ref(in)));
            previous = key;
        }
        in.end();
        require(level == 0 || count >= 2, "links");
        return Node.clean(level, new Child.Ref(digest, own), items, page.length());
    }

    /**
     * The value in a page of one value, whose digest has been checked.
     *
     * @throws MalformedException if it is none, or another's
     */
    static Bytes decodeValue(Bytes page, Item.Entry entry) {
        WireReader in = new WireReader(page);
        require(in.u8() == VALUE_PAGE, "kind");
        long lm = in.nonNegative64();
        require(entry.page() != null && entry.page().lm() == lm, "lm");
        require(in.raw(in.count16(KeyValueState.KEY_BYTES_MAX)).equals(entry.key()), "key");
        Bytes value = in.bytes(KeyValueState.VALUE_BYTES_MAX);
        in.end();
        require(value.length() == entry.length(), "length");
        return value;
    }

    /**
     * The outline of a page of any kind, whose digest has been checked.
     *
     * @throws MalformedException if it is no page
     */
    static Outline outline(Bytes page, Bytes digest) {
        WireReader in = new WireReader(page);
        int level = in.u8();
        long lm = in.nonNegative64();
        if (level == VALUE_PAGE) {
            return new Outline(-1, lm, List.of());
        }
        List<Child.Ref> below = new ArrayList<>();
        for (Item item : decode(page, digest, lm).items()) {
            if (item instanceof Item.Link link && link.child() instanceof Child.Ref ref) {
                below.add(ref);
            } else if (item instanceof Item.Entry entry && entry.page() != null) {
                below.add(entry.page());
            }
        }
        return new Outline(level, lm, below);
    }

    private static Item.Entry entry(WireReader in, Bytes key) {
        if (!in.bool()) {
            return Item.Entry.of(key, in.raw(in.count16(INLINE_BYTES_MAX)));
        }
        int length = in.i32(INLINE_BYTES_MAX + 1, KeyValueState.VALUE_BYTES_MAX);
        return new Item.Entry(key, Bytes.EMPTY, ref(in), length);
    }

    private static void ref(WireWriter out, Child.Ref ref) {
        out.i64(ref.lm()).raw(ref.digest());
    }

    private static Child.Ref ref(WireReader in) {
        long lm = in.nonNegative64();
        return new Child.Ref(in.raw(Hashes.LENGTH), lm);
    }

    private static void require(boolean right, String what) {
        if (!right) {
            throw new MalformedException("page with a wrong " + what);
        }
    }
}

package io.bulwark.protocol.metadata;

import io.bulwark.protocol.locking.Subtree;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;

/**
 * Key of a table by subtrees. The bytes of the prefix are inverted, and 0xFF ends them: keys descend with the prefix,
 * since states are only scanned upwards. So the first key from a prefix on is the greatest that is not above it.
 *
 * @param prefix in UTF-8, in which no byte is 0xFF
 */
record SubtreeKey(String bucket, Bytes prefix) {
    private static final int END = 0xFF;

    static final FieldFormat<SubtreeKey> FORM = new FieldFormat<>(SubtreeKey::write, SubtreeKey::read);

    static SubtreeKey of(Subtree subtree) {
        return new SubtreeKey(subtree.bucket(), Names.utf8(subtree.prefix()));
    }

    Subtree subtree() {
        return new Subtree(bucket, Names.text(prefix));
    }

    /** Returns the entry whose subtree contains this one; the longest if there are several. */
    static <V> Optional<Table.Entry<SubtreeKey, V>> covering(Table<SubtreeKey, V> table, SubtreeKey at) {
        SubtreeKey from = at;
        while (true) {
            // Behind all prefixes of the bucket: no name has the byte 1.
            Optional<Table.Entry<SubtreeKey, V>> found =
                    table.first(from, new SubtreeKey(at.bucket + '\1', Bytes.EMPTY));
            if (found.isEmpty() || !found.get().key().bucket.equals(at.bucket)) {
                return Optional.empty();
            }
            Bytes prefix = found.get().key().prefix;
            if (Listing.startsWith(at.prefix, prefix)) {
                return found;
            }
            // One that contains this subtree is not above the one found, so it is a common prefix of both.
            from = new SubtreeKey(at.bucket, common(from.prefix, prefix));
        }
    }

    /** Returns the entries whose subtrees are within this one, without itself. */
    static <V> Iterable<Table.Entry<SubtreeKey, V>> below(Table<SubtreeKey, V> table, SubtreeKey at) {
        byte[] last = new byte[at.prefix.length() + 1];
        at.prefix.copyTo(0, last, 0, at.prefix.length());
        last[at.prefix.length()] = (byte) END;
        return table.range(new SubtreeKey(at.bucket, Bytes.of(last)), at);
    }

    /** Returns all entries whose subtrees contain this one, the longest first. */
    static <V> List<Table.Entry<SubtreeKey, V>> allCovering(Table<SubtreeKey, V> table, SubtreeKey at) {
        List<Table.Entry<SubtreeKey, V>> all = new ArrayList<>();
        Optional<Table.Entry<SubtreeKey, V>> found = covering(table, at);
        while (found.isPresent()) {
            all.add(found.get());
            Bytes prefix = found.get().key().prefix;
            found = prefix.isEmpty()
                    ? Optional.empty()
                    : covering(table, new SubtreeKey(at.bucket, prefix.slice(0, prefix.length() - 1)));
        }
        return all;
    }

    /** Returns an entry of a table of disjoint subtrees that overlaps this one. */
    static <V> Optional<Table.Entry<SubtreeKey, V>> anyOverlapping(Table<SubtreeKey, V> table, SubtreeKey at) {
        Optional<Table.Entry<SubtreeKey, V>> covering = covering(table, at);
        if (covering.isPresent()) {
            return covering;
        }
        Iterator<Table.Entry<SubtreeKey, V>> below = below(table, at).iterator();
        return below.hasNext() ? Optional.of(below.next()) : Optional.empty();
    }

    private static Bytes common(Bytes one, Bytes other) {
        int length = 0;
        while (length < Math.min(one.length(), other.length()) && one.get(length) == other.get(length)) {
            length++;
        }
        return one.slice(0, length);
    }

    private void write(WireWriter out) {
        out.raw(Names.utf8(bucket)).u8(0);
        for (int i = 0; i < prefix.length(); i++) {
            out.u8(~prefix.get(i) & 0xFF);
        }
        out.u8(END);
    }

    private static SubtreeKey read(WireReader in) {
        String bucket = Names.text(Tables.readUntilZero(in));
        WireWriter prefix = new WireWriter();
        for (int next = in.u8(); next != END; next = in.u8()) {
            prefix.u8(~next & 0xFF);
        }
        Bytes bytes = prefix.toBytes();
        if (!Names.utf8(Names.text(bytes)).equals(bytes)) {
            throw new MalformedException("a prefix that is not UTF-8");
        }
        return new SubtreeKey(bucket, bytes);
    }
}

package io.bulwark.protocol.state;

import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.wire.Bytes;
import org.jspecify.annotations.Nullable;

/** An element of a page, in the order of the keys. */
sealed interface Item {
    Bytes key();

    /** Its length in the encoded page. */
    int bytes();

    /** The same, under another key. */
    Item withKey(Bytes key);

    /**
     * A key and its value, in a page of level 0.
     *
     * @param value empty if it is to be read from {@code page}
     * @param page the page of a long value, once it has one
     * @param length the length of the value
     */
    record Entry(Bytes key, Bytes value, Child.@Nullable Ref page, int length) implements Item {
        /** Kind, length. */
        private static final int INLINE_BYTES = 1 + 2;

        /** Kind, length, lm, digest. */
        private static final int PAGED_BYTES = 1 + 4 + 8 + Hashes.LENGTH;

        static Entry of(Bytes key, Bytes value) {
            return new Entry(key, value, null, value.length());
        }

        boolean isInline() {
            return length <= PageCodec.INLINE_BYTES_MAX;
        }

        @Override
        public int bytes() {
            return Short.BYTES + key.length() + (isInline() ? INLINE_BYTES + length : PAGED_BYTES);
        }

        @Override
        public Entry withKey(Bytes other) {
            return new Entry(other, value, page, length);
        }
    }

    /**
     * A page one level below.
     *
     * @param key no key of it is less, none of the page before it is greater or equal; empty in a page's first link, whose
     *     bound is that of the page itself
     */
    record Link(Bytes key, Child child) implements Item {
        /** The longest that one can be. */
        static final int BYTES_MAX = Short.BYTES + KeyValueState.KEY_BYTES_MAX + 8 + Hashes.LENGTH;

        @Override
        public int bytes() {
            return Short.BYTES + key.length() + 8 + Hashes.LENGTH;
        }

        @Override
        public Link withKey(Bytes other) {
            return new Link(other, child);
        }
    }
}

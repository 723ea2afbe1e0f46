package io.bulwark.protocol.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireWriter;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Pages whose digest is right, and that are none all the same: whoever wrote them was faulty. */
@NullMarked
class PageCodecTest {
    private static final long LM = 7;
    private static final Bytes DIGEST = Hashes.sha256(Bytes.of((byte) 1));
    private static final Bytes A = Bytes.of((byte) 'a');
    private static final Bytes B = Bytes.of((byte) 'b');

    private static Item.Link link(Bytes key) {
        return new Item.Link(key, new Child.Ref(DIGEST, LM));
    }

    private static Bytes page(int level, long lm, Item... items) {
        return PageCodec.encode(level, lm, List.of(items), 1_000);
    }

    private static void assertNone(Bytes page, String what) {
        assertThatThrownBy(() -> PageCodec.decode(page, DIGEST, LM))
                .isInstanceOf(MalformedException.class)
                .hasMessageContaining(what);
    }

    @Test
    void keysStandInOrderAndNoneTwice() {
        Item.Entry a = Item.Entry.of(A, A);
        Item.Entry b = Item.Entry.of(B, B);
        assertThat(PageCodec.decode(page(0, LM, a, b), DIGEST, LM).items()).containsExactly(a, b);
        assertNone(page(0, LM, b, a), "order");
        assertNone(page(0, LM, a, a), "order");
    }

    @PlantedBug(
            in = PageCodec.class,
            rule = "the levels of a tree are limited",
            replace = "require(level <= LEVEL_MAX, \"level\");",
            with = "")
    @Test
    void aPageAboveLevelZeroHasTwoLinksAndNoLowerBound() {
        assertThat(PageCodec.decode(page(1, LM, link(Bytes.EMPTY), link(A)), DIGEST, LM)
                        .items())
                .hasSize(2);
        assertNone(page(1, LM, link(Bytes.EMPTY)), "links");
        assertNone(page(1, LM, link(A), link(B)), "first key");
        assertNone(page(200, LM, link(Bytes.EMPTY), link(A)), "level");
    }

    @Test
    void aPageIsOfTheCheckpointThatItsParentSays() {
        assertNone(page(0, LM + 1, Item.Entry.of(A, A)), "lm");
        assertThat(PageCodec.decode(page(0, LM + 1, Item.Entry.of(A, A)), DIGEST, Child.LM_UNKNOWN)
                        .items())
                .hasSize(1);
    }

    @Test
    void nothingComesBehindTheLastItem() {
        Bytes page = page(0, LM, Item.Entry.of(A, A));
        assertThatThrownBy(
                        () -> PageCodec.decode(new WireWriter().raw(page).u8(0).toBytes(), DIGEST, LM))
                .isInstanceOf(MalformedException.class);
        assertThatThrownBy(() -> PageCodec.decode(page.slice(0, page.length() - 1), DIGEST, LM))
                .isInstanceOf(MalformedException.class);
    }

    @PlantedBug(
            in = PageCodec.class,
            rule = "the length of a value is limited",
            replace = "require(value.length() == entry.length(), \"length\");",
            with = "")
    @Test
    void thePageOfAValueBelongsToItsKeyAndLengthAndCheckpoint() {
        Bytes value = Bytes.of(new byte[PageCodec.INLINE_BYTES_MAX + 1]);
        Item.Entry entry = new Item.Entry(A, Bytes.EMPTY, new Child.Ref(DIGEST, LM), value.length());
        assertThat(PageCodec.decodeValue(PageCodec.encodeValue(LM, A, value), entry))
                .isEqualTo(value);
        assertNoValue(PageCodec.encodeValue(LM, B, value), entry, "key");
        assertNoValue(PageCodec.encodeValue(LM + 1, A, value), entry, "lm");
        assertNoValue(PageCodec.encodeValue(LM, A, Bytes.of(new byte[value.length() + 1])), entry, "length");
        assertNoValue(page(0, LM, Item.Entry.of(A, A)), entry, "kind");
    }

    private static void assertNoValue(Bytes page, Item.Entry entry, String what) {
        assertThatThrownBy(() -> PageCodec.decodeValue(page, entry))
                .isInstanceOf(MalformedException.class)
                .hasMessageContaining(what);
    }
}

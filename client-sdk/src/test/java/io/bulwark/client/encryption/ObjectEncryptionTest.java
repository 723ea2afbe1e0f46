package io.bulwark.client.encryption;

import static io.bulwark.client.encryption.SegmentCipher.SEALED_BYTES;
import static io.bulwark.client.encryption.SegmentCipher.SEGMENT_BYTES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.client.error.BulwarkException;
import io.bulwark.client.error.KeyMissingException;
import io.bulwark.client.error.NotAuthenticException;
import io.bulwark.client.error.Subject;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.Random;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@NullMarked
class ObjectEncryptionTest {
    private static final Subject SUBJECT = Subject.key("photos", "boat");
    private static final long SEED = Long.getLong("bulwark.seed", System.nanoTime());

    private final Random random = new Random(SEED);
    private final SecureRandom secure = new SecureRandom();
    private final KeyProvider keys;

    ObjectEncryptionTest(@TempDir Path directory) {
        System.out.println("-Dbulwark.seed=" + SEED);
        keys = KeyFiles.load(KeyFiles.create(directory.resolve("a.p12"), "a"), "a");
    }

    /** An object as servers have it. */
    private static final class Stored {
        private final String tag;
        private final byte[] sealed;

        private Stored(String tag, byte[] sealed) {
            this.tag = tag;
            this.sealed = sealed;
        }
    }

    private Stored put(byte[] plain) throws IOException {
        ObjectEncryption encryption = ObjectEncryption.fresh(keys, secure, SUBJECT);
        try (InputStream sealing = new SealingStream(new ByteArrayInputStream(plain), encryption.cipher())) {
            return new Stored(encryption.header(), sealing.readAllBytes());
        }
    }

    private byte[] get(Stored object) throws IOException {
        return get(object, 0, Long.MAX_VALUE);
    }

    private byte[] get(Stored object, long offset, long length) throws IOException {
        SegmentCipher cipher = ObjectEncryption.of(object.tag, keys, SUBJECT).cipher();
        OpeningStream.Range range = OpeningStream.Range.of(object.sealed.length, offset, length, SUBJECT);
        int from = (int) Math.min(range.sealedOffset(), object.sealed.length);
        int to = (int) Math.min(range.sealedOffset() + range.sealedLength(), object.sealed.length);
        InputStream sealed = new ByteArrayInputStream(object.sealed, from, to - from);
        try (InputStream opening = new OpeningStream(sealed, cipher, range, SUBJECT).checked()) {
            return opening.readAllBytes();
        }
    }

    private byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    @Test
    void whatIsPutIsReadWhateverItsLength() throws IOException {
        for (int length : new int[] {
            0, 1, SEGMENT_BYTES - 1, SEGMENT_BYTES, SEGMENT_BYTES + 1, 3 * SEGMENT_BYTES, 3 * SEGMENT_BYTES + 5
        }) {
            byte[] plain = bytes(length);
            Stored stored = put(plain);
            assertThat(get(stored)).isEqualTo(plain);
            assertThat(stored.sealed.length).isEqualTo((int) SegmentCipher.sealedLength(length));
            assertThat(SegmentCipher.plainLength(stored.sealed.length)).isEqualTo(length);
            for (int i = 0; i < 20; i++) {
                int offset = random.nextInt(length + 10);
                int count = random.nextInt(length + 10);
                assertThat(get(stored, offset, count))
                        .isEqualTo(
                                Arrays.copyOfRange(plain, Math.min(offset, length), Math.min(offset + count, length)));
            }
        }
    }

    @Test
    void everyBitCounts() throws IOException {
        Stored stored = put(bytes(20));
        for (int bit = 0; bit < 8 * stored.sealed.length; bit++) {
            refused(new Stored(stored.tag, flipped(stored.sealed, bit)));
        }
        byte[] tag = Base64.getDecoder().decode(stored.tag);
        for (int bit = 0; bit < 8 * tag.length; bit++) {
            String changed = Base64.getEncoder().encodeToString(flipped(tag, bit));
            assertThatThrownBy(() -> get(new Stored(changed, stored.sealed))).isInstanceOf(BulwarkException.class);
        }
        for (String tagText : new String[] {"", "A", "not Base64!", stored.tag + "AAAA"}) {
            refused(new Stored(tagText, stored.sealed));
        }
    }

    @Test
    void whatIsCutOffOrAddedIsFound() throws IOException {
        Stored small = put(bytes(20));
        for (int length = 0; length < small.sealed.length; length++) {
            refused(new Stored(small.tag, Arrays.copyOf(small.sealed, length)));
        }
        refused(new Stored(small.tag, Arrays.copyOf(small.sealed, small.sealed.length + 1)));
        Stored large = put(bytes(3 * SEGMENT_BYTES));
        for (int length : new int[] {SEALED_BYTES, 2 * SEALED_BYTES, 2 * SEALED_BYTES + 3, 3 * SEALED_BYTES - 1}) {
            refused(new Stored(large.tag, Arrays.copyOf(large.sealed, length)));
        }
        refused(new Stored(large.tag, Arrays.copyOf(large.sealed, 4 * SEALED_BYTES)));
        Stored cut = new Stored(large.tag, Arrays.copyOf(large.sealed, 2 * SEALED_BYTES));
        assertThatThrownBy(() -> get(cut, 2 * SEGMENT_BYTES, 10))
                .as("nothing is behind the end, says the last segment")
                .isInstanceOf(NotAuthenticException.class);
    }

    @Test
    void segmentsAndObjectsAreNotExchanged() throws IOException {
        byte[] plain = bytes(3 * SEGMENT_BYTES);
        Stored one = put(plain);
        Stored other = put(plain);
        byte[] swapped = one.sealed.clone();
        System.arraycopy(one.sealed, 0, swapped, SEALED_BYTES, SEALED_BYTES);
        System.arraycopy(one.sealed, SEALED_BYTES, swapped, 0, SEALED_BYTES);
        refused(new Stored(one.tag, swapped));
        byte[] mixed = one.sealed.clone();
        System.arraycopy(other.sealed, SEALED_BYTES, mixed, SEALED_BYTES, SEALED_BYTES);
        refused(new Stored(one.tag, mixed));
        refused(new Stored(one.tag, other.sealed));
        byte[] doubled = one.sealed.clone();
        System.arraycopy(one.sealed, 0, doubled, SEALED_BYTES, SEALED_BYTES);
        refused(new Stored(one.tag, doubled));
        assertThat(one.sealed).isNotEqualTo(other.sealed);
    }

    @Test
    void withoutTheKeyNothingIsReadAndAnOldKeyStillReads(@TempDir Path directory) throws IOException {
        Path file = KeyFiles.create(directory.resolve("keys.p12"), "2025", "2026");
        ObjectEncryption old = ObjectEncryption.fresh(KeyFiles.load(file, "2025"), secure, SUBJECT);
        assertThat(ObjectEncryption.of(old.header(), KeyFiles.load(file, "2026"), SUBJECT)
                        .header())
                .isEqualTo(old.header());
        assertThatThrownBy(() -> ObjectEncryption.of(old.header(), keys, SUBJECT))
                .isInstanceOf(KeyMissingException.class)
                .hasMessageContaining("\"2025\" is not in")
                .hasMessageContaining("photos");
        KeyProvider sameName = KeyFiles.load(KeyFiles.create(directory.resolve("other.p12"), "2025"), "2025");
        assertThatThrownBy(() -> ObjectEncryption.of(old.header(), sameName, SUBJECT))
                .isInstanceOf(NotAuthenticException.class);
    }

    @Test
    void aKeyFileThatCannotServeSaysWhy(@TempDir Path directory) {
        Path two = KeyFiles.create(directory.resolve("two.p12"), "a", "b");
        char[] password = KeyFiles.PASSWORD.toCharArray();
        assertThatThrownBy(() -> Pkcs12Keys.load(two, password, null)).hasMessageContaining("[a, b]: choose the one");
        assertThatThrownBy(() -> Pkcs12Keys.load(two, password, "c")).hasMessageContaining("with the name c");
        assertThatThrownBy(() -> Pkcs12Keys.load(two, "wrong".toCharArray(), "a"))
                .isInstanceOf(IOException.class);
        Path weak = KeyFiles.create(directory.resolve("weak.p12"), 16, "a");
        assertThatThrownBy(() -> Pkcs12Keys.load(weak, password, null)).hasMessageContaining("no AES key of 256 bits");
        assertThatThrownBy(() -> Pkcs12Keys.load(directory.resolve("none"), password, null))
                .isInstanceOf(IOException.class);
    }

    private void refused(Stored stored) {
        assertThatThrownBy(() -> get(stored)).isInstanceOf(NotAuthenticException.class);
    }

    private static byte[] flipped(byte[] bytes, int bit) {
        byte[] changed = bytes.clone();
        changed[bit / 8] ^= (byte) (1 << bit % 8);
        return changed;
    }
}

package io.bulwark.transport.identity;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.id.P256;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.protocol.wire.Bytes;
import java.security.SecureRandom;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Tests what the owner of a key can do with it, and what others can do with the public one. */
@NullMarked
class SealedBoxTest {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final PrincipalId REPLICA = PrincipalId.replica(1);

    private final OwnKey own = Identity.generate(REPLICA, RANDOM).ownKey();
    private final OwnKey next = Identity.generate(REPLICA, RANDOM).ownKey();
    private final OwnKey other =
            Identity.generate(PrincipalId.replica(2), RANDOM).ownKey();
    private final Bytes secret = drawn(SealedBox.SECRET_BYTES);

    @Test
    void itsReceiverOpensItAndNobodyElse() {
        Bytes sealed = seal(own.publicKey());
        assertThat(SealedBox.open(sealed, own)).hasValue(secret);
        assertThat(SealedBox.open(sealed, other)).isEmpty();
        assertThat(seal(own.publicKey())).isNotEqualTo(sealed);
    }

    @Test
    void whileOneKeyTakesThePlaceOfAnotherBothOpenIt() {
        Bytes sealed = seal(own.publicKey(), next.publicKey());
        assertThat(SealedBox.open(sealed, own)).hasValue(secret);
        assertThat(SealedBox.open(sealed, next)).hasValue(secret);
        assertThat(SealedBox.open(sealed, other)).isEmpty();
        PrincipalKey key = own.publicKey();
        assertThat(seal(key, key, key, key, next.publicKey()).length()).isEqualTo(SealedBox.BYTES_MAX);
        assertThat(SealedBox.open(seal(), own)).isEmpty();
    }

    @Test
    void whatIsDamagedIsNotOpened() {
        Bytes sealed = seal(own.publicKey());
        for (int at = 0; at < sealed.length(); at++) {
            byte[] changed = sealed.toByteArray();
            changed[at] ^= 1;
            assertThat(SealedBox.open(Bytes.of(changed), own)).as("byte %s", at).isEmpty();
        }
        for (int length : new int[] {0, 1, 90, 91, 92, sealed.length() - 1}) {
            assertThat(SealedBox.open(sealed.slice(0, length), own)).isEmpty();
        }
        assertThat(SealedBox.open(Bytes.of(new byte[1 << 16]), own)).isEmpty();
    }

    @Test
    void aSignatureIsOfOneKeyAndOneContent() {
        Bytes content = Bytes.of((byte) 1, (byte) 2);
        Bytes signature = own.sign(content);
        assertThat(signature.length()).isEqualTo(P256.SIGNATURE_BYTES);
        assertThat(own.publicKey().verifies(content, signature)).isTrue();
        assertThat(other.publicKey().verifies(content, signature)).isFalse();
        assertThat(own.publicKey().verifies(Bytes.of((byte) 1), signature)).isFalse();
        for (Bytes bad : List.of(
                Bytes.EMPTY,
                Bytes.of((byte) 0x30),
                Bytes.of(new byte[64]),
                signature.slice(0, signature.length() - 1),
                drawn(64))) {
            assertThat(own.publicKey().verifies(content, bad)).isFalse();
        }
        assertThat(own.toString()).doesNotContainIgnoringCase("private");
    }

    @Test
    void thoseWhoMayBeBelievedAreFoundByTheirName() {
        TrustedKeys keys = new TrustedKeys(Map.of(
                own.publicKey(), REPLICA,
                next.publicKey(), REPLICA,
                other.publicKey(), PrincipalId.replica(2)));
        assertThat(keys.keysOf(REPLICA))
                .containsExactlyInAnyOrder(own.publicKey(), next.publicKey())
                .isSorted();
        assertThat(keys.keysOf(PrincipalId.replica(3))).isEmpty();
    }

    private static Bytes drawn(int length) {
        byte[] bytes = new byte[length];
        RANDOM.nextBytes(bytes);
        return Bytes.of(bytes);
    }

    private Bytes seal(PrincipalKey... keys) {
        return SealedBox.seal(secret, List.of(keys), RANDOM);
    }
}

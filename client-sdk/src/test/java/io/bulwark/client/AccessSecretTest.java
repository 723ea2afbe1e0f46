package io.bulwark.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.transport.identity.Identity;
import java.security.SecureRandom;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class AccessSecretTest {
    private final SecureRandom random = new SecureRandom();

    @Test
    void textHasFortyLettersAndDigits() {
        List<String> texts = IntStream.range(0, 100)
                .mapToObj(_ -> AccessSecret.random(random).text())
                .toList();
        assertThat(texts).doesNotHaveDuplicates().allMatch(text -> text.matches("[0-9A-Za-z]{40}"));
        byte[] ones = new byte[32];
        java.util.Arrays.fill(ones, (byte) 0xFF);
        assertThat(new AccessSecret(Bytes.of(ones)).text())
                .as("the lowest 40 digits of 2^256 - 1 with base 62, the lowest first")
                .isEqualTo(digits(ones));
        assertThat(new AccessSecret(Bytes.of(new byte[32])).text()).isEqualTo("0".repeat(40));
    }

    /** Divides by hand, byte by byte. */
    private static String digits(byte[] number) {
        int[] rest =
                IntStream.range(0, number.length).map(i -> number[i] & 0xFF).toArray();
        StringBuilder text = new StringBuilder();
        for (int digit = 0; digit < 40; digit++) {
            int carry = 0;
            for (int i = 0; i < rest.length; i++) {
                int part = carry * 256 + rest[i];
                rest[i] = part / 62;
                carry = part % 62;
            }
            text.append((char) (carry < 10 ? '0' + carry : carry < 36 ? 'A' + carry - 10 : 'a' + carry - 36));
        }
        return text.toString();
    }

    @Test
    void idsAreUpperCaseAndBeginWithTheProduct() {
        List<String> ids = IntStream.range(0, 100)
                .mapToObj(_ -> AccessSecret.randomId(random))
                .toList();
        assertThat(ids).doesNotHaveDuplicates().allMatch(id -> id.matches("BWK[A-Z2-7]{17}"));
    }

    @Test
    void onlyTheReaderOpensTheBox() {
        Identity reader = Identity.generate(PrincipalId.client(2), random);
        Identity other = Identity.generate(PrincipalId.client(3), random);
        AccessSecret secret = AccessSecret.random(random);
        Bytes box = secret.sealedFor(List.of(reader.publicKey()), random);
        assertThat(AccessSecret.open(box, reader.ownKey())).contains(secret);
        assertThat(AccessSecret.open(box, other.ownKey())).isEmpty();
        assertThat(secret.toString()).doesNotContain(secret.text());
    }
}

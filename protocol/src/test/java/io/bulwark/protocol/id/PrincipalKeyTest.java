package io.bulwark.protocol.id;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.security.GeneralSecurityException;
import java.security.KeyPairGenerator;
import java.security.spec.ECGenParameterSpec;
import java.util.Arrays;
import java.util.HexFormat;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

@NullMarked
class PrincipalKeyTest {
    private final PrincipalKey key = new PrincipalKey(generated("secp256r1"));

    PrincipalKeyTest() throws GeneralSecurityException {}

    @Test
    void whatIsWrittenIsRead() {
        WireWriter out = new WireWriter();
        key.write(out);
        WireReader in = new WireReader(out.toBytes());
        assertThat(PrincipalKey.read(in)).isEqualTo(key);
        in.end();
        assertThat(PrincipalKey.parse(key.text())).isEqualTo(key);
    }

    /** The generator of the curve (SEC 2, 2.4.2). */
    @Test
    void theGeneratorIsAKey() {
        String point = "6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"
                + "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5";
        Bytes encoded =
                Bytes.of(HexFormat.of().parseHex("3059301306072a8648ce3d020106082a8648ce3d03010703420004" + point));
        assertThat(new PrincipalKey(encoded).encoded()).isEqualTo(encoded);
    }

    @Test
    void everyOtherByteMakesItNoKeyOfTheCurve() {
        for (int i = 0; i < PrincipalKey.BYTES; i++) {
            byte[] changed = key.encoded().toByteArray();
            changed[i] ^= 1;
            assertThatThrownBy(() -> new PrincipalKey(Bytes.of(changed)))
                    .as("byte %d", i)
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void whatIsNoUncompressedPointOfP256IsRefused() throws GeneralSecurityException {
        for (Bytes wrong : new Bytes[] {
            Bytes.EMPTY,
            key.encoded().slice(0, PrincipalKey.BYTES - 1),
            Bytes.of(Arrays.copyOf(key.encoded().toByteArray(), PrincipalKey.BYTES + 1)),
            generated("secp384r1")
        }) {
            assertThatThrownBy(() -> new PrincipalKey(wrong)).isInstanceOf(IllegalArgumentException.class);
        }
        String text = key.text();
        for (String wrong : new String[] {
            "no key",
            "",
            "WRONG",
            "V1JPTkc=",
            text.substring(0, text.length() - 2),
            text.substring(0, text.length() - 4),
            text.substring(0, 41)
        }) {
            assertThatThrownBy(() -> PrincipalKey.parse(wrong))
                    .as(wrong)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith("this is not the whole of a public key");
        }
    }

    @Test
    void principalsAreReadAsTheyAreWritten() {
        for (PrincipalId principal :
                new PrincipalId[] {PrincipalId.node(0), PrincipalId.replica(31), PrincipalId.client(999_999_999)}) {
            assertThat(PrincipalId.parse(principal.toString())).isEqualTo(principal);
        }
        for (String wrong : new String[] {"nobody", "node", "node-", "node-01", "node--1", "client-1 ", "1", ""}) {
            assertThatThrownBy(() -> PrincipalId.parse(wrong)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    private static Bytes generated(String curve) throws GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec(curve));
        return Bytes.of(generator.generateKeyPair().getPublic().getEncoded());
    }
}

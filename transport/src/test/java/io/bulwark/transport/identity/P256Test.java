package io.bulwark.transport.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.protocol.id.P256;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.protocol.wire.Bytes;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.bouncycastle.asn1.x9.X9ECParameters;
import org.bouncycastle.crypto.digests.SHA256Digest;
import org.bouncycastle.crypto.ec.CustomNamedCurves;
import org.bouncycastle.crypto.params.ECDomainParameters;
import org.bouncycastle.crypto.params.ECPublicKeyParameters;
import org.bouncycastle.crypto.signers.ECDSASigner;
import org.bouncycastle.math.ec.ECFieldElement;
import org.bouncycastle.math.ec.ECPoint;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The verdicts of both providers, which must be equal wherever replicas may have different ones. */
@NullMarked
class P256Test {
    private static final X9ECParameters CURVE = CustomNamedCurves.getByName("secp256r1");
    private static final BigInteger N = CURVE.getN();
    private static final BigInteger P = CURVE.getCurve().getField().getCharacteristic();
    private static final String PREFIX = "3059301306072a8648ce3d020106082a8648ce3d03010703420004";
    private static final Bytes SAMPLE = text("sample");
    private static final BigInteger ONE = BigInteger.ONE;
    private static final int MUTATIONS = 400;

    private final Identity identity = Identity.generate(PrincipalId.client(1), new SecureRandom());

    /** The native one must load here: it has its library for this platform. */
    static List<P256> providers() throws GeneralSecurityException {
        return List.of(P256.ofPlatform(), NativeP256.load());
    }

    /** Signature of a key, a content and two numbers, and the verdict on it. */
    private record Vector(String name, PrincipalKey key, Bytes content, Bytes signature, boolean valid) {}

    @ParameterizedTest
    @MethodSource("providers")
    void theVectorsOfRfc6979Verify(P256 provider) {
        PrincipalKey key = key("60fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6"
                + "7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299");
        Bytes sample = hex("efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716"
                + "f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8");
        Bytes test = hex("f1abb023518351cd71d881567b1ea663ed3efcf6c5132b354f28d3b0b7d38367"
                + "019f4113742a2b14bd25926b49c649155f267e60d3814b4c0cc84250e46f0083");
        assertThat(provider.verifies(key, SAMPLE, sample)).isTrue();
        assertThat(provider.verifies(key, text("test"), test)).isTrue();
        assertThat(provider.verifies(key, text("test"), sample)).isFalse();
        assertThat(provider.verifies(identity.publicKey(), SAMPLE, sample)).isFalse();
    }

    @ParameterizedTest
    @MethodSource("providers")
    void aSignatureOfEitherVerifiesWithBoth(P256 provider) throws GeneralSecurityException {
        for (Bytes content :
                List.of(Bytes.EMPTY, SAMPLE, Bytes.of(new byte[100_000]).slice(3, 99_990))) {
            Bytes signature = provider.sign(identity.privateKey(), content);
            assertThat(signature.length()).isEqualTo(P256.SIGNATURE_BYTES);
            for (P256 other : providers()) {
                assertThat(other.verifies(identity.publicKey(), content, signature))
                        .as("%s by %s", provider, other)
                        .isTrue();
            }
        }
    }

    /** Each number outside its range is refused, also where a computation modulo n would accept it. */
    @ParameterizedTest
    @MethodSource("providers")
    void numbersOutOfRangeAreRefused(P256 provider) throws GeneralSecurityException {
        for (Vector vector : outOfRange().toList()) {
            assertThat(provider.verifies(vector.key, vector.content, vector.signature))
                    .as(vector.name)
                    .isEqualTo(vector.valid);
        }
    }

    private Stream<Vector> outOfRange() throws GeneralSecurityException {
        PrincipalKey own = identity.publicKey();
        Bytes signature = identity.sign(SAMPLE);
        BigInteger r = number(signature, 0);
        BigInteger s = number(signature, 32);
        BigInteger all = ONE.shiftLeft(256).subtract(ONE);
        // A key for which the numbers would be right if they were taken modulo n.
        ECPoint large = pointFrom(N);
        BigInteger wrapped = large.getAffineXCoord().toBigInteger().subtract(N);
        PrincipalKey ofLarge = keyOf(large, wrapped, s);
        ECPoint small = pointFrom(BigInteger.TWO);
        BigInteger smallX = small.getAffineXCoord().toBigInteger();
        PrincipalKey ofSmall = keyOf(small, smallX, BigInteger.TWO);
        return Stream.of(
                new Vector("as signed", own, SAMPLE, pair(r, s), true),
                new Vector("the other s", own, SAMPLE, pair(r, N.subtract(s)), true),
                new Vector("r = 0", own, SAMPLE, pair(BigInteger.ZERO, s), false),
                new Vector("s = 0", own, SAMPLE, pair(r, BigInteger.ZERO), false),
                new Vector("both 0", own, SAMPLE, pair(BigInteger.ZERO, BigInteger.ZERO), false),
                new Vector("r = n", own, SAMPLE, pair(N, s), false),
                new Vector("s = n", own, SAMPLE, pair(r, N), false),
                new Vector("r = n - 1", own, SAMPLE, pair(N.subtract(ONE), s), false),
                new Vector("s = n - 1", own, SAMPLE, pair(r, N.subtract(ONE)), false),
                new Vector("r = p", own, SAMPLE, pair(P, s), false),
                new Vector("all bits", own, SAMPLE, pair(all, all), false),
                new Vector("exchanged", own, SAMPLE, pair(s, r), false),
                new Vector("small numbers", ofSmall, SAMPLE, pair(smallX, BigInteger.TWO), true),
                new Vector("r + n", ofSmall, SAMPLE, pair(smallX.add(N), BigInteger.TWO), false),
                new Vector("s + n", ofSmall, SAMPLE, pair(smallX, BigInteger.TWO.add(N)), false),
                new Vector("x of the point above n", ofLarge, SAMPLE, pair(wrapped, s), true),
                new Vector("its x in place of r", ofLarge, SAMPLE, pair(wrapped.add(N), s), false),
                new Vector(
                        "no point but infinity",
                        keyOf(CURVE.getCurve().getInfinity(), r, s),
                        SAMPLE,
                        pair(r, s),
                        false));
    }

    @ParameterizedTest
    @MethodSource("providers")
    void otherLengthsAndFormsAreRefused(P256 provider) {
        Bytes signature = identity.sign(SAMPLE);
        byte[] longer = new byte[P256.SIGNATURE_BYTES + 1];
        System.arraycopy(signature.toByteArray(), 0, longer, 1, P256.SIGNATURE_BYTES);
        for (Bytes other : List.of(
                Bytes.EMPTY,
                Bytes.of((byte) 0),
                signature.slice(0, 63),
                signature.slice(1, 63),
                signature.slice(0, 32),
                Bytes.of(longer),
                hex("3006020101020101"),
                Bytes.of(new byte[1 << 16]))) {
            assertThat(provider.verifies(identity.publicKey(), SAMPLE, other)).isFalse();
        }
    }

    /** An implementation of its own, which knows no providers, is the oracle. */
    @Test
    void bothJudgeRandomBytesAsTheOracleDoes() throws GeneralSecurityException {
        long seed = new SecureRandom().nextLong();
        Random random = new Random(seed);
        for (int i = 0; i < MUTATIONS; i++) {
            byte[] bytes = identity.sign(SAMPLE).toByteArray();
            switch (random.nextInt(4)) {
                case 0 -> bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
                case 1 -> random.nextBytes(bytes);
                case 2 -> Arrays.fill(bytes, 4, 32, (byte) 0xff); // About n, above and below.
                default -> {} // As it was signed.
            }
            Bytes signature = Bytes.of(bytes);
            boolean expected = isValid(identity.publicKey(), SAMPLE, signature);
            for (P256 provider : providers()) {
                assertThat(provider.verifies(identity.publicKey(), SAMPLE, signature))
                        .as("seed %d, run %d, %s: %s", seed, i, provider, signature.toHex())
                        .isEqualTo(expected);
            }
        }
    }

    @Test
    void bothAgreeOnTheSamePoint() throws GeneralSecurityException {
        Identity other = Identity.generate(PrincipalId.client(2), new SecureRandom());
        for (P256 one : providers()) {
            for (P256 another : providers()) {
                Bytes agreed = one.agree(identity.privateKey(), other.publicKey());
                assertThat(agreed.length()).isEqualTo(32);
                assertThat(another.agree(other.privateKey(), identity.publicKey()))
                        .isEqualTo(agreed);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("providers")
    void aKeyThatIsNotInMemoryIsRefused(P256 provider) {
        PrivateKey elsewhere = new PrivateKey() {
            private static final long serialVersionUID = 1L;

            @Override
            public String getAlgorithm() {
                return "EC";
            }

            @Override
            @SuppressWarnings("NullAway") // As keys in devices have none.
            public byte[] getEncoded() {
                return null;
            }

            @Override
            @SuppressWarnings("NullAway")
            public String getFormat() {
                return null;
            }
        };
        assertThatThrownBy(() -> provider.sign(elsewhere, SAMPLE)).isInstanceOf(GeneralSecurityException.class);
    }

    private static boolean isValid(PrincipalKey key, Bytes content, Bytes signature) {
        Bytes point = key.encoded().slice(PREFIX.length() / 2 - 1, 65);
        ECDSASigner oracle = new ECDSASigner();
        oracle.init(
                false,
                new ECPublicKeyParameters(
                        CURVE.getCurve().decodePoint(point.toByteArray()), new ECDomainParameters(CURVE)));
        return oracle.verifySignature(digest(content), number(signature, 0), number(signature, 32));
    }

    /** Returns the key for which (r, s) leads to this point: {@code (s R - e G) / r}. */
    private static PrincipalKey keyOf(ECPoint point, BigInteger r, BigInteger s) {
        BigInteger e = new BigInteger(1, digest(SAMPLE));
        ECPoint key = point.multiply(s)
                .subtract(CURVE.getG().multiply(e))
                .multiply(r.modInverse(N))
                .normalize();
        return key(HexFormat.of().formatHex(key.getEncoded(false), 1, 65));
    }

    /** Returns the first point whose x coordinate is at least this. */
    private static ECPoint pointFrom(BigInteger x) {
        for (BigInteger each = x; ; each = each.add(ONE)) {
            ECFieldElement at = CURVE.getCurve().fromBigInteger(each);
            ECFieldElement y = at.square()
                    .add(CURVE.getCurve().getA())
                    .multiply(at)
                    .add(CURVE.getCurve().getB())
                    .sqrt();
            if (y != null) {
                return CURVE.getCurve().createPoint(each, y.toBigInteger());
            }
        }
    }

    private static byte[] digest(Bytes content) {
        SHA256Digest digest = new SHA256Digest();
        digest.update(content.array(), content.offset(), content.length());
        byte[] out = new byte[32];
        digest.doFinal(out, 0);
        return out;
    }

    private static BigInteger number(Bytes signature, int from) {
        return new BigInteger(1, signature.slice(from, 32).toByteArray());
    }

    private static Bytes pair(BigInteger r, BigInteger s) {
        return hex(String.format("%064x%064x", r, s));
    }

    private static PrincipalKey key(String coordinates) {
        return new PrincipalKey(hex(PREFIX + coordinates));
    }

    private static Bytes text(String text) {
        return Bytes.of(text.getBytes(StandardCharsets.US_ASCII));
    }

    private static Bytes hex(String text) {
        return Bytes.of(HexFormat.of().parseHex(text));
    }
}

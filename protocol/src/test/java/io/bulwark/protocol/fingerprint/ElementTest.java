package io.bulwark.protocol.fingerprint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.bulwark.protocol.erasure.GaloisField;
import io.bulwark.protocol.wire.Bytes;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** E is a field, and its arithmetic that of polynomials modulo p, computed here once more in the plainest way. */
class ElementTest {
    private static final long SEED = Long.getLong("bulwark.seed", System.nanoTime());

    static {
        System.out.println("ElementTest: -Dbulwark.seed=" + SEED);
    }

    /** p(x) = x^16 + x^5 + x^2 + 2, constant term first. */
    private static final int[] P = {2, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};

    private static final int[] X = {0, 1};

    private final Random random = new Random(SEED);

    /**
     * Rabin's test: p of degree 16 is irreducible over GF(q), q = 2^8, iff x^(q^16) = x modulo p, and x^(q^8) - x has
     * no factor in common with p; 2 is the only prime factor of 16.
     */
    @Test
    void theModulusIsIrreducible() {
        int[] half = frobenius(X, 8);
        assertThat(gcd(P, plus(half, X))).as("gcd(p, x^(q^8) - x)").hasSize(1);
        assertThat(frobenius(half, 8)).as("x^(q^16) mod p").isEqualTo(X);
    }

    /** The test can fail: a product of two polynomials does not pass it. */
    @Test
    void theTestOfIrreducibilityRefusesAProduct() {
        int[] reducible = product(new int[] {2, 0, 1, 0, 0, 0, 0, 0, 1}, new int[] {3, 1, 0, 0, 0, 0, 0, 0, 1});
        int[] power = X;
        for (int i = 0; i < 8 * 16; i++) {
            power = remainder(product(power, power), reducible);
        }
        assertThat(power).isNotEqualTo(X);
    }

    @Test
    void productsAreThoseOfPolynomialsModuloP() {
        for (int round = 0; round < 200; round++) {
            Element a = randomElement();
            Element b = randomElement();
            int[] expected = remainder(product(polynomial(a), polynomial(b)), P);
            assertThat(polynomial(a.times(b))).as("seed %d", SEED).isEqualTo(expected);
            assertThat(new Multiplier(b).times(a)).as("seed %d", SEED).isEqualTo(a.times(b));
        }
    }

    @Test
    void scalingIsMultiplicationInTheCodesField() {
        for (int constant = 0; constant < 256; constant++) {
            Element a = randomElement();
            Element scaled = a.scaled(constant);
            for (int j = 0; j < Element.BYTES; j++) {
                assertThat(scaled.coefficient(j)).isEqualTo(GaloisField.multiply(constant, a.coefficient(j)));
            }
        }
    }

    @Test
    void squaringRaisesToPowersOfTwo() {
        Element a = randomElement();
        assertThat(a.squared(0)).isEqualTo(a);
        assertThat(a.squared(2)).isEqualTo(a.times(a).times(a).times(a));
    }

    @Test
    void bytesAreTheCoefficientsInOrder() {
        byte[] bytes = new byte[16];
        random.nextBytes(bytes);
        Element element = Element.of(Bytes.of(bytes));
        for (int j = 0; j < 16; j++) {
            assertThat(element.coefficient(j)).isEqualTo(bytes[j]);
        }
        assertThat(element.toBytes()).isEqualTo(Bytes.of(bytes));
        assertThatIllegalArgumentException().isThrownBy(() -> Element.of(Bytes.of(new byte[15])));
    }

    private Element randomElement() {
        return new Element(random.nextLong(), random.nextLong());
    }

    /** a^(q^times) modulo p. */
    private static int[] frobenius(int[] a, int times) {
        int[] power = a;
        for (int i = 0; i < 8 * times; i++) {
            power = remainder(product(power, power), P);
        }
        return power;
    }

    private static int[] polynomial(Element element) {
        int[] coefficients = new int[Element.BYTES];
        for (int j = 0; j < Element.BYTES; j++) {
            coefficients[j] = element.coefficient(j) & 0xFF;
        }
        return trimmed(coefficients);
    }

    private static int[] plus(int[] a, int[] b) {
        int[] sum = Arrays.copyOf(a, Math.max(a.length, b.length));
        for (int i = 0; i < b.length; i++) {
            sum[i] ^= b[i];
        }
        return trimmed(sum);
    }

    private static int[] product(int[] a, int[] b) {
        int[] product = new int[a.length + b.length];
        for (int i = 0; i < a.length; i++) {
            for (int j = 0; j < b.length; j++) {
                product[i + j] ^= times(a[i], b[j]);
            }
        }
        return trimmed(product);
    }

    private static int[] remainder(int[] a, int[] divisor) {
        int[] rest = a.clone();
        int lead = inverse(divisor[divisor.length - 1]);
        for (int top = rest.length - 1; top >= divisor.length - 1; top--) {
            int factor = times(rest[top], lead);
            for (int i = 0; i < divisor.length; i++) {
                rest[top - divisor.length + 1 + i] ^= times(factor, divisor[i]);
            }
        }
        return trimmed(rest);
    }

    private static int[] gcd(int[] a, int[] b) {
        return b.length == 0 ? a : gcd(b, remainder(a, b));
    }

    private static int[] trimmed(int[] a) {
        int length = a.length;
        while (length > 0 && a[length - 1] == 0) {
            length--;
        }
        return Arrays.copyOf(a, length);
    }

    /** Shift and add in GF(2)[x] / 0x11D, independent of any table. */
    private static int times(int a, int b) {
        int product = 0;
        int shifted = a;
        for (int bit = 0; bit < 8; bit++) {
            if ((b >>> bit & 1) != 0) {
                product ^= shifted;
            }
            shifted <<= 1;
            if (shifted > 0xFF) {
                shifted ^= 0x11D;
            }
        }
        return product;
    }

    private static int inverse(int a) {
        for (int b = 1; b < 256; b++) {
            if (times(a, b) == 1) {
                return b;
            }
        }
        throw new ArithmeticException("no inverse of " + a);
    }
}

package io.bulwark.protocol.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Choice of the archive's parameters (e-SAFE 3.2). */
class ArchiveChooserTest {
    @ParameterizedTest
    @CsvSource({"40, 20, 0.9", "36, 25, 0.9", "255, 100, 0.5", "10, 1, 0.1", "10, 10, 0.99"})
    void shortfallIsTheBinomialSum(int nodes, int needed, double availability) {
        BigDecimal up = BigDecimal.valueOf(availability);
        BigDecimal sum = BigDecimal.ZERO;
        for (int j = 0; j < needed; j++) {
            sum = sum.add(new BigDecimal(choose(nodes, j))
                    .multiply(up.pow(j))
                    .multiply(BigDecimal.ONE.subtract(up).pow(nodes - j)));
        }
        double exact = sum.round(MathContext.DECIMAL64).doubleValue();
        assertThat(new AvailabilityTarget(availability, 1e-6).shortfall(nodes, needed))
                .isCloseTo(exact, within(exact * 1e-9));
    }

    private static BigInteger choose(int n, int k) {
        BigInteger result = BigInteger.ONE;
        for (int i = 0; i < k; i++) {
            result = result.multiply(BigInteger.valueOf(n - i)).divide(BigInteger.valueOf(i + 1L));
        }
        return result;
    }

    @ParameterizedTest
    @CsvSource({"0.158655254, 1", "0.0227501319, 2", "1.34989803e-3, 3", "9.86587645e-10, 6"})
    void lambdaIsTheNormalQuantile(double target, double lambda) {
        assertThat(new AvailabilityTarget(0.9, target).normalQuantile()).isCloseTo(lambda, within(1e-6));
    }

    /** Returns the least number of nodes of which so many are up with the probability that is wanted. */
    private static int nodesFor(AvailabilityTarget target, int needed) {
        int nodes = needed;
        while (!target.holds(nodes, needed)) {
            nodes++;
        }
        return nodes;
    }

    /** The closed formula takes the distribution as normal: near, and too low where few nodes are needed. */
    @Test
    void theFormulaIsNearTheSum() {
        AvailabilityTarget target = new AvailabilityTarget(0.9, 1e-3);
        assertThat(target.stretch(100) * 100).isCloseTo(nodesFor(target, 100), within(2.0));
        assertThat(target.stretch(20) * 20).isCloseTo(nodesFor(target, 20), within(2.0));
        AvailabilityTarget rare = new AvailabilityTarget(0.99, 1e-9);
        assertThat(rare.stretch(4) * 4).isLessThan(nodesFor(rare, 4));
    }

    @Test
    void theChoiceIsTheGreatestMThatReachesTheTarget() {
        AvailabilityTarget target = new AvailabilityTarget(0.9, 1e-6);
        ProtectionPolicy policy = ArchiveChooser.choose(target, 4, 40);
        PolicyAdvice advice = PolicyAdvice.of(policy, target);
        assertThat(advice.afterWrite()).isLessThanOrEqualTo(1e-6);
        ProtectionPolicy next = ProtectionPolicy.archive(4, policy.m() + 1, 40, policy.blockBytes());
        assertThat(PolicyAdvice.of(next, target).afterWrite()).isGreaterThan(1e-6);
        assertThat(advice.whenComplete()).isLessThan(1e-6);
        assertThat(policy.writeQuorum()).isEqualTo(policy.m() + 4 + policy.awayAfterWrite());
        assertThat(policy.n() - policy.writeQuorum()).isGreaterThanOrEqualTo(4);
        assertThat(advice.storedPerByte()).isCloseTo(40.0 / policy.m(), within(0.05 * 40.0 / policy.m()));
    }

    @Test
    void theAdviceOfOtherClassesIsThatOfTheirQuorums() {
        AvailabilityTarget target = new AvailabilityTarget(0.9, 1e-6);
        PolicyAdvice fp = PolicyAdvice.of(ProtectionPolicy.standard(), target);
        assertThat(fp.asked()).isEqualTo(3);
        assertThat(fp.storedPerByte()).isEqualTo(2);
        assertThat(fp.afterWrite()).as("one of three is away").isCloseTo(1 - 0.9 * 0.9 * 0.9, within(1e-9));
        assertThat(fp.writeWaits()).isEqualTo(fp.afterWrite());
        PolicyAdvice copies = PolicyAdvice.of(ProtectionPolicy.pasis(1, 1, 5, 1 << 20, Verification.LAZY), target);
        assertThat(copies.afterWrite()).as("three of three are away").isCloseTo(0.001, within(1e-9));
        assertThat(copies.whenComplete()).isCloseTo(0.0001, within(1e-9));
    }

    @Test
    void aTargetThatCannotBeReachedIsRefusedWithTheSum() {
        assertThatThrownBy(() -> ArchiveChooser.choose(new AvailabilityTarget(0.5, 1e-6), 4, 40))
                .hasMessageContaining("does not reach the target")
                .hasMessageContaining("of 36 nodes are away with a probability of");
        assertThatThrownBy(() -> ArchiveChooser.choose(new AvailabilityTarget(0.9, 1e-6), 4, 12))
                .hasMessageContaining("3f + 1 to 255 nodes");
        assertThatThrownBy(() -> ArchiveChooser.choose(new AvailabilityTarget(0.9, 1e-6), 4, 256))
                .hasMessageContaining("256 nodes");
        assertThatThrownBy(() -> new AvailabilityTarget(1, 1e-6)).hasMessageContaining("between 0 and 1");
        assertThatThrownBy(() -> new AvailabilityTarget(0.9, 0.7)).hasMessageContaining("between 0 and 0.5");
    }
}

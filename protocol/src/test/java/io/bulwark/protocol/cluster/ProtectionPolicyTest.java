package io.bulwark.protocol.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@NullMarked
class ProtectionPolicyTest {
    private static final int MIB = 1 << 20;

    @ParameterizedTest
    @CsvSource({"1, 2, 4", "1, 3, 5", "1, 4, 6", "2, 3, 7", "2, 4, 8", "3, 4, 10", "3, 5, 11"})
    void commonPoliciesAreAccepted(int f, int m, int n) {
        ProtectionPolicy policy = new ProtectionPolicy(f, m, n, MIB);
        WireWriter out = new WireWriter();
        policy.write(out);
        assertThat(ProtectionPolicy.read(new WireReader(out.toBytes()))).isEqualTo(policy);
    }

    @ParameterizedTest
    @CsvSource({"0, 2, 2", "1, 1, 3", "1, 2, 5", "2, 2, 6", "100, 101, 301"})
    void onlyTheArithmeticOfFp(int f, int m, int n) {
        assertThatIllegalArgumentException().isThrownBy(() -> new ProtectionPolicy(f, m, n, MIB));
    }

    @Test
    void aPolicyWithWeakFingerprintsIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new ProtectionPolicy(7, 8, 22, MIB))
                .withMessageContaining("m=8, n=22")
                .withMessageContaining("2^-64");
        WireWriter out = new WireWriter().u8(7).u8(8).u8(22).i32(MIB);
        assertThatThrownBy(() -> ProtectionPolicy.read(new WireReader(out.toBytes())))
                .isInstanceOf(MalformedException.class);
    }
}

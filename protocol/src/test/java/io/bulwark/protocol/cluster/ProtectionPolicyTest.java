package io.bulwark.protocol.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.List;
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

    @ParameterizedTest
    @CsvSource({"1, 2, 5", "1, 1, 5", "1, 3, 6", "2, 3, 9", "3, 4, 13", "5, 6, 21"})
    void policiesOfPasisComeBack(int b, int m, int n) {
        for (Verification verification : Verification.values()) {
            ProtectionPolicy policy = ProtectionPolicy.pasis(b, m, n, MIB, verification);
            WireWriter out = new WireWriter();
            policy.write(out);
            assertThat(ProtectionPolicy.read(new WireReader(out.toBytes()))).isEqualTo(policy);
            assertThat(policy.writeQuorum()).isEqualTo(n - b);
            assertThat(Verification.of(verification.text())).contains(verification);
        }
    }

    @ParameterizedTest
    @CsvSource({"0, 1, 1", "1, 0, 5", "1, 3, 5", "1, 2, 4", "2, 3, 8", "15, 1, 65", "-1, 1, 5", "536870912, 1, 5"})
    void onlyTheArithmeticOfPasis(int b, int m, int n) {
        assertThatIllegalArgumentException().isThrownBy(() -> ProtectionPolicy.pasis(b, m, n, MIB, Verification.LAZY));
    }

    @ParameterizedTest
    @CsvSource({"1, 5", "1, 9", "2, 9", "3, 13", "15, 64"})
    void policiesOfMaskingQuorumsComeBack(int b, int n) {
        ProtectionPolicy policy = ProtectionPolicy.masking(b, n, MIB);
        WireWriter out = new WireWriter();
        policy.write(out);
        assertThat(ProtectionPolicy.read(new WireReader(out.toBytes()))).isEqualTo(policy);
        assertThat(policy.writeQuorum()).isEqualTo(n - b);
        assertThat(policy.fragmentBytes(MIB)).as("a whole copy").isEqualTo(MIB);
        assertThat(policy.lackingMax()).as("as PASIS, whose nodes keep them").isEqualTo(2 * b);
        assertThat(policy.readHolders()).isZero();
    }

    @ParameterizedTest
    @CsvSource({"0, 5", "1, 4", "2, 8", "15, 60", "1, 65", "-1, 5", "536870912, 1"})
    void onlyTheArithmeticOfMaskingQuorums(int b, int n) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ProtectionPolicy.masking(b, n, MIB))
                .withMessageContaining("4b + 1 is " + (4L * b + 1))
                .withMessageContaining("fewer faults or more nodes");
    }

    @Test
    void maskingQuorumsKeepWholeCopiesThatAreVerifiedLazily() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new ProtectionPolicy(Protocol.MASKING, 1, 2, 5, MIB, Verification.LAZY))
                .withMessageContaining("whole copies");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new ProtectionPolicy(Protocol.MASKING, 1, 1, 5, MIB, Verification.NONE));
    }

    @ParameterizedTest
    @CsvSource({"1, 2, 4, 3", "2, 4, 16, 12", "4, 14, 40, 32", "4, 13, 40, 32", "50, 100, 255, 192"})
    void policiesOfTheArchiveComeBack(int f, int m, int n, int writeQuorum) {
        ProtectionPolicy policy = ProtectionPolicy.archive(f, m, n, MIB);
        WireWriter out = new WireWriter();
        policy.write(out);
        assertThat(ProtectionPolicy.read(new WireReader(out.toBytes()))).isEqualTo(policy);
        assertThat(policy.writeQuorum()).isEqualTo(writeQuorum);
        assertThat(policy.readHolders()).isEqualTo(m + f);
        assertThat(policy.lackingMax()).isEqualTo(n - m);
        assertThat(writeQuorum - f - policy.awayAfterWrite())
                .as("left of a write")
                .isEqualTo(m);
        assertThat(n - writeQuorum).as("slots that a write does not wait for").isGreaterThanOrEqualTo(f);
        assertThat(policy.paddedBytes(MIB)).isBetween(MIB, MIB + 1024);
        assertThat(policy.fragmentBytes(MIB)).isBetween(MIB / m, MIB / m + MIB / 8);
    }

    @ParameterizedTest
    @CsvSource({"0, 1, 5", "2, 2, 9", "2, 4, 7", "4, 20, 256"})
    void onlyTheArithmeticOfTheArchive(int f, int m, int n) {
        assertThatIllegalArgumentException().isThrownBy(() -> ProtectionPolicy.archive(f, m, n, MIB));
    }

    @Test
    void symbolsOfWhichTwoCouldPassAsOneAreRefused() {
        assertThatThrownBy(() -> ProtectionPolicy.archive(1, 2, 255, ProtectionPolicy.BLOCK_BYTES_MAX))
                .hasMessageContaining("two blocks could pass as one");
    }

    @Test
    void unknownProtocolsAndVerificationsAreMalformed() {
        for (WireWriter out : List.of(
                new WireWriter().u8(3).u8(2).u8(1).u8(2).u8(5).i32(MIB),
                new WireWriter().u8(1).u8(4).u8(1).u8(2).u8(5).i32(MIB),
                // FP verifies when it writes.
                new WireWriter().u8(0).u8(2).u8(1).u8(2).u8(4).i32(MIB))) {
            assertThatThrownBy(() -> ProtectionPolicy.read(new WireReader(out.toBytes())))
                    .isInstanceOf(MalformedException.class);
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new ProtectionPolicy(Protocol.FP, 1, 2, 4, MIB, Verification.LAZY));
    }

    @Test
    void aPolicyWithWeakFingerprintsIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new ProtectionPolicy(7, 8, 22, MIB))
                .withMessageContaining("m=8, n=22")
                .withMessageContaining("2^-64");
        WireWriter out = new WireWriter().u8(0).u8(0).u8(7).u8(8).u8(22).i32(MIB);
        assertThatThrownBy(() -> ProtectionPolicy.read(new WireReader(out.toBytes())))
                .isInstanceOf(MalformedException.class);
    }
}

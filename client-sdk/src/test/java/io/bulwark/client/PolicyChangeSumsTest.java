package io.bulwark.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.protocol.cluster.ArchiveChooser;
import io.bulwark.protocol.cluster.AvailabilityTarget;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Verification;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

@NullMarked
class PolicyChangeSumsTest {
    private static final int BLOCK = 4096;
    private static final ProtectionPolicy FP = new ProtectionPolicy(1, 2, 4, BLOCK);
    private static final ProtectionPolicy PASIS = ProtectionPolicy.pasis(1, 2, 5, BLOCK, Verification.READ_TIME);
    private static final ProtectionPolicy MASKING = ProtectionPolicy.masking(1, 5, BLOCK);
    private static final ProtectionPolicy ARCHIVE = ProtectionPolicy.archive(1, 3, 8, BLOCK);

    @Test
    void faultsAloneMoveTheOtherNumbersAsTheSumsAsk() {
        assertThat(PolicyChange.ofFaults(2).of(FP)).isEqualTo(new ProtectionPolicy(2, 3, 7, BLOCK));
        assertThat(PolicyChange.ofFaults(1).of(new ProtectionPolicy(2, 4, 8, BLOCK)))
                .isEqualTo(new ProtectionPolicy(1, 4, 6, BLOCK));
        assertThat(PolicyChange.ofFaults(2).of(PASIS))
                .isEqualTo(ProtectionPolicy.pasis(2, 2, 9, BLOCK, Verification.READ_TIME));
        assertThat(PolicyChange.ofFaults(2).of(MASKING)).isEqualTo(ProtectionPolicy.masking(2, 9, BLOCK));
        assertThat(PolicyChange.ofFaults(1).of(ProtectionPolicy.masking(2, 9, BLOCK)))
                .isEqualTo(ProtectionPolicy.masking(1, 9, BLOCK));
        assertThat(PolicyChange.ofFaults(3).of(ARCHIVE)).isEqualTo(ProtectionPolicy.archive(3, 4, 10, BLOCK));
    }

    @Test
    void slotsAloneChangeHowManyFragmentsGiveABlockBackUnderFpAndNothingElseInTheArchive() {
        assertThat(new PolicyChange(null, null, 6).of(FP)).isEqualTo(new ProtectionPolicy(1, 4, 6, BLOCK));
        assertThat(new PolicyChange(null, null, 40).of(ARCHIVE)).isEqualTo(ProtectionPolicy.archive(1, 3, 40, BLOCK));
        assertThat(new PolicyChange(null, 12, 40).of(ARCHIVE)).isEqualTo(ProtectionPolicy.archive(1, 12, 40, BLOCK));
    }

    @Test
    void faultsAloneNeedNoNewGroupsWhereTheSlotsSuffice() {
        assertThat(PolicyChange.ofFaults(2).isOfFaultsAlone(ProtectionPolicy.masking(1, 9, BLOCK)))
                .isTrue();
        assertThat(PolicyChange.ofFaults(1).isOfFaultsAlone(ProtectionPolicy.masking(2, 9, BLOCK)))
                .isTrue();
        assertThat(PolicyChange.ofFaults(2).isOfFaultsAlone(MASKING)).isFalse();
        assertThat(PolicyChange.ofFaults(2).isOfFaultsAlone(FP)).isFalse();
        assertThat(PolicyChange.ofFaults(0).isOfFaultsAlone(MASKING)).isFalse();
        assertThat(new PolicyChange(2, null, 10).isOfFaultsAlone(ProtectionPolicy.masking(1, 9, BLOCK)))
                .isFalse();
        assertThat(new PolicyChange(null, null, 9).isOfFaultsAlone(ProtectionPolicy.masking(1, 9, BLOCK)))
                .isFalse();
    }

    @Test
    void sumsThatFailAreTold() {
        assertThatThrownBy(() -> new PolicyChange(2, null, 6).of(FP)).hasMessageContaining("n = m + 2f");
        assertThatThrownBy(() -> new PolicyChange(2, 4, 9).of(FP)).hasMessageContaining("got f=2 m=4 n=9");
        assertThatThrownBy(() -> new PolicyChange(2, null, 8).of(MASKING)).hasMessageContaining("4b + 1 is 9");
        assertThatThrownBy(() -> PolicyChange.ofFaults(0).of(FP)).hasMessageContaining("from 1 to 255");
        assertThatThrownBy(() -> new PolicyChange(null, null, 4).of(ARCHIVE)).hasMessageContaining("m + 2f <= n");
    }

    @Test
    void aTargetChoosesTheDataFragmentsOfTheArchiveClass() {
        AvailabilityTarget target = new AvailabilityTarget(0.9, 1e-3);
        ProtectionPolicy wider = new PolicyChange(null, null, 40, target).of(ARCHIVE);
        int m = ArchiveChooser.choose(target, 1, 40).m();
        assertThat(wider).isEqualTo(ProtectionPolicy.archive(1, m, 40, BLOCK));
        assertThatThrownBy(() -> new PolicyChange(null, null, 6, target).of(FP))
                .hasMessage("a target chooses the data fragments of the archive class");
        assertThatThrownBy(() -> new PolicyChange(null, 3, 40, target).of(ARCHIVE))
                .isInstanceOf(IllegalArgumentException.class);
    }
}

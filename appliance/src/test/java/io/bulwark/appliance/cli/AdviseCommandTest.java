package io.bulwark.appliance.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class AdviseCommandTest {
    @Test
    void showsEachClassAndItsPrice() {
        CommandOutput output =
                CommandOutput.of("advise", "--nodes", "40", "--faults", "4", "--availability", "0.9", "--price", "10");
        assertThat(output.exitCode()).isZero();
        assertThat(output.out())
                .contains("TB-MONTH")
                .contains("fp f=4 m=5 n=13")
                .contains("pasis b=4 m=5 n=17 lazy")
                .contains("masking b=4 n=17")
                .contains("archive f=4 m=14 n=40");
    }

    @Test
    void aClassThatDoesNotFitIsNamedWithTheSum() {
        CommandOutput output = CommandOutput.of("advise", "--nodes", "15", "--faults", "4", "--availability", "0.9");
        assertThat(output.exitCode()).isZero();
        assertThat(output.out())
                .contains("pasis b=4 m=5 n=17 lazy needs 17 nodes, there are 15.")
                .contains("archive with f=4 over 15 nodes does not reach the target");
    }

    @Test
    void impossibleNumbersAreUsageErrors() {
        assertThat(CommandOutput.of("advise", "--nodes", "40", "--availability", "1")
                        .exitCode())
                .isEqualTo(CommandFailure.USAGE);
        assertThat(CommandOutput.of("advise", "--nodes", "0").exitCode()).isEqualTo(CommandFailure.USAGE);
        assertThat(CommandOutput.of("advise").exitCode()).isEqualTo(CommandFailure.USAGE);
    }
}

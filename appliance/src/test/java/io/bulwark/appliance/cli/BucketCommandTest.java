package io.bulwark.appliance.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.protocol.metadata.DefaultRetention;
import io.bulwark.protocol.object.Retention;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BucketCommandTest {
    @TempDir
    private Path noAppliance = Path.of("");

    @ParameterizedTest
    @ValueSource(strings = {"governance:30d", "compliance:1y", "compliance:100y", "none"})
    void aRetentionIsReadAsItIsShown(String text) {
        assertThat(BucketCommand.text(BucketCommand.retention(text))).isEqualTo(text);
    }

    @Test
    void aRetentionHasAModeAndATime() {
        assertThat(BucketCommand.retention("compliance:7y"))
                .isEqualTo(new DefaultRetention(Retention.Mode.COMPLIANCE, 7, true));
        for (String wrong : List.of("", "governance", "governance:0d", "governance:1w", "none:1d", "compliance:101y")) {
            assertThatThrownBy(() -> BucketCommand.retention(wrong)).as(wrong).isInstanceOf(CommandFailure.class);
        }
    }

    @Test
    void settingsAreCheckedBeforeTheClusterIsAsked() {
        assertThat(set()).isEqualTo(CommandFailure.USAGE);
        assertThat(set("--quota", "many")).isEqualTo(CommandFailure.USAGE);
        assertThat(set("--versioning", "keep", "--quota", "5GiB")).isEqualTo(CommandFailure.UNAVAILABLE);
    }

    private int set(String... options) {
        List<String> arguments = new ArrayList<>(List.of("bucket", "set", "photos", "--data", noAppliance.toString()));
        arguments.addAll(List.of(options));
        return BulwarkCommand.run(arguments.toArray(String[]::new));
    }
}

package io.bulwark.appliance;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class MainTest {
    @Test
    void membersLogAndOperatorsGetAnswers() {
        for (String server : List.of(
                "up --detach", "node --config f", "replica --config f", "supervise", "console", "s3 --config f")) {
            assertThat(Main.isServer(server.split(" "))).as(server).isTrue();
        }
        for (String command :
                List.of("node add 5", "node list", "replica replace 1 4", "status", "put f b", "--help")) {
            assertThat(Main.isServer(command.split(" "))).as(command).isFalse();
        }
        assertThat(Main.isServer(new String[0])).isFalse();
    }
}

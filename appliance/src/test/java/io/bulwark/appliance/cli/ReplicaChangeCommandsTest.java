package io.bulwark.appliance.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.membership.Member;
import io.bulwark.protocol.wire.Bytes;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Addresses and keys as they are typed. */
@NullMarked
class ReplicaChangeCommandsTest {
    private static Member member(int number) {
        return new Member(PrincipalId.replica(number), Bytes.of((byte) number), "host:" + (7600 + number));
    }

    @Test
    void anAddressWithoutAPortHasThatOfTheOthersBase() {
        List<Member> three = List.of(member(0), member(1), member(2));
        int base = ReplicaChangeCommands.portBase(
                three, each -> "[::1]:" + (17_600 + each.replica().number()));
        assertThat(base).isEqualTo(17_400);
        assertThat(ReplicaChangeCommands.portBase(
                        three, each -> "host-" + each.replica().number() + ":7600"))
                .as("no base")
                .isEqualTo(7_400);
        assertThat(coming("host").at(base).address()).isEqualTo("host:17604");
        assertThat(coming("host:99").at(base).address()).isEqualTo("host:99");
    }

    private static ReplicaChangeCommands.JoiningReplica coming(String address) {
        return new ReplicaChangeCommands.JoiningReplica(PrincipalId.replica(4), Bytes.of((byte) 4), address);
    }

    @Test
    void aKeyThatIsNoneIsSaidToBeNone() {
        for (String wrong : List.of("WRONG", "MFkwEwYHKoZIzj0CAQYI", "key.replica-4=MFkwE", "key.replica-4")) {
            CommandOutput output = CommandOutput.of(
                    "replica", "replace", "replica-2", "replica-4", "--key", wrong, "--address", "host:7604");
            assertThat(output.exitCode()).isEqualTo(CommandFailure.USAGE);
            assertThat(output.err())
                    .as(wrong)
                    .startsWith("bulwark: the key of replica-4 is not a public key, or not the whole of one");
        }
    }
}

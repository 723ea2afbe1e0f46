package io.bulwark.appliance.up;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.appliance.cluster.ProcessMember;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

@NullMarked
class ApplianceTest {
    /** replica-4 may well be there, as what took the place of one of these. */
    @Test
    void whoRunsElsewhereIsNotSaidToBeNowhere() {
        List<ProcessMember> here = Stream.of("replica-0", "replica-1", "replica-3")
                .map(name -> new ProcessMember(
                        name, InetSocketAddress.createUnresolved("there", 1), Optional.empty(), List.of(), List.of()))
                .toList();
        assertThat(Appliance.notMemberMessage(4, here))
                .isEqualTo("`up` runs no replica 4, only replica-0, replica-1, replica-3; a replica that was added "
                        + "later has its own supervisor: give its directory with --data DIR");
    }
}

package io.bulwark.simulation.pasis;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.cluster.Verification;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.pasis.PasisMessage;
import io.bulwark.protocol.pasis.ValidatingTimestamp;
import io.bulwark.protocol.pasis.VersionName;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Volumes under PASIS whose versions nodes verify before they acknowledge them (lazy verification paper, 5.2). */
@NullMarked
class PasisWriteTimeTest {
    @Test
    void atWriteTimePeersWaitForTheVersionOfEachWriterOfABlock() {
        PasisCluster cluster = new PasisCluster(1, 2, 5, Verification.WRITE_TIME, PasisCluster.LIMITS);
        List<VersionName> versions = new ArrayList<>();
        for (int time = 1; time <= 4; time++) {
            List<Bytes> fragments = cluster.fragments(0);
            ValidatingTimestamp version = ValidatingTimestamp.of(time, PrincipalId.client(1), fragments);
            versions.add(version.name());
            cluster.sendOff(1, 0, version, fragments, 0);
            if (time == 3) {
                cluster.simulation.runFor(50);
                cluster.verifyLater(0, 0);
            }
        }
        cluster.simulation.runFor(5_000);
        Set<VersionName> awaited = new HashSet<>();
        Set<VersionName> written = new HashSet<>();
        for (PasisMessage message : cluster.sent) {
            if (message instanceof PasisMessage.Read read && read.awaited() != null) {
                awaited.add(read.awaited());
            } else if (message instanceof PasisMessage.Written done) {
                written.add(done.version());
            }
        }
        assertThat(awaited).containsExactlyInAnyOrderElementsOf(versions);
        assertThat(written).containsExactlyInAnyOrderElementsOf(versions);
        assertThat(cluster.verified.get(0))
                .as("what nobody awaits is repaired meanwhile")
                .hasSize(1);
    }
}

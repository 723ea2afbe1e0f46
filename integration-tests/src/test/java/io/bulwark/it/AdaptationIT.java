package io.bulwark.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.appliance.adapt.Adaptation;
import io.bulwark.appliance.adapt.AdaptationPlot;
import io.bulwark.appliance.adapt.AdaptationRun;
import io.bulwark.client.AuditLog;
import io.bulwark.client.Bulwark;
import java.util.Optional;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Path of {@code bulwark bench adapt}: under load one node lies, one is slow and one dies; each is named and rebuilt, b goes up
 * and down again, and no operation fails. Nightly, as it takes minutes.
 */
@NullMarked
@Tag("nightly")
class AdaptationIT {
    @RegisterExtension
    static final LiveCluster CLUSTER = LiveCluster.embedded(AdaptationRun.NODES, 6_000);

    @Test
    void nAndBFollowTheFaultsAndNoOperationFails() throws Exception {
        Bulwark client = CLUSTER.client();
        AdaptationRun.Settings settings = new AdaptationRun.Settings(2, 4, 240, LiveCluster.SEED);
        Adaptation course = new AdaptationRun(client, CLUSTER::control, settings, System.out::println).run();
        assertThat(course.failures()).isEmpty();
        assertThat(course.operations()).isPositive();
        assertThat(course.faults()).hasSize(3).allSatisfy(fault -> {
            assertThat(fault.evidence()).isNotEmpty();
            assertThat(fault.named()).isLessThanOrEqualTo(fault.removed());
        });
        assertThat(course.points()).extracting(Adaptation.Point::faults).contains(1, 2);
        assertThat(course.points().getLast().faults()).isEqualTo(1);
        assertThat(course.points().getLast().nodes()).isEqualTo(AdaptationRun.NODES - 3);
        assertThat(AdaptationPlot.svg(course)).startsWith("<svg").contains("node-2 lies");
        AuditLog.Verification log = client.audit().verify(Optional.empty(), _ -> {});
        assertThat(log.problem()).isEmpty();
        assertThat(log.own()).as("moves of slots and of b by the replicas").isGreaterThanOrEqualTo(6);
    }
}

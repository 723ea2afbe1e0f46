package io.bulwark.appliance.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.client.ClusterStatus;
import io.bulwark.client.VolumeInfo;
import io.bulwark.client.error.NoSuchKeyException;
import io.bulwark.client.error.Subject;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Verification;
import io.bulwark.protocol.cluster.VolumeKind;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Scripts read these lines: members keep their names and their order, and absent ones stay absent. */
class JsonOutputTest {
    @TempDir
    private Path directory = Path.of("");

    @Test
    void aFailureNamesOnlyTheSubjectsThatItHas() {
        assertThat(reported(new NoSuchKeyException("no such key", Subject.key("photos", "a.jpg"))))
                .isEqualTo("{\"error\":\"no such key [bucket photos, key a.jpg]\",\"code\":1,"
                        + "\"exception\":\"NoSuchKeyException\",\"bucket\":\"photos\",\"key\":\"a.jpg\"}");
        assertThat(reported(new CommandFailure(CommandFailure.USAGE, "no such option")))
                .isEqualTo("{\"error\":\"no such option\",\"code\":" + CommandFailure.USAGE + "}");
        assertThat(reported(new IOException("broken"))).isEqualTo("{\"error\":\"broken\",\"code\":1}");
    }

    @Test
    void aVolumeOfFpHasNoUnverifiedVersions() {
        assertThat(GlobalOptions.toJson(VolumeText.json(volume(ProtectionPolicy.standard()), status())))
                .isEqualTo("""
                    {
                      "name" : "v",
                      "kind" : "register",
                      "protocol" : "fp",
                      "verification" : "write-time",
                      "faults" : 1,
                      "dataFragments" : 2,
                      "fragments" : 4,
                      "blockBytes" : 1048576,
                      "blocks" : 9,
                      "groups" : 1,
                      "faultsLeft" : 1,
                      "faultsLeftAtMost" : 1,
                      "unverifiedNodes" : [ ],
                      "leastFaults" : 1,
                      "older" : [ ]
                    }\
                    """);
    }

    @Test
    void aVolumeOfPasisHasTheVersionsOfEachNode() {
        ProtectionPolicy policy = ProtectionPolicy.pasis(1, 2, 5, 1 << 20, Verification.LAZY);
        assertThat(GlobalOptions.toJson(VolumeText.json(volume(policy), status())))
                .isEqualTo("""
                    {
                      "name" : "v",
                      "kind" : "register",
                      "protocol" : "pasis",
                      "verification" : "lazy",
                      "faults" : 1,
                      "dataFragments" : 2,
                      "fragments" : 5,
                      "blockBytes" : 1048576,
                      "blocks" : 9,
                      "groups" : 1,
                      "faultsLeft" : 1,
                      "faultsLeftAtMost" : 1,
                      "unverifiedNodes" : [ ],
                      "leastFaults" : 1,
                      "older" : [ ],
                      "versions" : {
                        "unverified" : 1,
                        "poolBytes" : 2,
                        "verifications" : 3,
                        "onDemand" : 4,
                        "cooperative" : 5,
                        "avoided" : 6,
                        "poisonous" : 7,
                        "refused" : 8
                      },
                      "nodes" : {
                        "node-3" : {
                          "unverified" : 1,
                          "poolBytes" : 2,
                          "verifications" : 3,
                          "onDemand" : 4,
                          "cooperative" : 5,
                          "avoided" : 6,
                          "poisonous" : 7,
                          "refused" : 8,
                          "historyPoolBytes" : 70,
                          "idleMillis" : 9
                        }
                      }
                    }\
                    """);
    }

    @Test
    void membersThatDoNotApplyAreAbsent() {
        Path data = directory.resolve("data");
        assertThat(CommandOutput.of("init", "--json", "--data", data.toString()).out())
                .isEqualTo("{\n  \"config\" : \"" + data + "/config\",\n  \"client\" : \"" + data
                        + "/client.properties\"\n}\n");
        Path bundles = directory.resolve("bundles");
        assertThat(CommandOutput.of("init", "--json", "--data", data.toString(), "--bundles", bundles.toString())
                        .out())
                .endsWith("/client.properties\",\n  \"bundles\" : \"" + bundles + "\"\n}\n");
    }

    private static ClusterStatus.VolumeStatus volume(ProtectionPolicy policy) {
        return new ClusterStatus.VolumeStatus(
                new VolumeInfo(1, "v", VolumeKind.REGISTER, policy, 9, 1),
                1,
                1,
                1,
                List.of(),
                new TreeMap<>(Map.of(3, new ClusterStatus.Versions(1, 2, 3, 4, 5, 6, 7, 8))));
    }

    private static ClusterStatus status() {
        ClusterStatus.NodeStatus node = new ClusterStatus.NodeStatus(
                3,
                "127.0.0.1:7413",
                true,
                "up",
                0,
                0,
                0,
                0,
                new ClusterStatus.Background(0, 0, 0, 9),
                70,
                0,
                List.of(),
                Optional.empty(),
                Map.of());
        return new ClusterStatus(
                List.of(node),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                new ClusterStatus.Recoveries(Duration.ZERO, Duration.ZERO, Optional.empty(), List.of()));
    }

    private static String reported(Throwable failure) {
        return CommandOutput.of(() -> new FailureReport(true).failure(failure))
                .err()
                .strip();
    }
}

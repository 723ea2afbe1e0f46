package io.bulwark.console.fault;

import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.not;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.delete;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.post;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.put;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.content;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.header;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.jsonPath;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.status;

import io.bulwark.client.Alarms;
import io.bulwark.client.Faults;
import io.bulwark.client.FaultyNodes;
import io.bulwark.client.error.InvalidRequestException;
import io.bulwark.client.error.Subject;
import io.bulwark.console.ConsoleFixture;
import io.bulwark.console.FakeCluster;
import io.bulwark.console.FakeStatus;
import io.bulwark.protocol.effect.Verdict;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.metadata.Evidence;
import io.bulwark.protocol.metadata.EvidenceProof;
import io.bulwark.protocol.metadata.EvidenceVerification;
import io.bulwark.protocol.metadata.FaultKind;
import io.bulwark.protocol.metadata.FaultPolicy;
import io.bulwark.protocol.metadata.NodeFault;
import io.bulwark.protocol.metadata.NodeReport;
import io.bulwark.protocol.metadata.PeerObservation;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.metadata.Suspicion;
import io.bulwark.protocol.metadata.ThreatLevel;
import io.bulwark.protocol.metadata.ThreatPolicy;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.MockMvc;

@NullMarked
class FaultTest {
    private static final BlockId BLOCK = BlockId.register(1, 4);

    private final FakeFaults faults = new FakeFaults();
    private final FakeFaultyNodes faulty = new FakeFaultyNodes();
    private final FakeAlarms alarms = new FakeAlarms();
    private final FakeCluster cluster =
            new FakeCluster().with(faults).with(faulty).with(alarms).with(FakeStatus::pasis);
    private final MockMvc console = ConsoleFixture.of(cluster.client(), "fault");

    private static final class FakeFaultyNodes implements FaultyNodes {
        private FaultPolicy policy = FaultPolicy.DEFAULT;
        private int forgiven = -1;

        @Override
        public Report report() {
            Suspicion suspicion =
                    new Suspicion(1, 26_000, 5, new PeerObservation(3, FaultKind.SILENT, 1, 0, 8, 8), 40, 38, 5_000);
            return new Report(
                    policy,
                    forgiven == 3
                            ? List.of()
                            : List.of(new NodeFault(
                                    3, FaultKind.SILENT, 6_000, 1, 0, 0, List.of(suspicion), NodeFault.Stage.NAMED, 0)),
                    List.of(suspicion));
        }

        @Override
        public void set(FaultPolicy next) {
            policy = next;
        }

        @Override
        public void forgive(int node) {
            forgiven = node;
        }
    }

    private static final class FakeAlarms implements Alarms {
        private ThreatPolicy policy = ThreatPolicy.DEFAULT;
        private int level;
        private String reason = "";

        @Override
        public State state() {
            return new State(
                    policy,
                    new ThreatLevel(level, 5_000, PrincipalId.client(20), reason),
                    List.of(new Reply.VolumeAlarm("copies", 1, 3, 1, 2, "its holders seal")));
        }

        @Override
        public void raise(int levels, String why) {
            level += levels;
            reason = why;
        }

        @Override
        public void lower(int levels, String why) {
            level -= levels;
            reason = why;
        }

        @Override
        public void set(ThreatPolicy next) {
            policy = next;
        }
    }

    @Test
    void alarmsMoveTheThreatLevel() throws Exception {
        console.perform(post("/api/v1/threat/raise")
                        .contentType(MediaType.APPLICATION_JSON)
                        .content("{\"levels\":2,\"reason\":\"scans\"}"))
                .andExpect(status().isOk())
                .andExpect(jsonPath("$.level").value(2))
                .andExpect(jsonPath("$.reason").value("scans"));
        console.perform(post("/api/v1/threat/lower")
                        .contentType(MediaType.APPLICATION_JSON)
                        .content("{}"))
                .andExpect(jsonPath("$.level").value(1));
        console.perform(put("/api/v1/threat/policy")
                        .contentType(MediaType.APPLICATION_JSON)
                        .content("{\"feeds\":[\"client-20\"],\"calmSeconds\":60}"))
                .andExpect(status().isNoContent());
        console.perform(put("/api/v1/threat/policy")
                        .contentType(MediaType.APPLICATION_JSON)
                        .content("{\"feeds\":[\"anybody\"],\"calmSeconds\":60}"))
                .andExpect(status().isBadRequest());
        console.perform(get("/api/v1/threat"))
                .andExpect(jsonPath("$.feeds[0]").value("client-20"))
                .andExpect(jsonPath("$.volumes[0].waitsFor").value("its holders seal"));
        console.perform(post("/faults/threat/lower").param("reason", "over"))
                .andExpect(content().string(containsString("1 to 3")));
        console.perform(get("/api/v1/threat")).andExpect(jsonPath("$.level").value(0));
    }

    @Test
    void faultyNodesAreForgivenByAButton() throws Exception {
        console.perform(get("/faults")).andExpect(content().string(containsString("Forgive node-3")));
        console.perform(post("/faults/forgive").param("node", "3"))
                .andExpect(status().isOk())
                .andExpect(content().string(not(containsString("Forgive node-3"))));
    }

    @Test
    void faultyNodesAreShownAndForgiven() throws Exception {
        console.perform(get("/api/v1/faulty-nodes"))
                .andExpect(status().isOk())
                .andExpect(jsonPath("$.faulty[0].node").value("node-3"))
                .andExpect(jsonPath("$.faulty[0].counts[0].text").value("38 of 40 answers bad in 5 windows"))
                .andExpect(jsonPath("$.counts[0].score").value(26.0));
        console.perform(get("/faults")).andExpect(content().string(containsString("silent, say node-1")));
        console.perform(put("/api/v1/faulty-nodes/policy")
                        .contentType(MediaType.APPLICATION_JSON)
                        .content("{\"removes\":true,\"windowSeconds\":30,\"removalsPerDay\":2}"))
                .andExpect(status().isNoContent());
        console.perform(get("/api/v1/faulty-nodes/policy"))
                .andExpect(jsonPath("$.removes").value(true))
                .andExpect(jsonPath("$.windowSeconds").value(30));
        console.perform(put("/api/v1/faulty-nodes/policy")
                        .contentType(MediaType.APPLICATION_JSON)
                        .content("{\"removes\":true,\"windowSeconds\":0,\"removalsPerDay\":2}"))
                .andExpect(status().isBadRequest());
        console.perform(delete("/api/v1/faulty-nodes/3")).andExpect(status().isNoContent());
        console.perform(get("/api/v1/faulty-nodes"))
                .andExpect(jsonPath("$.faulty").isEmpty());
    }

    /** Three faults of node-3, of which the record sends two at a time. */
    private static final class FakeFaults implements Faults {
        private boolean keys = true;

        @Override
        public Page list(long after, int limit) {
            List<Fault> page = LongStream.rangeClosed(after + 1, Math.min(3, after + 2))
                    .mapToObj(number -> new Fault(
                            number,
                            PrincipalId.node(3),
                            BLOCK,
                            Verdict.CORRUPT,
                            Instant.ofEpochSecond(number),
                            List.of(PrincipalId.node(1), PrincipalId.node(2)),
                            "other bytes"))
                    .toList();
            return new Page(page, after + 2 < 3);
        }

        @Override
        public Optional<Evidence> find(long number) {
            return number < 1 || number > 3
                    ? Optional.empty()
                    : Optional.of(new Evidence(number, 1000 * number, List.of(report(1), report(2))));
        }

        private static NodeReport report(int node) {
            return new NodeReport(
                    PrincipalId.node(node),
                    900,
                    1,
                    1,
                    new Command.ReportEvidence(3, BLOCK, Verdict.CORRUPT, "other bytes"),
                    Optional.empty());
        }

        @Override
        public EvidenceProof proof(long number) {
            throw new UnsupportedOperationException("pages show the check");
        }

        @Override
        public EvidenceVerification.Outcome check(long number) {
            requireKeys();
            return new EvidenceVerification.Outcome(
                    "node-3 sent wrong bytes",
                    List.of(new EvidenceVerification.Step(true, "node-1 has signed it.")),
                    "At least one of node-1, node-2 saw this.",
                    List.of("Intent."));
        }

        @Override
        public byte[] export(long number) {
            requireKeys();
            return ("Bulwark evidence " + number + "\n").getBytes(StandardCharsets.UTF_8);
        }

        private void requireKeys() {
            if (!keys) {
                throw new InvalidRequestException("the nodes have no keys", Subject.NONE);
            }
        }
    }

    @Test
    void faultsAreListedNewestFirst() throws Exception {
        console.perform(get("/api/v1/faults"))
                .andExpect(status().isOk())
                .andExpect(jsonPath("$.items.length()").value(3))
                .andExpect(jsonPath("$.items[0].number").value(3))
                .andExpect(jsonPath("$.items[0].about").value("node-3"))
                .andExpect(jsonPath("$.items[0].by[1]").value("node-2"));
        console.perform(get("/api/v1/faults?limit=1&cursor=3"))
                .andExpect(jsonPath("$.items[0].number").value(2))
                .andExpect(jsonPath("$.next").value("2"));
        console.perform(get("/api/v1/faults?cursor=9"))
                .andExpect(status().isBadRequest())
                .andExpect(jsonPath("$.field").value("cursor"));
        console.perform(get("/faults"))
                .andExpect(content().string(containsString("node-1, node-2")))
                .andExpect(content().string(containsString("behind: 3")));
    }

    @Test
    void proofIsExplainedStepByStep() throws Exception {
        console.perform(get("/api/v1/faults/2"))
                .andExpect(status().isOk())
                .andExpect(jsonPath("$.proof.valid").value(true))
                .andExpect(jsonPath("$.proof.steps[0].text").value("node-1 has signed it."))
                .andExpect(jsonPath("$.reports[1].node").value("node-2"));
        console.perform(get("/faults/2"))
                .andExpect(content().string(containsString("node-1 has signed it.")))
                .andExpect(content().string(containsString("/api/v1/faults/2/evidence")));
    }

    @Test
    void evidenceIsAFile() throws Exception {
        console.perform(get("/api/v1/faults/2/evidence"))
                .andExpect(status().isOk())
                .andExpect(header().string("Content-Disposition", "attachment; filename=\"bulwark-evidence-2.txt\""))
                .andExpect(content().string("Bulwark evidence 2\n"));
    }

    @Test
    void clusterWithoutKeysExplainsWithoutAFile() throws Exception {
        faults.keys = false;
        console.perform(get("/api/v1/faults/2"))
                .andExpect(jsonPath("$.proof").isEmpty())
                .andExpect(jsonPath("$.unproven").value("the nodes have no keys"));
        console.perform(get("/faults/2"))
                .andExpect(content().string(containsString("the nodes have no keys")))
                .andExpect(content().string(not(containsString("/evidence\""))));
        console.perform(get("/api/v1/faults/2/evidence")).andExpect(status().isConflict());
    }

    @Test
    void unknownFaultIsNotFound() throws Exception {
        console.perform(get("/api/v1/faults/4")).andExpect(status().isNotFound());
        console.perform(get("/api/v1/faults/4/evidence")).andExpect(status().isNotFound());
        console.perform(get("/faults/4")).andExpect(status().isNotFound());
    }

    @Test
    void unreachableClusterIsUnavailable() throws Exception {
        MockMvc down =
                ConsoleFixture.of(new FakeCluster().with(faults).unreachable().client(), "fault");
        down.perform(get("/api/v1/faults")).andExpect(status().isServiceUnavailable());
    }
}

package io.bulwark.console.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.containsString;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.post;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.content;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.header;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.jsonPath;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.status;

import io.bulwark.client.AuditLog;
import io.bulwark.console.ConsoleFixture;
import io.bulwark.console.FakeCluster;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.AuditEntry;
import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.MockMvc;

@NullMarked
class AuditTest {
    /** More than the console reads at a time; every fifth entry is by client-9, every tenth on behalf of client-4. */
    private static final int ENTRIES = 2345;

    private static final String HEAD = "ab".repeat(32);

    private final FakeAudit audit = new FakeAudit();
    private final MockMvc console =
            ConsoleFixture.of(new FakeCluster().with(audit).client(), "audit");

    /** A log that sends less than asked for, as replicas do when a page is full. */
    private static final class FakeAudit implements AuditLog {
        private static final int SENT_MAX = 300;

        private final List<AuditEntry> entries = new ArrayList<>();
        private Optional<String> problem = Optional.empty();
        private Optional<Bytes> known = Optional.empty();

        FakeAudit() {
            for (int number = 1; number <= ENTRIES; number++) {
                entries.add(new AuditEntry(
                        number,
                        1_000L * number,
                        PrincipalId.client(number % 5 == 0 ? 9 : 1),
                        number % 10 == 0 ? Optional.of(PrincipalId.client(4)) : Optional.empty(),
                        1,
                        number,
                        new Command.DeleteVolume("volume-" + number),
                        Optional.empty()));
            }
        }

        @Override
        public Page list(long after, int limit) {
            int from = (int) Math.min(after, entries.size());
            int to = Math.min(entries.size(), from + Math.min(limit, SENT_MAX));
            return new Page(entries.subList(from, to), entries.size());
        }

        @Override
        public Verification verify(Optional<Bytes> head, Consumer<AuditEntry> progress) {
            known = head;
            entries.forEach(progress);
            return new Verification(entries.size(), head(HEAD), entries.size(), 0, problem);
        }
    }

    @Test
    void entriesComeNewestFirstPageByPage() throws Exception {
        console.perform(get("/api/v1/audit?limit=2"))
                .andExpect(status().isOk())
                .andExpect(jsonPath("$.items[0].number").value(ENTRIES))
                .andExpect(jsonPath("$.items[0].command").value("volume rm volume-" + ENTRIES))
                .andExpect(jsonPath("$.items[0].time").value("1970-01-01T00:39:05Z"))
                .andExpect(jsonPath("$.next").value(Integer.toString(ENTRIES - 1)));
        console.perform(get("/api/v1/audit?limit=1000&cursor=1001"))
                .andExpect(jsonPath("$.items.length()").value(1000))
                .andExpect(jsonPath("$.items[0].number").value(1000))
                .andExpect(jsonPath("$.next").isEmpty());
    }

    @Test
    void filterFindsCommandsByAPersonAndOnItsBehalf() throws Exception {
        console.perform(get("/api/v1/audit?by=client-9&limit=1000"))
                .andExpect(jsonPath("$.items.length()").value(ENTRIES / 5))
                .andExpect(jsonPath("$.next").isEmpty());
        console.perform(get("/api/v1/audit?by=client-4&limit=1"))
                .andExpect(jsonPath("$.items[0].number").value(2340))
                .andExpect(jsonPath("$.items[0].onBehalfOf").value("client-4"));
        console.perform(get("/audit?by=client-4"))
                .andExpect(content().string(containsString("client-9")))
                .andExpect(content().string(containsString(" for client-4")));
        console.perform(get("/audit?by=client-77"))
                .andExpect(content().string(containsString("No entry is by client-77")));
    }

    @Test
    void badParametersAreNamed() throws Exception {
        badField("/api/v1/audit?by=dog", "by");
        badField("/api/v1/audit?limit=1001", "limit");
        badField("/api/v1/audit?cursor=x", "cursor");
        badField("/api/v1/audit?cursor=0", "cursor");
        badField("/api/v1/audit?cursor=99999", "cursor");
        badField("/api/v1/audit/lines?by=dog", "by");
        console.perform(post("/api/v1/audit/verifications")
                        .contentType(MediaType.APPLICATION_JSON)
                        .content("{\"head\":\"abc\"}"))
                .andExpect(status().isBadRequest())
                .andExpect(jsonPath("$.field").value("head"));
    }

    @Test
    void wholeLogIsSentAsLinesOfJson() throws Exception {
        String lines = console.perform(get("/api/v1/audit/lines"))
                .andExpect(status().isOk())
                .andExpect(header().string("Content-Disposition", containsString("bulwark-audit.jsonl")))
                .andReturn()
                .getResponse()
                .getContentAsString();
        assertThat(lines.lines()).hasSize(ENTRIES).first().asString().startsWith("{\"number\":1,\"time\":\"1970-");
    }

    @Test
    void verificationIsAJobWithAResult() throws Exception {
        console.perform(post("/api/v1/audit/verifications")
                        .contentType(MediaType.APPLICATION_JSON)
                        .content("{\"head\":\"" + HEAD + "\"}"))
                .andExpect(status().isAccepted())
                .andExpect(header().string("Location", "/api/v1/jobs/1"));
        await().untilAsserted(() -> console.perform(get("/api/v1/audit/verifications/1"))
                .andExpect(status().isOk())
                .andExpect(jsonPath("$.entries").value(ENTRIES))
                .andExpect(jsonPath("$.head").value(HEAD))
                .andExpect(jsonPath("$.problem").isEmpty()));
        assertThat(audit.known).contains(head(HEAD));
        console.perform(get("/api/v1/jobs/1")).andExpect(jsonPath("$.done").value(ENTRIES));
        console.perform(get("/audit/verifications/1")).andExpect(content().string(containsString("The log is whole")));
        console.perform(get("/audit")).andExpect(content().string(containsString("Last verified")));
        console.perform(get("/api/v1/audit/verifications/2")).andExpect(status().isNotFound());
    }

    @Test
    void brokenChainIsSaidToBeWrong() throws Exception {
        audit.problem = Optional.of("entry 5: it is not signed");
        console.perform(post("/audit/verifications").param("head", "")).andExpect(status().isOk());
        await().untilAsserted(() -> console.perform(get("/audit/verifications/1"))
                .andExpect(content().string(containsString("WRONG: entry 5: it is not signed"))));
    }

    @Test
    void unreachableClusterIsUnavailable() throws Exception {
        MockMvc down =
                ConsoleFixture.of(new FakeCluster().with(audit).unreachable().client(), "audit");
        down.perform(get("/api/v1/audit")).andExpect(status().isServiceUnavailable());
        down.perform(get("/api/v1/audit/lines")).andExpect(status().isServiceUnavailable());
    }

    private void badField(String path, String field) throws Exception {
        console.perform(get(path))
                .andExpect(status().isBadRequest())
                .andExpect(jsonPath("$.field").value(field));
    }

    private static Bytes head(String hex) {
        return Bytes.of(java.util.HexFormat.of().parseHex(hex));
    }
}

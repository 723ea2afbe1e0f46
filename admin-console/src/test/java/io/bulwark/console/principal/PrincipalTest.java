package io.bulwark.console.principal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.hasItem;
import static org.hamcrest.Matchers.not;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.delete;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.post;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.put;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.content;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.header;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.jsonPath;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.redirectedUrl;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.status;

import io.bulwark.client.Principals;
import io.bulwark.console.ConsoleFixture;
import io.bulwark.console.FakeCluster;
import io.bulwark.console.FakePrincipals;
import io.bulwark.console.FakeStatus;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Reply;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.RequestBuilder;
import org.springframework.test.web.servlet.request.MockHttpServletRequestBuilder;

@NullMarked
class PrincipalTest {
    private static final PrincipalId ALICE = PrincipalId.client(7);
    private static final String STALE = "\"of-yesterday\"";

    private final FakePrincipals principals = new FakePrincipals()
            .withMember(PrincipalId.node(0))
            .withMember(PrincipalId.replica(0))
            .withMember(ALICE);
    private final FakeCluster cluster = new FakeCluster().with(principals).with(FakeStatus::pasis);
    private final MockMvc console = ConsoleFixture.of(cluster.client(), "principal");

    @Test
    void principalsAreListedByKindAndPage() throws Exception {
        console.perform(get("/api/v1/principals"))
                .andExpect(status().isOk())
                .andExpect(jsonPath("$.items.length()").value(3))
                .andExpect(jsonPath("$.items[?(@.id == 'client-7')].state").value("active"))
                .andExpect(jsonPath("$.next").isEmpty());
        console.perform(get("/api/v1/principals?kind=client"))
                .andExpect(jsonPath("$.items.length()").value(1))
                .andExpect(jsonPath("$.items[0].keys.length()").value(1));
        console.perform(get("/api/v1/principals?limit=2"))
                .andExpect(jsonPath("$.items.length()").value(2))
                .andExpect(jsonPath("$.next").isNotEmpty());
        badField(get("/api/v1/principals?kind=dog"), "kind");
        badField(get("/api/v1/principals?limit=0"), "limit");
        badField(get("/api/v1/principals?cursor=client-99"), "cursor");
    }

    @Test
    void unknownPrincipalIsNotFound() throws Exception {
        for (String id : List.of("client-8", "dog", "client-07")) {
            console.perform(get("/api/v1/principals/" + id)).andExpect(status().isNotFound());
            console.perform(get("/principals/" + id)).andExpect(status().isNotFound());
        }
    }

    @Test
    void invitationShowsItsTokenOnceWithTheCommand() throws Exception {
        console.perform(json(post("/api/v1/principals/invitations"), "{\"principal\":\"client-20\",\"hours\":2}"))
                .andExpect(status().isCreated())
                .andExpect(header().string("Location", "/api/v1/principals/client-20"))
                .andExpect(header().string("Cache-Control", "no-store"))
                .andExpect(jsonPath("$.expires").value("2026-11-29T14:00:00Z"))
                .andExpect(jsonPath("$.command").value(containsString("bulwark join --out client-20 bulwark-join-")));
        console.perform(get("/api/v1/principals/client-20"))
                .andExpect(jsonPath("$.principal.state").value("invited"))
                .andExpect(content().string(not(containsString("bulwark-join"))));
        console.perform(json(post("/api/v1/principals/invitations"), "{\"principal\":\"client-20\"}"))
                .andExpect(status().isConflict());
        badField(json(post("/api/v1/principals/invitations"), "{\"principal\":\"replica-1\"}"), "principal");
        badField(json(post("/api/v1/principals/invitations"), "{}"), "principal");
        badField(json(post("/api/v1/principals/invitations"), "{\"principal\":\"client-21\",\"hours\":721}"), "hours");
        console.perform(post("/principals/invitations")
                        .param("principal", "client-22")
                        .param("hours", "24"))
                .andExpect(content().string(containsString("bulwark join --out client-22 ")));
    }

    @Test
    void keyIsRegisteredAsKeygenPrintsIt() throws Exception {
        String key = FakePrincipals.key(PrincipalId.client(30)).text();
        console.perform(json(
                        post("/api/v1/principals"),
                        "{\"principal\":\"client-30\",\"key\":\"key.client-30=" + key + "\"}"))
                .andExpect(status().isCreated())
                .andExpect(jsonPath("$.principal.keys[0]").value(key));
        badField(json(post("/api/v1/principals"), "{\"principal\":\"client-31\",\"key\":\"abc\"}"), "key");
        console.perform(post("/principals").param("principal", "client-32").param("key", key))
                .andExpect(redirectedUrl("/principals/client-32"));
    }

    @Test
    void twoWhoRotateOneKeyCollide() throws Exception {
        String tag = tag();
        String first = FakePrincipals.key(ALICE).text();
        console.perform(json(put("/api/v1/principals/client-7/key"), "{\"key\":\"" + first + "\",\"keepOld\":true}")
                        .header("If-Match", tag))
                .andExpect(status().isOk())
                .andExpect(jsonPath("$.principal.keys.length()").value(2));
        console.perform(json(put("/api/v1/principals/client-7/key"), "{\"key\":\"" + first + "\"}")
                        .header("If-Match", tag))
                .andExpect(status().isPreconditionFailed());
        console.perform(post("/principals/client-7/key").param("key", first).param("tag", tag()))
                .andExpect(status().isOk())
                .andExpect(content().string(containsString(first)));
    }

    @Test
    void revocationTellsWhatWillHappenAndRunsAsAJob() throws Exception {
        console.perform(get("/api/v1/principals/client-7/revocation"))
                .andExpect(status().isOk())
                .andExpect(jsonPath("$.keys").value(1))
                .andExpect(jsonPath("$.volumes").value(1))
                .andExpect(jsonPath("$.unreachable[0]").value("node-3"))
                .andExpect(jsonPath("$.words").value(hasItem(containsString("node-3 does not answer now"))));
        console.perform(get("/api/v1/principals/replica-0/revocation")).andExpect(status().isConflict());
        console.perform(delete("/api/v1/principals/replica-0")).andExpect(status().isConflict());
        console.perform(delete("/api/v1/principals/client-7").header("If-Match", STALE))
                .andExpect(status().isPreconditionFailed());
        badField(delete("/api/v1/principals/client-7?wait=-1"), "wait");
        console.perform(delete("/api/v1/principals/client-7"))
                .andExpect(status().isAccepted())
                .andExpect(header().string("Location", "/api/v1/jobs/1"));
        await().untilAsserted(() -> console.perform(get("/api/v1/jobs/1"))
                .andExpect(jsonPath("$.state").value("SUCCEEDED"))
                .andExpect(jsonPath("$.lines")
                        .value(hasItem(containsString("3 of 4 nodes have completed the revocation"))))
                .andExpect(jsonPath("$.lines").value(hasItem(containsString("No answer: node-3")))));
        console.perform(get("/api/v1/principals/client-7"))
                .andExpect(jsonPath("$.principal.state").value("revoked"));
    }

    @Test
    void pageRevokesOnlyWithTheTypedName() throws Exception {
        console.perform(post("/principals/client-7/revocation")
                        .param("confirmation", "client-8")
                        .param("tag", tag()))
                .andExpect(status().isBadRequest());
        assertThat(principals.list().getLast().revoked()).isFalse();
        console.perform(post("/principals/client-7/revocation")
                        .param("confirmation", "client-7")
                        .param("tag", tag()))
                .andExpect(status().isOk())
                .andExpect(content().string(containsString("Revoke client-7")));
        await().untilAsserted(() -> console.perform(get("/principals/client-7/revocations/1"))
                .andExpect(content().string(containsString("done"))));
        console.perform(get("/principals/client-7/detail")).andExpect(content().string(containsString("revoked")));
    }

    @Test
    void suspensionIsShownWithItsReportsAndLifted() throws Exception {
        suspend();
        console.perform(get("/api/v1/suspensions"))
                .andExpect(jsonPath("$.items[0].client").value("client-7"))
                .andExpect(jsonPath("$.items[0].reports[0].node").value("node-1"));
        console.perform(get("/principals")).andExpect(content().string(containsString("suspended: may not write")));
        console.perform(get("/principals/client-7"))
                .andExpect(content().string(containsString("2 reports no longer count")));
        console.perform(delete("/api/v1/suspensions/client-7").header("If-Match", STALE))
                .andExpect(status().isPreconditionFailed());
        console.perform(delete("/api/v1/suspensions/client-7")).andExpect(status().isNoContent());
        console.perform(delete("/api/v1/suspensions/client-7")).andExpect(status().isNotFound());
    }

    @Test
    void viewerSeesPrincipalsWithoutSuspensionsAndGrants() throws Exception {
        suspend();
        principals.asViewer();
        console.perform(get("/api/v1/principals?kind=client"))
                .andExpect(jsonPath("$.items[0].state").value("active"));
        console.perform(get("/principals")).andExpect(content().string(containsString("shown to administrators only")));
        console.perform(get("/api/v1/principals/client-7"))
                .andExpect(jsonPath("$.grants").isEmpty());
        console.perform(get("/api/v1/grants?client=client-7")).andExpect(status().isForbidden());
        console.perform(get("/api/v1/suspensions")).andExpect(status().isForbidden());
    }

    @Test
    void grantsAreSetPerScope() throws Exception {
        String bucket =
                "{\"client\":\"client-7\",\"scope\":\"bucket\",\"name\":\"photos\",\"rights\":[\"read\",\"write\"]}";
        String tag = console.perform(json(put("/api/v1/grants"), bucket))
                .andExpect(status().isOk())
                .andExpect(jsonPath("$.grants[0].scope").value("bucket"))
                .andExpect(jsonPath("$.grants[0].rights.length()").value(2))
                .andReturn()
                .getResponse()
                .getHeader("ETag");
        console.perform(json(
                                put("/api/v1/grants"),
                                "{\"client\":\"client-7\",\"scope\":\"cluster\",\"rights\":[\"read\"]}")
                        .header("If-Match", String.valueOf(tag)))
                .andExpect(jsonPath("$.grants.length()").value(2));
        console.perform(json(put("/api/v1/grants"), bucket).header("If-Match", String.valueOf(tag)))
                .andExpect(status().isPreconditionFailed());
        console.perform(delete("/api/v1/grants?client=client-7&scope=bucket&name=photos"))
                .andExpect(jsonPath("$.grants.length()").value(1));
        badField(json(put("/api/v1/grants"), "{\"client\":\"client-7\",\"scope\":\"moon\",\"rights\":[]}"), "scope");
        badField(json(put("/api/v1/grants"), "{\"client\":\"client-7\",\"scope\":\"bucket\",\"rights\":[]}"), "name");
        badField(json(put("/api/v1/grants"), "{\"client\":\"client-7\",\"scope\":\"cluster\"}"), "rights");
        badField(
                json(put("/api/v1/grants"), "{\"client\":\"client-7\",\"scope\":\"cluster\",\"rights\":[\"fly\"]}"),
                "rights");
        badField(json(put("/api/v1/grants"), "{\"client\":\"node-0\",\"scope\":\"cluster\",\"rights\":[]}"), "client");
        console.perform(post("/principals/client-7/grants")
                        .param("scope", "volume")
                        .param("name", "fast")
                        .param("rights", "read", "administer")
                        .param("tag", tag()))
                .andExpect(content().string(containsString("read, administer")));
    }

    @Test
    void doorActsForAPersonWithinACeiling() throws Exception {
        principals.withMember(PrincipalId.client(1));
        console.perform(json(put("/api/v1/principals/client-1/act-for/client-7"), "{\"rights\":[\"read\"]}"))
                .andExpect(status().isOk())
                .andExpect(jsonPath("$.actFor[0].person").value("client-7"));
        console.perform(get("/principals/client-1")).andExpect(content().string(containsString("client-7")));
        console.perform(delete("/api/v1/principals/client-1/act-for/client-7"))
                .andExpect(jsonPath("$.actFor").isEmpty());
        badField(json(put("/api/v1/principals/node-0/act-for/client-7"), "{\"rights\":[\"read\"]}"), "client");
    }

    @Test
    void unreachableClusterIsUnavailable() throws Exception {
        MockMvc down = ConsoleFixture.of(
                new FakeCluster().with(principals).unreachable().client(), "principal");
        down.perform(get("/api/v1/principals"))
                .andExpect(status().isServiceUnavailable())
                .andExpect(jsonPath("$.detail").value(containsString("1 of 4 replicas")));
        down.perform(get("/principals")).andExpect(status().isServiceUnavailable());
    }

    private void suspend() {
        principals.withSuspension(new Principals.Suspension(
                ALICE,
                FakePrincipals.THEN,
                true,
                1,
                List.of(
                        new Reply.PoisonReport(PrincipalId.node(1), BlockId.register(1, 4), 3, "no one block"),
                        new Reply.PoisonReport(PrincipalId.node(2), BlockId.register(1, 4), 3, "no one block"))));
    }

    private String tag() throws Exception {
        return Optional.ofNullable(console.perform(get("/api/v1/principals/client-7"))
                        .andReturn()
                        .getResponse()
                        .getHeader("ETag"))
                .orElseThrow();
    }

    private void badField(RequestBuilder request, String field) throws Exception {
        console.perform(request)
                .andExpect(status().isBadRequest())
                .andExpect(content().contentTypeCompatibleWith(MediaType.APPLICATION_PROBLEM_JSON))
                .andExpect(jsonPath("$.field").value(field));
    }

    private static MockHttpServletRequestBuilder json(MockHttpServletRequestBuilder request, String body) {
        return request.contentType(MediaType.APPLICATION_JSON).content(body);
    }
}

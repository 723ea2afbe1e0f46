package io.bulwark.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.client.cluster.MemoryCluster;
import io.bulwark.client.error.InvalidRequestException;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.ObjectEvent;
import io.bulwark.protocol.metadata.Webhook;
import io.bulwark.transport.identity.Identity;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Webhooks and event logs of a cluster whose operator is a gateway at the same time. */
class WebhooksTest {
    private static final PrincipalId OPERATOR = PrincipalId.client(0);
    private static final String URL = "https://hooks.example/events";

    private final SecureRandom random = new SecureRandom();
    private final Identity identity = Identity.generate(OPERATOR, random);
    private MemoryCluster cluster;
    private Bulwark client;
    private AccessKeys keys;
    private Webhooks webhooks;

    @BeforeEach
    void connect(@TempDir Path directory) throws IOException {
        cluster = new MemoryCluster(directory);
        client = Bulwark.connect(cluster.config());
        Principals principals = client.principals();
        principals.rotate(OPERATOR, identity.publicKey(), false);
        keys = new SealedAccessKeys((BulwarkClient) client, principals, () -> Optional.of(identity.ownKey()), random);
        webhooks = new NamedWebhooks((BulwarkClient) client, principals, keys);
        client.createVolume(VolumeSpec.objects("default", new ProtectionPolicy(1, 2, 4, 4096)));
        client.createBucket("films");
    }

    @AfterEach
    void close() {
        client.close();
        cluster.close();
    }

    @Test
    void webhookSignsWithAKeyThatOpensNothing() {
        assertThatThrownBy(() -> webhooks.create("hooks", URL))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("s3 enable");
        keys.addGateway(OPERATOR);
        AccessKeys.Issued issued = webhooks.create("hooks", URL);
        assertThat(webhooks.list()).containsExactly(new Webhook("hooks", URL, issued.key().id()));
        PrincipalId signer = issued.key().person();
        assertThat(client.principals().grants(signer)).isEmpty();
        assertThat(keys.open(issued.key().id())).contains(issued);
        assertThatThrownBy(() -> webhooks.create("hooks", URL)).isInstanceOf(InvalidRequestException.class);

        AccessKeys.Issued next = webhooks.rotate("hooks", Duration.ofHours(1));
        assertThat(next.secret()).isNotEqualTo(issued.secret());
        webhooks.change("hooks", "http://127.0.0.1:9/");
        assertThat(webhooks.list())
                .containsExactly(new Webhook("hooks", "http://127.0.0.1:9/", next.key().id()));
        webhooks.remove("hooks");
        assertThat(webhooks.list()).isEmpty();
        assertThat(keys.list()).isEmpty();
    }

    @Test
    void urlThatIsNoneIsRefused() {
        keys.addGateway(OPERATOR);
        for (String url : List.of(
                "", "hooks.example", "ftp://hooks.example/", "https:///path", "https://u:p@hooks.example/", "http://a b/")) {
            assertThatThrownBy(() -> webhooks.create("hooks", url))
                    .as(url)
                    .isInstanceOf(InvalidRequestException.class);
        }
        assertThat(keys.list()).isEmpty();
    }

    @Test
    void eventsWaitUntilTheyAreAcknowledged() {
        Bucket films = client.bucket("films");
        films.putSetting(EventLogs.RULES, new byte[] {1}, Precondition.NONE);
        films.put("a", new byte[700]);
        films.delete("a");
        EventLogs logs = client.eventLogs();
        assertThat(logs.list()).singleElement().satisfies(log -> {
            assertThat(log.bucket()).isEqualTo("films");
            assertThat(log.pending()).isEqualTo(2);
            assertThat(log.oldest()).isPresent();
        });
        assertThat(logs.claim("films", 5, 0)).isEqualTo(new EventLogs.Claim(true, 2, 0));
        List<EventLogs.Entry> events = logs.read("films", 0, 10);
        assertThat(events)
                .extracting(entry -> entry.event().kind())
                .containsExactly(ObjectEvent.Kind.PUT, ObjectEvent.Kind.DELETE);
        assertThat(logs.claim("films", 6, events.getLast().position()).held()).isFalse();
        assertThat(logs.claim("films", 5, events.getFirst().position()).pending()).isEqualTo(1);
        assertThat(logs.read("films", 0, 10)).containsExactly(events.getLast());
    }
}

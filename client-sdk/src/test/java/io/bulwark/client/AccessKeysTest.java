package io.bulwark.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.client.cluster.MemoryCluster;
import io.bulwark.client.error.InvalidRequestException;
import io.bulwark.client.error.LimitReachedException;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.AccessKey;
import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.metadata.Gateways;
import io.bulwark.protocol.metadata.Rights;
import io.bulwark.protocol.metadata.Scope;
import io.bulwark.transport.identity.Identity;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Access keys of a cluster whose operator, client 0, is a gateway at the same time, so that this client sees both sides. */
class AccessKeysTest {
    private static final PrincipalId OPERATOR = PrincipalId.client(0);
    private static final PrincipalId SECOND = PrincipalId.client(30);
    private static final AccessKey.Limit LIMIT = new AccessKey.Limit("films", "a/");

    private final SecureRandom random = new SecureRandom();
    private Identity identity = Identity.generate(OPERATOR, random);
    private MemoryCluster cluster;
    private Bulwark client;
    private Principals principals;
    private AccessKeys keys;

    @BeforeEach
    void connect(@TempDir Path directory) throws IOException {
        cluster = new MemoryCluster(directory);
        client = Bulwark.connect(cluster.config());
        principals = client.principals();
        principals.rotate(OPERATOR, identity.publicKey(), false);
        keys = new SealedAccessKeys((BulwarkClient) client, principals, () -> Optional.of(identity.ownKey()), random);
        client.createVolume(
                VolumeSpec.objects("default", new io.bulwark.protocol.cluster.ProtectionPolicy(1, 2, 4, 4096)));
        client.createBucket("films");
    }

    @AfterEach
    void close() {
        client.close();
        cluster.close();
    }

    @Test
    void keyOfANewPersonIsBoundToItsBuckets() {
        assertThatThrownBy(() -> keys.create(AccessKeySpec.of("backup")))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("s3 enable");
        keys.addGateway(OPERATOR);
        Instant end = Instant.now().plusSeconds(3600).truncatedTo(java.time.temporal.ChronoUnit.MILLIS);
        AccessKeys.Issued issued = keys.create(AccessKeySpec.of("backup")
                .withLimits(List.of(LIMIT))
                .withRights(AccessKeySpec.READ)
                .withExpiry(end));
        PrincipalId person = issued.key().person();
        assertThat(principals.grants(person))
                .containsExactly(new Principals.Grant(new Scope.OfBucket("films"), AccessKeySpec.READ));
        assertThat(principals.actFor(OPERATOR)).containsExactly(new Principals.ActFor(person, AccessKeySpec.READ));
        assertThat(keys.open(issued.key().id())).contains(issued);
        AccessKeys.Entry entry = keys.find(issued.key().id()).orElseThrow();
        assertThat(entry.expires()).contains(end);
        assertThat(entry.readers()).containsExactly(OPERATOR);
        assertThat(entry.key().limits()).containsExactly(LIMIT);
        assertThat(keys.list()).containsExactly(entry);
        assertThat(keys.list(person)).containsExactly(entry);
        assertThat(issued.toString()).doesNotContain(issued.secret());
    }

    @Test
    void rotationGivesAnotherKeyAndEndsTheOldOneLater() {
        keys.addGateway(OPERATOR);
        AccessKeys.Issued old = keys.create(AccessKeySpec.of("backup"));
        Instant before = Instant.now();
        AccessKeys.Issued rotated = keys.rotate(old.key().id(), Duration.ofHours(1));
        assertThat(rotated.key().person()).isEqualTo(old.key().person());
        assertThat(rotated.secret()).isNotEqualTo(old.secret());
        assertThat(rotated.key().expiresMillis()).isZero();
        assertThat(keys.find(old.key().id()).orElseThrow().expires().orElseThrow())
                .isBetween(before.plusSeconds(3599), Instant.now().plusSeconds(3601));
        assertThat(keys.open(old.key().id()).orElseThrow().secret()).isEqualTo(old.secret());
        keys.limit(rotated.key().id(), List.of(LIMIT));
        AccessKeys.Issued limited = keys.open(rotated.key().id()).orElseThrow();
        assertThat(limited.key().limits()).containsExactly(LIMIT);
        assertThat(limited.secret()).isEqualTo(rotated.secret());
        assertThatThrownBy(() -> keys.rotate("BWKUNKNOWN2345678901", Duration.ZERO))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("there is no access key BWKUNKNOWN2345678901");
    }

    @Test
    void lastKeyOfAPersonTakesTheActForGrantsAlong() {
        keys.addGateway(OPERATOR);
        AccessKeys.Issued first = keys.create(AccessKeySpec.of("backup"));
        AccessKeys.Issued second = keys.rotate(first.key().id(), Duration.ofHours(1));
        keys.revoke(first.key().id());
        assertThat(keys.open(first.key().id())).isEmpty();
        assertThat(principals.actFor(OPERATOR)).hasSize(1);
        keys.revoke(second.key().id());
        assertThat(principals.actFor(OPERATOR)).isEmpty();
        assertThat(keys.list()).isEmpty();
    }

    @Test
    void personWithTooManyKeysGetsNoMoreAndIsKept() {
        keys.addGateway(OPERATOR);
        PrincipalId person = principals.addNextWithoutKey();
        for (int number = 0; number < Command.ACCESS_KEYS_MAX; number++) {
            keys.create(AccessKeySpec.of("backup").withPerson(person));
        }
        assertThatThrownBy(() -> keys.create(AccessKeySpec.of("backup").withPerson(person)))
                .isInstanceOf(LimitReachedException.class);
        assertThat(keys.list(person)).hasSize(Command.ACCESS_KEYS_MAX);
    }

    @Test
    void personOfAKeyThatFailsIsRevoked() {
        keys.addGateway(OPERATOR);
        assertThatThrownBy(() -> keys.create(AccessKeySpec.of("line\nbreak")))
                .isInstanceOf(InvalidRequestException.class);
        assertThat(principals.list().getLast().revoked()).isTrue();
        assertThat(principals.actFor(OPERATOR)).isEmpty();
    }

    @Test
    void laterGatewayGetsTheSecretsOfTheKeeper() {
        keys.addGateway(OPERATOR);
        AccessKeys.Issued issued = keys.create(AccessKeySpec.of("backup"));
        Identity later = Identity.generate(SECOND, random);
        principals.add(SECOND, later.publicKey());
        keys.addGateway(SECOND);
        assertThat(keys.gateways()).isEqualTo(new Gateways(List.of(OPERATOR, SECOND), OPERATOR, PrincipalId.NOBODY));
        assertThat(principals.actFor(SECOND)).isEqualTo(principals.actFor(OPERATOR));
        String id = issued.key().id();
        assertThat(keys.find(id).orElseThrow().readers()).containsExactly(OPERATOR);
        assertThat(keys.seal(false)).isEqualTo(new AccessKeys.Sealing(List.of(id), List.of()));
        assertThat(keys.find(id).orElseThrow().readers()).containsExactly(OPERATOR, SECOND);
        assertThat(keys.open(id).orElseThrow().secret()).isEqualTo(issued.secret());
        identity = Identity.generate(OPERATOR, random);
        principals.rotate(OPERATOR, identity.publicKey(), false);
        assertThat(keys.open(id)).as("after the identity was exchanged").isEmpty();
        assertThat(keys.seal(true)).isEqualTo(new AccessKeys.Sealing(List.of(), List.of(id)));
        keys.removeGateway(SECOND);
        assertThat(principals.actFor(SECOND)).isEmpty();
        assertThat(keys.gateways().doors()).containsExactly(OPERATOR);
    }

    @Test
    void gatewaysActForTheAnonymousPerson() {
        keys.addGateway(OPERATOR);
        PrincipalId anonymous = principals.addNextWithoutKey();
        keys.setAnonymous(Optional.of(anonymous));
        assertThat(keys.gateways().anonymous()).isEqualTo(anonymous);
        assertThat(principals.actFor(OPERATOR)).containsExactly(new Principals.ActFor(anonymous, AccessKeySpec.WRITE));
        assertThat(principals.grants(anonymous)).isEmpty();
        principals.grant(anonymous, new Scope.OfBucket("films"), new Rights(true, false, false));
        assertThat(client.onBehalfOf(anonymous).bucket("films").stream("")).isEmpty();
        keys.setAnonymous(Optional.empty());
        assertThat(keys.gateways().anonymous()).isEqualTo(PrincipalId.NOBODY);
    }
}

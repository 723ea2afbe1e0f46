package io.bulwark.client.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.client.Bucket;
import io.bulwark.client.Bulwark;
import io.bulwark.client.Principals;
import io.bulwark.client.Volume;
import io.bulwark.client.VolumeSpec;
import io.bulwark.client.error.AlreadyExistsException;
import io.bulwark.client.error.NotPermittedException;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.AuditEntry;
import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.metadata.Rights;
import io.bulwark.protocol.metadata.Scope;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Views of a client on behalf of persons. The client may do everything itself, which must not count for them. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OnBehalfTest {
    private static final int BLOCK = 4096;
    private static final PrincipalId DOOR = PrincipalId.client(0);
    private static final Rights READ = new Rights(true, false, false);
    private static final Rights READ_WRITE = new Rights(true, true, false);

    private MemoryCluster cluster;
    private Bulwark client;
    private PrincipalId person;

    @BeforeAll
    void connect(@TempDir Path keys) throws IOException {
        cluster = new MemoryCluster(keys);
        client = Bulwark.connect(cluster.config());
        client.createVolume(VolumeSpec.objects("default", new ProtectionPolicy(1, 2, 4, BLOCK)));
        client.createVolume(VolumeSpec.registers("disk", new ProtectionPolicy(1, 2, 4, BLOCK), 8));
        client.createBucket("films").put("own", new byte[] {1});
        client.createBucket("music").put("own", new byte[] {1});
    }

    @BeforeEach
    void addPerson() {
        person = client.principals().nextClient();
        client.principals().addWithoutKey(person);
    }

    @AfterAll
    void close() {
        client.close();
        cluster.close();
    }

    private Bulwark view(Rights ceiling) {
        client.principals().setActFor(DOOR, person, ceiling);
        return client.onBehalfOf(person);
    }

    private void grant(Scope scope, Rights rights) {
        client.principals().grant(person, scope, rights);
    }

    @Test
    void personReadsAndWritesWhereBothAllowIt() throws IOException {
        grant(new Scope.OfBucket("films"), READ_WRITE);
        Bulwark view = view(READ_WRITE);
        Bucket films = view.bucket("films");
        byte[] content = new byte[50 * BLOCK];
        content[7] = 7;
        films.put("a", new ByteArrayInputStream(content));
        assertThat(films.getBytes("a")).isEqualTo(content);
        assertThat(films.rename("a", "b").key()).isEqualTo("b");
        assertThat(films.stream("").map(each -> each.key())).containsExactly("b", "own");
        films.delete("b");
        Bucket music = view.bucket("music");
        assertThatThrownBy(() -> music.getBytes("own")).isInstanceOf(NotPermittedException.class);
        assertThatThrownBy(() -> music.put("a", content)).isInstanceOf(NotPermittedException.class);
        assertThatThrownBy(() -> music.delete("own")).isInstanceOf(NotPermittedException.class);
        assertThatThrownBy(() -> view.createBucket("other"))
                .isInstanceOf(NotPermittedException.class)
                .hasMessageContaining(DOOR + " for " + person + " may not write");
        assertThat(client.bucket("music").getBytes("own")).containsExactly(1);
    }

    @Test
    void ceilingBoundsThePerson() {
        grant(new Scope.All(), Rights.ALL);
        Bulwark view = view(READ);
        assertThat(view.bucket("music").getBytes("own")).containsExactly(1);
        assertThatThrownBy(() -> view.bucket("music").delete("own")).isInstanceOf(NotPermittedException.class);
        assertThatThrownBy(() -> view.principals().grant(person, new Scope.All(), READ))
                .isInstanceOf(NotPermittedException.class);
        assertThatThrownBy(() -> view.audit().list(0, 10)).isInstanceOf(NotPermittedException.class);
        client.principals().setActFor(DOOR, person, Rights.NONE);
        assertThatThrownBy(() -> view.bucket("music"))
                .isInstanceOf(NotPermittedException.class)
                .hasMessageContaining(DOOR + " may not act for " + person);
        assertThatThrownBy(view::volumes).isInstanceOf(NotPermittedException.class);
        assertThatThrownBy(() -> view.nodes().map()).isInstanceOf(NotPermittedException.class);
        assertThatThrownBy(() -> view.principals().list()).isInstanceOf(NotPermittedException.class);
    }

    @Test
    void operatorAdministersAndTheLogNamesBoth() {
        grant(new Scope.All(), Rights.ALL);
        Bulwark view = view(Rights.ALL);
        PrincipalId other = view.principals().nextClient();
        view.principals().addWithoutKey(other);
        assertThatThrownBy(() -> client.principals().addWithoutKey(other)).isInstanceOf(AlreadyExistsException.class);
        view.principals().grant(other, new Scope.OfVolume("default"), READ);
        assertThat(view.principals().grants(other))
                .containsExactly(new Principals.Grant(new Scope.OfVolume("default"), READ));
        List<AuditEntry> log = view.audit().list(0, Query.PAGE_MAX).entries();
        AuditEntry last = log.getLast();
        assertThat(last.command()).isEqualTo(new Command.SetGrant(other, new Scope.OfVolume("default"), READ));
        assertThat(last.by()).isEqualTo(DOOR);
        assertThat(last.onBehalfOf()).contains(person);
        assertThat(view.principals().actFor(DOOR)).contains(new Principals.ActFor(person, Rights.ALL));
        assertThat(view.status()).isNotNull();
    }

    @Test
    void registerBlocksAreCheckedByTheView() {
        grant(new Scope.OfBucket("films"), Rights.ALL);
        Bulwark view = view(Rights.ALL);
        Volume disk = view.volume("disk");
        byte[] block = new byte[BLOCK];
        block[0] = 5;
        assertThatThrownBy(() -> disk.readBlock(1)).isInstanceOf(NotPermittedException.class);
        grant(new Scope.OfVolume("disk"), READ);
        assertThat(disk.readBlock(1)).isEqualTo(new byte[BLOCK]);
        assertThatThrownBy(() -> disk.writeBlock(1, block)).isInstanceOf(NotPermittedException.class);
        grant(new Scope.OfVolume("disk"), READ_WRITE);
        disk.writeBlock(1, block);
        assertThat(disk.readBlock(1)).isEqualTo(block);
        client.principals().setActFor(DOOR, person, READ);
        assertThatThrownBy(() -> disk.writeBlock(2, block)).isInstanceOf(NotPermittedException.class);
    }

    @Test
    void closedViewLeavesTheClientOpen() {
        client.createBucket("diary");
        grant(new Scope.OfBucket("diary"), READ_WRITE);
        Bulwark view = view(READ_WRITE);
        view.bucket("diary").put("c", new byte[BLOCK]);
        view.close();
        client.bucket("diary").put("c", new byte[BLOCK]);
        assertThat(view.bucket("diary").getBytes("c")).hasSize(BLOCK);
        assertThatThrownBy(() -> view.onBehalfOf(DOOR)).isInstanceOf(IllegalStateException.class);
    }
}

package io.bulwark.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.bulwark.appliance.cluster.ReplicaMember;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.driver.ReplicaConfig.Recoveries;
import io.bulwark.transport.identity.Identity;
import io.bulwark.transport.identity.Pkcs11Token;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whole replicas on a machine's own devices: a full disk, and a device that keeps the key. */
@NullMarked
@Tag("long")
class ReplicaFaultsIT {
    private static final int LAST = ReplicaGroup.REPLICAS - 1;
    private static final String ROOM = "64m";
    private static final String TOKEN = "bulwark replica";

    @TempDir
    Path root = Path.of("");

    private @Nullable ReplicaGroup group;
    private @Nullable Path mounted;
    private boolean passed;

    @BeforeEach
    void prepare() throws Exception {
        group = new ReplicaGroup(root, Recoveries.DEFAULT);
    }

    private ReplicaGroup group() {
        return Objects.requireNonNull(group);
    }

    /** A file system of its own, so that its end is a real one. */
    @Test
    void aReplicaWhoseDiskIsFullStepsAsideAndComesBackOnceThereIsRoom() throws Exception {
        Path directory = Files.createDirectories(group().plan().data().replica(LAST));
        assumeOrSay(
                run("mount", "-t", "tmpfs", "-o", "size=" + ROOM, "tmpfs", directory.toString()) == 0,
                "a replica whose disk is full",
                "no file system of a limited size can be mounted here: that takes root, and a kernel that lets it");
        mounted = directory;
        group().startAll();
        group().load(5);
        Path filler = directory.resolve("filler");
        fill(filler);
        await().atMost(ReplicaGroup.LONG)
                .pollInterval(ReplicaGroup.POLL)
                .until(() -> !group().takesPart(LAST) && saidWhy());
        group().awaitMore();
        assertThat(group().member(LAST).isRunning()).as("its process goes on").isTrue();
        Files.delete(filler);
        await().atMost(ReplicaGroup.LONG).pollInterval(ReplicaGroup.POLL).until(() -> group().takesPart(LAST));
        // Only two of the other three remain: without this replica the group makes no progress.
        group().member(0).stop();
        group().awaitMore();
        assertThat(group().lost()).isEmpty();
        passed = true;
    }

    private static void assumeOrSay(boolean possible, String what, String missing) {
        if (!possible) {
            System.out.println("LEFT OUT: " + what + ", since " + missing);
        }
        assumeTrue(possible, missing);
    }

    private boolean saidWhy() throws IOException {
        return Files.readString(group().log(LAST)).contains("No space left on device");
    }

    /** To the last byte. */
    private static void fill(Path file) throws IOException {
        byte[] chunk = new byte[1 << 16];
        try (OutputStream out = Files.newOutputStream(file, StandardOpenOption.CREATE_NEW)) {
            for (int size = chunk.length; size > 0; size /= 2) {
                writeUntilFull(out, chunk, size);
            }
        }
    }

    private static void writeUntilFull(OutputStream out, byte[] chunk, int size) {
        try {
            while (true) {
                out.write(chunk, 0, size);
            }
        } catch (IOException full) {
            assertThat(full).hasMessageContaining("No space left");
        }
    }

    /**
     * Replaces the replica's key by one in a device, as docs/security.md describes; the replica recovers with that key.
     */
    @Test
    @Tag("nightly")
    void aReplicaWhoseKeyIsInADeviceServesAndRecovers() throws Exception {
        SoftHsm.makeToken(TOKEN, "1234");
        Path pin = secret(root.resolve("pin"), "1234\n");
        Pkcs11Token token = new Pkcs11Token(SoftHsm.MODULE, TOKEN, "replica-" + LAST, Optional.of(pin));
        PrincipalId replica = PrincipalId.replica(LAST);
        Identity made = token.generate(replica, Duration.ofDays(1));
        group().startAll();
        group().load(50);
        group().client().principals().rotate(replica, made.publicKey(), true);
        Path identity = Identity.file(group().plan().data().keys(), replica);
        Path named = secret(root.resolve("device.pkcs11"), token.text());
        // Else it would not start with a key that it does not know for its own.
        Path known = group().setup(LAST).data().resolve("registry");
        await().atMost(ReplicaGroup.LONG)
                .until(() -> Files.exists(known)
                        && Files.readString(known).contains(made.publicKey().text()));
        ReplicaMember member = group().member(LAST);
        member.stop();
        Files.move(named, identity, StandardCopyOption.REPLACE_EXISTING);
        assertThat(Files.readString(identity)).as("no key, but where one is").doesNotContain("PRIVATE KEY");
        member.start();
        member.awaitListening();
        group().awaitServing();
        group().client().principals().rotate(replica, made.publicKey(), false);
        member.recover();
        await().atMost(ReplicaGroup.LONG).pollInterval(ReplicaGroup.POLL).until(() -> group().hasRecovered(LAST));
        // Its signatures, session keys and votes are needed now.
        group().member(0).stop();
        group().awaitMore();
        assertThat(group().lost()).isEmpty();
        passed = true;
    }

    private static Path secret(Path file, String text) throws IOException {
        Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        return Files.writeString(file, text);
    }

    private static int run(String... command) throws InterruptedException {
        try {
            return new ProcessBuilder(List.of(command)).inheritIO().start().waitFor();
        } catch (IOException e) {
            System.out.println(e.getMessage());
            return -1;
        }
    }

    @AfterEach
    void end() throws Exception {
        if (!passed) {
            group().showLogs();
        }
        group().close();
        if (mounted != null) {
            assertThat(run("umount", mounted.toString())).isZero();
        }
    }
}

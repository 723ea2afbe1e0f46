package io.bulwark.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.appliance.cluster.ClusterPlan;
import io.bulwark.appliance.cluster.ClusterShape;
import io.bulwark.appliance.cluster.DataDirectory;
import io.bulwark.client.Bulwark;
import io.bulwark.client.ClusterStatus;
import io.bulwark.client.error.BulwarkException;
import io.bulwark.client.error.NoSuchKeyException;
import io.bulwark.client.error.NotBelievedException;
import io.bulwark.client.error.NotPermittedException;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.transport.identity.Identity;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.jspecify.annotations.NullMarked;
import tools.jackson.databind.json.JsonMapper;

/** The data directory of a cluster that an older build has written, as it lies beside these tests (README.md there), unpacked. */
@NullMarked
record OlderData(ClusterPlan plan, OlderContents contents) {
    /** Where it was made, and can be found alone: the cluster map names its nodes' ports. Below those that systems hand out by themselves. */
    static final int PORT_BASE = 31_500;

    /** Within {@code src/test/resources}. */
    static final String PLACE = "older";

    private static final String NEXT_KEY = "-next";
    private static final long WAIT_MILLIS_MAX = 180_000;

    static OlderData unpack(Path directory) throws IOException {
        Path root = Files.createDirectories(directory.resolve("older-data"));
        try (ZipInputStream zip = new ZipInputStream(resource("data.zip"))) {
            for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
                Path file = root.resolve(entry.getName()).normalize();
                assertThat(file.startsWith(root)).as("%s", entry).isTrue();
                Files.createDirectories(file.getParent());
                Files.copy(zip, file);
                Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
            }
        }
        // Who comes with a key that the genesis does not know brings what a member has heard of the registry
        // (docs/operations.md).
        Path keys = root.resolve("keys");
        Files.copy(
                keys.resolve("client-0.pem.registry"),
                keys.resolve(OlderContents.ROTATED + NEXT_KEY + ".pem.registry"));
        OlderContents contents;
        try (InputStream in = resource("contents.json")) {
            contents = JsonMapper.builder().build().readValue(in, OlderContents.class);
        }
        DataDirectory data = DataDirectory.create(root);
        OlderData unpacked = new OlderData(new ClusterPlan(data, data.shape().orElseThrow()), contents);
        unpacked.checkCertificates();
        unpacked.checkPorts();
        return unpacked;
    }

    private static InputStream resource(String name) {
        return Objects.requireNonNull(
                OlderData.class.getClassLoader().getResourceAsStream(PLACE + "/" + name),
                "there is no " + PLACE + "/" + name + " among the resources of these tests");
    }

    Path root() {
        return plan.data().root();
    }

    private void checkCertificates() throws IOException {
        X509Certificate certificate = Identity.load(Identity.file(plan.data().keys(), PrincipalId.client(0)))
                .certificate();
        assertThat(Instant.now())
                .as("by this machine's clock the certificates of the stored data directory are not valid; make"
                        + " another one, as its README.md says")
                .isBetween(
                        certificate.getNotBefore().toInstant(),
                        certificate.getNotAfter().toInstant());
    }

    private void checkPorts() {
        ClusterShape shape = plan.shape();
        IntStream listening = IntStream.concat(
                IntStream.range(0, shape.nodes()).map(shape::nodePort),
                IntStream.range(0, shape.replicas()).map(shape::replicaPort));
        IntStream.concat(IntStream.of(shape.consolePort()), listening)
                .flatMap(port -> IntStream.of(port, ClusterShape.adminPort(port)))
                .forEach(port -> {
                    try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                        assertThat(socket.isBound()).isTrue();
                    } catch (IOException e) {
                        throw new AssertionError("the stored cluster needs port " + port + ", which is taken", e);
                    }
                });
    }

    Bulwark operator() {
        return Bulwark.connect(plan.data().clientProperties());
    }

    private Bulwark as(String name) {
        return Bulwark.connect(root().resolve(name + ".properties"));
    }

    /** Reads all of it. */
    void check() {
        try (Bulwark operator = operator()) {
            OlderContents now = OlderContents.read(operator, contents.build());
            assertThat(now.objects()).containsExactlyElementsOf(contents.objects());
            assertThat(now.registers()).containsExactlyElementsOf(contents.registers());
            for (OlderContents.Gone gone : contents.gone()) {
                assertThatThrownBy(() -> operator.bucket(gone.bucket()).head(gone.key()))
                        .as("%s", gone)
                        .isInstanceOf(NoSuchKeyException.class);
            }
            var audit = operator.audit()
                    .verify(Optional.of(Bytes.of(HexFormat.of().parseHex(contents.auditHead()))), _ -> {});
            assertThat(audit.problem()).isEmpty();
            assertThat(audit.unsigned()).isZero();
            assertThat(audit.entries()).isGreaterThanOrEqualTo(contents.auditEntries());
        }
    }

    /** Sees who is let in, with which rights. */
    void checkPeople() {
        String versioned = OlderContents.VERSIONED;
        try (Bulwark writer = as(OlderContents.WRITER.toString());
                Bulwark rotated = as(OlderContents.ROTATED + NEXT_KEY);
                Bulwark guest = as(OlderContents.GUEST.toString())) {
            assertThat(writer.bucket(versioned).getBytes("of-a-writer")).hasSize(9_000);
            assertThat(rotated.bucket(versioned).getBytes("of-a-writer")).hasSize(9_000);
            assertThatThrownBy(() -> rotated.bucket(versioned).put("no", new byte[1]))
                    .isInstanceOf(NotPermittedException.class);
            assertThat(guest.bucket(OlderContents.SMALL).getBytes("of-the-revoked"))
                    .hasSize(9_000);
            assertThatThrownBy(() -> guest.bucket(versioned).getBytes("of-a-writer"))
                    .isInstanceOf(NotPermittedException.class);
        }
        Stream.of(OlderContents.REVOKED, OlderContents.ROTATED)
                .map(principal -> CompletableFuture.runAsync(() -> checkOut(principal.toString())))
                .toList()
                .forEach(CompletableFuture::join);
    }

    /** Whose key nobody believes any more is told so. */
    private void checkOut(String principal) {
        assertThatThrownBy(() -> {
                    try (Bulwark refused = as(principal)) {
                        refused.buckets();
                    }
                })
                .as("%s with a key that is not believed any more", principal)
                .isInstanceOf(NotBelievedException.class);
    }

    /** Waits until all nodes and replicas are there and agree, and every volume can take all the faults of its policy. */
    void awaitWell(Bulwark client) throws InterruptedException {
        long end = System.nanoTime() + Duration.ofMillis(WAIT_MILLIS_MAX).toNanos();
        String last;
        do {
            try {
                ClusterStatus status = client.status();
                last = problems(status);
                if (last.isEmpty()) {
                    return;
                }
            } catch (BulwarkException e) {
                last = String.valueOf(e.getMessage());
            }
            Thread.sleep(200);
        } while (System.nanoTime() < end);
        throw new AssertionError("the cluster is not well: " + last);
    }

    private static String problems(ClusterStatus status) {
        Stream<Object> problems = Stream.of(
                        status.nodes().stream().filter(node -> !node.reachable() || node.pending() > 0),
                        status.replicas().stream().filter(replica -> !replica.reachable() || !replica.agrees()),
                        status.volumes().stream().filter(volume -> volume.moreFaults() < volume.policyFaults()),
                        status.faults().stream())
                .flatMap(each -> each);
        return String.join("; ", problems.map(Object::toString).toList());
    }
}

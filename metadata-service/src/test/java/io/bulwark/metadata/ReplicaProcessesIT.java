package io.bulwark.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.client.metadata.MetadataClient;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.OrderingCodec;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MessageCodecs;
import io.bulwark.transport.Transport;
import io.bulwark.transport.TransportSettings;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Four replicas in JVMs of their own, ordered by our own engine, killed without warning while clients write. */
@NullMarked
@Timeout(600)
@Tag("nightly")
class ReplicaProcessesIT {
    private static final int REPLICAS = ReplicaGroup.REPLICAS;
    private static final int WRITERS = 8;

    @TempDir
    Path directory;

    private final List<InetSocketAddress> addresses = ReplicaGroup.freeAddresses(REPLICAS);
    private final Process[] processes = new Process[REPLICAS];
    private final List<String> acknowledged = Collections.synchronizedList(new ArrayList<>());
    private final AtomicLong number = new AtomicLong();
    private final AtomicBoolean writing = new AtomicBoolean();
    private final List<Thread> writers = new ArrayList<>();
    private Transport transport;
    private MetadataClient client;

    @BeforeEach
    void start() throws IOException {
        transport = Transport.open(
                TransportSettings.defaults(),
                ReplicaGroup.keys(PrincipalId.client(7)),
                new MessageCodecs(new OrderingCodec()));
        client = MetadataClient.connect(transport, addresses, 180_000);
        for (int replica = 0; replica < REPLICAS; replica++) {
            launch(replica);
        }
    }

    @AfterEach
    void stop() throws InterruptedException {
        writing.set(false);
        for (Thread writer : writers) {
            writer.join();
        }
        client.close();
        transport.close();
        for (Process process : processes) {
            process.destroyForcibly().waitFor();
        }
    }

    @Test
    void killingAllAtOnceLosesNothingAcknowledged() throws Exception {
        for (int round = 0; round < 3; round++) {
            write(200);
            for (Process process : processes) {
                process.destroyForcibly();
            }
            for (int replica = 0; replica < REPLICAS; replica++) {
                processes[replica].waitFor();
                launch(replica);
            }
            expectAllAcknowledged();
        }
    }

    @Test
    void killingEachInTurnKeepsTheServiceAndTheyCountAgain() throws Exception {
        write(100);
        for (int victim = 0; victim < REPLICAS; victim++) {
            processes[victim].destroyForcibly().waitFor();
            write(50);
            launch(victim);
            write(50);
        }
        expectAllAcknowledged();
    }

    /** Lets the writers run until this many more commands are acknowledged, whatever happens meanwhile. */
    private void write(int more) throws InterruptedException {
        if (writers.isEmpty()) {
            writing.set(true);
            for (int i = 0; i < WRITERS; i++) {
                writers.add(Thread.ofVirtual().start(this::writeOn));
            }
        }
        int goal = acknowledged.size() + more;
        while (acknowledged.size() < goal) {
            Thread.sleep(20);
        }
    }

    private void writeOn() {
        while (writing.get()) {
            long mine = number.getAndIncrement();
            String text = "text-" + mine;
            CompletableFuture<Bytes> reply = client.submit(RecordingApplication.command(mine, text));
            reply.join();
            acknowledged.add(text);
        }
    }

    private void expectAllAcknowledged() {
        List<String> before = List.copyOf(acknowledged);
        List<String> found =
                RecordingApplication.texts(client.query(Bytes.EMPTY).join());
        assertThat(new HashSet<>(found)).containsAll(before);
        assertThat(found).doesNotHaveDuplicates();
    }

    private void launch(int replica) throws IOException {
        processes[replica] = ReplicaProcess.launch(
                replica,
                directory.resolve("replica-" + replica),
                addresses,
                ProcessBuilder.Redirect.appendTo(
                        directory.resolve("out-" + replica).toFile()));
    }
}

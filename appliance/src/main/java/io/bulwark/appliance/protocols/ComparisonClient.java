package io.bulwark.appliance.protocols;

import io.bulwark.client.driver.EvidenceListener;
import io.bulwark.client.driver.OperationDriver;
import io.bulwark.client.driver.PeerLinks;
import io.bulwark.client.error.Subject;
import io.bulwark.client.error.UnavailableException;
import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.fp.FpCodec;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.pasis.PasisCodec;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MessageCodecs;
import io.bulwark.transport.Transport;
import io.bulwark.transport.TransportSettings;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;

/** The one client of the benchmark. */
final class ComparisonClient implements AutoCloseable {
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final Transport transport;
    private final PeerLinks links;
    private final OperationDriver driver;

    ComparisonClient(ComparisonKeys keys, List<InetSocketAddress> nodes) {
        transport = Transport.open(
                TransportSettings.defaults(),
                keys.credentials(ComparisonKeys.CLIENT),
                new MessageCodecs(new FpCodec(), new PasisCodec(), new BenignCodec()),
                meters);
        links = new PeerLinks(transport);
        driver = new OperationDriver(links, EvidenceListener.NONE, OperationDriver.Limits.standard(), 1);
        links.deliverTo(driver);
        for (int node = 0; node < nodes.size(); node++) {
            links.connect(PrincipalId.node(node), nodes.get(node));
        }
    }

    void write(ComparedProtocol protocol, int f, int block, Bytes content) {
        run(() -> protocol.write(f, block, ComparisonKeys.CLIENT, content), protocol);
    }

    void read(ComparedProtocol protocol, int f, int block) {
        run(() -> protocol.read(f, block, ComparisonKeys.CLIENT), protocol);
    }

    private <R> void run(Supplier<ClientOperation<? extends R>> making, ComparedProtocol protocol) {
        try {
            Object outcome = driver.submit(() -> making.get(), 4L * ComparedProtocol.BLOCK_BYTES)
                    .get();
            if (!ComparedProtocol.isSuccess(outcome)) {
                throw new UnavailableException(protocol.text() + ": " + outcome, Subject.NONE);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UnavailableException("interrupted", Subject.NONE, e);
        } catch (ExecutionException e) {
            throw new UnavailableException(protocol.text() + ": " + e.getMessage(), Subject.NONE, e);
        }
    }

    /**
     * Returns the bytes of frames so far.
     *
     * @param direction {@code out} or {@code in}
     */
    double bytes(String direction) {
        return meters.find("bulwark.transport.bytes").tag("direction", direction).counters().stream()
                .mapToDouble(Counter::count)
                .sum();
    }

    @Override
    public void close() {
        driver.close();
        links.close();
        transport.close();
    }
}

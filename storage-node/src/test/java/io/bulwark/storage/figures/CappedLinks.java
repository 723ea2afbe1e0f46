package io.bulwark.storage.figures;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKind;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/**
 * Gives each node a network card of its own. Traffic between two principals goes through a relay. All connections of a
 * node share one token bucket for each direction, which limits their rate. Clients' cards have no limit.
 */
final class CappedLinks implements AutoCloseable {
    private static final int CHUNK_BYTES = 16 << 10;
    /** The depth of a bucket, so that a sleep that takes too long costs nothing. */
    private static final long DEPTH_NANOS = 5_000_000;

    private final long bytesPerSecond;
    private final Map<PrincipalId, Bucket> inbound = new ConcurrentHashMap<>();
    private final Map<PrincipalId, Bucket> outbound = new ConcurrentHashMap<>();
    private final Map<Ends, ServerSocket> relays = new ConcurrentHashMap<>();
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();

    private record Ends(PrincipalId from, PrincipalId to) {}

    private final class Bucket {
        private long freeNanos = System.nanoTime();

        /** Returns the time at which this number of bytes will have passed. */
        synchronized long reserve(int bytes) {
            long lately = System.nanoTime() - DEPTH_NANOS;
            freeNanos = (freeNanos - lately > 0 ? freeNanos : lately)
                    + TimeUnit.SECONDS.toNanos(1) * bytes / bytesPerSecond;
            return freeNanos;
        }
    }

    CappedLinks(long bytesPerSecond) {
        this.bytesPerSecond = bytesPerSecond;
    }

    /** Returns the address to which {@code from} must connect in order to reach {@code to}. */
    InetSocketAddress relay(PrincipalId from, PrincipalId to, InetSocketAddress address) {
        ServerSocket relay = relays.computeIfAbsent(new Ends(from, to), ends -> {
            try {
                ServerSocket opened = new ServerSocket(0, 16, InetAddress.getLoopbackAddress());
                Thread.ofVirtual().start(() -> accept(opened, ends, address));
                return opened;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), relay.getLocalPort());
    }

    private void accept(ServerSocket relay, Ends ends, InetSocketAddress address) {
        while (!relay.isClosed()) {
            try {
                Socket near = relay.accept();
                Socket far = new Socket(address.getAddress(), address.getPort());
                near.setTcpNoDelay(true);
                far.setTcpNoDelay(true);
                sockets.addAll(List.of(near, far));
                Thread.ofVirtual().start(() -> pump(near, far, buckets(ends.from, ends.to)));
                Thread.ofVirtual().start(() -> pump(far, near, buckets(ends.to, ends.from)));
            } catch (IOException e) {
                // Closed, or the node is not there: whoever connects tries again.
            }
        }
    }

    private List<Bucket> buckets(PrincipalId sender, PrincipalId receiver) {
        List<Bucket> passed = new ArrayList<>();
        if (sender.kind() == PrincipalKind.NODE) {
            passed.add(outbound.computeIfAbsent(sender, _ -> new Bucket()));
        }
        if (receiver.kind() == PrincipalKind.NODE) {
            passed.add(inbound.computeIfAbsent(receiver, _ -> new Bucket()));
        }
        return passed;
    }

    private static void pump(Socket from, Socket to, List<Bucket> buckets) {
        byte[] chunk = new byte[CHUNK_BYTES];
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int read = in.read(chunk); read >= 0; read = in.read(chunk)) {
                for (Bucket bucket : buckets) {
                    long nanos = bucket.reserve(read) - System.nanoTime();
                    if (nanos > 0) {
                        TimeUnit.NANOSECONDS.sleep(nanos);
                    }
                }
                out.write(chunk, 0, read);
            }
        } catch (IOException e) {
            // One end has closed its connection; closing the other one tells the other end.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        relays.values().forEach(CappedLinks::close);
        sockets.forEach(CappedLinks::close);
    }

    private static void close(AutoCloseable open) {
        try {
            open.close();
        } catch (Exception e) {
            throw new IllegalStateException("a relay does not close", e);
        }
    }
}

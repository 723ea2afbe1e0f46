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
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;

/**
 * Gives each principal a network card of its own. Traffic between two principals goes through a relay. All connections
 * of a card share one token bucket for each direction, which limits their rate. Bytes arrive after the network's delay.
 */
final class CappedLinks implements AutoCloseable {
    private static final int CHUNK_BYTES_MIN = 1_500;
    private static final int CHUNK_BYTES_MAX = 16 << 10;
    /** A card hands on what it has received in so much of a second: each card on the way adds this to the latency. */
    private static final int CHUNKS_PER_SECOND = 1_000;

    private final Network network;
    private final Map<PrincipalId, Bucket> inbound = new ConcurrentHashMap<>();
    private final Map<PrincipalId, Bucket> outbound = new ConcurrentHashMap<>();
    private final Map<Ends, ServerSocket> relays = new ConcurrentHashMap<>();
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();

    /**
     * Rates and delay of a network; zeros for no limit and no delay.
     *
     * @param nodeBytesPerSecond bytes that each node may send, and receive
     * @param clientBytesPerSecond the same of each client
     * @param delayMicros time that bytes take in each direction
     */
    record Network(long nodeBytesPerSecond, long clientBytesPerSecond, long delayMicros) {
        static final Network LOOPBACK = new Network(0, 0, 0);

        /** Returns a network that limits the nodes only; 0 for the loopback network. */
        static Network ofNodes(long bytesPerSecond) {
            return new Network(bytesPerSecond, 0, 0);
        }

        private long bytesPerSecond(PrincipalId principal) {
            return principal.kind() == PrincipalKind.NODE ? nodeBytesPerSecond : clientBytesPerSecond;
        }

        private int chunkBytes() {
            long slowest = LongStream.of(nodeBytesPerSecond, clientBytesPerSecond)
                    .filter(rate -> rate > 0)
                    .min()
                    .orElse(Long.MAX_VALUE);
            return Math.clamp(slowest / CHUNKS_PER_SECOND, CHUNK_BYTES_MIN, CHUNK_BYTES_MAX);
        }
    }

    private record Ends(PrincipalId from, PrincipalId to) {}

    private static final class Bucket {
        private final long bytesPerSecond;
        private long freeNanos = System.nanoTime();

        Bucket(long bytesPerSecond) {
            this.bytesPerSecond = bytesPerSecond;
        }

        /** Returns the time at which bytes that are there at {@code fromNanos} will have passed. */
        synchronized long reserve(int bytes, long fromNanos) {
            freeNanos = (freeNanos - fromNanos > 0 ? freeNanos : fromNanos)
                    + TimeUnit.SECONDS.toNanos(1) * bytes / bytesPerSecond;
            return freeNanos;
        }
    }

    @SuppressWarnings("ArrayRecordComponent") // nobody compares chunks
    private record Chunk(byte[] bytes, long dueNanos) {}

    CappedLinks(Network network) {
        this.network = network;
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
        if (network.bytesPerSecond(sender) > 0) {
            passed.add(outbound.computeIfAbsent(sender, each -> new Bucket(network.bytesPerSecond(each))));
        }
        if (network.bytesPerSecond(receiver) > 0) {
            passed.add(inbound.computeIfAbsent(receiver, each -> new Bucket(network.bytesPerSecond(each))));
        }
        return passed;
    }

    private void pump(Socket from, Socket to, List<Bucket> buckets) {
        byte[] chunk = new byte[network.chunkBytes()];
        BlockingQueue<Chunk> delayed = new LinkedBlockingQueue<>();
        Thread delivery = Thread.ofVirtual().unstarted(() -> deliver(delayed, from, to));
        try (from;
                to) {
            if (network.delayMicros > 0) {
                delivery.start();
            }
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            long leftNanos = System.nanoTime();
            boolean queued = false;
            for (int read = in.read(chunk); read >= 0; read = in.read(chunk)) {
                // Bytes that queue behind others leave the first card just after them: it sends while the second one
                // receives, and a sleep that takes too long costs nothing.
                long passedNanos = queued ? leftNanos : System.nanoTime();
                for (Bucket bucket : buckets) {
                    passedNanos = bucket.reserve(read, passedNanos);
                    leftNanos = bucket == buckets.getFirst() ? passedNanos : leftNanos;
                    sleepUntil(passedNanos);
                }
                queued = !buckets.isEmpty() && in.available() > 0;
                if (network.delayMicros > 0) {
                    long dueNanos = passedNanos + TimeUnit.MICROSECONDS.toNanos(network.delayMicros);
                    delayed.add(new Chunk(Arrays.copyOf(chunk, read), dueNanos));
                } else {
                    out.write(chunk, 0, read);
                }
            }
        } catch (IOException e) {
            // One end has closed its connection; closing the other one tells the other end.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            delivery.interrupt();
        }
    }

    /** Writes each chunk when it is due. If an end is closed, both are. */
    private static void deliver(BlockingQueue<Chunk> delayed, Socket from, Socket to) {
        try (from;
                to) {
            OutputStream out = to.getOutputStream();
            while (true) {
                Chunk chunk = delayed.take();
                sleepUntil(chunk.dueNanos);
                out.write(chunk.bytes);
            }
        } catch (IOException e) {
            // As above.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void sleepUntil(long nanoTime) throws InterruptedException {
        long nanos = nanoTime - System.nanoTime();
        if (nanos > 0) {
            TimeUnit.NANOSECONDS.sleep(nanos);
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

package io.bulwark.metadata.bftsmart;

import bftsmart.communication.SystemMessage;
import bftsmart.tom.core.messages.TOMMessage;
import io.bulwark.metadata.ordering.OrderedBatch;
import io.bulwark.metadata.ordering.OrderingEngine;
import io.bulwark.metadata.ordering.Submission;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One replica's part of one incarnation. The library numbers the replicas so that the coordinator of the incarnation,
 * which is known to be up, is its first leader.
 */
final class BftSmartEngine implements OrderingEngine, LibraryPorts.Ends {
    private static final Logger LOG = LoggerFactory.getLogger(BftSmartEngine.class);
    private static final long TICK_MILLIS = 50;
    private static final long SHUT_DOWN_MILLIS = 2_000;

    private sealed interface Arrival {}

    private record FromPeer(int process, Bytes message) implements Arrival {}

    private record FromSelf(SystemMessage message) implements Arrival {}

    private final int offset;
    private final int self;
    private final int replicas;
    private final int requestTimeoutMillis;
    private final Host host;
    private final LinkedBlockingQueue<Arrival> arrived = new LinkedBlockingQueue<>();
    private final Relay relay;
    private final Thread thread;
    private volatile @Nullable Consensus consensus;
    private volatile boolean closed;

    BftSmartEngine(long incarnation, int self, int replicas, int requestTimeoutMillis, Host host) {
        this.offset = (int) (incarnation % replicas);
        this.self = Math.floorMod(self - offset, replicas);
        this.replicas = replicas;
        this.requestTimeoutMillis = requestTimeoutMillis;
        this.host = host;
        this.relay = new Relay(self, replicas, this::order);
        this.thread = LibrarySandbox.thread("bft-smart-" + self + "-" + incarnation, this::run);
    }

    @Override
    public void start() {
        thread.start();
    }

    @Override
    public void submit(Submission submission) {
        relay.submit(now(), submission);
    }

    @Override
    public void onMessage(int from, Bytes message) {
        arrived.add(new FromPeer(Math.floorMod(from - offset, replicas), message));
    }

    @Override
    public EngineStatus standing() {
        Consensus running = consensus;
        return new EngineStatus(running == null ? -1 : (running.leader() + offset) % replicas, relay.pending());
    }

    @Override
    public void close() {
        closed = true;
        relay.close();
    }

    @Override
    public void send(int process, Bytes message) {
        host.send((process + offset) % replicas, message);
    }

    @Override
    public void loopBack(SystemMessage message) {
        arrived.add(new FromSelf(message));
    }

    @Override
    public void decided(TOMMessage[] requests) {
        for (TOMMessage request : requests) {
            int relayed = request.getSender() - Consensus.CLIENT_BASE;
            if (closed || relayed < 0 || relayed >= replicas) {
                continue;
            }
            try {
                OrderedBatch batch = OrderedBatch.decode(Bytes.of(request.getContent()));
                host.deliver(new OrderedBatch(requests[0].timestamp, batch.submissions()));
                relay.onDelivered(now(), (relayed + offset) % replicas, request.getSequence(), batch);
            } catch (MalformedException e) {
                LOG.warn("replica-{} ordered an invalid batch", (relayed + offset) % replicas, e);
            }
        }
    }

    private int order(byte[] content) {
        Consensus running = consensus;
        if (running == null) {
            throw new IllegalStateException("nothing can be ordered before the start");
        }
        return running.order(content);
    }

    private void run() {
        Consensus running = new Consensus(self, replicas, requestTimeoutMillis, this, this::lost);
        consensus = running;
        running.start();
        relay.open(now());
        long tickedMillis = 0;
        while (!closed) {
            try {
                Arrival next = arrived.poll(TICK_MILLIS, TimeUnit.MILLISECONDS);
                if (next != null) {
                    process(running, next);
                }
                if (arrived.isEmpty()) {
                    running.idle();
                }
            } catch (IOException | ClassNotFoundException | RuntimeException e) {
                // The library leaves its message loop on a malformed message; here only that message is lost.
                LOG.warn("a message of a peer could not be processed", e);
            } catch (InterruptedException e) {
                break;
            }
            if (now() - tickedMillis >= TICK_MILLIS) {
                tickedMillis = now();
                relay.onTick(tickedMillis);
            }
        }
        shutDown(running);
    }

    private void process(Consensus running, Arrival next) throws IOException, ClassNotFoundException {
        switch (next) {
            case FromSelf own -> running.process(own.message());
            case FromPeer sent -> {
                SystemMessage message = deserialize(sent.message());
                if (message.getSender() == sent.process()) {
                    message.authenticated = true;
                    running.process(message);
                }
            }
        }
    }

    static SystemMessage deserialize(Bytes message) throws IOException, ClassNotFoundException {
        try (ObjectInputStream in =
                new ObjectInputStream(new ByteArrayInputStream(message.array(), message.offset(), message.length()))) {
            in.setObjectInputFilter(LibrarySandbox.FILTER);
            return (SystemMessage) in.readObject();
        }
    }

    private static void shutDown(Consensus running) {
        long deadline = now() + SHUT_DOWN_MILLIS;
        try {
            while (!running.shutDown() && now() < deadline) {
                Thread.sleep(TICK_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void lost() {
        if (!closed) {
            host.lost();
        }
    }

    private static long now() {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
    }
}

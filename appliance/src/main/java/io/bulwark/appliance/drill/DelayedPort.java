package io.bulwark.appliance.drill;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Port in front of a node that delays all bytes in both directions, as a slow machine or network would. It passes one chunk per delay,
 * which bounds the rate as well. It changes nothing that it passes.
 */
public final class DelayedPort implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DelayedPort.class);
    private static final int CHUNK_BYTES = 64 << 10;
    private static final int CONNECT_MILLIS_MAX = 5_000;

    private final ServerSocket server;
    private final InetSocketAddress target;
    private final long delayMillis;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final Thread acceptor = Thread.ofVirtual().name("delayed-port").unstarted(this::accept);

    private DelayedPort(ServerSocket server, InetSocketAddress target, long delayMillis) {
        this.server = server;
        this.target = target;
        this.delayMillis = delayMillis;
    }

    /** Listens, and forwards connections to the target. */
    public static DelayedPort open(InetSocketAddress listen, InetSocketAddress target, long delayMillis)
            throws IOException {
        ServerSocket server = new ServerSocket();
        try {
            server.setReuseAddress(true);
            server.bind(listen);
        } catch (IOException e) {
            server.close();
            throw e;
        }
        DelayedPort port = new DelayedPort(server, target, delayMillis);
        port.acceptor.start();
        return port;
    }

    /** Returns the number of the port. */
    public int port() {
        return server.getLocalPort();
    }

    @Override
    public void close() throws IOException {
        server.close();
        open.forEach(DelayedPort::closeQuietly);
        try {
            // The port stays open until nobody waits at it any more.
            acceptor.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                Socket near = server.accept();
                Thread.ofVirtual().start(() -> forward(near));
            } catch (IOException e) {
                if (!server.isClosed()) {
                    LOG.warn("the delayed port {}: {}", server.getLocalPort(), e.toString());
                }
            }
        }
    }

    private void forward(Socket near) {
        Socket far = new Socket();
        open.add(near);
        open.add(far);
        if (server.isClosed()) {
            // It was closed between the accept and here, so that nobody else closes these.
            closeQuietly(near);
        }
        try {
            far.connect(target, CONNECT_MILLIS_MAX);
            Thread back = Thread.ofVirtual().start(() -> pass(far, near));
            pass(near, far);
            back.join();
        } catch (IOException e) {
            LOG.debug("a delayed connection ended: {}", e.toString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            closeQuietly(near);
            closeQuietly(far);
            open.remove(near);
            open.remove(far);
        }
    }

    /** Passes until either end closes, then closes both. */
    private void pass(Socket from, Socket to) {
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            byte[] chunk = new byte[CHUNK_BYTES];
            for (int count = in.read(chunk); count >= 0; count = in.read(chunk)) {
                Thread.sleep(delayMillis);
                out.write(chunk, 0, count);
            }
        } catch (IOException e) {
            LOG.debug("a delayed connection ended: {}", e.toString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            closeQuietly(from);
            closeQuietly(to);
        }
    }

    private static void closeQuietly(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            LOG.debug("closing a delayed connection", e);
        }
    }
}

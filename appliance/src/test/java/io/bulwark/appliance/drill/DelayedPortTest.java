package io.bulwark.appliance.drill;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Bytes pass unchanged, only later; connections end with the port. */
@NullMarked
@Timeout(30)
class DelayedPortTest {
    private static final long DELAY_MILLIS = 30;
    private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();

    @Test
    void bytesComeBackUnchangedAndNotBeforeTheDelay() throws Exception {
        try (ServerSocket echo = echo();
                DelayedPort port = DelayedPort.open(free(), address(echo), DELAY_MILLIS);
                Socket socket = new Socket(LOOPBACK, port.port())) {
            byte[] sent = new byte[200_000];
            for (int i = 0; i < sent.length; i++) {
                sent[i] = (byte) (i * 31);
            }
            long started = System.nanoTime();
            Thread.ofVirtual().start(() -> write(socket, sent));
            assertThat(socket.getInputStream().readNBytes(sent.length)).isEqualTo(sent);
            assertThat(System.nanoTime() - started)
                    .as("there and back")
                    .isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(2 * DELAY_MILLIS));
        }
    }

    @Test
    void connectionsEndWithThePort() throws Exception {
        try (ServerSocket echo = echo()) {
            DelayedPort port = DelayedPort.open(free(), address(echo), 0);
            try (Socket socket = new Socket(LOOPBACK, port.port())) {
                socket.getOutputStream().write(7);
                assertThat(socket.getInputStream().read()).isEqualTo(7);
                port.close();
                assertThat(readOrEnd(socket)).isEqualTo(-1);
            }
            assertThat(isOpen(port.port())).isFalse();
        }
    }

    /** A connection to a closed port can be one to itself. */
    private static boolean isOpen(int port) {
        try (Socket socket = new Socket(LOOPBACK, port)) {
            return socket.getLocalPort() != port;
        } catch (IOException e) {
            return false;
        }
    }

    private static int readOrEnd(Socket socket) {
        try {
            return socket.getInputStream().read();
        } catch (IOException e) {
            return -1;
        }
    }

    private static ServerSocket echo() throws IOException {
        ServerSocket server = new ServerSocket(0, 1, LOOPBACK);
        Thread.ofVirtual().start(() -> {
            try (Socket socket = server.accept()) {
                socket.getInputStream().transferTo(socket.getOutputStream());
            } catch (IOException e) {
                // The test is over.
            }
        });
        return server;
    }

    private static void write(Socket socket, byte[] sent) {
        try {
            socket.getOutputStream().write(sent);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static InetSocketAddress address(ServerSocket server) {
        return new InetSocketAddress(LOOPBACK, server.getLocalPort());
    }

    private static InetSocketAddress free() {
        return new InetSocketAddress(LOOPBACK, 0);
    }
}

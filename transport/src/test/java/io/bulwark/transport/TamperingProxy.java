package io.bulwark.transport;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import org.jspecify.annotations.NullMarked;

/**
 * A keyless relay between clients and a server of TLS 1.3. It passes their records on, and tampers only with the first
 * encrypted one of a client.
 */
@NullMarked
final class TamperingProxy implements AutoCloseable {
    /** Action of the meddler. */
    enum Deed {
        /** Makes the server end the handshake with an alert of its own, {@code bad_record_mac}. */
        CHANGES_IT,
        /** Tells the client in the clear that the server does not take its certificate. */
        ANSWERS_IT
    }

    private static final int HEADER_BYTES = 5;
    private static final byte ENCRYPTED = 23;
    /** Fatal, {@code certificate_unknown}. */
    private static final byte[] ALERT = {21, 3, 3, 0, 2, 2, 46};

    private final ServerSocket listening = new ServerSocket(0, 16, InetAddress.getLoopbackAddress());
    private final InetSocketAddress server;
    private final Deed deed;

    TamperingProxy(InetSocketAddress server, Deed deed) throws IOException {
        this.server = server;
        this.deed = deed;
        Thread.ofVirtual().start(() -> {
            while (!listening.isClosed()) {
                try {
                    Socket client = listening.accept();
                    Thread.ofVirtual().start(() -> meddle(client));
                } catch (IOException e) {
                    return;
                }
            }
        });
    }

    InetSocketAddress address() {
        return (InetSocketAddress) listening.getLocalSocketAddress();
    }

    private void meddle(Socket client) {
        try (client;
                Socket onward = new Socket(server.getAddress(), server.getPort())) {
            Thread.ofVirtual().start(() -> {
                try {
                    onward.getInputStream().transferTo(client.getOutputStream());
                    client.shutdownOutput();
                } catch (IOException e) {
                    // One of the two sockets is closed, and the other one closes below.
                }
            });
            DataInputStream records = new DataInputStream(client.getInputStream());
            OutputStream out = onward.getOutputStream();
            boolean done = false;
            while (true) {
                byte[] header = records.readNBytes(HEADER_BYTES);
                if (header.length < HEADER_BYTES) {
                    return;
                }
                byte[] body = records.readNBytes(((header[3] & 0xff) << 8) | (header[4] & 0xff));
                if (header[0] == ENCRYPTED && !done) {
                    done = true;
                    if (deed == Deed.ANSWERS_IT) {
                        client.getOutputStream().write(ALERT);
                        continue;
                    }
                    body[body.length - 1] ^= 1;
                }
                out.write(header);
                out.write(body);
                out.flush();
            }
        } catch (IOException e) {
            // It was closed by one of the two.
        }
    }

    @Override
    public void close() throws IOException {
        listening.close();
    }
}

package io.bulwark.gateway.s3.http;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** A client that writes bytes to a socket and reads responses. */
final class RawClient implements AutoCloseable {
    private static final int TIMEOUT_MILLIS = 60_000;

    private final Socket socket;
    private final InputStream in;

    /** A response; headers have lower-case names. */
    @SuppressWarnings("ArrayRecordComponent") // Never compared.
    record Response(int status, Map<String, String> headers, byte[] body) {
        String text() {
            return new String(body, StandardCharsets.UTF_8);
        }

        String header(String name) {
            return headers.getOrDefault(name, "");
        }
    }

    RawClient(InetSocketAddress address) throws IOException {
        this(connect(address));
    }

    RawClient(Socket socket) throws IOException {
        this.socket = socket;
        this.in = socket.getInputStream();
        socket.setSoTimeout(TIMEOUT_MILLIS);
    }

    private static Socket connect(InetSocketAddress address) throws IOException {
        return new Socket(address.getAddress(), address.getPort());
    }

    RawClient send(String text) throws IOException {
        return send(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    RawClient send(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
        socket.getOutputStream().flush();
        return this;
    }

    Socket socket() {
        return socket;
    }

    Response read() throws IOException {
        return read(false);
    }

    /** Reads one response. */
    Response read(boolean isHead) throws IOException {
        String line = readLine();
        int status = Integer.parseInt(line.split(" ", -1)[1]);
        Map<String, String> headers = new TreeMap<>();
        for (String header = readLine(); !header.isEmpty(); header = readLine()) {
            int colon = header.indexOf(':');
            headers.put(
                    header.substring(0, colon).toLowerCase(Locale.ROOT),
                    header.substring(colon + 1).strip());
        }
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        if (!isHead && status != 100 && status != 204 && status != 304) {
            if ("chunked".equals(headers.get("transfer-encoding"))) {
                for (int size = chunkSize(); size > 0; size = chunkSize()) {
                    body.write(readBytes(size));
                    readLine();
                }
                readLine();
            } else {
                body.write(readBytes(Integer.parseInt(headers.getOrDefault("content-length", "0"))));
            }
        }
        return new Response(status, headers, body.toByteArray());
    }

    private int chunkSize() throws IOException {
        return Integer.parseInt(readLine(), 16);
    }

    private byte[] readBytes(int count) throws IOException {
        byte[] bytes = in.readNBytes(count);
        if (bytes.length < count) {
            throw new EOFException("the response was cut");
        }
        return bytes;
    }

    private String readLine() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = in.read(); c != '\n'; c = in.read()) {
            if (c < 0) {
                throw new EOFException("the connection was closed");
            }
            if (c != '\r') {
                line.append((char) c);
            }
        }
        return line.toString();
    }

    /** Returns whether the server closes the connection without sending more. */
    boolean isClosedByServer() throws IOException {
        try {
            return in.read() < 0;
        } catch (SocketException e) {
            return true;
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}

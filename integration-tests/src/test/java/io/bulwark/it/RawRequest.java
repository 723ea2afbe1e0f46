package io.bulwark.it;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Request over HTTP/1.1 as its bytes, since clients refuse to send what an attacker sends. */
final class RawRequest {
    private static final int TIMEOUT_MILLIS = 20_000;

    private final String method;
    private final String target;
    private final List<String> headers = new ArrayList<>();
    private String host = "";
    private byte[] body = new byte[0];

    RawRequest(String method, String target) {
        this.method = method;
        this.target = target;
    }

    RawRequest host(String other) {
        host = other;
        return this;
    }

    RawRequest header(String name, String value) {
        headers.add(name + ": " + value);
        return this;
    }

    RawRequest body(String type, byte[] content) {
        body = content;
        return header("Content-Type", type);
    }

    /**
     * Answer of a server.
     *
     * @param status 0 if the server closed the connection without an answer
     * @param type media type; empty if there is none
     */
    record Answer(int status, String type, String text) {}

    /** Sends it, and reads until the server closes the connection. */
    Answer send(URI to) throws IOException {
        StringBuilder head = new StringBuilder(method + " " + target + " HTTP/1.1\r\n");
        head.append("Host: ").append(host.isEmpty() ? to.getAuthority() : host).append("\r\n");
        headers.forEach(header -> head.append(header).append("\r\n"));
        head.append("Connection: close\r\nContent-Length: ").append(body.length).append("\r\n\r\n");
        ByteArrayOutputStream answer = new ByteArrayOutputStream();
        try (Socket socket = new Socket()) {
            socket.setSoTimeout(TIMEOUT_MILLIS);
            socket.connect(new InetSocketAddress(to.getHost(), to.getPort()), TIMEOUT_MILLIS);
            try {
                socket.getOutputStream().write(head.toString().getBytes(StandardCharsets.ISO_8859_1));
                socket.getOutputStream().write(body);
                socket.getOutputStream().flush();
                socket.getInputStream().transferTo(answer);
            } catch (SocketException _) {
                // A server that refuses a request early may reset the connection; its answer counts as far as it came.
            }
        }
        return parsed(answer.toString(StandardCharsets.UTF_8));
    }

    private static Answer parsed(String answer) {
        String[] parts = answer.split("\r\n\r\n", 2);
        String[] lines = parts[0].split("\r\n", -1);
        String[] first = lines[0].split(" ", -1);
        if (first.length < 2 || !first[1].matches("[0-9]{3}")) {
            return new Answer(0, "", answer);
        }
        String type = "";
        for (String line : lines) {
            if (line.toLowerCase(Locale.ROOT).startsWith("content-type:")) {
                type = line.substring(line.indexOf(':') + 1).strip();
            }
        }
        return new Answer(Integer.parseInt(first[1]), type, parts.length > 1 ? parts[1] : "");
    }

    @Override
    public String toString() {
        String shown = method + " " + target + " " + headers + " host " + host + ", " + body.length + " bytes of body: "
                + new String(body, 0, Math.min(body.length, 200), StandardCharsets.UTF_8);
        return shown.substring(0, Math.min(shown.length(), 1000));
    }
}

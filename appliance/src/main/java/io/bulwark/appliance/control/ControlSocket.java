package io.bulwark.appliance.control;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/** Both ends of the control socket. Only the user who started the appliance can open it. */
public final class ControlSocket implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ControlSocket.class);
    private static final int LINE_BYTES_MAX = 4 << 20;
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final Path path;
    private final ServerSocketChannel server;

    private ControlSocket(Path path, ServerSocketChannel server) {
        this.path = path;
        this.server = server;
    }

    /** Returns the socket of a data directory. */
    public static Path in(Path data) {
        return data.resolve("control.sock");
    }

    /**
     * Serves requests until closed, each on a virtual thread.
     *
     * @throws IOException if the socket cannot be made; its path may be 100 bytes long at most
     */
    public static ControlSocket serve(Path data, Function<ControlRequest, ControlReply> handler) throws IOException {
        Path path = in(data);
        Files.deleteIfExists(path);
        ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        server.bind(UnixDomainSocketAddress.of(path));
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-------"));
        ControlSocket socket = new ControlSocket(path, server);
        Thread.ofPlatform().name("control-socket").daemon().start(() -> socket.accept(handler));
        return socket;
    }

    /**
     * Asks the appliance whose data directory this is.
     *
     * @throws IOException if nobody listens
     */
    public static ControlReply ask(Path data, ControlRequest request) throws IOException {
        try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(in(data)))) {
            write(channel, JSON.writeValueAsBytes(request));
            return JSON.readValue(readLine(channel), ControlReply.class);
        } catch (JacksonException e) {
            throw new IOException("the answer of the appliance cannot be decoded", e);
        }
    }

    /** Returns whether an appliance listens in this data directory. */
    public static boolean isServed(Path data) {
        if (!Files.exists(in(data))) {
            return false;
        }
        try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(in(data)))) {
            return channel.isConnected();
        } catch (IOException e) {
            return false;
        }
    }

    /** Returns the progress of the appliance in this data directory; not ready if none answers. */
    public static ApplianceProgress progress(Path data) {
        if (!Files.exists(in(data))) {
            return ApplianceProgress.UNKNOWN;
        }
        try {
            Map<String, Object> body = ask(data, ControlRequest.of("progress")).body();
            return new ApplianceProgress(
                    Boolean.TRUE.equals(body.get("ready")), body.get("doing") instanceof String doing ? doing : "");
        } catch (IOException e) {
            return ApplianceProgress.UNKNOWN;
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
        Files.deleteIfExists(path);
    }

    private void accept(Function<ControlRequest, ControlReply> handler) {
        while (server.isOpen()) {
            try {
                SocketChannel channel = server.accept();
                Thread.ofVirtual().start(() -> answer(channel, handler));
            } catch (IOException e) {
                if (server.isOpen()) {
                    LOG.warn("control socket: {}", e.toString());
                }
            }
        }
    }

    private static void answer(SocketChannel channel, Function<ControlRequest, ControlReply> handler) {
        try (channel) {
            ControlReply reply;
            try {
                byte[] line = readLine(channel);
                if (line.length == 0) {
                    return;
                }
                reply = handler.apply(JSON.readValue(line, ControlRequest.class));
            } catch (JacksonException e) {
                reply = ControlReply.failed("not a control request");
            } catch (RuntimeException e) {
                LOG.warn("control request failed", e);
                reply = ControlReply.failed(String.valueOf(e.getMessage()));
            }
            write(channel, JSON.writeValueAsBytes(reply));
        } catch (IOException e) {
            LOG.debug("control socket: {}", e.toString());
        }
    }

    private static void write(SocketChannel channel, byte[] json) throws IOException {
        byte[] line = (new String(json, StandardCharsets.UTF_8) + "\n").getBytes(StandardCharsets.UTF_8);
        ByteBuffer buffer = ByteBuffer.wrap(line);
        while (buffer.hasRemaining()) {
            channel.write(buffer);
        }
    }

    private static byte[] readLine(SocketChannel channel) throws IOException {
        InputStream in = Channels.newInputStream(channel);
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        byte[] chunk = new byte[8192];
        for (int count = in.read(chunk); count >= 0; count = in.read(chunk)) {
            line.write(chunk, 0, count);
            if (chunk[count - 1] == '\n') {
                break;
            }
            if (line.size() > LINE_BYTES_MAX) {
                throw new IOException("control line above " + LINE_BYTES_MAX + " bytes");
            }
        }
        return line.toByteArray();
    }
}

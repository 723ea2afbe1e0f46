package io.bulwark.transport;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.mac.PairwiseKeys;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.FrameHeader;
import io.bulwark.protocol.wire.Message;
import io.bulwark.protocol.wire.MessageCodecs;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import org.jspecify.annotations.NullMarked;

/** A peer that knows the wire and keeps to it only as far as a test wants. */
@NullMarked
final class RawSocket implements AutoCloseable {
    private static final int TIMEOUT_MILLIS = 30_000;

    final Socket socket;

    RawSocket(InetSocketAddress address) throws IOException {
        this(new Socket(address.getAddress(), address.getPort()));
    }

    RawSocket(Socket socket) throws IOException {
        this.socket = socket;
        socket.setSoTimeout(TIMEOUT_MILLIS);
        socket.setTcpNoDelay(true);
    }

    /** A connection of {@code keys.self()} to {@code to}, past the handshake. */
    static RawSocket authenticated(InetSocketAddress address, PairwiseKeys keys, PrincipalId to) throws IOException {
        RawSocket raw = new RawSocket(address);
        ControlMessage.Hello hello = hello(keys.self(), to);
        raw.send(hello);
        ControlMessage.Challenge challenge = (ControlMessage.Challenge) raw.receive();
        raw.send(new ControlMessage.Proof(MacChallenge.proofMac(keys, to, hello, challenge.nonce())));
        if (!(raw.receive() instanceof ControlMessage.Ready)) {
            throw new AssertionError("not ready");
        }
        return raw;
    }

    static ControlMessage.Hello hello(PrincipalId from, PrincipalId to) {
        return new ControlMessage.Hello(
                MacChallenge.VERSION, from, to, TestMessage.ofLength(32, 1).bytes());
    }

    void send(ControlMessage message) throws IOException {
        write(TestMessage.flat(MacChallenge.CODECS, 0, message));
    }

    void write(byte... bytes) throws IOException {
        socket.getOutputStream().write(bytes);
    }

    Message receive() throws IOException {
        return receive(MacChallenge.CODECS);
    }

    Message receive(MessageCodecs codecs) throws IOException {
        InputStream in = socket.getInputStream();
        FrameHeader header = FrameHeader.read(Bytes.of(in.readNBytes(FrameHeader.BYTES)));
        Bytes body = Bytes.of(in.readNBytes(header.bodyLength()));
        if (!header.covers(body)) {
            throw new AssertionError("wrong checksum");
        }
        return codecs.decode(header, body);
    }

    /** Returns whether the other side closes, having sent nothing more; fails by timeout otherwise. */
    boolean isClosedByPeer() throws IOException {
        try {
            return socket.getInputStream().read() < 0;
        } catch (SocketException e) {
            return true;
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}

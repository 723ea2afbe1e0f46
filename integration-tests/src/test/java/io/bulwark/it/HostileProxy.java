package io.bulwark.it;

import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.FrameHeader;
import io.bulwark.protocol.wire.WireWriter;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Stands where a node should be and passes everything on to the real one, but spoils what that answers. The handshake goes
 * through untouched, so its peers believe to speak with the node.
 */
final class HostileProxy implements AutoCloseable {
    /** Kinds of modified answers. */
    enum Spoiling {
        /** Bytes that are no frames. */
        GARBAGE,
        /** The first half, and then the end of the connection. */
        HALF_FRAME,
        /** A header that announces 2^31-1 bytes. */
        HUGE_LENGTH,
        /** Another request id than the one that was asked with. */
        WRONG_REQUEST_ID,
        /** The answer to an earlier request of the same type: another block's fragment, or an old timestamp. */
        EARLIER_ANSWER,
        /** The right frame, its body cut and its length and checksum made right for it. */
        CUT_BODY
    }

    private static final int HANDSHAKE_FAMILY = 4;

    private final ServerSocket listening;
    private final InetSocketAddress real;
    private final Random random;
    private final List<Socket> sockets = Collections.synchronizedList(new ArrayList<>());
    private final Map<Integer, Bytes> earlier = new ConcurrentHashMap<>();
    private final AtomicLong spoiled = new AtomicLong();
    private volatile Spoiling spoiling = Spoiling.GARBAGE;

    HostileProxy(int port, InetSocketAddress real, long seed) throws IOException {
        this.listening = new ServerSocket(port, 50, InetAddress.getLoopbackAddress());
        this.real = real;
        this.random = new Random(seed);
        Thread.ofVirtual().start(this::accept);
    }

    void spoil(Spoiling how) {
        spoiling = how;
    }

    /** Returns the number of modified answers so far. */
    long spoiled() {
        return spoiled.get();
    }

    @Override
    public void close() throws IOException {
        listening.close();
        synchronized (sockets) {
            sockets.forEach(HostileProxy::closeQuietly);
        }
    }

    private void accept() {
        while (!listening.isClosed()) {
            try {
                Socket peer = listening.accept();
                sockets.add(peer);
                Socket node = new Socket();
                sockets.add(node);
                node.connect(real);
                Thread.ofVirtual().start(() -> pass(peer, node, false));
                Thread.ofVirtual().start(() -> pass(node, peer, true));
            } catch (IOException e) {
                // The node is not there just now, or this proxy ends: its peer sees a closed connection.
            }
        }
    }

    private void pass(Socket from, Socket to, boolean answers) {
        try (from;
                to;
                DataInputStream in = new DataInputStream(from.getInputStream());
                OutputStream out = to.getOutputStream()) {
            while (true) {
                byte[] header = new byte[FrameHeader.BYTES];
                in.readFully(header);
                FrameHeader read = FrameHeader.read(Bytes.of(header));
                byte[] body = new byte[read.bodyLength()];
                in.readFully(body);
                if (answers && read.type() >> 8 != HANDSHAKE_FAMILY) {
                    spoiled.incrementAndGet();
                    if (!answerWrongly(out, read, header, Bytes.of(body))) {
                        return;
                    }
                } else {
                    out.write(header);
                    out.write(body);
                }
                out.flush();
            }
        } catch (EOFException e) {
            // One side has ended, so the other ends.
        } catch (IOException e) {
            // As above.
        }
    }

    /** False if the connection ends here. */
    private boolean answerWrongly(OutputStream out, FrameHeader header, byte[] encoded, Bytes body) throws IOException {
        switch (spoiling) {
            case GARBAGE -> {
                byte[] noise = new byte[1 + random.nextInt(5000)];
                random.nextBytes(noise);
                out.write(noise);
            }
            case HALF_FRAME -> {
                out.write(encoded);
                out.write(body.toByteArray(), 0, body.length() / 2);
                out.flush();
                return false;
            }
            case HUGE_LENGTH -> {
                byte[] huge = encoded.clone();
                huge[16] = 0x7F;
                huge[17] = huge[18] = huge[19] = (byte) 0xFF;
                out.write(huge);
                out.write(body.toByteArray());
            }
            case WRONG_REQUEST_ID -> write(out, header.type(), header.requestId() + 1 + random.nextInt(3), body);
            case EARLIER_ANSWER -> {
                Bytes other = earlier.put(header.type(), body);
                write(out, header.type(), header.requestId(), other == null ? body : other);
            }
            case CUT_BODY -> write(out, header.type(), header.requestId(), body.slice(0, body.length() / 2));
        }
        return true;
    }

    private static void write(OutputStream out, int type, long requestId, Bytes body) throws IOException {
        for (Bytes segment : FrameHeader.frame(type, requestId, new WireWriter().raw(body))) {
            out.write(segment.toByteArray());
        }
    }

    private static void closeQuietly(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // It was to end, and has.
        }
    }
}

package io.bulwark.it;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.FrameHeader;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * Proxy in front of a member, at the address that everybody uses for it. It forwards everything until it is told to cut
 * the member off from some peers. The first frame of a connection (HELLO) identifies the peer. The member's own
 * connections to others pass through their proxies.
 */
final class CutProxy implements AutoCloseable {
    private static final int CHUNK_BYTES = 16 << 10;

    private record Link(PrincipalId from, Socket peer, Socket member) {
        void end() {
            closeQuietly(peer);
            closeQuietly(member);
        }
    }

    private final ServerSocket listening;
    private final InetSocketAddress real;
    private final List<Link> links = new ArrayList<>();
    private Predicate<PrincipalId> refused = CutProxy::nobody;
    private Predicate<PrincipalId> held = CutProxy::nobody;

    /** @param real where the member listens */
    CutProxy(int port, InetSocketAddress real) throws IOException {
        this.listening = new ServerSocket(port, 100, InetAddress.getLoopbackAddress());
        this.real = real;
        Thread.ofVirtual().start(this::accept);
    }

    /** Ends these peers' connections, and refuses new ones. */
    synchronized void refuse(Predicate<PrincipalId> peers) {
        refused = peers;
        links.stream().filter(link -> peers.test(link.from)).toList().forEach(this::end);
    }

    /** Holds these peers' connections open, but passes nothing in either direction. */
    synchronized void hold(Predicate<PrincipalId> peers) {
        held = peers;
    }

    /** Passes everything on again, what was held first. */
    synchronized void heal() {
        refused = CutProxy::nobody;
        held = CutProxy::nobody;
        notifyAll();
    }

    @Override
    public synchronized void close() throws IOException {
        listening.close();
        List.copyOf(links).forEach(this::end);
        heal();
    }

    private void accept() {
        while (!listening.isClosed()) {
            try {
                Socket peer = listening.accept();
                Thread.ofVirtual().start(() -> serve(peer));
            } catch (IOException e) {
                // The proxy ends, or this one peer went away.
            }
        }
    }

    private void serve(Socket peer) {
        Socket member = new Socket();
        try (peer;
                member) {
            DataInputStream in = new DataInputStream(peer.getInputStream());
            byte[] header = new byte[FrameHeader.BYTES];
            in.readFully(header);
            byte[] hello = new byte[FrameHeader.read(Bytes.of(header)).bodyLength()];
            in.readFully(hello);
            WireReader reader = new WireReader(Bytes.of(hello));
            reader.u16();
            Link link = new Link(PrincipalId.read(reader), peer, member);
            member.connect(real);
            peer.setTcpNoDelay(true);
            member.setTcpNoDelay(true);
            if (!begin(link)) {
                return;
            }
            OutputStream out = member.getOutputStream();
            out.write(header);
            out.write(hello);
            Thread.ofVirtual().start(() -> pass(link, member, peer));
            pass(link, peer, member);
        } catch (IOException | MalformedException e) {
            // The member is not there just now, or the peer went away: it sees a closed connection.
        }
    }

    private synchronized boolean begin(Link link) {
        if (refused.test(link.from) || listening.isClosed()) {
            return false;
        }
        links.add(link);
        return true;
    }

    private void pass(Link link, Socket from, Socket to) {
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            byte[] chunk = new byte[CHUNK_BYTES];
            for (int count = in.read(chunk); count >= 0; count = in.read(chunk)) {
                awaitPassage(link);
                out.write(chunk, 0, count);
            }
        } catch (IOException e) {
            // One side has ended, so the other ends.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            end(link);
        }
    }

    private synchronized void awaitPassage(Link link) throws InterruptedException {
        while (held.test(link.from)) {
            wait();
        }
    }

    private synchronized void end(Link link) {
        links.remove(link);
        link.end();
    }

    private static boolean nobody(PrincipalId peer) {
        return false;
    }

    private static void closeQuietly(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // It was to end, and has.
        }
    }
}

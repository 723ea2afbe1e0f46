package io.bulwark.it;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.FrameHeader;
import io.bulwark.protocol.wire.Message;
import io.bulwark.protocol.wire.MessageCodecs;
import io.bulwark.protocol.wire.WireVersions;
import io.bulwark.transport.identity.Identity;
import io.bulwark.transport.identity.PeerCertificate;
import io.bulwark.transport.identity.RefusedCertificateException;
import io.bulwark.transport.identity.TrustedKeys;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.security.GeneralSecurityException;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.time.Instant;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;

/**
 * A client of one server with nothing around it: one TLS connection of the JDK, with certificates on both sides, on which it asks one
 * thing at a time. A thousand of them fit into a test.
 */
@NullMarked
final class PlainClient implements AutoCloseable {
    private static final int TIMEOUT_MILLIS = 60_000;
    private static final int ASK_AGAIN_MILLIS = 1_000;
    private static final int TRIES_MAX = 120;

    private final MessageCodecs codecs;
    private final SSLSocket socket;
    private final DataInputStream in;
    private final OutputStream out;
    private long requests;
    private long sentAgain;

    /** Connects, and returns once the server has said that it believes the client. */
    PlainClient(
            Identity identity, TrustedKeys trusted, PrincipalId server, InetSocketAddress address, MessageCodecs codecs)
            throws IOException, GeneralSecurityException {
        this.codecs = codecs;
        SSLContext context = SSLContext.getInstance("TLSv1.3");
        context.init(new KeyManager[] {new Own(identity)}, new TrustManager[] {new Pinned(trusted, server)}, null);
        socket = (SSLSocket) context.getSocketFactory().createSocket();
        try {
            SSLParameters parameters = socket.getSSLParameters();
            parameters.setApplicationProtocols(WireVersions.HERE.names().toArray(new String[0]));
            socket.setSSLParameters(parameters);
            socket.setTcpNoDelay(true);
            socket.connect(address, TIMEOUT_MILLIS);
            socket.setSoTimeout(TIMEOUT_MILLIS);
            socket.startHandshake();
            in = new DataInputStream(socket.getInputStream());
            out = socket.getOutputStream();
            int ready = receive(TIMEOUT_MILLIS).header.type();
            if (codecs.knowsFamilyOf(ready)) {
                throw new IOException("the server says " + ready + " before it is ready");
            }
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    private record Frame(FrameHeader header, Bytes body) {}

    /** The answer to a request, which is sent again and again, as clients do, until there is one. */
    Message ask(Message request) throws IOException {
        long id = ++requests;
        for (int tries = 0; tries < TRIES_MAX; tries++) {
            for (Bytes segment : codecs.frame(id, request)) {
                out.write(segment.array(), segment.offset(), segment.length());
            }
            out.flush();
            try {
                Frame answer = receive(ASK_AGAIN_MILLIS);
                while (answer.header.requestId() != id) {
                    answer = receive(ASK_AGAIN_MILLIS);
                }
                return codecs.decode(answer.header, answer.body);
            } catch (SocketTimeoutException e) {
                sentAgain++;
            }
        }
        throw new IOException("no answer to " + request);
    }

    /** Returns the number of retransmissions. */
    long sentAgain() {
        return sentAgain;
    }

    /** @param patienceMillis for the first byte, before which nothing is lost by giving up */
    private Frame receive(int patienceMillis) throws IOException {
        byte[] head = new byte[FrameHeader.BYTES];
        socket.setSoTimeout(patienceMillis);
        head[0] = in.readByte();
        socket.setSoTimeout(TIMEOUT_MILLIS);
        in.readFully(head, 1, head.length - 1);
        FrameHeader header = FrameHeader.read(Bytes.of(head));
        byte[] body = new byte[header.bodyLength()];
        in.readFully(body);
        if (!header.covers(Bytes.of(body))) {
            throw new IOException("a frame with a wrong checksum");
        }
        return new Frame(header, Bytes.of(body));
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }

    /** Shows the one certificate that there is. */
    private static final class Own extends X509ExtendedKeyManager {
        private static final String ALIAS = "own";
        private final Identity identity;

        private Own(Identity identity) {
            this.identity = identity;
        }

        @Override
        public String[] getClientAliases(String type, Principal @Nullable [] issuers) {
            return new String[] {ALIAS};
        }

        @Override
        public String chooseClientAlias(String[] types, Principal @Nullable [] issuers, @Nullable Socket at) {
            return ALIAS;
        }

        @Override
        public String @Nullable [] getServerAliases(String type, Principal @Nullable [] issuers) {
            return null;
        }

        @Override
        public @Nullable String chooseServerAlias(String type, Principal @Nullable [] issuers, @Nullable Socket at) {
            return null;
        }

        @Override
        public X509Certificate[] getCertificateChain(String alias) {
            return new X509Certificate[] {identity.certificate()};
        }

        @Override
        public PrivateKey getPrivateKey(String alias) {
            return identity.privateKey();
        }
    }

    /** Believes one principal only. */
    private static final class Pinned extends X509ExtendedTrustManager {
        private final TrustedKeys trusted;
        private final PrincipalId server;

        private Pinned(TrustedKeys trusted, PrincipalId server) {
            this.trusted = trusted;
            this.server = server;
        }

        private void check(X509Certificate[] chain) throws RefusedCertificateException {
            PrincipalId found = PeerCertificate.check(chain, trusted, Instant.now());
            if (!found.equals(server)) {
                throw new IllegalStateException(found + " answers instead of " + server);
            }
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) throws RefusedCertificateException {
            check(chain);
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, Socket at)
                throws RefusedCertificateException {
            check(chain);
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine at)
                throws RefusedCertificateException {
            check(chain);
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {
            throw new UnsupportedOperationException("this is a client");
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, Socket at) {
            throw new UnsupportedOperationException("this is a client");
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine at) {
            throw new UnsupportedOperationException("this is a client");
        }

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}

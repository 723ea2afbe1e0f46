package io.bulwark.transport;

import io.bulwark.protocol.wire.WireVersions;
import io.bulwark.transport.identity.Identity;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;

/** A client that believes everybody, and shows what a test gives it: a certificate, or none. */
@NullMarked
final class TlsSocket implements AutoCloseable {
    private static final int TIMEOUT_MILLIS = 30_000;

    final SSLSocket socket;

    TlsSocket(InetSocketAddress address, @Nullable Identity identity, String protocol) throws IOException {
        this(address, identity, protocol, WireVersions.HERE.names());
    }

    /** Creates a client that offers these application protocols. */
    TlsSocket(InetSocketAddress address, @Nullable Identity identity, String protocol, List<String> versions)
            throws IOException {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys(identity), new TrustManager[] {new Trusting()}, null);
            socket = (SSLSocket) context.getSocketFactory().createSocket(address.getAddress(), address.getPort());
        } catch (GeneralSecurityException e) {
            throw new IOException(e);
        }
        socket.setSoTimeout(TIMEOUT_MILLIS);
        SSLParameters parameters = socket.getSSLParameters();
        parameters.setProtocols(new String[] {protocol});
        parameters.setApplicationProtocols(versions.toArray(new String[0]));
        socket.setSSLParameters(parameters);
    }

    /** Returns whether the other side ends the connection, during the handshake or after it. */
    boolean isRefused() throws IOException {
        try {
            socket.startHandshake();
            return socket.getInputStream().read() < 0;
        } catch (SSLException | SocketException e) {
            return true;
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }

    private static KeyManager @Nullable [] keys(@Nullable Identity identity)
            throws GeneralSecurityException, IOException {
        if (identity == null) {
            return null;
        }
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        store.setKeyEntry("own", identity.privateKey(), new char[0], new Certificate[] {identity.certificate()});
        KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(store, new char[0]);
        return factory.getKeyManagers();
    }

    private static final class Trusting extends X509ExtendedTrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType, Socket socket) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType, Socket socket) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType, SSLEngine engine) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType, SSLEngine engine) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}

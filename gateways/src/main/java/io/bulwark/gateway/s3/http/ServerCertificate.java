package io.bulwark.gateway.s3.http;

import io.bulwark.transport.identity.Identity;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.io.IOException;
import java.nio.file.Path;

/** Certificate that a server shows, with its key. */
public final class ServerCertificate {
    private final SslContext context;

    private ServerCertificate(SslContextBuilder builder) throws IOException {
        this.context = builder.sslProvider(OpenSsl.isAvailable() ? SslProvider.OPENSSL : SslProvider.JDK)
                .protocols("TLSv1.3", "TLSv1.2")
                .applicationProtocolConfig(new ApplicationProtocolConfig(
                        ApplicationProtocolConfig.Protocol.ALPN,
                        ApplicationProtocolConfig.SelectorFailureBehavior.NO_ADVERTISE,
                        ApplicationProtocolConfig.SelectedListenerFailureBehavior.ACCEPT,
                        "http/1.1"))
                .build();
    }

    /**
     * Reads the files of a certificate.
     *
     * @param chain certificates in PEM, the server's first
     * @param key private key in PEM, PKCS #8
     * @throws IOException if a file cannot be read or the key is not that of the certificate
     */
    public static ServerCertificate ofFiles(Path chain, Path key) throws IOException {
        try {
            return new ServerCertificate(SslContextBuilder.forServer(chain.toFile(), key.toFile()));
        } catch (IllegalArgumentException e) {
            throw new IOException("no certificate and key in " + chain + " and " + key + ": " + e.getMessage(), e);
        }
    }

    /**
     * Takes the certificate of an identity, which clients must be told to trust.
     *
     * @throws IOException if the key is in a device, which cannot serve TLS here
     */
    public static ServerCertificate of(Identity identity) throws IOException {
        if (identity.isOnDevice()) {
            throw new IOException("the key of " + identity.principal()
                    + " is in a device: give the server a certificate and a key in files");
        }
        return new ServerCertificate(SslContextBuilder.forServer(identity.privateKey(), identity.certificate()));
    }

    SslContext context() {
        return context;
    }
}

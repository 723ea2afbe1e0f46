package io.bulwark.it;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.transport.identity.Identity;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;

/**
 * A key as its owner sends it to the console.
 *
 * @param file content of an identity file
 */
record OperatorKey(String file) {
    static OperatorKey of(LiveCluster cluster, PrincipalId principal) throws IOException {
        return new OperatorKey(
                Files.readString(Identity.file(cluster.plan().data().keys(), principal)));
    }

    static OperatorKey of(Identity identity) throws IOException {
        Path directory = Files.createTempDirectory("bulwark-key-");
        Path stored = directory.resolve("key.pem");
        try {
            identity.store(stored);
            return new OperatorKey(Files.readString(stored));
        } finally {
            LiveCluster.deleteTree(directory);
        }
    }

    /** Returns the identity file in base64. */
    String pem() {
        return Base64.getEncoder().encodeToString(file.getBytes(StandardCharsets.UTF_8));
    }

    /** Returns a PKCS#12 container of the key in base64. */
    String container(String password) throws GeneralSecurityException, IOException {
        PrivateKey key = KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(part("PRIVATE KEY")));
        Certificate certificate = CertificateFactory.getInstance("X.509")
                .generateCertificate(new ByteArrayInputStream(part("CERTIFICATE")));
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        store.setKeyEntry("operator", key, password.toCharArray(), new Certificate[] {certificate});
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        store.store(content, password.toCharArray());
        return Base64.getEncoder().encodeToString(content.toByteArray());
    }

    private byte[] part(String kind) {
        String begin = "-----BEGIN " + kind + "-----";
        int from = file.indexOf(begin) + begin.length();
        return Base64.getMimeDecoder().decode(file.substring(from, file.indexOf("-----END " + kind, from)));
    }
}

package io.bulwark.appliance.support;

import static org.assertj.core.api.Assertions.assertThat;

import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@NullMarked
class RedactionTest {
    private static final String SECRET = "c2VjcmV0";

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Console: http://127.0.0.1:7400/setup?token=%s   Data: /srv",
                "\"setup\" : \"http://127.0.0.1:7400/setup?token=%s\"",
                "run: bulwark join bulwark-join-1.%s --out here",
                "prometheus: http://admin:%s@metrics:9090/",
                "-Djavax.net.ssl.trustStorePassword=%s -Xmx1g",
                "oidc-secret: %s",
                "own=%s",
                "password = %s",
                "Authorization: Bearer %s",
                "-----BEGIN PRIVATE KEY-----\n%s\n-----END PRIVATE KEY-----\nrest",
                "-----BEGIN EC PRIVATE KEY-----\n%s",
                "%s\n-----END PRIVATE KEY-----\nrest",
            })
    void secretsAreRemoved(String line) {
        assertThat(Redaction.of("before " + line.formatted(SECRET)))
                .doesNotContain(SECRET)
                .contains(Redaction.REPLACED);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "principal=client-0",
                "key-ring=keys/client-0.keys",
                "encrypt-password-file=photos.password",
                "{\"down\" : true}",
                "key.node-0=MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE",
                "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
                "http://127.0.0.1:7400/ is up",
            })
    void whatIsNoSecretStays(String line) {
        assertThat(Redaction.of(line)).isEqualTo(line);
    }

    @Test
    void longTextsAreNoBurden() {
        String long1 = "a: b-----BEGI token".repeat(100_000);
        assertThat(Redaction.of(long1)).hasSameSizeAs(long1);
    }
}

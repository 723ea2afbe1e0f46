package io.bulwark.appliance.boot;

import io.bulwark.client.config.ChannelConfig;
import io.bulwark.client.config.ClientConfig;
import io.bulwark.console.ConsoleSettings;
import io.bulwark.console.account.Role;
import io.bulwark.transport.identity.Pkcs11Token;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Keys of a console's section about TLS and the OpenID Connect provider. */
final class ConsoleKeys {
    /** Stands for the certificate with which the console's client connects to the cluster. */
    private static final String IDENTITY = "identity";

    private ConsoleKeys() {}

    static ConsoleSettings.Web web(RoleFindings found, RoleSections.Console keys) {
        Optional<URI> url = Optional.ofNullable(keys.url()).flatMap(text -> url(found, "url", text));
        Optional<ConsoleSettings.Tls> tls = tls(found, keys.certificate(), keys.certificateKey(), keys.client());
        return new ConsoleSettings.Web(url, tls, oidc(found, keys), device(found, keys));
    }

    static RoleFile.ConsoleSetup.Monitoring monitoring(RoleFindings found, RoleSections.Console keys) {
        return new RoleFile.ConsoleSetup.Monitoring(
                Optional.ofNullable(keys.prometheus()).flatMap(text -> url(found, "prometheus", text)),
                Optional.ofNullable(keys.traces()).flatMap(text -> url(found, "traces", text)));
    }

    private static Optional<Pkcs11Token> device(RoleFindings found, RoleSections.Console keys) {
        if (keys.keyDevice() == null) {
            return Optional.empty();
        }
        try {
            Pkcs11Token device = Pkcs11Token.load(found.beside(keys.keyDevice()));
            if (device.pinFile().isEmpty()) {
                return Optional.of(device);
            }
            found.note("key-device", "its operator types the PIN, so the file must not name one");
        } catch (IOException e) {
            found.note("key-device", String.valueOf(e.getMessage()));
        }
        return Optional.empty();
    }

    /** Returns the certificate of a door, a console or a gateway, and the file of its key. */
    static Optional<ConsoleSettings.Tls> tls(
            RoleFindings found, @Nullable String certificate, @Nullable String key, @Nullable String client) {
        if (certificate == null) {
            if (key != null) {
                found.note("certificate-key", "it goes with certificate");
            }
            return Optional.empty();
        }
        if (!certificate.equals(IDENTITY)) {
            Path chain = found.beside(certificate);
            return Optional.of(new ConsoleSettings.Tls(chain, key == null ? chain : found.beside(key)));
        }
        if (key != null) {
            found.note("certificate-key", "the identity has its own key");
        }
        if (client != null && ClientConfig.load(found.beside(client)).channels() instanceof ChannelConfig.Tls own) {
            return Optional.of(new ConsoleSettings.Tls(own.identity(), own.identity()));
        }
        found.note("certificate", "its client has no identity");
        return Optional.empty();
    }

    private static Optional<ConsoleSettings.Oidc> oidc(RoleFindings found, RoleSections.Console keys) {
        String issuer = keys.oidcIssuer();
        if (issuer == null) {
            if (keys.oidcClient() != null || keys.oidcSecret() != null) {
                found.note("oidc-issuer", "it is missing, and oidc-client and oidc-secret go with it");
            }
            return Optional.empty();
        }
        String client = found.given("oidc-client", keys.oidcClient(), "");
        Path secret = found.path("oidc-secret", keys.oidcSecret());
        Map<String, Role> roles = new TreeMap<>();
        add(found, roles, Role.VIEWER, keys.oidcViewers());
        add(found, roles, Role.OPERATOR, keys.oidcOperators());
        add(found, roles, Role.ADMINISTRATOR, keys.oidcAdministrators());
        if (roles.isEmpty()) {
            found.note(
                    "oidc-issuer",
                    "no value of " + keys.oidcClaim() + " gives a role; set oidc-viewers,"
                            + " oidc-operators or oidc-administrators");
        }
        return url(found, "oidc-issuer", issuer)
                .map(uri -> new ConsoleSettings.Oidc(uri, client, secret, keys.oidcClaim(), roles));
    }

    private static void add(RoleFindings found, Map<String, Role> roles, Role role, @Nullable List<String> values) {
        for (String value : values == null ? List.<String>of() : values) {
            Role other = roles.putIfAbsent(value, role);
            if (other != null) {
                found.note("oidc-" + role + "s", "\"" + value + "\" makes a " + other + " already");
            }
        }
    }

    private static Optional<URI> url(RoleFindings found, String key, String text) {
        try {
            URI url = new URI(text);
            boolean web = "https".equals(url.getScheme()) || "http".equals(url.getScheme());
            if (web && url.getHost() != null && url.getRawQuery() == null && url.getRawFragment() == null) {
                return Optional.of(url);
            }
        } catch (URISyntaxException e) {
            // Noted below.
        }
        found.note(key, "\"" + text + "\" is no http or https URL");
        return Optional.empty();
    }
}

package io.bulwark.console;

import io.bulwark.console.account.Role;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.transport.identity.Pkcs11Token;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * Settings of a console.
 *
 * @param listen address of the web server
 * @param published whether something in front of the console admits only those who may reach it, such as a port that a container engine
 *     publishes on its host's loopback
 * @param directory where the console keeps its accounts
 * @param door the client as which the console connects
 * @param surroundings facilities beside the cluster
 */
public record ConsoleSettings(
        InetSocketAddress listen,
        boolean published,
        Path directory,
        PrincipalId door,
        Web web,
        Surroundings surroundings) {
    /**
     * The way on which browsers reach the console, and people sign in.
     *
     * @param url the one that people use, if it is not the address where it listens: it is behind a proxy, or has a name
     * @param oidc provider that signs people in besides local accounts
     * @param device at this machine, with the key of an operator, who types the PIN to sign in
     */
    public record Web(Optional<URI> url, Optional<Tls> tls, Optional<Oidc> oidc, Optional<Pkcs11Token> device) {
        /** On the address where it listens, without TLS, for local accounts. */
        public static final Web PLAIN = new Web(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());
    }

    /**
     * Certificate and private key of the web server, in PEM.
     *
     * @param key may be the same file
     */
    public record Tls(Path certificate, Path key) {}

    /**
     * OpenID Connect provider.
     *
     * @param secret file with the client's secret in its first line
     * @param claim whose values name roles
     * @param roles by value of the claim
     */
    public record Oidc(URI issuer, String clientId, Path secret, String claim, Map<String, Role> roles) {
        public Oidc {
            roles = Map.copyOf(roles);
        }
    }

    /** Returns the settings of a console for this machine alone, without facilities beside the cluster. */
    public static ConsoleSettings local(InetSocketAddress listen, Path directory, PrincipalId door) {
        return new ConsoleSettings(listen, false, directory, door, Web.PLAIN, Surroundings.NONE);
    }

    /** Returns whether the address may be listened at: beyond loopback only with TLS, or with something in front. */
    public boolean isProtected() {
        return !listen.isUnresolved()
                && (published || web.tls.isPresent() || listen.getAddress().isLoopbackAddress());
    }

    /** Returns whether browsers use TLS, up to this process or to a proxy before it. */
    public boolean isSecure() {
        return web.tls.isPresent()
                || web.url.map(URI::getScheme).filter("https"::equals).isPresent();
    }
}

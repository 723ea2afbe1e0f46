package io.bulwark.console.access;

import io.bulwark.client.Bulwark;
import io.bulwark.client.Principals;
import io.bulwark.client.error.BulwarkException;
import io.bulwark.console.ConsoleSettings;
import io.bulwark.console.KeyConnector;
import io.bulwark.console.account.AccessLog;
import io.bulwark.console.account.Passwords;
import io.bulwark.console.account.Role;
import io.bulwark.console.account.SignInAttempts;
import io.bulwark.console.http.ApiException;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKind;
import io.bulwark.protocol.metadata.Rights;
import io.bulwark.protocol.metadata.Scope;
import io.bulwark.transport.identity.Identity;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Base64;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.core.context.SecurityContext;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.web.context.HttpSessionSecurityContextRepository;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;

/**
 * {@code /sign-in/key}: sign-in with the key of a client of the cluster, for operators who have one. The console opens a connection as
 * that client, and keeps the key in memory until the session ends. Its commands are the person's own, not on behalf: also those that
 * the operator's own signature must prove. The rights on the cluster give the role.
 */
@Controller
class KeySignIn {
    private static final int CONNECTIONS_MAX = 16;
    private static final int CONTENT_LENGTH_MAX = 32 << 10;
    private static final int PASSWORD_LENGTH_MAX = 1024;

    private final Optional<KeyConnector> connector;
    private final SignInAttempts attempts;
    private final Passwords passwords;
    private final AccessLog log;
    private final Semaphore room = new Semaphore(CONNECTIONS_MAX);

    KeySignIn(ConsoleSettings settings, SignInAttempts attempts, Passwords passwords, AccessLog log) {
        this.attempts = attempts;
        this.passwords = passwords;
        this.connector = settings.surroundings().keys();
        this.log = log;
    }

    /**
     * Signs in.
     *
     * @param content an identity file or a PKCS#12 container, in base64
     * @param password of the container
     */
    @PostMapping("/sign-in/key")
    String signIn(
            @RequestParam String content,
            @RequestParam(defaultValue = "") String password,
            HttpServletRequest request,
            HttpServletResponse response) {
        String address = request.getRemoteAddr();
        if (connector.isEmpty() || content.length() > CONTENT_LENGTH_MAX || password.length() > PASSWORD_LENGTH_MAX) {
            return refused("", "a key of " + content.length() + " characters", address);
        }
        if (attempts.isLocked(address)) {
            return "redirect:/sign-in?locked";
        }
        if (!room.tryAcquire()) {
            return "redirect:/sign-in?busy";
        }
        Optional<Person> person = Optional.empty();
        try {
            // The maker of a container chooses how long its password takes to hash.
            Identity identity = passwords.inTurn(() -> read(content, password));
            person = connect(connector.get(), identity, address);
        } catch (UncheckedIOException e) {
            return refused("", "not a key: " + e.getMessage(), address);
        } catch (ApiException e) {
            return "redirect:/sign-in?busy";
        } finally {
            if (person.isEmpty()) {
                room.release();
            }
        }
        if (person.isEmpty()) {
            return "redirect:/sign-in?key";
        }
        begin(person.get(), request, response);
        log.add(
                AccessLog.Event.SIGNED_IN,
                person.get().name(),
                address,
                "with the own key, " + person.get().role());
        return "redirect:/";
    }

    private static Identity read(String content, String password) {
        try {
            return Identity.read(Base64.getDecoder().decode(content), password.toCharArray());
        } catch (IllegalArgumentException e) {
            throw new UncheckedIOException(new IOException("no base64", e));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Connects as the key's principal; returns nothing if that gives no role. */
    private Optional<Person> connect(KeyConnector connector, Identity identity, String address) {
        // No account has such a name.
        String name = "key:" + identity.principal();
        if (identity.principal().kind() != PrincipalKind.CLIENT) {
            var _ = refused(name, "not a client", address);
            return Optional.empty();
        }
        @Nullable Bulwark client = null;
        try {
            client = connector.connect(identity);
            Optional<Role> role = roleOf(client, identity.principal());
            if (role.isPresent()) {
                OwnConnection own = new OwnConnection(client, room::release);
                client = null;
                return Optional.of(new Person(
                        name, role.get(), identity.principal(), Person.Means.KEY, false, 0, Optional.of(own)));
            }
            var _ = refused(name, "no rights on the cluster", address);
        } catch (BulwarkException e) {
            var _ = refused(name, String.valueOf(e.getMessage()), address);
        } finally {
            if (client != null) {
                client.close();
            }
        }
        return Optional.empty();
    }

    /** Returns the highest role whose rights the client has on the whole cluster. */
    private static Optional<Role> roleOf(Bulwark client, PrincipalId self) {
        Optional<Principals.Grant> grant = client.principals().grants(self).stream()
                .filter(each -> each.scope() instanceof Scope.All)
                .findFirst();
        return Stream.of(Role.values())
                .filter(role -> grant.filter(each -> includes(each.rights(), role.rights()))
                        .isPresent())
                .reduce((lower, higher) -> higher);
    }

    private static boolean includes(Rights has, Rights wanted) {
        return (has.read() || !wanted.read())
                && (has.write() || !wanted.write())
                && (has.administer() || !wanted.administer());
    }

    private static void begin(Person person, HttpServletRequest request, HttpServletResponse response) {
        request.getSession(true);
        request.changeSessionId();
        request.getSession().setAttribute(OwnConnection.ATTRIBUTE, person.own().orElseThrow());
        SecurityContext context = SecurityContextHolder.createEmptyContext();
        context.setAuthentication(
                UsernamePasswordAuthenticationToken.authenticated(person, null, Roles.authorities(person.role())));
        SecurityContextHolder.setContext(context);
        new HttpSessionSecurityContextRepository().saveContext(context, request, response);
    }

    private String refused(String name, String why, String address) {
        attempts.refuse(name, address, "own key: " + why);
        return "redirect:/sign-in?key";
    }
}

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
import io.bulwark.transport.identity.OpenedDevice;
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
 * {@code /sign-in/key} and {@code /sign-in/device}: sign-in with the key of a client of the cluster, for operators who have one. The
 * console opens a connection as that client, and keeps the key in memory, or the device open, until the session ends. Its commands are
 * the person's own, not on behalf: also those that the operator's own signature must prove. The rights on the cluster give the role.
 */
@Controller
class KeySignIn {
    private static final int CONNECTIONS_MAX = 16;
    private static final int CONTENT_LENGTH_MAX = 32 << 10;
    private static final int PASSWORD_LENGTH_MAX = 1024;

    private final Optional<KeyConnector> connector;
    private final Optional<SignInDevice> device;
    private final SignInAttempts attempts;
    private final Passwords passwords;
    private final AccessLog log;
    private final Semaphore room = new Semaphore(CONNECTIONS_MAX);

    KeySignIn(ConsoleSettings settings, SignInAttempts attempts, Passwords passwords, AccessLog log) {
        this.attempts = attempts;
        this.passwords = passwords;
        this.connector = settings.surroundings().keys();
        this.device = settings.web().device().map(SignInDevice::new);
        this.log = log;
    }

    /**
     * A key that a person may use, if the cluster believes it.
     *
     * @param closing runs once it is used no more
     */
    private record UsableKey(Identity identity, String where, Runnable closing) {}

    /** Reads a key, or opens the device that has it. */
    private interface KeySource {
        UsableKey open() throws IOException;
    }

    /**
     * Signs in with a file.
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
        if (content.length() > CONTENT_LENGTH_MAX || password.length() > PASSWORD_LENGTH_MAX) {
            return refused("", "a key of " + content.length() + " characters", request.getRemoteAddr());
        }
        // The maker of a container chooses how long its password takes to hash.
        return signIn(
                () -> new UsableKey(passwords.inTurn(() -> read(content, password)), "", () -> {}), request, response);
    }

    /** Signs in with the key in the device of this console's machine. */
    @PostMapping("/sign-in/device")
    String signIn(@RequestParam String pin, HttpServletRequest request, HttpServletResponse response) {
        if (device.isEmpty() || pin.length() > PASSWORD_LENGTH_MAX) {
            return refused("", "no device, or a PIN of " + pin.length() + " characters", request.getRemoteAddr());
        }
        return signIn(
                () -> {
                    OpenedDevice opened = device.get().open(pin);
                    return new UsableKey(opened.identity(), " in the device", opened::close);
                },
                request,
                response);
    }

    private String signIn(KeySource source, HttpServletRequest request, HttpServletResponse response) {
        String address = request.getRemoteAddr();
        if (connector.isEmpty()) {
            return refused("", "this cluster has no keys", address);
        }
        if (attempts.isLocked(address)) {
            return "redirect:/sign-in?locked";
        }
        if (!room.tryAcquire()) {
            return "redirect:/sign-in?busy";
        }
        Optional<Person> person = Optional.empty();
        try {
            UsableKey key = source.open();
            person = connect(connector.get(), key, address);
            if (person.isPresent()) {
                begin(person.get(), request, response);
                String detail =
                        "with the own key" + key.where() + ", " + person.get().role();
                log.add(AccessLog.Event.SIGNED_IN, person.get().name(), address, detail);
                return "redirect:/";
            }
            return "redirect:/sign-in?key";
        } catch (IOException | UncheckedIOException e) {
            return refused("", "not a key: " + e.getMessage(), address);
        } catch (ApiException e) {
            return "redirect:/sign-in?busy";
        } finally {
            if (person.isEmpty()) {
                room.release();
            }
        }
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

    /** Connects as the key's principal; returns nothing, and closes the key, if that gives no role. */
    private Optional<Person> connect(KeyConnector connector, UsableKey key, String address) {
        PrincipalId principal = key.identity().principal();
        // No account has such a name.
        String name = "key:" + principal;
        @Nullable Bulwark client = null;
        boolean kept = false;
        try {
            if (principal.kind() != PrincipalKind.CLIENT) {
                var _ = refused(name, "not a client", address);
                return Optional.empty();
            }
            client = connector.connect(key.identity());
            Optional<Role> role = roleOf(client, principal);
            if (role.isEmpty()) {
                var _ = refused(name, "no rights on the cluster", address);
                return Optional.empty();
            }
            OwnConnection own = new OwnConnection(client, () -> {
                key.closing().run();
                room.release();
            });
            kept = true;
            return Optional.of(new Person(name, role.get(), principal, Person.Means.KEY, false, 0, Optional.of(own)));
        } catch (BulwarkException e) {
            var _ = refused(name, String.valueOf(e.getMessage()), address);
            return Optional.empty();
        } finally {
            if (!kept) {
                if (client != null) {
                    client.close();
                }
                key.closing().run();
            }
        }
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

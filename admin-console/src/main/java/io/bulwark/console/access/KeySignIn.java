package io.bulwark.console.access;

import io.bulwark.client.Bulwark;
import io.bulwark.client.Principals;
import io.bulwark.client.error.BulwarkException;
import io.bulwark.console.ConsoleSettings;
import io.bulwark.console.KeyConnector;
import io.bulwark.console.account.AccessLog;
import io.bulwark.console.account.Role;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKind;
import io.bulwark.protocol.metadata.Rights;
import io.bulwark.protocol.metadata.Scope;
import io.bulwark.transport.identity.Identity;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Base64;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.stream.Stream;
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
    private final AccessLog log;
    private final Semaphore room = new Semaphore(CONNECTIONS_MAX);

    KeySignIn(ConsoleSettings settings, AccessLog log) {
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
        if (connector.isEmpty() || content.length() > CONTENT_LENGTH_MAX || password.length() > PASSWORD_LENGTH_MAX) {
            return refused("", "a key of " + content.length() + " characters", request);
        }
        Identity identity;
        try {
            identity = Identity.read(Base64.getDecoder().decode(content), password.toCharArray());
        } catch (IOException | IllegalArgumentException e) {
            return refused("", "not a key: " + e.getMessage(), request);
        }
        String name = identity.principal().toString();
        if (identity.principal().kind() != PrincipalKind.CLIENT) {
            return refused(name, "not a client", request);
        }
        if (!room.tryAcquire()) {
            return "redirect:/sign-in?busy";
        }
        Bulwark client;
        try {
            client = connector.get().connect(identity);
        } catch (BulwarkException e) {
            room.release();
            return refused(name, String.valueOf(e.getMessage()), request);
        }
        OwnConnection own = new OwnConnection(client, room::release);
        Optional<Role> role;
        try {
            role = roleOf(client, identity.principal());
        } catch (BulwarkException e) {
            role = Optional.empty();
        }
        if (role.isEmpty()) {
            client.close();
            room.release();
            return refused(name, "no rights on the cluster", request);
        }
        begin(
                new Person(name, role.get(), identity.principal(), Person.Means.KEY, false, 0, Optional.of(own)),
                own,
                request,
                response);
        log.add(AccessLog.Event.SIGNED_IN, name, request.getRemoteAddr(), "with the own key, " + role.get());
        return "redirect:/";
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

    private static void begin(
            Person person, OwnConnection own, HttpServletRequest request, HttpServletResponse response) {
        request.getSession(true);
        request.changeSessionId();
        request.getSession().setAttribute(OwnConnection.ATTRIBUTE, own);
        SecurityContext context = SecurityContextHolder.createEmptyContext();
        context.setAuthentication(
                UsernamePasswordAuthenticationToken.authenticated(person, null, Roles.authorities(person.role())));
        SecurityContextHolder.setContext(context);
        new HttpSessionSecurityContextRepository().saveContext(context, request, response);
    }

    private String refused(String name, String why, HttpServletRequest request) {
        log.add(AccessLog.Event.REFUSED, name, request.getRemoteAddr(), "own key: " + why);
        return "redirect:/sign-in?key";
    }
}

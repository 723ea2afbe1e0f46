package io.bulwark.console.access;

import io.bulwark.client.Bulwark;
import io.bulwark.client.Principals;
import io.bulwark.client.error.NotPermittedException;
import io.bulwark.client.error.Subject;
import io.bulwark.client.error.UnavailableException;
import io.bulwark.console.account.Role;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Rights;
import io.bulwark.protocol.metadata.Scope;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** A cluster in memory of which the console's client is {@code client-1}: principals, grants and act-for grants alone. */
final class DoorCluster {
    static final PrincipalId DOOR = PrincipalId.client(1);

    final Map<PrincipalId, Rights> rights = new HashMap<>();
    final Map<PrincipalId, Rights> actFor = new TreeMap<>();
    final List<PrincipalId> revoked = new CopyOnWriteArrayList<>();
    /** Person and method of each call, such as {@code client-18 grant}. */
    final List<String> calls = new ArrayList<>();

    private int last = 15;

    /** A cluster in which an operator has enabled the console. */
    static DoorCluster enabled() {
        DoorCluster cluster = new DoorCluster();
        for (Role role : Role.values()) {
            PrincipalId person = PrincipalId.client(++cluster.last);
            cluster.rights.put(person, role.rights());
            cluster.actFor.put(person, role.rights());
        }
        return cluster;
    }

    Bulwark client() {
        return client(Optional.empty());
    }

    private Bulwark client(Optional<PrincipalId> person) {
        return proxy(Bulwark.class, (name, arguments) -> switch (name) {
            case "onBehalfOf" -> client(Optional.of((PrincipalId) arguments[0]));
            case "principals" -> principals(person);
            case "status", "nodes" -> throw new UnavailableException("this cluster has no replicas", Subject.NONE);
            case "close" -> null;
            default -> throw new UnsupportedOperationException(name);
        });
    }

    private Principals principals(Optional<PrincipalId> person) {
        return proxy(Principals.class, (name, arguments) -> {
            calls.add(person.orElse(DOOR) + " " + name);
            if (!Set.of("actFor", "nextClient", "list").contains(name)) {
                requireAdministrator(person);
            }
            switch (name) {
                case "actFor" -> {
                    return actFor.entrySet().stream()
                            .map(entry -> new Principals.ActFor(entry.getKey(), entry.getValue()))
                            .toList();
                }
                case "list" -> {
                    return revoked.stream()
                            .map(principal -> new Principals.Entry(principal, List.of(), Optional.empty()))
                            .toList();
                }
                case "nextClient" -> {
                    return PrincipalId.client(last + 1);
                }
                case "addWithoutKey" -> last = ((PrincipalId) arguments[0]).number();
                case "grant" -> {
                    if (!arguments[1].equals(new Scope.All())) {
                        throw new IllegalArgumentException(String.valueOf(arguments[1]));
                    }
                    rights.put((PrincipalId) arguments[0], (Rights) arguments[2]);
                }
                case "setActFor" -> {
                    if (!DOOR.equals(arguments[0])) {
                        throw new IllegalArgumentException(String.valueOf(arguments[0]));
                    }
                    if (arguments[2].equals(Rights.NONE)) {
                        actFor.remove((PrincipalId) arguments[1]);
                    } else {
                        actFor.put((PrincipalId) arguments[1], (Rights) arguments[2]);
                    }
                }
                case "suspended" -> {
                    return List.of();
                }
                case "revoke" -> revoked.add((PrincipalId) arguments[0]);
                default -> throw new UnsupportedOperationException(name);
            }
            return null;
        });
    }

    /** The rights of the person within the ceiling; the door has none of its own. */
    private void requireAdministrator(Optional<PrincipalId> person) {
        Rights own = person.map(each -> rights.getOrDefault(each, Rights.NONE)).orElse(Rights.NONE);
        Rights ceiling =
                person.map(each -> actFor.getOrDefault(each, Rights.NONE)).orElse(Rights.NONE);
        if (!own.administer() || !ceiling.administer()) {
            throw new NotPermittedException(DOOR + " for " + person + " may not", Subject.NONE);
        }
    }

    private interface Calls {
        @Nullable
        Object call(String name, Object[] arguments);
    }

    private static <T> T proxy(Class<T> type, Calls calls) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, arguments) -> method.getName().equals("addNextWithoutKey")
                        ? InvocationHandler.invokeDefault(proxy, method, arguments)
                        : calls.call(method.getName(), arguments)));
    }
}

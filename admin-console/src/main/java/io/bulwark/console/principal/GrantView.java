package io.bulwark.console.principal;

import io.bulwark.client.Principals;
import io.bulwark.console.http.ApiException;
import io.bulwark.protocol.metadata.Names;
import io.bulwark.protocol.metadata.Rights;
import io.bulwark.protocol.metadata.Scope;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Rights of a client on a scope.
 *
 * @param scope {@code cluster}, {@code volume} or {@code bucket}
 * @param name of the volume or bucket; null for the cluster
 * @param rights of {@code read}, {@code write}, {@code administer}
 */
record GrantView(String scope, @Nullable String name, List<String> rights) {
    /** Names of all rights. */
    static final List<String> RIGHTS = List.of("read", "write", "administer");

    static GrantView of(Principals.Grant grant) {
        List<String> rights = grant.rights().names();
        return switch (grant.scope()) {
            case Scope.All _ -> new GrantView("cluster", null, rights);
            case Scope.OfVolume of -> new GrantView("volume", of.name(), rights);
            case Scope.OfBucket of -> new GrantView("bucket", of.name(), rights);
        };
    }

    /** Returns the scope in words. */
    public String on() {
        return name == null ? "everything" : scope + " " + name;
    }

    /**
     * Reads a scope.
     *
     * @throws ApiException if it is none
     */
    static Scope scope(@Nullable String scope, @Nullable String name) {
        boolean named = name != null && !name.isEmpty();
        return switch (scope == null ? "" : scope) {
            case "cluster" -> {
                if (named) {
                    throw ApiException.badField("name", "the scope cluster has no name");
                }
                yield new Scope.All();
            }
            case "volume" -> new Scope.OfVolume(required(name));
            case "bucket" -> new Scope.OfBucket(required(name));
            default -> throw ApiException.badField("scope", "scope is cluster, volume or bucket");
        };
    }

    /**
     * Reads rights.
     *
     * @throws ApiException if one of them is none
     */
    static Rights rights(@Nullable List<String> rights) {
        if (rights == null) {
            throw ApiException.badField(
                    "rights", "rights is a list of read, write, administer; empty to remove the grant");
        }
        for (String right : rights) {
            if (!RIGHTS.contains(right)) {
                throw ApiException.badField("rights", "a right is read, write or administer");
            }
        }
        return new Rights(rights.contains("read"), rights.contains("write"), rights.contains("administer"));
    }

    private static String required(@Nullable String name) {
        if (name == null || name.isEmpty()) {
            throw ApiException.badField("name", "name is the name of the volume or bucket");
        }
        Names.problemOfName(name).ifPresent(problem -> {
            throw ApiException.badField("name", problem);
        });
        return name;
    }
}

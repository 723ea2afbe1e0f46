package io.bulwark.console.node;

import io.bulwark.console.http.ApiException;
import io.bulwark.protocol.cluster.NodeAddress;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKind;
import io.bulwark.transport.Destination;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Parses what people and programs send about nodes. */
final class Inputs {
    private static final int TEXT_MAX = 300;

    private Inputs() {}

    /** Parses {@code node-5}, or its number alone. */
    static int node(String field, @Nullable String text) {
        String given = text == null ? "" : text.strip();
        try {
            if (given.length() <= 20) {
                PrincipalId named = PrincipalId.parse(given.matches("[0-9]{1,9}") ? "node-" + given : given);
                if (named.kind() == PrincipalKind.NODE) {
                    return named.number();
                }
            }
        } catch (IllegalArgumentException e) {
            // Refused below.
        }
        throw ApiException.badField(field, "a storage node such as node-5 is wanted");
    }

    /** Parses {@code HOST:PORT}, with an address of IPv6 in brackets. */
    static NodeAddress address(int node, @Nullable String text) {
        String given = text == null ? "" : text.strip();
        int colon = given.lastIndexOf(':');
        String host = colon < 0 ? "" : given.substring(0, colon);
        if (host.startsWith("[") && host.endsWith("]")) {
            host = host.substring(1, host.length() - 1);
        } else if (host.contains(":")) {
            host = "";
        }
        try {
            if (given.length() <= TEXT_MAX && host.matches("[A-Za-z0-9._:%-]{1,255}")) {
                int port = Integer.parseInt(given.substring(colon + 1));
                return new NodeAddress(node, Destination.of(host, port).getHostString(), port);
            }
        } catch (IllegalArgumentException e) {
            // Refused below.
        }
        throw ApiException.badField("address", "an address such as 10.0.0.4:7415 or [::1]:7415 is wanted");
    }

    /** Parses a volume's name; empty for all volumes. */
    static Optional<String> volume(@Nullable String text) {
        if (text == null || text.isBlank()) {
            return Optional.empty();
        }
        if (text.length() > TEXT_MAX) {
            throw ApiException.badField("volume", "a name of a volume is shorter");
        }
        return Optional.of(text.strip());
    }

    /** Parses the entity tag of {@code If-Match}, which is the version of the cluster map; empty if any is right. */
    static Optional<Long> version(@Nullable String ifMatch) {
        if (ifMatch == null || ifMatch.isBlank() || ifMatch.strip().equals("*")) {
            return Optional.empty();
        }
        String text = ifMatch.strip();
        if (!text.matches("\"?[0-9]{1,18}\"?")) {
            throw ApiException.changedMeanwhile("this entity tag is none of the cluster map");
        }
        return Optional.of(Long.parseLong(text.replace("\"", "")));
    }
}

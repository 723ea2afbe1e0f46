package io.bulwark.client.config;

import io.bulwark.protocol.id.PrincipalId;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Principals as people write them: {@code node-3}, {@code replica-0}, {@code client-12}. */
final class Principals {
    private static final Pattern FORM = Pattern.compile("(node|replica|client)-(0|[1-9][0-9]{0,8})");

    private Principals() {}

    /** @throws IllegalArgumentException if it is none */
    static PrincipalId parse(String text) {
        Matcher matcher = FORM.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException(
                    "\"" + text + "\" is not a principal such as node-3, replica-0 or client-1");
        }
        int number = Integer.parseInt(matcher.group(2));
        return switch (matcher.group(1)) {
            case "node" -> PrincipalId.node(number);
            case "replica" -> PrincipalId.replica(number);
            default -> PrincipalId.client(number);
        };
    }
}

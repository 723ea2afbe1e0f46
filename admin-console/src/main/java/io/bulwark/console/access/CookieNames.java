package io.bulwark.console.access;

import io.bulwark.console.ConsoleSettings;

/** Names of cookies. Browsers send those of a host to all its ports, so two consoles on one machine need two names. */
public final class CookieNames {
    private CookieNames() {}

    /** Returns the name of a console's cookie. */
    public static String of(String kind, ConsoleSettings settings) {
        return "bulwark-" + kind + "-" + settings.listen().getPort();
    }
}

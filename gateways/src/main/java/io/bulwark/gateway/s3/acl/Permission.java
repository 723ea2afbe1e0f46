package io.bulwark.gateway.s3.acl;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** Permission of a grant. */
public enum Permission {
    READ,
    WRITE,
    READ_ACP,
    WRITE_ACP,
    FULL_CONTROL;

    /** Returns whether a grant of this permission allows what needs the other. */
    public boolean includes(Permission other) {
        return this == FULL_CONTROL || this == other;
    }

    static Optional<Permission> of(String name) {
        return Arrays.stream(values())
                .filter(permission -> permission.name().equals(name))
                .findFirst();
    }

    /** Returns the name of the request header that grants it. */
    public String header() {
        return "x-amz-grant-" + name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}

package io.bulwark.console.access;

import io.bulwark.console.account.Role;
import io.bulwark.console.http.ApiException;
import org.jspecify.annotations.Nullable;

/** Fields of the bodies of requests, which may be missing. */
final class Bodies {
    private Bodies() {}

    static String text(String field, @Nullable String value) {
        if (value == null) {
            throw ApiException.badField(field, "the field " + field + " is missing");
        }
        return value;
    }

    static Role role(@Nullable String word) {
        return Role.find(text("role", word))
                .orElseThrow(() -> ApiException.badField("role", "a role is viewer, operator or administrator"));
    }
}

package io.bulwark.console.account;

import io.bulwark.protocol.id.PrincipalId;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Principals for which the console acts, as an operator has registered them, in {@code persons.json} of the console's
 * directory. Those who sign in through OpenID Connect act through the principal of their role; the first administrator's
 * account is registered through the administrator's.
 *
 * @param door number of the client as which the console connects
 */
public record RolePersons(int door, int viewer, int operator, int administrator) {
    /** Reads the file of a console's directory; empty if the console was not enabled yet. */
    public static Optional<RolePersons> load(Path directory) {
        return JsonFile.read(file(directory), RolePersons.class);
    }

    /** Writes the file of a console's directory. */
    public void store(Path directory) {
        JsonFile.write(file(directory), this);
    }

    /** Returns the principal of a role. */
    public PrincipalId of(Role role) {
        return PrincipalId.client(
                switch (role) {
                    case VIEWER -> viewer;
                    case OPERATOR -> operator;
                    case ADMINISTRATOR -> administrator;
                });
    }

    private static Path file(Path directory) {
        return directory.resolve("persons.json");
    }
}

package io.bulwark.console.access;

import io.bulwark.client.Bulwark;
import io.bulwark.client.Principals;
import io.bulwark.client.error.Subject;
import io.bulwark.client.error.UnavailableException;
import io.bulwark.console.ConsoleSettings;
import io.bulwark.console.account.Account;
import io.bulwark.console.account.Accounts;
import io.bulwark.console.account.Role;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Rights;
import io.bulwark.protocol.metadata.Scope;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * The console's client, which has no rights of its own: it acts for persons, as far as its act-for grants go. For each role
 * an operator has registered a principal without a key ({@code bulwark console enable}). People who come through OpenID
 * Connect act through it, and the first account is made through the administrator's; other accounts have principals of their
 * own.
 */
@Component
public class Door {
    private final Bulwark door;
    private final PrincipalId self;
    private final Accounts accounts;
    private @Nullable Map<Role, PrincipalId> persons;

    Door(Bulwark door, ConsoleSettings settings, Accounts accounts) {
        this.door = door;
        this.self = settings.door();
        this.accounts = accounts;
    }

    /** Returns the client as which the console connects. */
    public PrincipalId self() {
        return self;
    }

    /** Returns the client whose commands and queries name this person. */
    public Bulwark onBehalfOf(PrincipalId person) {
        return door.onBehalfOf(person);
    }

    /** Returns the client that may see what every person who signs in may see. */
    public Bulwark watching() {
        return onBehalfOf(principalOf(Role.VIEWER));
    }

    /**
     * Returns the principal of a role: of the persons with just these rights, the first that was registered and has no
     * account.
     */
    public synchronized PrincipalId principalOf(Role role) {
        Map<Role, PrincipalId> known = persons;
        if (known == null) {
            known = find();
            persons = known;
        }
        return Objects.requireNonNull(known.get(role));
    }

    private Map<Role, PrincipalId> find() {
        Set<Integer> owned = accounts.list().stream().map(Account::principal).collect(Collectors.toSet());
        List<Principals.ActFor> all = door.principals().actFor(self);
        Map<Role, PrincipalId> found = new EnumMap<>(Role.class);
        for (Role role : Role.values()) {
            all.stream()
                    .filter(entry -> entry.ceiling().equals(role.rights())
                            && !owned.contains(entry.person().number()))
                    .findFirst()
                    .ifPresent(entry -> found.put(role, entry.person()));
        }
        if (found.size() < Role.values().length) {
            throw new UnavailableException(
                    "the console may not act for people yet; an operator of the cluster runs `bulwark console enable"
                            + " --door "
                            + self + "`",
                    Subject.NONE);
        }
        return found;
    }

    /** Fails unless the replicas let this person administer now; the session may be older than a revocation. */
    static void requireAdministrator(Bulwark person) {
        var _ = person.principals().suspended();
    }

    /**
     * Registers a principal without a key for a new person, gives it the rights of its role, and lets the console act for
     * it.
     *
     * @param by the client of the administrator who does this
     */
    PrincipalId addPerson(Bulwark by, Role role) {
        Principals principals = by.principals();
        PrincipalId person = principals.addNextWithoutKey();
        principals.grant(person, new Scope.All(), role.rights());
        principals.setActFor(self, person, role.rights());
        return person;
    }

    /** Ends what the console may do for a person, and revokes the principal. */
    void removePerson(Bulwark by, PrincipalId person) {
        Principals principals = by.principals();
        principals.setActFor(self, person, Rights.NONE);
        principals.revoke(person);
    }
}

package io.bulwark.appliance.cluster;

import io.bulwark.client.Bulwark;
import io.bulwark.client.Principals;
import io.bulwark.client.config.ChannelConfig;
import io.bulwark.client.config.ClientConfig;
import io.bulwark.console.KeyConnector;
import io.bulwark.console.Traces;
import io.bulwark.console.account.Role;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Rights;
import io.bulwark.protocol.metadata.Scope;
import io.micrometer.observation.ObservationRegistry;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Setting up a console that acts for people: an operator makes a principal without a key for each role, with the rights of the
 * role, and an act-for grant over it for the console's client, which keeps no rights of its own.
 */
public final class ConsoleDoor {
    private ConsoleDoor() {}

    /**
     * Sets up what is missing.
     *
     * @param operator a client that administers the cluster
     * @param door the client as which the console connects
     * @return a line for each change, none if there was nothing to do
     */
    public static List<String> enable(Bulwark operator, PrincipalId door) {
        Principals principals = operator.principals();
        List<String> done = new ArrayList<>();
        List<Principals.ActFor> known = principals.actFor(door);
        for (Role role : Role.values()) {
            Optional<PrincipalId> person = known.stream()
                    .filter(entry -> entry.ceiling().equals(role.rights()))
                    .map(Principals.ActFor::person)
                    .findFirst();
            if (person.isEmpty()) {
                PrincipalId added = principals.addNextWithoutKey();
                principals.grant(added, new Scope.All(), role.rights());
                principals.setActFor(door, added, role.rights());
                done.add(door + " acts for " + added + ", the " + role + ", which nobody has a key of");
            } else if (!has(principals, person.get(), role.rights())) {
                principals.grant(person.get(), new Scope.All(), role.rights());
                done.add(person.get() + " has the rights of the " + role + " again");
            }
        }
        for (Principals.Grant grant : principals.grants(door)) {
            principals.grant(door, grant.scope(), Rights.NONE);
            done.add(door + " has no rights of its own any more on " + text(grant.scope()));
        }
        return done;
    }

    /**
     * Returns the connector for people who sign in with their own keys; empty in a cluster without keys.
     *
     * @param own the configuration of the console's client
     * @param directory of the console, where the knowledge of the registry is kept for each such person
     * @param traces of the console, if it has any
     */
    public static Optional<KeyConnector> connector(ClientConfig own, Path directory, Optional<Traces> traces) {
        ObservationRegistry observations = traces.map(Traces::observations).orElse(ObservationRegistry.NOOP);
        return own.channels() instanceof ChannelConfig.Tls
                ? Optional.of(identity -> Bulwark.connect(own.withOpened(identity, directory), observations))
                : Optional.empty();
    }

    private static boolean has(Principals principals, PrincipalId person, Rights rights) {
        return principals.grants(person).contains(new Principals.Grant(new Scope.All(), rights));
    }

    private static String text(Scope scope) {
        return switch (scope) {
            case Scope.All _ -> "the cluster";
            case Scope.OfVolume volume -> "the volume " + volume.name();
            case Scope.OfBucket bucket -> "the bucket " + bucket.name();
        };
    }
}

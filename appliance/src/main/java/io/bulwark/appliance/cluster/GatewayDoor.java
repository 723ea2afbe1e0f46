package io.bulwark.appliance.cluster;

import io.bulwark.client.AccessKeys;
import io.bulwark.client.Bulwark;
import io.bulwark.client.Principals;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Gateways;
import io.bulwark.protocol.metadata.Rights;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Setting up an S3 gateway: an operator names its client, which gets the act-for grants and sealed secrets that the other
 * gateways have, and keeps no rights of its own.
 */
public final class GatewayDoor {
    private GatewayDoor() {}

    /**
     * Sets up what is missing.
     *
     * @param operator a client that administers the cluster
     * @param door the client as which the gateway connects
     * @param again whether secrets are sealed anew, since a gateway has another identity
     * @return a line for each change, none if there was nothing to do
     */
    public static List<String> enable(Bulwark operator, PrincipalId door, boolean again) {
        AccessKeys keys = operator.accessKeys();
        Principals principals = operator.principals();
        List<String> done = new ArrayList<>();
        Gateways before = keys.gateways();
        keys.addGateway(door);
        if (!before.doors().contains(door)) {
            done.add(door + " is an S3 gateway");
        }
        if (before.doors().isEmpty() && before.anonymous().equals(PrincipalId.NOBODY)) {
            PrincipalId anonymous = principals.addNextWithoutKey();
            keys.setAnonymous(Optional.of(anonymous));
            done.add("requests without a signature are those of " + anonymous + ", which has no rights");
        }
        for (Principals.Grant grant : principals.grants(door)) {
            principals.grant(door, grant.scope(), Rights.NONE);
            done.add(door + " has no rights of its own any more on "
                    + grant.scope().text());
        }
        AccessKeys.Sealing sealing = keys.seal(again);
        if (again && !sealing.sealed().isEmpty()) {
            done.add("sealed anew: " + String.join(", ", sealing.sealed()));
        }
        sealing.unopened()
                .forEach(id -> done.add("the secret of " + id + " is not known here, so " + door
                        + " may not have it; `bulwark access-key rotate " + id + "` makes another key"));
        return done;
    }
}

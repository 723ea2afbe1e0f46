package io.bulwark.it;

import java.io.IOException;
import org.jspecify.annotations.NullMarked;

/** A network of containers, from which some are cut off: {@code docker network disconnect} and {@code connect}, by the engine's own API. */
@NullMarked
final class ContainerNetwork {
    private final String name;

    ContainerNetwork(String name) {
        this.name = name;
    }

    void disconnect(String container) throws IOException {
        ContainerEngine.post("/networks/" + name + "/disconnect", "{\"Container\":\"" + container + "\"}");
    }

    /** @param alias the name under which the others find it */
    void connect(String container, String alias) throws IOException {
        ContainerEngine.post(
                "/networks/" + name + "/connect",
                "{\"Container\":\"" + container + "\",\"EndpointConfig\":{\"Aliases\":[\"" + alias + "\"]}}");
    }
}

package io.bulwark.protocol.extent;

import io.bulwark.protocol.effect.Effect;
import java.util.ArrayList;
import java.util.List;

/** One call of the server: the time, and the effects that it is going to return. */
record ServerCall(long nowMillis, List<Effect> effects) {
    static ServerCall at(long nowMillis) {
        return new ServerCall(nowMillis, new ArrayList<>());
    }

    void add(Effect effect) {
        effects.add(effect);
    }
}

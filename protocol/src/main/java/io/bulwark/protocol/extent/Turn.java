package io.bulwark.protocol.extent;

import io.bulwark.protocol.effect.Effect;
import java.util.ArrayList;
import java.util.List;

/** One call of the server: the time, and the effects that it is going to return. */
record Turn(long nowMillis, List<Effect> effects) {
    static Turn at(long nowMillis) {
        return new Turn(nowMillis, new ArrayList<>());
    }

    void add(Effect effect) {
        effects.add(effect);
    }
}

package io.bulwark.metadata.bft;

import io.bulwark.protocol.ordering.driver.ReplicaEffect;
import io.bulwark.protocol.state.DamagedPageException;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Executor of a replica's effects, in order. */
final class EffectExecutor {
    private EffectExecutor() {}

    /**
     * Carries out each effect. An effect that meets damaged state does not hold back the following ones. The replica
     * continues after that, and its log would lack a promise.
     *
     * @throws DamagedPageException after the last effect
     */
    static void carryOut(List<ReplicaEffect> effects, Consumer<ReplicaEffect> driver) {
        @Nullable DamagedPageException damage = null;
        for (ReplicaEffect effect : effects) {
            try {
                driver.accept(effect);
            } catch (DamagedPageException e) {
                damage = e;
            }
        }
        if (damage != null) {
            throw damage;
        }
    }
}

package io.bulwark.metadata.bft;

import io.bulwark.protocol.ordering.replica.ReplicaEffect;
import io.bulwark.protocol.state.DamagedPageException;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Executor of a replica's effects, in order. */
final class Effects {
    private Effects() {}

    /**
     * Has each effect carried out. One that meets damaged state does not keep back those behind it: the replica goes on after that, and
     * a promise would be missing in its log.
     *
     * @throws DamagedPageException in the end
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

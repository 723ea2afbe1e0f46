package io.bulwark.simulation.exhaustive;

import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.ProtocolServer;
import io.bulwark.simulation.engine.AlteringServer;
import java.util.List;

/** A node whose lie is chosen anew for each step. Silence needs no lie: its messages may be late for ever. */
public final class ChoosingServer extends AlteringServer {
    /** Replacement for the effect of a correct node. */
    @FunctionalInterface
    public interface Lie {
        List<Effect> instead(Effect effect);
    }

    /** No lie. */
    public static final Lie TRUTH = List::of;

    private final List<Lie> menu;
    private int chosen;

    public ChoosingServer(ProtocolServer correct, List<Lie> menu) {
        super(correct);
        this.menu = List.copyOf(menu);
    }

    int choices() {
        return menu.size();
    }

    void choose(int choice) {
        chosen = choice;
    }

    @Override
    protected List<Effect> alter(long nowMillis, Effect effect) {
        return menu.get(chosen).instead(effect);
    }
}

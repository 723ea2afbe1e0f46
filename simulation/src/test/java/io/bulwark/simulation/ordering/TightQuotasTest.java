package io.bulwark.simulation.ordering;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.ordering.CallRefusal;
import io.bulwark.protocol.ordering.OrderingMessage.Refused;
import io.bulwark.simulation.campaign.Run;
import io.bulwark.simulation.campaign.Setting;
import io.bulwark.simulation.campaign.Shape;
import io.bulwark.simulation.campaign.SimulatedProtocol;
import java.util.OptionalInt;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** In a part of the runs rooms do fill, and correct clients, too, are refused for a while. */
@NullMarked
class TightQuotasTest {
    private static final int SEEDS = 20;
    private static final Shape SHAPE = new Shape(
            OptionalInt.empty(), OptionalInt.of(1), OptionalInt.empty(), OptionalInt.of(2), OptionalInt.empty());

    private int floodersRefused;
    private int clientsRefused;

    private final SimulatedProtocol protocol = new SimulatedProtocol() {
        @Override
        public String name() {
            return "ordering";
        }

        @Override
        public OrderingWorld build(Setting setting) {
            OrderingWorld world = new OrderingWorld(setting);
            world.simulation().observe((_, to, _, message) -> {
                if (message instanceof Refused refused && refused.reason() == CallRefusal.OVERLOADED) {
                    if (to.number() < OrderingClients.CLIENTS) {
                        clientsRefused++;
                    } else {
                        floodersRefused++;
                    }
                }
            });
            return world;
        }
    };

    @Test
    void roomsFillAndAllIsDoneInTheEnd() {
        for (long seed = 1; seed <= SEEDS; seed++) {
            assertThat(new Run(protocol, SHAPE.setting(seed)).go())
                    .as("seed %d", seed)
                    .isEmpty();
        }
        assertThat(floodersRefused).isPositive();
        assertThat(clientsRefused).isPositive();
    }
}

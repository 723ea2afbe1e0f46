package io.bulwark.simulation.exhaustive;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKind;
import io.bulwark.protocol.wire.Message;
import io.bulwark.protocol.wire.MessageCodec;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Numbers for messages and parties: nodes first, in the order of the world, then operations. */
final class Messages {
    private static final int TEXT_LENGTH_MAX = 160;

    private final TinyWorld world;
    private final Map<Envelope, Integer> numbers = new HashMap<>();
    private final List<Envelope> envelopes = new ArrayList<>();

    Messages(TinyWorld world) {
        this.world = world;
    }

    MessageCodec codec() {
        return world.codec();
    }

    Envelope envelope(int number) {
        return envelopes.get(number);
    }

    int number(PrincipalId from, int to, long requestId, boolean request, Message message) {
        Envelope envelope = Envelope.of(world.codec(), from, to, requestId, request, message);
        return numbers.computeIfAbsent(envelope, added -> {
            envelopes.add(added);
            return envelopes.size() - 1;
        });
    }

    Optional<Integer> node(PrincipalId id) {
        for (int node = 0; node < world.nodes().size(); node++) {
            if (world.nodes().get(node).id().equals(id)) {
                return Optional.of(node);
            }
        }
        return Optional.empty();
    }

    /** Returns the recipient of an answer: a node for its own operation, or a client's operation. */
    Optional<Integer> asker(PrincipalId to, long requestId) {
        if (to.kind() == PrincipalKind.NODE) {
            return node(to);
        }
        boolean known = requestId >= 0
                && requestId < world.operations().size()
                && world.operations().get((int) requestId).client().equals(to);
        return known ? Optional.of(world.nodes().size() + (int) requestId) : Optional.empty();
    }

    /** Returns text for people. */
    String text(int number) {
        Envelope envelope = envelopes.get(number);
        String text = envelope.from() + " > " + party(envelope.to()) + ": " + envelope.message(world.codec());
        return text.length() <= TEXT_LENGTH_MAX ? text : text.substring(0, TEXT_LENGTH_MAX) + "...";
    }

    String party(int party) {
        int nodes = world.nodes().size();
        return party < nodes
                ? world.nodes().get(party).id().toString()
                : world.operations().get(party - nodes).name();
    }
}

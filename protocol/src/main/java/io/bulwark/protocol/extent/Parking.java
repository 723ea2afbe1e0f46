package io.bulwark.protocol.extent;

import io.bulwark.protocol.cluster.Question;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.extent.ExtentMessage.Request;
import io.bulwark.protocol.extent.ExtentMessage.Store;
import io.bulwark.protocol.extent.ExtentMessage.StoreBlock;
import io.bulwark.protocol.id.PrincipalId;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Requests that wait until f+1 replicas have answered a question. A denial is believed only after a while of asking: what
 * was just opened or granted may not have reached all replicas. Where no answer comes, the request is dropped, and the
 * sender sends it again.
 */
final class Parking {
    private static final int PER_SENDER_MAX = 256;
    private static final long PATIENCE_MILLIS = 2_000;
    private static final long ASK_AGAIN_MILLIS = 250;

    /** A request on its way to be served. */
    static final class Asked {
        final PrincipalId from;
        final long requestId;
        final Request request;
        final long arrivedMillis;
        /** What was answered for it already; it does not wait for the same again. */
        final Set<Question> answered = new HashSet<>();

        Asked(PrincipalId from, long requestId, Request request, long arrivedMillis) {
            this.from = from;
            this.requestId = requestId;
            this.request = request;
            this.arrivedMillis = arrivedMillis;
        }

        long bytes() {
            return 1024L
                    + switch (request) {
                        case Store store -> store.fragment().length();
                        case StoreBlock store -> store.content().length();
                        default -> 0;
                    };
        }
    }

    private static final class Waiting {
        final List<Asked> requests = new ArrayList<>();
        long lastAskedMillis;
        boolean denied;
    }

    private final Map<Question, Waiting> waiting = new LinkedHashMap<>();
    private final Map<PrincipalId, Integer> perSender = new LinkedHashMap<>();
    private final long bytesMax;
    private long bytes;

    Parking(long bytesMax) {
        this.bytesMax = bytesMax;
    }

    /** Parks the request and asks, or drops it where too many wait. */
    void park(Turn turn, Question question, Asked asked) {
        if (bytes + asked.bytes() > bytesMax || perSender.getOrDefault(asked.from, 0) >= PER_SENDER_MAX) {
            return;
        }
        bytes += asked.bytes();
        perSender.merge(asked.from, 1, Integer::sum);
        Waiting known = waiting.get(question);
        if (known == null) {
            known = new Waiting();
            known.lastAskedMillis = turn.nowMillis();
            waiting.put(question, known);
            turn.add(new Effect.Ask(question));
        }
        known.requests.add(asked);
    }

    /** The requests that waited for any of these questions, which are answered now. */
    List<Asked> answered(Predicate<Question> questions) {
        List<Asked> free = new ArrayList<>();
        Iterator<Map.Entry<Question, Waiting>> all = waiting.entrySet().iterator();
        while (all.hasNext()) {
            Map.Entry<Question, Waiting> entry = all.next();
            if (questions.test(entry.getKey())) {
                all.remove();
                entry.getValue().requests.forEach(asked -> leave(asked, entry.getKey(), free));
            }
        }
        return free;
    }

    /** The replicas deny it, so far. */
    void denied(Predicate<Question> questions) {
        waiting.forEach((question, known) -> known.denied |= questions.test(question));
    }

    /** Asks again, and gives back the requests whose patience is over with a denial. */
    List<Asked> onTick(Turn turn) {
        List<Asked> free = new ArrayList<>();
        Iterator<Map.Entry<Question, Waiting>> all = waiting.entrySet().iterator();
        while (all.hasNext()) {
            Map.Entry<Question, Waiting> entry = all.next();
            Waiting known = entry.getValue();
            List<Asked> over = known.requests.stream()
                    .filter(asked -> turn.nowMillis() - asked.arrivedMillis >= PATIENCE_MILLIS)
                    .toList();
            known.requests.removeAll(over);
            List<Asked> left = new ArrayList<>();
            over.forEach(asked -> leave(asked, entry.getKey(), left));
            if (known.denied) {
                free.addAll(left);
            }
            if (known.requests.isEmpty()) {
                all.remove();
            } else if (turn.nowMillis() - known.lastAskedMillis >= ASK_AGAIN_MILLIS) {
                known.lastAskedMillis = turn.nowMillis();
                turn.add(new Effect.Ask(entry.getKey()));
            }
        }
        return free;
    }

    private void leave(Asked asked, Question question, List<Asked> free) {
        bytes -= asked.bytes();
        perSender.merge(asked.from, -1, (a, b) -> a + b == 0 ? null : a + b);
        asked.answered.add(question);
        free.add(asked);
    }
}

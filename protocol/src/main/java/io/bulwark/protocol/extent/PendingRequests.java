package io.bulwark.protocol.extent;

import io.bulwark.protocol.cluster.Question;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.extent.ExtentMessage.Request;
import io.bulwark.protocol.extent.ExtentMessage.Store;
import io.bulwark.protocol.extent.ExtentMessage.StoreBlock;
import io.bulwark.protocol.extent.ExtentMessage.Supply;
import io.bulwark.protocol.id.PrincipalId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Requests that wait until 2f+1 replicas answer a question. A denial is believed only after repeated asking for a
 * while: a session or grant that is new may not have reached all replicas. If no answer arrives, the request is
 * dropped, and the sender sends it again.
 *
 * <p>The space is shared: when it is full, the sender that uses most of it gives way to those that use less. The same
 * question is sent again only after a pause, even if it is answered often. The pause grows while the question stays
 * unanswered.
 */
final class PendingRequests {
    private static final int PER_SENDER_MAX = 256;
    /** Different questions of one sender; it has at most 64 open sessions. */
    private static final int QUESTIONS_PER_SENDER_MAX = 64;

    private static final int REMEMBERED_MAX = 4096;
    private static final long PATIENCE_MILLIS = 2_000;
    private static final long ASK_AGAIN_MILLIS = 250;

    /** A request on its way to be served. */
    static final class ParkedRequest {
        final PrincipalId from;
        final long requestId;
        final Request request;
        final long arrivedMillis;
        /** Questions answered for this request already; it does not wait for the same question again. */
        final Set<Question> answered = new HashSet<>();

        ParkedRequest(PrincipalId from, long requestId, Request request, long arrivedMillis) {
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
                        case Supply supply -> supply.fragment().length();
                        default -> 0;
                    };
        }
    }

    private static final class WaitingRequest {
        final List<ParkedRequest> requests = new ArrayList<>();
        long lastAskedMillis;
        long askAgainMillis = ASK_AGAIN_MILLIS;
        boolean denied;
    }

    private record Place(Question question, ParkedRequest asked) {}

    private static final class Sender {
        final Deque<Place> places = new ArrayDeque<>();
        final Map<Question, Integer> questions = new HashMap<>();
        long bytes;

        boolean mayAsk(Question question) {
            return places.size() < PER_SENDER_MAX
                    && (questions.containsKey(question) || questions.size() < QUESTIONS_PER_SENDER_MAX);
        }
    }

    private final Map<Question, WaitingRequest> waiting = new LinkedHashMap<>();
    private final Map<PrincipalId, Sender> senders = new LinkedHashMap<>();
    /** Time at which each question was last asked, also of those that were answered since. */
    private final Map<Question, Long> lately = new LinkedHashMap<>(64, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Question, Long> eldest) {
            return size() > REMEMBERED_MAX;
        }
    };

    private final long bytesMax;
    private long bytes;

    PendingRequests(long bytesMax) {
        this.bytesMax = bytesMax;
    }

    /** Parks the request and asks, or drops it where too many wait. */
    void park(ServerCall turn, Question question, ParkedRequest asked) {
        Sender sender = senders.computeIfAbsent(asked.from, ignored -> new Sender());
        if (!sender.mayAsk(question) || !makeRoom(sender, asked.bytes())) {
            if (sender.places.isEmpty()) {
                senders.remove(asked.from);
            }
            return;
        }
        bytes += asked.bytes();
        sender.bytes += asked.bytes();
        sender.places.addLast(new Place(question, asked));
        sender.questions.merge(question, 1, Integer::sum);
        WaitingRequest known = waiting.get(question);
        if (known == null) {
            known = new WaitingRequest();
            waiting.put(question, known);
            Long last = lately.get(question);
            if (last == null || turn.nowMillis() - last >= ASK_AGAIN_MILLIS) {
                ask(turn, question, known);
            } else {
                known.lastAskedMillis = last;
            }
        }
        known.requests.add(asked);
    }

    private void ask(ServerCall turn, Question question, WaitingRequest known) {
        known.lastAskedMillis = turn.nowMillis();
        lately.put(question, turn.nowMillis());
        turn.add(new Effect.Ask(question));
    }

    /** Drops the last requests of those who have more than this sender would have; false if nobody has. */
    private boolean makeRoom(Sender sender, long more) {
        while (bytes + more > bytesMax) {
            Sender richest = sender;
            for (Sender other : senders.values()) {
                richest = other.bytes > richest.bytes ? other : richest;
            }
            if (richest.bytes <= sender.bytes + more) {
                return false;
            }
            Place last = richest.places.getLast();
            WaitingRequest known = waiting.get(last.question());
            if (known != null) {
                known.requests.remove(last.asked());
                if (known.requests.isEmpty()) {
                    waiting.remove(last.question());
                }
            }
            leave(last.asked(), last.question(), null);
        }
        return true;
    }

    /** The requests that waited for any of these questions, which are answered now. */
    List<ParkedRequest> answered(Predicate<Question> questions) {
        List<ParkedRequest> free = new ArrayList<>();
        Iterator<Map.Entry<Question, WaitingRequest>> all = waiting.entrySet().iterator();
        while (all.hasNext()) {
            Map.Entry<Question, WaitingRequest> entry = all.next();
            if (questions.test(entry.getKey())) {
                all.remove();
                entry.getValue().requests.forEach(asked -> leave(asked, entry.getKey(), free));
            }
        }
        return free;
    }

    /** The replicas deny it, so far. */
    void onDenied(Predicate<Question> questions) {
        waiting.forEach((question, known) -> known.denied |= questions.test(question));
    }

    /** Asks again, and gives back the requests whose patience is over with a denial. */
    List<ParkedRequest> onTick(ServerCall turn) {
        List<ParkedRequest> free = new ArrayList<>();
        Iterator<Map.Entry<Question, WaitingRequest>> all = waiting.entrySet().iterator();
        while (all.hasNext()) {
            Map.Entry<Question, WaitingRequest> entry = all.next();
            WaitingRequest known = entry.getValue();
            List<ParkedRequest> over = known.requests.stream()
                    .filter(asked -> turn.nowMillis() - asked.arrivedMillis >= PATIENCE_MILLIS)
                    .toList();
            known.requests.removeAll(over);
            over.forEach(asked -> leave(asked, entry.getKey(), known.denied ? free : null));
            if (known.requests.isEmpty()) {
                all.remove();
            } else if (turn.nowMillis() - known.lastAskedMillis >= known.askAgainMillis) {
                known.askAgainMillis *= 2;
                ask(turn, entry.getKey(), known);
            }
        }
        return free;
    }

    private void leave(ParkedRequest asked, Question question, @Nullable List<ParkedRequest> free) {
        bytes -= asked.bytes();
        Sender sender = senders.get(asked.from);
        if (sender != null) {
            sender.bytes -= asked.bytes();
            sender.places.removeIf(place -> place.asked() == asked);
            sender.questions.computeIfPresent(question, (ignored, count) -> count == 1 ? null : (Integer) (count - 1));
            if (sender.places.isEmpty()) {
                senders.remove(asked.from);
            }
        }
        asked.answered.add(question);
        if (free != null) {
            free.add(asked);
        }
    }
}

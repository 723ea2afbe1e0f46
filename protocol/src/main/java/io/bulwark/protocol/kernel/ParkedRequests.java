package io.bulwark.protocol.kernel;

import io.bulwark.protocol.cluster.Question;
import io.bulwark.protocol.effect.Outbox;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Requests of a register server that wait for facts of the replicas, by the question that the fact answers. Questions
 * are asked again each second while a request waits for them. A request that has waited too long is dropped: its sender
 * sends it again.
 */
public final class ParkedRequests<T extends PendingRequest> {
    private static final int QUESTIONS_MAX = 1_024;
    private static final long ASK_AGAIN_MILLIS = 1_000;

    private record Parked<T>(long sinceMillis, T request) {}

    private final Outbox out;
    private final RequestBudget budget;
    private final int perQuestionMax;
    private final long waitMillisMax;
    private final Map<Question, List<Parked<T>>> parked = new LinkedHashMap<>();
    private long askedMillis;

    /**
     * Creates one without requests.
     *
     * @param out takes the questions
     * @param budget bounds the parked requests together with others that wait
     * @param perQuestionMax greatest number of requests that wait for one answer
     */
    public ParkedRequests(Outbox out, RequestBudget budget, int perQuestionMax, long waitMillisMax) {
        this.out = out;
        this.budget = budget;
        this.perQuestionMax = perQuestionMax;
        this.waitMillisMax = waitMillisMax;
    }

    /**
     * Parks a request until its question is answered. Returns false if there is no room: its sender sends too many.
     *
     * @param asks whether the replicas are asked at once, unless they have been
     */
    public boolean park(long nowMillis, T request, Question question, boolean asks) {
        List<Parked<T>> others = parked.get(question);
        boolean room = others == null ? parked.size() < QUESTIONS_MAX : others.size() < perQuestionMax;
        if (!room || !budget.park(request)) {
            return false;
        }
        parked.computeIfAbsent(question, ignored -> new ArrayList<>()).add(new Parked<>(nowMillis, request));
        if (others == null && asks) {
            out.ask(question);
        }
        return true;
    }

    /** Returns the requests that waited for this answer; they wait no more. */
    public List<T> release(Question question) {
        List<Parked<T>> released = parked.remove(question);
        if (released == null) {
            return List.of();
        }
        released.forEach(each -> budget.unpark(each.request()));
        return released.stream().map(Parked::request).toList();
    }

    /** Returns the questions about this volume for whose answers requests wait. */
    public List<Question> questionsAbout(int volume) {
        return parked.keySet().stream()
                .filter(question -> question instanceof Question.OfVolume of && of.volume() == volume)
                .toList();
    }

    /** Drops what has waited too long, and asks again for the rest. */
    public void onTick(long nowMillis) {
        parked.values()
                .forEach(requests -> requests.removeIf(each -> {
                    boolean over = nowMillis - each.sinceMillis() >= waitMillisMax;
                    if (over) {
                        budget.unpark(each.request());
                    }
                    return over;
                }));
        parked.values().removeIf(List::isEmpty);
        if (nowMillis - askedMillis >= ASK_AGAIN_MILLIS) {
            askedMillis = nowMillis;
            parked.keySet().forEach(out::ask);
        }
    }
}

package io.bulwark.protocol.ordering.view;

import io.bulwark.protocol.effect.DistantPast;
import io.bulwark.protocol.ordering.message.ReplicaMessage.FetchViewChange;
import io.bulwark.protocol.ordering.message.ReplicaMessage.ForwardedViewChange;
import io.bulwark.protocol.ordering.message.ReplicaMessage.NewView;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Status;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Repeated messages of the view that a replica is in or asks for, for peers that lack them; rate-limited for each peer.
 */
final class ViewAnswers {
    private static final long ANSWER_MILLIS = 50;

    private final ViewGroup group;
    private final int self;
    private final ViewChangeSet messages;
    private final long[] answeredMillis;

    /** By who fetches, then by whose VIEW-CHANGE. */
    private final long[][] fetchedMillis;

    /** @param messages of the view */
    ViewAnswers(ViewGroup group, int self, ViewChangeSet messages) {
        this.group = group;
        this.self = self;
        this.messages = messages;
        answeredMillis = new long[group.replicas()];
        Arrays.fill(answeredMillis, DistantPast.MILLIS);
        fetchedMillis = new long[group.replicas()][group.replicas()];
        Arrays.stream(fetchedMillis).forEach(ofOne -> Arrays.fill(ofOne, DistantPast.MILLIS));
    }

    /** A NEW-VIEW of the view names what the other lacks. */
    void onFetch(long nowMillis, int from, FetchViewChange fetch, List<ViewStep> steps) {
        if (fetch.replica() < 0
                || fetch.replica() >= group.replicas()
                || nowMillis - fetchedMillis[from][fetch.replica()] < ANSWER_MILLIS) {
            return;
        }
        messages.find(fetch.replica(), fetch.digest()).ifPresent(held -> {
            fetchedMillis[from][fetch.replica()] = nowMillis;
            if (fetch.replica() == self) {
                steps.add(new ViewStep.Send(from, held));
                return;
            }
            steps.add(new ViewStep.Send(from, new ForwardedViewChange(fetch.replica(), held)));
            messages.ackOf(fetch.replica()).ifPresent(ack -> steps.add(new ViewStep.Send(from, ack)));
        });
    }

    /**
     * Section 4.6.1: what this replica has sent and the other lacks goes out again.
     *
     * @param begun the NEW-VIEW with which the view has begun here, if it has
     */
    void onStatus(long nowMillis, int from, Status status, long view, @Nullable NewView begun, List<ViewStep> steps) {
        boolean lacks = status.view() < view || (status.view() == view && !status.inView());
        if (!lacks || nowMillis - answeredMillis[from] < ANSWER_MILLIS) {
            return;
        }
        answeredMillis[from] = nowMillis;
        boolean sameView = status.view() == view;
        if (!sameView || (status.viewChanges() >>> self & 1) == 0) {
            messages.own().ifPresent(own -> steps.add(new ViewStep.Send(from, own)));
        }
        if (sameView && self == group.primary(view) && begun != null && !status.newView()) {
            steps.add(new ViewStep.Send(from, begun));
        }
        if (sameView && from == group.primary(view)) {
            messages.acks().forEach(ack -> steps.add(new ViewStep.Send(from, ack)));
        }
    }
}

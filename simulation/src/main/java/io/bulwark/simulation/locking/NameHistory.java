package io.bulwark.simulation.locking;

import io.bulwark.protocol.metadata.Reply;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Requests of correct clients about the names of one bucket, and the search for one order that explains all replies
 * (Wing and Gong, with Lowe's memory of visited configurations). Requests may name several keys, so that the namespace is
 * judged as a whole. Not for several threads at once.
 */
final class NameHistory {
    private static final int CONFIGURATIONS_MAX = 200_000;

    private final List<Pending> all = new ArrayList<>();
    private long lastStamp;

    /** Verdict on a history. */
    sealed interface Verdict {
        record Linearizable() implements Verdict {}

        /** Nothing explains the replies; the longest explanation of some ends in this state, with these requests left. */
        record Violated(String explanation) implements Verdict {}

        /** Too many orders are possible. */
        record Undecided() implements Verdict {}
    }

    /** One request under way. One that is never completed may take effect at any later time, or never. */
    static final class Pending {
        private final String client;
        private final NameRequest request;
        private final long invoked;
        private final NameHistory history;
        private long completed = Long.MAX_VALUE;
        private Optional<Reply> reply = Optional.empty();
        private boolean isWithoutEffect;

        private Pending(NameHistory history, String client, NameRequest request, long invoked) {
            this.history = history;
            this.client = client;
            this.request = request;
            this.invoked = invoked;
        }

        /** Its reply is known. */
        void complete(Reply known) {
            completed = ++history.lastStamp;
            reply = Optional.of(known);
            isWithoutEffect = known instanceof Reply.Failed failed && !NameState.isAboutNames(failed);
        }

        private boolean isRequired() {
            return completed != Long.MAX_VALUE;
        }

        @Override
        public String toString() {
            return "[" + invoked + ", " + (isRequired() ? completed : "?") + "] " + client + " " + request + " -> "
                    + reply.map(NameHistory::shortText).orElse("?");
        }
    }

    private record Configuration(BitSet done, NameState state) {}

    Pending invoke(String client, NameRequest request) {
        Pending pending = new Pending(this, client, request, ++lastStamp);
        all.add(pending);
        return pending;
    }

    /** Looks for an order. */
    Verdict judge() {
        List<Pending> judged = all.stream()
                .filter(each -> !each.isWithoutEffect
                        && (each.isRequired() || each.request.command("", 1).isPresent()))
                .toList();
        return new Search(judged).run();
    }

    private static String shortText(Reply reply) {
        return switch (reply) {
            case Reply.ObjectFound found -> found.attributes().contentType() + "#" + found.version();
            case Reply.ObjectStored stored -> "#" + stored.version();
            case Reply.Deleted deleted -> "deleted #" + deleted.version();
            case Reply.ObjectList list ->
                list.objects().stream()
                        .map(entry -> entry.key() + "=" + entry.attributes().contentType() + "#" + entry.version())
                        .toList()
                        .toString();
            default -> reply.toString();
        };
    }

    /** Depth-first search over configurations: a set of requests that took effect, and the state after them. */
    private static final class Search {
        private final List<Pending> requests;
        private final Set<Configuration> visited = new HashSet<>();
        private final List<Frame> path = new ArrayList<>();
        private int mostDone = -1;
        private String longest = "";

        private record Frame(Configuration at, Iterator<Integer> next) {}

        private Search(List<Pending> requests) {
            this.requests = requests;
        }

        private Verdict run() {
            enter(new Configuration(new BitSet(requests.size()), NameState.EMPTY));
            while (!path.isEmpty()) {
                Frame frame = path.getLast();
                if (isComplete(frame.at)) {
                    return new Verdict.Linearizable();
                }
                if (visited.size() > CONFIGURATIONS_MAX) {
                    return new Verdict.Undecided();
                }
                if (frame.next.hasNext()) {
                    step(frame.at, frame.next.next());
                } else {
                    path.removeLast();
                }
            }
            return new Verdict.Violated(longest);
        }

        private void step(Configuration at, int number) {
            Pending request = requests.get(number);
            @Nullable NameState state = at.state.after(request.request, request.reply);
            if (state != null && (request.isRequired() || !state.equals(at.state))) {
                BitSet done = (BitSet) at.done.clone();
                done.set(number);
                enter(new Configuration(done, state));
            }
        }

        private void enter(Configuration at) {
            if (!visited.add(at)) {
                return;
            }
            path.add(new Frame(at, next(at).iterator()));
            if (at.done.cardinality() > mostDone) {
                mostDone = at.done.cardinality();
                longest = explain(at);
            }
        }

        private boolean isComplete(Configuration at) {
            for (int number = at.done.nextClearBit(0);
                    number < requests.size();
                    number = at.done.nextClearBit(number + 1)) {
                if (requests.get(number).isRequired()) {
                    return false;
                }
            }
            return true;
        }

        /**
         * Returns the requests that may take effect next, those with an answer first. One without an answer can wait as
         * long as all others are possible, and neither it nor they carry an effect from one name to another.
         */
        private List<Integer> next(Configuration at) {
            BitSet done = at.done;
            long first = Long.MAX_VALUE;
            for (int number = done.nextClearBit(0); number < requests.size(); number = done.nextClearBit(number + 1)) {
                first = Math.min(first, requests.get(number).completed);
            }
            List<Integer> answered = new ArrayList<>();
            List<Integer> others = new ArrayList<>();
            for (int number = done.nextClearBit(0);
                    number < requests.size() && requests.get(number).invoked < first;
                    number = done.nextClearBit(number + 1)) {
                (requests.get(number).isRequired() ? answered : others).add(number);
            }
            answered.sort((a, b) -> Long.compare(requests.get(a).completed, requests.get(b).completed));
            boolean mayWait = others.stream().noneMatch(this::carries)
                    && answered.stream()
                            .noneMatch(each -> carries(each)
                                    || at.state.after(requests.get(each).request, requests.get(each).reply) == null);
            if (!mayWait) {
                answered.addAll(others);
            }
            return answered;
        }

        private boolean carries(int number) {
            NameRequest request = requests.get(number).request;
            return request instanceof NameRequest.Rename || request instanceof NameRequest.Copy;
        }

        private String explain(Configuration at) {
            StringBuilder text = new StringBuilder("after " + mostDone + " requests: " + at.state + "; next of");
            next(at).stream().limit(8).forEach(number -> text.append("\n  ").append(requests.get(number)));
            return text.toString();
        }
    }
}

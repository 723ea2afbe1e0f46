package io.bulwark.client;

import io.bulwark.client.driver.OperationDriver;
import io.bulwark.client.error.CancelledException;
import io.bulwark.client.error.Subject;
import io.bulwark.client.error.UnavailableException;
import io.bulwark.client.survey.Survey;
import io.bulwark.protocol.cluster.ClusterMap;
import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.control.NodeControlMessage.RevocationReply;
import io.bulwark.protocol.control.NodeControlMessage.RevocationRequest;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Message;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Wait for the revocation of a client in the register volumes (docs/protocols/revocation.md). It waits until all
 * nodes refuse the client, then twice until each has settled the remains of repairs that began before.
 */
final class RevocationWaiter {
    private static final long SURVEY_MILLIS = 2_000;
    private static final long PAUSE_MILLIS = 200;
    private static final long LOOK_MILLIS = 3_000;
    /**
     * Number of confirmations required of each node: one before all have confirmed, then two for each of two steps. The
     * request for a confirmation follows the previous confirmations of all nodes. It may still meet a round that began
     * earlier. The second of two such answers belongs to a round that began after the first.
     */
    private static final int TIMES_DONE = 5;

    /** Asks nodes how far they are, and gives the answers that come in time. */
    interface NodePoll {
        SortedMap<PrincipalId, Message> ask(Set<PrincipalId> nodes);

        /** Until they are asked again. */
        default void pause() throws InterruptedException {
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
        }
    }

    private final NodePoll asking;
    private final PrincipalId revoked;

    RevocationWaiter(NodePoll asking, PrincipalId revoked) {
        this.asking = asking;
        this.revoked = revoked;
    }

    static RevocationWaiter over(OperationDriver driver, PrincipalId revoked) {
        NodePoll surveys = nodes -> BulwarkClient.noDeadline()
                .await(
                        driver.submit(new Survey(
                                nodes,
                                new RevocationRequest(revoked),
                                message -> message instanceof RevocationReply reply
                                        && reply.revoked().equals(revoked),
                                SURVEY_MILLIS)),
                        Subject.NONE);
        return new RevocationWaiter(surveys, revoked);
    }

    /** A group of slots of a register volume. */
    private record Place(int volume, int group) implements Comparable<Place> {
        private static final Comparator<Place> ORDER =
                Comparator.comparingInt(Place::volume).thenComparingInt(Place::group);

        @Override
        public int compareTo(Place other) {
            return ORDER.compare(this, other);
        }
    }

    /** Holders of a group's slots, and the epoch since which they hold them. */
    private record Slots(long epoch, List<Integer> holders) {}

    /**
     * Returns when all nodes are done, and nobody has taken a slot meanwhile.
     *
     * @param map supplies the current map
     * @param gone supplies the principals revoked by now: nobody listens to such nodes any more
     */
    void await(
            Supplier<ClusterMap> map,
            Supplier<Set<PrincipalId>> gone,
            Duration retryTimer,
            Consumer<Principals.RevocationProgress> listener) {
        Map<Place, Slots> slots = slots(map.get());
        Set<PrincipalId> nodes = holders(slots, gone.get());
        Set<PrincipalId> done = new TreeSet<>();
        int times = 0;
        long begun = System.nanoTime();
        long looked = begun;
        while (true) {
            Principals.RevocationProgress progress = ask(nodes, done);
            listener.accept(progress);
            boolean last = progress.complete() && times + 1 == TIMES_DONE;
            long now = System.nanoTime();
            if (last || now - looked >= TimeUnit.MILLISECONDS.toNanos(LOOK_MILLIS)) {
                looked = now;
                Map<Place, Slots> slotsNow = slots(map.get());
                Set<PrincipalId> nodesNow = holders(slotsNow, gone.get());
                if (moved(slots, slotsNow) || !nodes.containsAll(nodesNow)) {
                    // The new holder of a slot has not been asked about it.
                    done.clear();
                    times = 0;
                }
                slots = slotsNow;
                nodes = nodesNow;
            }
            if (done.containsAll(nodes)) {
                done.clear();
                if (++times == TIMES_DONE) {
                    return;
                }
            }
            // All have answered this time: the next one tells who does not.
            if (!progress.complete() && now - begun >= retryTimer.toNanos()) {
                throw new UnavailableException(problem(revoked, progress), Subject.NONE);
            }
            pause();
        }
    }

    private static Map<Place, Slots> slots(ClusterMap map) {
        Map<Place, Slots> slots = new TreeMap<>();
        for (Volume volume : map.volumes()) {
            if (volume.kind() == VolumeKind.REGISTER) {
                for (int group = 0; group < volume.groups().size(); group++) {
                    PlacementGroup placement = volume.groups().get(group);
                    slots.put(new Place(volume.id(), group), new Slots(placement.epoch(), placement.holders()));
                }
            }
        }
        return slots;
    }

    /** Returns whether slots have other holders than before, or the same ones in a new epoch. */
    private static boolean moved(Map<Place, Slots> before, Map<Place, Slots> now) {
        return before.entrySet().stream()
                .anyMatch(each ->
                        now.containsKey(each.getKey()) && !each.getValue().equals(now.get(each.getKey())));
    }

    private static Set<PrincipalId> holders(Map<Place, Slots> slots, Set<PrincipalId> gone) {
        Set<PrincipalId> nodes = new TreeSet<>();
        slots.values().forEach(group -> group.holders().forEach(holder -> nodes.add(PrincipalId.node(holder))));
        nodes.removeAll(gone);
        return nodes;
    }

    /**
     * @param done nodes that have reported completion, and need not be asked again; this call adds those that report it
     *     now
     */
    private Principals.RevocationProgress ask(Set<PrincipalId> nodes, Set<PrincipalId> done) {
        Set<PrincipalId> asked = new TreeSet<>(nodes);
        asked.removeAll(done);
        SortedMap<PrincipalId, Message> answers = asking.ask(asked);
        List<PrincipalId> silent = new ArrayList<>();
        List<PrincipalId> busy = new ArrayList<>();
        Map<PrincipalId, Long> undecided = new TreeMap<>();
        for (PrincipalId node : asked) {
            if (!(answers.get(node) instanceof RevocationReply reply)) {
                silent.add(node);
            } else if (!reply.refused()) {
                busy.add(node);
            } else if (reply.undecided() > 0) {
                undecided.put(node, reply.undecided());
            } else {
                done.add(node);
            }
        }
        return new Principals.RevocationProgress(nodes.size(), done.size(), undecided, busy, silent);
    }

    /**
     * Returns a message that names the nodes it waits for. Among them may be a liar that reports something undecided
     * for ever.
     */
    static String problem(PrincipalId revoked, Principals.RevocationProgress progress) {
        String undecided = progress.undecided().entrySet().stream()
                .map(entry -> entry.getKey() + " (" + entry.getValue() + ")")
                .collect(Collectors.joining(", "));
        return revoked + " is revoked, and each node refuses it as soon as it learns of the revocation; "
                + (progress.silent().isEmpty() ? "" : names(progress.silent()) + " has not answered; ")
                + (progress.busy().isEmpty() ? "" : names(progress.busy()) + " is still searching for its writes; ")
                + (undecided.isEmpty()
                        ? ""
                        : "register versions are undecided at " + undecided
                                + ": each is settled when its block is written (under FP the node's log names the "
                                + "block), under an older policy by `bulwark volume settle` then; ")
                + "repeat the command to wait for the rest, or revoke nodes that will not return";
    }

    private static String names(List<PrincipalId> nodes) {
        return nodes.stream().map(PrincipalId::toString).collect(Collectors.joining(", "));
    }

    private void pause() {
        try {
            asking.pause();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CancelledException("interrupted while waiting for the nodes", Subject.NONE);
        }
    }
}

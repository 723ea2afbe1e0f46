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
 * Waits until the nodes have put a revoked client out of the register volumes, and then until each of them has settled what repairs that
 * began before all were done have left (PROTOCOLS section 2, revocation).
 */
final class PuttingOut {
    private static final long SURVEY_MILLIS = 2_000;
    private static final long PAUSE_MILLIS = 200;
    /**
     * How often each node must have said that it is done: once before all are, and twice after that. Of two such answers the second
     * one is of a round that began after the first.
     */
    private static final int TIMES_DONE = 3;

    /** Asks nodes how far they are, and gives the answers that come in time. */
    interface Asking {
        SortedMap<PrincipalId, Message> ask(Set<PrincipalId> nodes);
    }

    private final Asking asking;
    private final PrincipalId revoked;

    PuttingOut(Asking asking, PrincipalId revoked) {
        this.asking = asking;
        this.revoked = revoked;
    }

    static PuttingOut over(OperationDriver driver, PrincipalId revoked) {
        Asking surveys = nodes -> BulwarkClient.noDeadline()
                .await(
                        driver.submit(new Survey(
                                nodes,
                                new RevocationRequest(revoked),
                                message -> message instanceof RevocationReply reply
                                        && reply.revoked().equals(revoked),
                                SURVEY_MILLIS)),
                        Subject.NONE);
        return new PuttingOut(surveys, revoked);
    }

    /**
     * Returns when all have, and nobody else has taken a slot meanwhile.
     *
     * @param map the map of now
     * @param gone principals that are revoked: nobody listens to such nodes any more
     */
    void await(
            Supplier<ClusterMap> map,
            Set<PrincipalId> gone,
            Duration patience,
            Consumer<Principals.RevocationProgress> listener) {
        Set<PrincipalId> nodes = holders(map.get(), gone);
        Set<PrincipalId> done = new TreeSet<>();
        int times = 0;
        long end = System.nanoTime() + patience.toNanos();
        while (true) {
            Principals.RevocationProgress progress = ask(nodes, done);
            listener.accept(progress);
            if (progress.complete()) {
                done.clear();
                if (++times == TIMES_DONE) {
                    Set<PrincipalId> now = holders(map.get(), gone);
                    if (nodes.containsAll(now)) {
                        return;
                    }
                    nodes = now;
                    times = 0;
                }
            }
            if (System.nanoTime() - end >= 0) {
                throw new UnavailableException(problem(revoked, progress), Subject.NONE);
            }
            pause();
        }
    }

    private static Set<PrincipalId> holders(ClusterMap map, Set<PrincipalId> gone) {
        Set<PrincipalId> nodes = new TreeSet<>();
        for (Volume volume : map.volumes()) {
            if (volume.kind() == VolumeKind.REGISTER) {
                for (PlacementGroup group : volume.groups()) {
                    group.holders().forEach(holder -> nodes.add(PrincipalId.node(holder)));
                }
            }
        }
        nodes.removeAll(gone);
        return nodes;
    }

    /** @param done those that have said so, and need not be asked again; who says so now is one of them from then on */
    private Principals.RevocationProgress ask(Set<PrincipalId> nodes, Set<PrincipalId> done) {
        Set<PrincipalId> asked = new TreeSet<>(nodes);
        asked.removeAll(done);
        SortedMap<PrincipalId, Message> answers = asking.ask(asked);
        List<PrincipalId> silent = new ArrayList<>();
        Map<PrincipalId, Long> undecided = new TreeMap<>();
        for (PrincipalId node : asked) {
            if (!(answers.get(node) instanceof RevocationReply reply) || !reply.refused()) {
                silent.add(node);
            } else if (reply.undecided() > 0) {
                undecided.put(node, reply.undecided());
            } else {
                done.add(node);
            }
        }
        return new Principals.RevocationProgress(nodes.size(), done.size(), undecided, silent);
    }

    /** Names whoever keeps it waiting: also a liar, which says for ever that something is undecided. */
    static String problem(PrincipalId revoked, Principals.RevocationProgress progress) {
        String names = progress.silent().stream().map(PrincipalId::toString).collect(Collectors.joining(", "));
        String undecided = progress.undecided().entrySet().stream()
                .map(entry -> entry.getKey() + " (" + entry.getValue() + ")")
                .collect(Collectors.joining(", "));
        return revoked + " is revoked, and each node refuses it once it has heard of that; but "
                + (progress.silent().isEmpty() ? "" : names + " has not confirmed it yet; ")
                + (undecided.isEmpty() ? "" : "register versions of it are not decided yet at " + undecided + "; ")
                + "say it again to wait for the rest, or revoke nodes that will not come back";
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CancelledException("interrupted while waiting for the nodes", Subject.NONE);
        }
    }
}

package io.bulwark.console.node;

import io.bulwark.client.Bulwark;
import io.bulwark.client.ClusterStatus;
import io.bulwark.client.error.CancelledException;
import io.bulwark.client.error.PreconditionFailedException;
import io.bulwark.client.error.Subject;
import io.bulwark.client.placement.Move;
import io.bulwark.client.placement.MoveExecutor;
import io.bulwark.client.placement.MovePlan;
import io.bulwark.console.access.SignedIn;
import io.bulwark.console.http.ApiException;
import io.bulwark.console.job.Job;
import io.bulwark.console.job.Jobs;
import io.bulwark.protocol.cluster.ClusterMap;
import io.bulwark.protocol.cluster.NodeAddress;
import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.Volume;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.springframework.stereotype.Component;

/** Changes of nodes and slots, by the rights of the person who asks, with the same steps as {@code bulwark node}. */
@Component
public class NodeChanges {
    private static final long PAUSE_MILLIS = 500;

    private final SignedIn signedIn;
    private final Jobs jobs;

    public NodeChanges(SignedIn signedIn, Jobs jobs) {
        this.signedIn = signedIn;
        this.jobs = jobs;
    }

    /** Returns what a move would do; nothing changes. */
    public PlanView plan(NodeRequest request) {
        Bulwark client = signedIn.client();
        ClusterStatus status = client.status();
        ClusterMap map = client.nodes().map();
        MovePlan plan = plan(map, request);
        return new MoveForecast(map, status).of(request, moves(request, plan, status), plan.kept());
    }

    /**
     * Starts to move slots.
     *
     * @param version of the map that the plan was for; a later map is refused. Any is right if empty
     * @param wait whether the job waits until all slots are rebuilt; if not, it ends when the possible changes are announced
     */
    public Job start(NodeRequest request, Optional<Long> version, boolean wait) {
        Bulwark client = signedIn.client();
        ClusterMap map = client.nodes().map();
        requireVersion(map, version);
        MovePlan plan = plan(map, request);
        Set<Integer> answering = answering(client.status());
        // A plan that cannot be is refused at once.
        List<Move> known = planned(request, plan, answering);
        return jobs.start(request.job(), request.title(), signedIn.name(), job -> {
            job.progress(0, 2L * known.size());
            MoveExecutor moving = new MoveExecutor(
                    client.nodes(), client::status, plan, each -> request.moves(each, answering), PAUSE_MILLIS);
            moving.requireAnswers();
            String[] shown = {""};
            MoveExecutor.MoveProgress end = moving.run(wait, now -> {
                job.progress(now.moved() + (long) now.rebuilt(), 2L * now.moves());
                if (!now.toString().equals(shown[0])) {
                    shown[0] = now.toString();
                    job.report(shown[0] + ".");
                }
                if (job.isCancelled() && !now.over()) {
                    throw new CancelledException(
                            "No further change is announced. " + moving.announced()
                                    + " announced changes continue; abort them on the page of placement groups",
                            Subject.NONE);
                }
            });
            return end.over()
                    ? end.moves() + (end.moves() == 1 ? " slot is" : " slots are") + " moved and rebuilt."
                    : moving.announced() + " of " + end.moves() + " changes are announced.";
        });
    }

    /** Sets the address of a node that has joined, so that it can take slots. */
    public void setAddress(NodeAddress address, Optional<Long> version) {
        Bulwark client = signedIn.client();
        requireVersion(client.nodes().map(), version);
        client.nodes().set(address);
    }

    /** Removes a node for good, which must hold no slot. */
    public void remove(int node, Optional<Long> version) {
        Bulwark client = signedIn.client();
        ClusterMap map = client.nodes().map();
        if (map.nodes().stream().noneMatch(each -> each.node() == node)) {
            throw ApiException.notFound("the cluster map does not name node-" + node);
        }
        requireVersion(map, version);
        client.nodes().remove(node);
    }

    /**
     * Aborts announced changes whose epoch has not opened.
     *
     * @param group number of one group; all groups of the volume if empty
     * @return the groups whose change was aborted
     */
    public List<Integer> abort(String volume, Optional<Integer> group) {
        Bulwark client = signedIn.client();
        Volume known = client.nodes()
                .map()
                .volume(volume)
                .orElseThrow(() -> ApiException.notFound("there is no volume of this name"));
        int groups = known.groups().size();
        if (group.isPresent() && group.get() >= groups) {
            throw ApiException.notFound(volume + " has the groups 0 to " + (groups - 1));
        }
        List<Integer> aborted = new ArrayList<>();
        for (int index = 0; index < groups; index++) {
            PlacementGroup each = known.groups().get(index);
            if ((group.isEmpty() || group.get() == index) && each.change().isPresent()) {
                client.nodes().abort(volume, index, each.epoch());
                aborted.add(index);
            }
        }
        if (aborted.isEmpty()) {
            throw ApiException.conflict(
                    "no change is announced there; a change whose epoch has opened can only be moved back");
        }
        return aborted;
    }

    private static MovePlan plan(ClusterMap map, NodeRequest request) {
        if (map.nodes().stream().noneMatch(each -> each.node() == request.node())) {
            throw ApiException.notFound("the cluster map does not name node-" + request.node());
        }
        if (request.volume().isPresent() && map.volume(request.volume().get()).isEmpty()) {
            throw ApiException.badField("volume", "there is no volume of this name");
        }
        return MovePlan.of(map, request.volume());
    }

    private static List<Move> moves(NodeRequest request, MovePlan plan, ClusterStatus status) {
        return planned(request, plan, answering(status));
    }

    /** A plan that the present map forbids is a conflict, not a lost race. */
    private static List<Move> planned(NodeRequest request, MovePlan plan, Set<Integer> answering) {
        try {
            return request.moves(plan, answering);
        } catch (PreconditionFailedException e) {
            throw ApiException.conflict(String.valueOf(e.getMessage()));
        }
    }

    private static Set<Integer> answering(ClusterStatus status) {
        return status.nodes().stream()
                .filter(ClusterStatus.NodeStatus::reachable)
                .map(ClusterStatus.NodeStatus::node)
                .collect(Collectors.toSet());
    }

    private static void requireVersion(ClusterMap map, Optional<Long> version) {
        if (version.isPresent() && version.get() != map.version()) {
            throw ApiException.changedMeanwhile(
                    "the cluster map has changed since the plan was made; look at a new plan");
        }
    }
}

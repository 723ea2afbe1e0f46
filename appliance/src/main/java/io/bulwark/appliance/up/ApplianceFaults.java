package io.bulwark.appliance.up;

import io.bulwark.appliance.cluster.ClusterPlan;
import io.bulwark.appliance.cluster.Member;
import io.bulwark.appliance.drill.Lie;
import io.bulwark.console.FaultPanel;
import java.io.IOException;
import java.nio.file.Files;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The console's fault panel over the nodes of an appliance. One drill at a time. */
final class ApplianceFaults implements FaultPanel {
    private final ClusterPlan plan;
    private final List<Member> nodes;
    private final Object turn;

    /**
     * Makes the panel; no fault is given yet.
     *
     * @param turn lock that all drills and the end of the appliance hold
     */
    ApplianceFaults(ClusterPlan plan, List<Member> nodes, Object turn) {
        this.plan = plan;
        this.nodes = nodes;
        this.turn = turn;
    }

    @Override
    public Set<Integer> nodes() {
        return IntStream.range(0, nodes.size()).boxed().collect(Collectors.toSet());
    }

    @Override
    public Set<Drill> drills(int node) {
        Member member = nodes.get(node);
        if (!member.isRunning()) {
            return EnumSet.of(Drill.START);
        }
        Set<Drill> drills = EnumSet.complementOf(EnumSet.of(Drill.START, Drill.SLOW, Drill.NORMAL, Drill.STALE));
        if (member instanceof HinderedMember hindered) {
            drills.add(hindered.isSlow() ? Drill.NORMAL : Drill.SLOW);
        }
        if (Files.isDirectory(NodeDrill.saved(plan, node))) {
            drills.add(Drill.STALE);
        }
        return drills;
    }

    @Override
    public String apply(int node, Drill drill) throws IOException {
        synchronized (turn) {
            NodeDrill on = new NodeDrill(plan, nodes.get(node), node);
            try {
                return switch (drill) {
                    case STOP -> on.stop().message();
                    case START -> on.start().message();
                    case SLOW -> on.slow(true).message();
                    case NORMAL -> on.slow(false).message();
                    case SAVE -> on.save().message();
                    case STALE -> on.lie(Lie.STALE).message();
                    case SWAP -> on.lieUnscrubbed(Lie.SWAP).message();
                    case FLIP -> on.lieUnscrubbed(Lie.FLIP).message();
                    case DROP -> on.lie(Lie.DROP).message();
                    case GARBLE -> on.lieUnscrubbed(Lie.GARBLE).message();
                };
            } catch (IOException e) {
                throw e;
            } catch (Exception e) {
                throw new IOException(String.valueOf(e.getMessage()), e);
            }
        }
    }
}

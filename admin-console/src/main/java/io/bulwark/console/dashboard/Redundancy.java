package io.bulwark.console.dashboard;

import io.bulwark.client.ClusterStatus;
import io.bulwark.console.page.Format;
import io.bulwark.protocol.cluster.ClusterMap;
import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.Volume;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Sentences about the faults that the cluster can still take, and about what is being done for those that it has. */
final class Redundancy {
    /** Groups in change beyond this many are counted, not listed. */
    private static final int GROUPS_LISTED_MAX = 12;

    private final ClusterStatus status;
    private final Format format = new Format();

    Redundancy(ClusterStatus status) {
        this.status = status;
    }

    /** State of a part of the cluster, worst last. {@code UNKNOWN} is no good news. */
    enum Level {
        GOOD("protected"),
        UNKNOWN("unknown"),
        WARN("reduced"),
        BAD("at risk");

        private final String word;

        Level(String word) {
            this.word = word;
        }

        /** Returns the word that pages show beside the colour. */
        public String word() {
            return word;
        }

        /** Returns the class in the style sheet. */
        public String css() {
            return switch (this) {
                case GOOD -> "good";
                case UNKNOWN -> "muted";
                case WARN -> "warn";
                case BAD -> "bad";
            };
        }
    }

    /**
     * Faults that a volume, or the replicas, can still take.
     *
     * @param subject the volume's name, or {@code metadata replicas}
     * @param least lower bound of the faults left; negative if more have failed than f
     * @param most upper bound
     * @param of f
     */
    record Margin(String subject, Level level, int least, int most, int of, String sentence) {
        /** Returns the number for a tile, such as {@code 1} or {@code 0 to 1}. */
        public String number() {
            int from = Math.max(0, least);
            int to = Math.max(0, most);
            return from >= to ? Integer.toString(to) : from + " to " + to;
        }
    }

    /** Something that is wrong or in progress. */
    record Activity(Level level, String sentence) {}

    Margin replicas() {
        int f = status.replicas().size() / 3;
        List<String> silent = status.replicas().stream()
                .filter(replica -> !replica.reachable())
                .map(replica -> "replica-" + replica.replica())
                .toList();
        List<String> contrary = status.replicas().stream()
                .filter(replica -> replica.reachable() && !replica.agrees())
                .map(replica -> "replica-" + replica.replica())
                .toList();
        int left = f - silent.size() - contrary.size();
        String why =
                (silent.isEmpty() ? "" : " " + names(silent) + (silent.size() == 1 ? " does" : " do") + " not answer.")
                        + (contrary.isEmpty()
                                ? ""
                                : " " + names(contrary) + (contrary.size() == 1 ? " has" : " have")
                                        + " another state than the cluster agreed on.");
        Level level = status.replicas().isEmpty() ? Level.UNKNOWN : level(left, left, f);
        return new Margin(
                "metadata replicas", level, left, left, f, margin("The metadata replicas", left, left, f) + why);
    }

    List<Margin> volumes() {
        return status.volumes().stream().map(this::volume).toList();
    }

    private Margin volume(ClusterStatus.VolumeStatus volume) {
        int least = volume.moreFaults();
        int most = volume.moreFaultsAtMost();
        int f = volume.policyFaults();
        String name = volume.volume().name();
        return new Margin(name, level(least, most, f), least, most, f, margin("Volume " + name, least, most, f));
    }

    private static Level level(int least, int most, int f) {
        if (most <= 0 && f > 0) {
            return Level.BAD;
        }
        return least >= f ? Level.GOOD : Level.WARN;
    }

    private static String margin(String subject, int least, int most, int f) {
        if (most < 0) {
            return subject + (subject.endsWith("s") ? " have " : " has ") + -most + " more faults than the " + f
                    + " that the policy covers: some data may be unavailable.";
        }
        String can = subject + " can take ";
        String faults = f == 1 ? "fault" : "faults";
        if (Math.max(0, least) < most) {
            return can + Math.max(0, least) + " to " + most + " more of " + f + " " + faults
                    + ", until nodes have compared and repaired their data.";
        }
        if (most == f && f > 0) {
            String whose = subject.endsWith("s") ? "their" : "its";
            return can + (f == 1 ? "the one fault" : "all " + f + " faults") + " that " + whose + " policy covers.";
        }
        return can + (most == 0 ? "no further fault" : most + " more " + (most == 1 ? "fault" : "faults")) + " of " + f
                + ".";
    }

    /** Returns faults and work of the nodes, the placement groups and the replicas, the worst first. */
    List<Activity> activities(ClusterMap map, Instant now) {
        List<Activity> all = new ArrayList<>();
        status.nodes().forEach(node -> node(node, all));
        groups(map, all);
        status.recoveries().replicas().forEach(recovery -> recovery(recovery, now, all));
        for (ClusterStatus.VolumeStatus volume : status.volumes()) {
            long unverified = volume.versions().values().stream()
                    .mapToLong(ClusterStatus.Versions::unverified)
                    .sum();
            if (unverified > 0) {
                all.add(new Activity(
                        Level.GOOD,
                        "Volume " + volume.volume().name() + " has " + format.count(unverified)
                                + " versions to verify, counted at each node; nodes verify when idle."));
            }
        }
        all.sort((a, b) -> b.level.compareTo(a.level));
        return all;
    }

    private void node(ClusterStatus.NodeStatus node, List<Activity> all) {
        String name = "node-" + node.node();
        if (!node.reachable()) {
            all.add(new Activity(
                    Level.BAD,
                    name + " does not answer (" + node.state() + "). Start it again, or replace it by another node."));
            return;
        }
        if (node.state().contains("read-only")
                || node.state().contains("set back")
                || node.state().contains("history pool")) {
            all.add(new Activity(Level.WARN, name + " says: " + node.state() + "."));
        }
        if (!node.unverified().isEmpty()) {
            all.add(new Activity(
                    Level.WARN,
                    name + " compares its data with its peers, volumes " + String.join(", ", node.unverified()) + "."));
        }
        if (node.rebuild().isPresent()) {
            ClusterStatus.Rebuild rebuild = node.rebuild().get();
            String time = rebuild.remaining()
                    .map(left ->
                            (left.isZero() ? ", less than a second" : ", about " + format.duration(left.toMillis()))
                                    + " at " + format.bytes(rebuild.bytesPerSecond()) + "/s")
                    .orElse("; none in the last ten seconds");
            all.add(new Activity(
                    Level.WARN,
                    name + " rebuilds its fragments: about " + format.bytes(rebuild.leftBytes()) + " left" + time
                            + "."));
        } else if (node.pending() > 0) {
            all.add(new Activity(
                    Level.WARN, name + " repairs or completes " + format.count(node.pending()) + " blocks."));
        }
    }

    private static void groups(ClusterMap map, List<Activity> all) {
        int changing = 0;
        for (Volume volume : map.volumes()) {
            for (int index = 0; index < volume.groups().size(); index++) {
                PlacementGroup group = volume.groups().get(index);
                String name = "Group " + index + " of volume " + volume.name();
                boolean changes = group.change().isPresent();
                if (!changes && group.unconfirmed().isEmpty()) {
                    continue;
                }
                changing++;
                if (changing <= GROUPS_LISTED_MAX) {
                    all.add(new Activity(
                            Level.WARN,
                            changes ? announced(name, group, group.change().get()) : unconfirmed(name, group)));
                }
            }
        }
        if (changing > GROUPS_LISTED_MAX) {
            all.add(new Activity(
                    Level.WARN, "Of " + changing + " groups that change, " + GROUPS_LISTED_MAX + " are shown here."));
        }
    }

    private static String announced(String name, PlacementGroup group, PlacementGroup.Change change) {
        int holder = group.holders().get(change.slot());
        String what = holder == change.node()
                ? " gives up a change, which still opens an epoch"
                : " moves the slot of node-" + holder + " to node-" + change.node();
        return name + what + "; " + change.sealed().size() + " of "
                + group.holders().size() + " holders have sealed epoch " + group.epoch() + ".";
    }

    private static String unconfirmed(String name, PlacementGroup group) {
        String missing = group.unconfirmed().stream()
                .map(slot ->
                        "node-" + group.holders().get(slot) + (group.fresh().contains(slot) ? " (rebuilds)" : ""))
                .collect(Collectors.joining(", "));
        return name + " waits for " + missing + " to confirm epoch " + group.epoch() + ".";
    }

    private void recovery(ClusterStatus.Recovery recovery, Instant now, List<Activity> all) {
        String name = "replica-" + recovery.replica();
        if (recovery.overdue()) {
            all.add(new Activity(
                    Level.WARN,
                    "The recovery of " + name + " is overdue"
                            + recovery.last()
                                    .map(last -> "; the last was "
                                            + format.duration(Math.max(0, now.toEpochMilli() - last.toEpochMilli()))
                                            + " ago")
                                    .orElse("")
                            + ". Look at its supervisor."));
        }
        if (recovery.slow()) {
            all.add(new Activity(Level.WARN, "The recovery of " + name + " takes longer than its bound."));
        }
        if (recovery.forgotten()) {
            all.add(new Activity(Level.WARN, name + " says that it recovers because its promises were lost."));
        } else if (recovery.open() || isRecovering(recovery)) {
            String phase =
                    isRecovering(recovery) ? " It says: " + recovery.phase().toLowerCase(Locale.ROOT) + "." : "";
            all.add(new Activity(Level.GOOD, name + " recovers; the others wait for its end." + phase));
        }
    }

    private static boolean isRecovering(ClusterStatus.Recovery recovery) {
        return !recovery.phase().equals("none") && !recovery.phase().equals("unknown");
    }

    private static String names(List<String> names) {
        return String.join(", ", names);
    }
}

package io.bulwark.console.topology;

import io.bulwark.client.ClusterStatus;
import io.bulwark.protocol.cluster.ClusterMap;
import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.Volume;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * The cluster as a picture: this console, the replicas and the nodes with the connections between them, and the holders of each
 * placement group. Coordinates are those of the SVG.
 *
 * @param boxes members
 * @param links from the console to each member
 * @param matrices holders of the groups, one matrix for each volume
 */
record Picture(int width, int height, List<Box> boxes, List<Link> links, List<Label> labels, List<Matrix> matrices) {
    private static final int WIDTH = 1000;
    private static final int PER_ROW = 10;
    private static final int BOX_WIDTH = 88;
    private static final int BOX_HEIGHT = 44;
    private static final int GAP = 12;
    /** Groups of a volume that are drawn; those that change or lack a holder come first. */
    static final int GROUPS_MAX = 48;

    private static final int VOLUMES_MAX = 16;

    /**
     * A member.
     *
     * @param css {@code good}, {@code warn} or {@code bad}
     * @param word the state in one word
     */
    record Box(String name, String css, String word, int x, int y, int width, int height) {}

    /** Connection from the console; broken if the member does not answer. */
    record Link(int x1, int y1, int x2, int y2, boolean broken) {
        /** Returns the place for the mark of a broken link, three quarters on the way. */
        public int markX() {
            return x1 + (x2 - x1) * 3 / 4;
        }

        public int markY() {
            return y1 + (y2 - y1) * 3 / 4;
        }
    }

    /** Text in the picture. */
    record Label(int x, int y, String text) {}

    /**
     * Holders of the groups of one volume.
     *
     * @param hidden groups that are not drawn
     */
    record Matrix(
            String volume,
            int size,
            int width,
            int height,
            List<Label> rows,
            List<Label> columns,
            List<Cell> cells,
            int hidden) {}

    /** Slot: a node's part in a group. */
    record Cell(int x, int y, String css, String mark, String title) {}

    static Picture of(ClusterStatus status, ClusterMap map) {
        List<Box> boxes = new ArrayList<>();
        List<Link> links = new ArrayList<>();
        List<Label> labels = new ArrayList<>();
        int consoleX = WIDTH / 2;
        int replicasY = 24;
        labels.add(new Label(0, replicasY - 8, "Metadata replicas"));
        int consoleY = replicasY + rows(status.replicas().size()) * (BOX_HEIGHT + GAP) + 50;
        OptionalInt leader = status.agreedLeader();
        List<ClusterStatus.ReplicaStatus> replicas = status.replicas();
        for (int i = 0; i < replicas.size(); i++) {
            ClusterStatus.ReplicaStatus replica = replicas.get(i);
            boolean leads = leader.isPresent() && leader.getAsInt() == replica.replica();
            String css = !replica.reachable() || !replica.agrees()
                    ? "bad"
                    : recovers(status, replica.replica()) ? "warn" : "good";
            String word = !replica.reachable()
                    ? "no answer"
                    : !replica.agrees() ? "contradicts" : css.equals("warn") ? "recovers" : leads ? "leads" : "follows";
            Box box = box("replica-" + replica.replica(), css, word, i, replicas.size(), replicasY);
            boxes.add(box);
            links.add(new Link(consoleX, consoleY, box.x + BOX_WIDTH / 2, box.y + BOX_HEIGHT, !replica.reachable()));
        }
        boxes.add(
                new Box("this console", "good", "asks all", consoleX - BOX_WIDTH / 2, consoleY, BOX_WIDTH, BOX_HEIGHT));
        int y = consoleY + BOX_HEIGHT + 60;
        labels.add(new Label(0, y - 8, "Storage nodes"));
        List<ClusterStatus.NodeStatus> nodes = status.nodes();
        for (int i = 0; i < nodes.size(); i++) {
            ClusterStatus.NodeStatus node = nodes.get(i);
            String css = !node.reachable() ? "bad" : node.state().equals("ok") ? "good" : "warn";
            Box box = box("node-" + node.node(), css, word(node), i, nodes.size(), y);
            boxes.add(box);
            links.add(new Link(consoleX, consoleY + BOX_HEIGHT, box.x + BOX_WIDTH / 2, box.y, !node.reachable()));
        }
        int height = y + rows(nodes.size()) * (BOX_HEIGHT + GAP) + 10;
        List<Matrix> matrices = map.volumes().stream()
                .limit(VOLUMES_MAX)
                .map(volume -> matrix(volume, nodes))
                .toList();
        return new Picture(WIDTH, height, boxes, links, labels, matrices);
    }

    static String word(ClusterStatus.NodeStatus node) {
        if (!node.reachable()) {
            return "no answer";
        }
        if (node.state().equals("ok")) {
            return "ok";
        }
        return node.state().contains("read-only")
                ? "read-only"
                : node.rebuild().isPresent() ? "rebuilds" : node.unverified().isEmpty() ? "repairs" : "compares";
    }

    private static boolean recovers(ClusterStatus status, int replica) {
        return status.recoveries().replicas().stream()
                .anyMatch(recovery -> recovery.replica() == replica
                        && (recovery.open()
                                || !(recovery.phase().equals("none")
                                        || recovery.phase().equals("unknown"))));
    }

    private static int rows(int count) {
        return Math.max(1, Math.ceilDiv(count, PER_ROW));
    }

    private static Box box(String name, String css, String word, int index, int count, int top) {
        int row = index / PER_ROW;
        int inRow = Math.min(PER_ROW, count - row * PER_ROW);
        int used = inRow * (BOX_WIDTH + GAP) - GAP;
        int x = (WIDTH - used) / 2 + index % PER_ROW * (BOX_WIDTH + GAP);
        return new Box(name, css, word, x, top + row * (BOX_HEIGHT + GAP), BOX_WIDTH, BOX_HEIGHT);
    }

    private static Matrix matrix(Volume volume, List<ClusterStatus.NodeStatus> nodes) {
        int left = 74;
        int top = 22;
        int size = Math.clamp((WIDTH - left) / Math.max(1, nodes.size()), 9, 26);
        List<Label> heads = new ArrayList<>();
        for (int i = 0; i < nodes.size(); i++) {
            if (nodes.size() <= 40 || i % 5 == 0) {
                heads.add(new Label(
                        left + i * size + 2,
                        top - 7,
                        Integer.toString(nodes.get(i).node())));
            }
        }
        List<Integer> order = new ArrayList<>();
        for (int index = 0; index < volume.groups().size(); index++) {
            order.add(index);
        }
        order.sort(
                Comparator.comparing((Integer index) -> isCalm(volume.groups().get(index), nodes)));
        List<Label> rows = new ArrayList<>();
        List<Cell> cells = new ArrayList<>();
        int shown = Math.min(GROUPS_MAX, order.size());
        for (int row = 0; row < shown; row++) {
            int index = order.get(row);
            int y = top + row * size;
            rows.add(new Label(0, y + size - 4, "group " + index));
            for (int column = 0; column < nodes.size(); column++) {
                Cell cell = cell(
                        volume.groups().get(index), nodes.get(column), left + column * size, y, index, volume.name());
                if (cell != null) {
                    cells.add(cell);
                }
            }
        }
        return new Matrix(
                volume.name(),
                size - 2,
                left + nodes.size() * size,
                top + shown * size,
                rows,
                heads,
                cells,
                order.size() - shown);
    }

    private static boolean isCalm(PlacementGroup group, List<ClusterStatus.NodeStatus> nodes) {
        return group.unconfirmed().isEmpty()
                && group.change().isEmpty()
                && nodes.stream().allMatch(node -> node.reachable() || group.slotOf(node.node()) < 0);
    }

    private static @Nullable Cell cell(
            PlacementGroup group, ClusterStatus.NodeStatus node, int x, int y, int index, String volume) {
        int slot = group.slotOf(node.node());
        String of = "node-" + node.node() + ", group " + index + ": ";
        if (slot < 0) {
            boolean comes = group.change()
                    .filter(change -> change.node() == node.node())
                    .isPresent();
            return comes ? new Cell(x, y, "warn", "+", of + "is to take a slot") : null;
        }
        if (!node.reachable()) {
            return new Cell(x, y, "bad", "×", of + "does not answer");
        }
        if (group.isFresh(node.node())) {
            return new Cell(x, y, "warn", "r", of + "rebuilds");
        }
        if (node.unverified().contains(volume)) {
            return new Cell(x, y, "warn", "c", of + "compares its data");
        }
        return group.unconfirmed().contains(slot)
                ? new Cell(x, y, "warn", "u", of + "has not confirmed the epoch")
                : new Cell(x, y, "good", "", of + "holds its slot");
    }
}

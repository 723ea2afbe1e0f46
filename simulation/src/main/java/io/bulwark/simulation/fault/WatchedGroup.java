package io.bulwark.simulation.fault;

import io.bulwark.protocol.metadata.FaultKind;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Placement group whose holders watch each other, window by window. A slow spell of a node, such as a restart or a
 * garbage collection, delays all of its answers for some windows.
 */
public final class WatchedGroup {
    /** Looks of a holder in a window, as nodes do them. */
    public static final int LOOKS = 8;

    /** Windows of a correct node between two slow spells, at least: more of them in a row are a fault. */
    private static final int REST = 10;

    private static final FaultKind[] KINDS = FaultKind.values();

    private final SplittableRandom random;
    private final int faults;
    private final double spellsPerWindow;
    private final double concurrentShare;
    private final List<WatchedNode> nodes = new ArrayList<>();
    private final int[][][] scores;
    private final int[] spellLeft;
    private final int[] restLeft;
    private final boolean[] removed;
    private long crossings;

    /**
     * Makes a group in which nobody suspects anybody.
     *
     * @param faults f: more reporters than these name a node
     * @param spellsPerWindow probability with which a correct node begins a slow spell of one to three windows, unless it had one lately
     * @param concurrentShare share of looks that meet a write or a deletion, and count for nothing
     */
    public WatchedGroup(
            List<WatchedNode> nodes, int faults, double spellsPerWindow, double concurrentShare, long seed) {
        this.random = new SplittableRandom(seed);
        this.faults = faults;
        this.spellsPerWindow = spellsPerWindow;
        this.concurrentShare = concurrentShare;
        this.nodes.addAll(nodes);
        this.scores = new int[KINDS.length][nodes.size()][nodes.size()];
        this.spellLeft = new int[nodes.size()];
        this.restLeft = new int[nodes.size()];
        this.removed = new boolean[nodes.size()];
    }

    /** Changes the behaviour of a node from now on. */
    public void set(int node, WatchedNode behaviour) {
        nodes.set(node, behaviour);
    }

    public WatchedNode node(int node) {
        return nodes.get(node);
    }

    /** Excludes a node: nobody watches it, and its reports do not count. */
    public void remove(int node) {
        removed[node] = true;
    }

    public boolean isRemoved(int node) {
        return removed[node];
    }

    /** Returns how many pairs of a correct reporter and a correct node have reached the line so far. */
    public long crossings() {
        return crossings;
    }

    /** Passes a window; returns the nodes that are named at its end. */
    public List<Integer> window() {
        for (int node = 0; node < nodes.size(); node++) {
            if (spellLeft[node] > 0) {
                spellLeft[node]--;
                restLeft[node] = REST;
            } else if (restLeft[node] > 0) {
                restLeft[node]--;
            } else if (random.nextDouble() < spellsPerWindow) {
                spellLeft[node] = 1 + random.nextInt(3);
            }
        }
        for (int reporter = 0; reporter < nodes.size(); reporter++) {
            for (int node = 0; node < nodes.size(); node++) {
                if (node != reporter && !removed[node] && !removed[reporter]) {
                    watch(reporter, node);
                }
            }
        }
        List<Integer> named = new ArrayList<>();
        for (int node = 0; node < nodes.size(); node++) {
            if (!removed[node] && isNamed(node)) {
                named.add(node);
            }
        }
        return named;
    }

    private void watch(int reporter, int node) {
        WatchedNode watched = nodes.get(node);
        if (nodes.get(reporter).frames()) {
            int bad = watched.isFaulty() ? 0 : LOOKS;
            for (FaultKind kind : KINDS) {
                add(kind, reporter, node, LOOKS, bad);
            }
            return;
        }
        int silent = spellLeft[node] > 0 ? LOOKS : draw(LOOKS, watched.silent());
        int answered = LOOKS - silent;
        int checked = answered - draw(answered, concurrentShare);
        int wrong = draw(checked, watched.wrong());
        int stale = draw(checked - wrong, watched.stale());
        add(FaultKind.SILENT, reporter, node, LOOKS, silent);
        add(FaultKind.WRONG, reporter, node, checked, wrong);
        add(FaultKind.STALE, reporter, node, checked, stale);
    }

    private void add(FaultKind kind, int reporter, int node, int asked, int bad) {
        int[] of = scores[kind.ordinal()][node];
        int before = of[reporter];
        if (asked == 0 || (before == 0 && bad == 0)) {
            return;
        }
        of[reporter] = kind.next(before, asked, bad);
        if (before < FaultKind.LINE
                && of[reporter] >= FaultKind.LINE
                && !nodes.get(reporter).isFaulty()
                && !nodes.get(node).isFaulty()) {
            crossings++;
        }
    }

    private int draw(int trials, double share) {
        int hits = 0;
        for (int i = 0; share > 0 && i < trials; i++) {
            hits += random.nextDouble() < share ? 1 : 0;
        }
        return hits;
    }

    private boolean isNamed(int node) {
        for (int[][] ofKind : scores) {
            int accusers = 0;
            for (int reporter = 0; reporter < nodes.size(); reporter++) {
                accusers += !removed[reporter] && ofKind[node][reporter] >= FaultKind.LINE ? 1 : 0;
            }
            if (accusers > faults) {
                return true;
            }
        }
        return false;
    }
}

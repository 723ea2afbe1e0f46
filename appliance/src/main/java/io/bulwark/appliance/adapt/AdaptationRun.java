package io.bulwark.appliance.adapt;

import io.bulwark.appliance.control.ControlReply;
import io.bulwark.appliance.control.ControlRequest;
import io.bulwark.client.BucketSpec;
import io.bulwark.client.Bulwark;
import io.bulwark.client.VolumeSpec;
import io.bulwark.client.error.BulwarkException;
import io.bulwark.client.text.NodeFaultText;
import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.metadata.FaultPolicy;
import io.bulwark.protocol.metadata.NodeFault;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Run of a cluster under load in which one node lies, one is slow and one dies, one after the other. Before each fault an
 * alarm raises b of a volume under masking quorums. The replicas name the node and move its slots to others; then the alarm
 * ends, and b falls again.
 */
public final class AdaptationRun {
    /** Nodes that it needs: a group, and one for each that leaves. */
    public static final int NODES = 12;

    private static final int SLOTS = 9;
    private static final int BLOCKS = 64;
    private static final int BLOCK_BYTES = 4096;
    private static final String VOLUME = "adapt";
    private static final String BUCKET = "adapt";
    private static final long STEP_MILLIS = 250;
    private static final long POINT_MILLIS = 1_000;

    private final Bulwark client;
    private final Function<ControlRequest, ControlReply> control;
    private final Settings settings;
    private final Consumer<String> story;
    private final List<Adaptation.Point> points = new CopyOnWriteArrayList<>();
    private final long startNanos = System.nanoTime();

    /**
     * Extent of the run.
     *
     * @param callers of the load
     * @param windowSeconds of the nodes' reports on each other: silence shows after five
     * @param patienceSeconds for each step
     */
    public record Settings(int callers, int windowSeconds, int patienceSeconds, long seed) {}

    /** A fault, and the node that gets it. */
    private enum Kind {
        LIES(2),
        SLOW(5),
        DIES(8);

        private final int node;

        Kind(int node) {
            this.node = node;
        }
    }

    /** @param control of the appliance of {@link #NODES} nodes, none of them faulty yet */
    public AdaptationRun(
            Bulwark client, Function<ControlRequest, ControlReply> control, Settings settings, Consumer<String> story) {
        this.client = client;
        this.control = control;
        this.settings = settings;
        this.story = story;
    }

    /**
     * Does it.
     *
     * @throws IOException if a node cannot be made faulty, or a step takes longer than its time
     */
    public Adaptation run() throws IOException, InterruptedException {
        client.createVolume(VolumeSpec.registers(VOLUME, ProtectionPolicy.masking(1, SLOTS, BLOCK_BYTES), BLOCKS));
        client.changeFaults(VOLUME, 1, 2);
        client.createBucket(BucketSpec.of(BUCKET));
        client.faultyNodes().set(new FaultPolicy(true, settings.windowSeconds(), Kind.values().length));
        try (AdaptationLoad load = new AdaptationLoad(client, VOLUME, BUCKET)) {
            load.prepare();
            load.start(settings.callers(), settings.seed());
            Thread watch = Thread.ofVirtual().start(this::watch);
            List<Adaptation.Fault> faults = new ArrayList<>();
            try {
                rest();
                for (Kind kind : Kind.values()) {
                    faults.add(meet(kind));
                    rest();
                }
            } finally {
                watch.interrupt();
                watch.join();
            }
            load.stop();
            List<AdaptationLoad.Sample> samples = load.samples();
            return new Adaptation(withLatencies(samples), faults, samples.size(), load.failures());
        }
    }

    private Adaptation.Fault meet(Kind kind) throws IOException, InterruptedException {
        String node = "node-" + kind.node;
        client.alarms().raise(1, "drill: " + node + " is about to fail");
        await("the volume tolerates 2 faults", () -> faults() == 2);
        double given = seconds();
        while (named(kind.node).isEmpty()) {
            give(kind, node);
            // A node repairs its own lies as soon as it finds them, so it lies again.
            awaitOr(
                    kind == Kind.LIES ? 10 : settings.patienceSeconds(),
                    () -> named(kind.node).isPresent());
            if (seconds() - given > settings.patienceSeconds()) {
                throw new IOException(node + " was not named within " + settings.patienceSeconds() + " s");
            }
        }
        double named = seconds();
        String evidence = NodeFaultText.accusation(named(kind.node).orElseThrow());
        tell(node + " is named: " + evidence);
        await(node + " has lost its slots and others have rebuilt them", () -> isRebuilt(kind.node));
        double removed = seconds();
        client.alarms().lower(1, "drill: " + node + " is gone");
        await("the volume tolerates 1 fault again", () -> faults() == 1);
        return new Adaptation.Fault(
                kind.name().toLowerCase(Locale.ROOT), kind.node, evidence, given, named, removed, seconds());
    }

    private void give(Kind kind, String node) throws IOException {
        switch (kind) {
            case LIES -> act("node-lie", kind.node, "garble");
            case SLOW -> act("node-slow", kind.node, null);
            case DIES -> act("node-stop", kind.node, null);
        }
        tell(
                switch (kind) {
                    case LIES -> node + " lies: its fragments are random bytes with right checksums of the disk.";
                    case SLOW -> node + " is slow: each message to it and from it takes seconds.";
                    case DIES -> node + " dies.";
                });
    }

    private void act(String action, int node, @Nullable String how) throws IOException {
        ControlReply reply = control.apply(new ControlRequest(action, node, how));
        if (!reply.error().isEmpty()) {
            throw new IOException(reply.error());
        }
    }

    /** Lets the load run alone, so that the plot shows it. */
    private void rest() throws InterruptedException {
        TimeUnit.SECONDS.sleep(Math.max(1, settings.windowSeconds()));
    }

    private void await(String wanted, BooleanSupplier condition) throws IOException, InterruptedException {
        if (!awaitOr(settings.patienceSeconds(), condition)) {
            throw new IOException("after " + settings.patienceSeconds() + " s it is not so that " + wanted + ": "
                    + client.alarms().state() + ", "
                    + client.faultyNodes().report().faults());
        }
        tell(wanted + ".");
    }

    private static boolean awaitOr(long seconds, BooleanSupplier condition) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > end) {
                return false;
            }
            TimeUnit.MILLISECONDS.sleep(STEP_MILLIS);
        }
        return true;
    }

    private void tell(String line) {
        story.accept(String.format(Locale.ROOT, "%5.0f s  %s", seconds(), line));
    }

    private double seconds() {
        return (System.nanoTime() - startNanos) / 1e9;
    }

    private Optional<NodeFault> named(int node) {
        return client.faultyNodes().report().faults().stream()
                .filter(fault -> fault.node() == node)
                .findFirst();
    }

    private List<Volume> volumes() {
        return client.nodes().map().volumes();
    }

    private int faults() {
        return volumes().stream()
                .filter(volume -> volume.name().equals(VOLUME)
                        && volume.groups().stream()
                                .allMatch(group -> group.change().isEmpty()))
                .mapToInt(volume -> volume.policy().f())
                .findFirst()
                .orElse(0);
    }

    private boolean isRebuilt(int node) {
        return volumes().stream()
                .map(Volume::groups)
                .flatMap(Collection::stream)
                .allMatch(group -> group.slotOf(node) < 0
                        && group.change().isEmpty()
                        && group.fresh().isEmpty());
    }

    /** Notes n and b each second. */
    private void watch() {
        while (true) {
            try {
                TimeUnit.MILLISECONDS.sleep(POINT_MILLIS);
            } catch (InterruptedException e) {
                return;
            }
            try {
                List<Volume> volumes = volumes();
                Set<Integer> holders = new HashSet<>();
                volumes.stream()
                        .flatMap(volume -> volume.groups().stream())
                        .map(PlacementGroup::holders)
                        .forEach(holders::addAll);
                int faults = volumes.stream()
                        .filter(volume -> volume.name().equals(VOLUME))
                        .mapToInt(volume -> volume.policy().f())
                        .findFirst()
                        .orElse(0);
                int level = client.alarms().state().level().level();
                points.add(new Adaptation.Point(seconds(), holders.size(), faults, level, -1, -1));
            } catch (BulwarkException e) {
                // The replicas did not answer: a second without a point.
            }
        }
    }

    private List<Adaptation.Point> withLatencies(List<AdaptationLoad.Sample> samples) {
        List<Adaptation.Point> all = new ArrayList<>();
        double before = 0;
        for (Adaptation.Point point : points) {
            double from = before;
            long[] nanos = samples.stream()
                    .filter(sample -> {
                        double end = (sample.endNanos() - startNanos) / 1e9;
                        return end > from && end <= point.seconds();
                    })
                    .mapToLong(AdaptationLoad.Sample::nanos)
                    .sorted()
                    .toArray();
            all.add(new Adaptation.Point(
                    point.seconds(),
                    point.nodes(),
                    point.faults(),
                    point.threatLevel(),
                    quantile(nanos, 0.5),
                    quantile(nanos, 0.99)));
            before = point.seconds();
        }
        return all;
    }

    private static double quantile(long[] sorted, double share) {
        return sorted.length == 0 ? -1 : sorted[(int) (share * (sorted.length - 1))] / 1e6;
    }
}

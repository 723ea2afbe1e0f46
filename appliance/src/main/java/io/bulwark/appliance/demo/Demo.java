package io.bulwark.appliance.demo;

import io.bulwark.appliance.control.ControlReply;
import io.bulwark.appliance.control.ControlRequest;
import io.bulwark.appliance.transfer.Transfer;
import io.bulwark.appliance.transfer.TransferListener;
import io.bulwark.appliance.transfer.TransferPlan;
import io.bulwark.appliance.transfer.TransferSettings;
import io.bulwark.appliance.transfer.TreeUpload;
import io.bulwark.client.Bucket;
import io.bulwark.client.BucketSpec;
import io.bulwark.client.Bulwark;
import io.bulwark.client.ClusterStatus;
import io.bulwark.client.GetOptions;
import io.bulwark.client.VolumeSpec;
import io.bulwark.client.bulk.BucketVerifier;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.effect.Verdict;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Stores a directory, breaks nodes under it, and shows that the bytes come back, who lied, and that it was repaired. */
public final class Demo {
    private static final String NAME = "demo";
    private static final String TREE = "tree/";
    private static final String MEANWHILE = "written-meanwhile/";
    private static final int PARALLEL = 16;
    private static final int MISSED_FILES_MAX = 50;
    private static final int EXAMPLES_SHOWN = 3;
    private static final long REPAIR_MILLIS_MAX = 120_000;

    private final Bulwark client;
    private final Supplier<Bulwark> readers;
    private final Function<ControlRequest, ControlReply> control;
    private final int faults;
    private final Consumer<String> story;

    /**
     * Creates the demo of an appliance.
     *
     * @param readers makes clients that have no opinion of any node yet
     * @param faults 1, or 2 to stop one node while another lies
     */
    public Demo(
            Bulwark client,
            Supplier<Bulwark> readers,
            Function<ControlRequest, ControlReply> control,
            int faults,
            Consumer<String> story) {
        this.client = client;
        this.readers = readers;
        this.control = control;
        this.faults = faults;
        this.story = story;
    }

    /** Tells the story; false if any byte came back wrong, the liar was not named, or not repaired. */
    public boolean run(Path directory) throws IOException, InterruptedException {
        client.createVolume(
                VolumeSpec.objects(NAME, new ProtectionPolicy(faults, faults + 1, 3 * faults + 1, 1 << 20)));
        Bucket bucket = client.createBucket(BucketSpec.of(NAME).inVolume(NAME));
        story.accept("1. Storing " + directory + ", cut into blocks of which any " + (faults + 1) + " of "
                + (3 * faults + 1) + " fragments on different nodes are enough.");
        Transfer first = new TreeUpload(directory, bucket, TREE, TransferSettings.ofParallel(PARALLEL));
        long objects = store(first, first.plan());
        boolean good = objects >= 0 && awaitRepaired();

        story.accept("2. Node 0 is stopped, as after a power failure. Reads and writes continue:");
        act("node-stop", 0, null);
        good &= compare(bucket, TREE, directory, objects);
        Transfer second = new TreeUpload(directory, bucket, MEANWHILE, TransferSettings.ofParallel(PARALLEL));
        long missed = store(second, second.plan().beginning(MISSED_FILES_MAX));
        good &= missed >= 0;
        if (faults == 1) {
            story.accept("3. Node 0 is restarted and catches up.");
            act("node-start", 0, null);
            good &= awaitRepaired();
        } else {
            story.accept("3. Node 0 stays down: this volume tolerates " + faults + " faults at once.");
        }

        story.accept("4. Another node lies: its fragments are swapped with valid fragments of other blocks,");
        story.accept("   and every checksum on its disk is correct. A new client reads all objects:");
        int liar = swapFragments();
        if (liar < 0) {
            story.accept("   No node holds two fragments to swap: give a directory with more files.");
            return false;
        }
        good &= verify(liar);
        good &= compare(bucket, TREE, directory, objects);
        if (faults > 1) {
            story.accept("   Node 0 is restarted.");
            act("node-start", 0, null);
        }
        story.accept("5. The cluster repairs the bad fragments.");
        good &= awaitRepaired();
        tellRecord(liar);
        good &= compare(bucket, TREE, directory, objects);
        good &= compare(bucket, MEANWHILE, directory, missed);
        story.accept(good ? "Every byte was correct at every step." : "A check failed: see above.");
        return good;
    }

    /** Stores the objects and returns their number; -1 if any could not be stored. */
    private long store(Transfer transfer, TransferPlan plan) throws IOException, InterruptedException {
        Transfer.Result stored = transfer.run(plan, false, TransferListener.NONE);
        story.accept(String.format(Locale.ROOT, "   %,d files, %,d bytes stored.", stored.files(), stored.bytes()));
        stored.failures().stream().limit(EXAMPLES_SHOWN).forEach(line -> story.accept("   NOT STORED " + line));
        return stored.failures().isEmpty() ? stored.files() : -1;
    }

    private boolean verify(int liar) throws InterruptedException {
        BucketVerifier.Report report;
        try (Bulwark reader = readers.get()) {
            BucketVerifier verifier = new BucketVerifier(reader, reader.bucket(NAME), PARALLEL, GetOptions.DEFAULT);
            report = verifier.run(verifier.objects(""), bytes -> {});
        }
        report.seen()
                .forEach((node, verdicts) -> verdicts.forEach((verdict, times) -> story.accept(
                        "   " + node + " was " + verdict.text() + (times == 1 ? " once." : " " + times + " times."))));
        report.examples().stream().limit(EXAMPLES_SHOWN).forEach(example -> story.accept("     " + example));
        report.unreadable().forEach(line -> story.accept("   UNREADABLE " + line));
        boolean named = named(liar);
        story.accept(
                named
                        ? "   The lying node is identified: node-" + liar + "."
                        : "   NO NODE ACCUSES node-" + liar + ".");
        return named && report.unreadable().isEmpty();
    }

    /** The first node but node 0, which may be down, that holds anything to swap; -1 if there is none. */
    private int swapFragments() throws IOException {
        int nodes = client.status().nodes().size();
        for (int node = 1; node < nodes; node++) {
            Map<String, Object> done = act("node-lie", node, "swap");
            if (done.get("edited") instanceof Number edited && edited.longValue() > 0) {
                story.accept("   " + done.get("message"));
                return node;
            }
        }
        return -1;
    }

    /**
     * Waits until the status names the liar, whether a reader, a peer or the node's own scrub detects the lie first.
     */
    private boolean named(int liar) throws InterruptedException {
        long end = System.nanoTime() + REPAIR_MILLIS_MAX * 1_000_000;
        while (System.nanoTime() < end) {
            Map<Verdict, Long> seen = client.status().nodes().get(liar).seen();
            if (seen.containsKey(Verdict.CORRUPT) || seen.containsKey(Verdict.DAMAGED)) {
                return true;
            }
            Thread.sleep(200);
        }
        return false;
    }

    /** Prints the record of the liar that its peers have made, if f+1 of them have detected it by now. */
    private void tellRecord(int liar) {
        client.status().faults().stream()
                .filter(fault -> fault.node() == liar)
                .limit(EXAMPLES_SHOWN)
                .forEach(fault -> story.accept("   Recorded by " + (faults + 1) + " or more of its peers: node-" + liar
                        + " " + fault.verdict().text() + ", block " + fault.block() + "."));
    }

    private boolean compare(Bucket bucket, String prefix, Path directory, long expected) throws IOException {
        TreeComparison.Result result = TreeComparison.of(bucket, prefix, directory);
        result.different().stream().limit(5).forEach(line -> story.accept("   WRONG " + line));
        story.accept(String.format(
                Locale.ROOT,
                "   Read back and compared with the files: %,d objects, %,d bytes, %d differ.",
                result.objects(),
                result.bytes(),
                result.different().size()));
        if (result.objects() + result.different().size() < expected) {
            story.accept(String.format(Locale.ROOT, "   WRONG there were %,d objects.", expected));
            return false;
        }
        return result.different().isEmpty();
    }

    private boolean awaitRepaired() throws InterruptedException {
        long end = System.nanoTime() + REPAIR_MILLIS_MAX * 1_000_000;
        while (System.nanoTime() < end) {
            ClusterStatus status = client.status();
            List<ClusterStatus.VolumeStatus> volumes = status.volumes();
            if (volumes.stream().allMatch(volume -> volume.moreFaults() >= volume.policyFaults())) {
                story.accept("   All fragments are repaired: every volume can tolerate its full number of faults.");
                return true;
            }
            Thread.sleep(500);
        }
        story.accept("   The cluster is not fully repaired after " + REPAIR_MILLIS_MAX / 1000 + " s.");
        return false;
    }

    private Map<String, Object> act(String action, int node, @Nullable String how) throws IOException {
        ControlReply reply = control.apply(new ControlRequest(action, node, how));
        if (!reply.error().isEmpty()) {
            throw new IOException(reply.error());
        }
        return reply.body();
    }
}

package io.bulwark.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.appliance.drill.Lie;
import io.bulwark.client.Bucket;
import io.bulwark.client.BucketSpec;
import io.bulwark.client.Bulwark;
import io.bulwark.client.Faults;
import io.bulwark.client.FragmentMap;
import io.bulwark.client.VolumeSpec;
import io.bulwark.client.config.GenesisFile;
import io.bulwark.client.evidence.EvidenceFile;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.effect.Loaded;
import io.bulwark.protocol.effect.RecordKey;
import io.bulwark.protocol.effect.RecordKind;
import io.bulwark.protocol.effect.Verdict;
import io.bulwark.protocol.metadata.EvidenceProof;
import io.bulwark.protocol.metadata.EvidenceVerification;
import io.bulwark.protocol.metadata.GenesisKeys;
import io.bulwark.storage.store.StoreEditor;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The lie test: a node's disk is edited behind its back with correct checksums. Every object must come back as it was
 * put, the liar must be named, and the cluster must be fully repaired afterwards.
 */
@NullMarked
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class LieIT {
    /** Seven nodes, so that one cluster serves for f = 1 and f = 2. */
    private static final int NODES = 7;

    private static final long REPAIR_MILLIS_MAX = 120_000;

    /** Lies of the nodes in turn: the swap at several positions, and each other one. */
    private static final List<Lie> LIES =
            List.of(Lie.SWAP, Lie.STALE, Lie.SWAP, Lie.FLIP, Lie.SWAP, Lie.GARBLE, Lie.DROP);

    private static final Set<Verdict> NAMED_CORRUPT = EnumSet.of(Verdict.CORRUPT, Verdict.DAMAGED);

    @RegisterExtension
    static final LiveCluster CLUSTER = LiveCluster.embedded(NODES);

    /** Content of the stored objects, by key. */
    private final Map<String, byte[]> content = new TreeMap<>();

    @Test
    @Order(1)
    void everyPositionAndEveryLieWithOneFault() throws Exception {
        // One group of four: the holders are the same for all blocks, and every position is tried.
        Bucket bucket = bucket("one-fault", new ProtectionPolicy(1, 2, 4, 4096));
        for (int node = 0; node < NODES; node++) {
            CLUSTER.saveNode(node);
            putMore(bucket, 3);
            Lie lie = LIES.get(node);
            CLUSTER.lie(node, lie);
            seenRight(bucket, node + " " + lie, lie == Lie.DROP || lie == Lie.STALE ? Set.of() : Set.of(node));
            repaired(bucket, node + " after " + lie);
        }
    }

    @Test
    @Order(2)
    void aWholeRecordOfAnotherBlockWithAllItsLocalMetadata() throws Exception {
        Bucket bucket = bucket("whole-record", new ProtectionPolicy(1, 2, 4, 4096));
        int liar = new Random(LiveCluster.SEED).nextInt(NODES);
        CLUSTER.edit(liar, LieIT::rotateWholeRecords);
        seenRight(bucket, "whole records of node " + liar, Set.of(liar));
        repaired(bucket, "whole records of node " + liar);
    }

    @Test
    @Order(3)
    void twoLiarsAtOnceAndThenOneStoppedAndOneLying() throws Exception {
        Bucket bucket = bucket("two-faults", new ProtectionPolicy(2, 3, 7, 4096));
        Random random = new Random(LiveCluster.SEED);
        int first = random.nextInt(NODES);
        int second = (first + 1 + random.nextInt(NODES - 1)) % NODES;
        CLUSTER.saveNode(first);
        putMore(bucket, 5);
        CLUSTER.lie(first, Lie.SWAP);
        CLUSTER.edit(second, LieIT::rotateWholeRecords);
        seenRight(bucket, "two liars " + first + " and " + second, Set.of(first, second));
        repaired(bucket, "two liars");

        CLUSTER.stopNode(second);
        CLUSTER.lie(first, Lie.GARBLE);
        seenRight(bucket, first + " lies and " + second + " is down", Set.of(first));
        CLUSTER.startNode(second);
        repaired(bucket, "one lying, one stopped");
    }

    /**
     * The objects differ in length, as in a directory of small files: a swapped fragment is longer or shorter than it
     * should be.
     */
    @Test
    @Order(4)
    void swappedAmongObjectsOfWhichEachHasALengthOfItsOwn() throws Exception {
        CLUSTER.client().createVolume(VolumeSpec.objects("lengths", new ProtectionPolicy(1, 2, 4, 4096)));
        Bucket bucket = CLUSTER.client().createBucket(BucketSpec.of("lengths").inVolume("lengths"));
        Random random = new Random(LiveCluster.SEED);
        for (int length = 1; length < 4096; length += 97) {
            put(bucket, random, length);
        }
        int liar = random.nextInt(NODES);
        CLUSTER.lie(liar, Lie.SWAP);
        seenRight(bucket, "lengths at node " + liar, Set.of(liar));
        repaired(bucket, "lengths at node " + liar);
    }

    /** The peers have signed what they saw of the liars of the tests before. */
    @Test
    @Order(5)
    void theRecordedFaultsAreProvenWithoutTheCluster() throws Exception {
        GenesisKeys genesis =
                GenesisFile.load(CLUSTER.root().resolve("genesis.properties")).genesisKeys();
        List<Faults.Fault> faults = recorded();
        if (faults.isEmpty()) {
            // Each liar has repaired itself before two peers looked.
            Bucket bucket = bucket("proofs", new ProtectionPolicy(1, 2, 4, 4096));
            for (int liar = 0; faults.isEmpty() && liar < NODES; liar++) {
                CLUSTER.edit(liar, LieIT::rotateWholeRecords);
                seenRight(bucket, "records of node " + liar, Set.of(liar));
                repaired(bucket, "records of node " + liar);
                faults = recorded();
            }
        }
        assertThat(faults).isNotEmpty();
        for (Faults.Fault fault : faults) {
            EvidenceProof proof = EvidenceFile.read(CLUSTER.client().faults().export(fault.number()));
            EvidenceVerification.Outcome outcome = EvidenceVerification.of(genesis, proof);
            assertThat(outcome.isValid()).as("%s: %s", fault, outcome.steps()).isTrue();
            assertThat(proof.evidence().about()).isEqualTo(fault.about());
            assertThat(proof.volume()).isPresent();
        }
    }

    private static List<Faults.Fault> recorded() {
        return CLUSTER.client().faults().list(0, 1000).faults();
    }

    private Bucket bucket(String name, ProtectionPolicy policy) {
        CLUSTER.client().createVolume(VolumeSpec.objects(name, policy));
        Bucket bucket = CLUSTER.client().createBucket(BucketSpec.of(name).inVolume(name));
        putMore(bucket, 24);
        return bucket;
    }

    private void putMore(Bucket bucket, int count) {
        Random random = new Random(LiveCluster.SEED + content.size());
        for (int i = 0; i < count; i++) {
            // Many of one length, as the swap needs; some of several blocks.
            put(bucket, random, i % 4 == 3 ? 9000 + i : 4096);
        }
    }

    private void put(Bucket bucket, Random random, int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        String key = "object-" + content.size();
        bucket.put(key, bytes);
        content.put(key, bytes);
    }

    /** Reads all with a client that has no opinion of any node yet; each of the liars must be named as corrupt. */
    private void seenRight(Bucket bucket, String what, Set<Integer> liars) throws InterruptedException {
        try (Bulwark fresh = CLUSTER.freshClient()) {
            Bucket own = fresh.bucket(bucket.name());
            content.forEach((key, bytes) ->
                    assertThat(own.getBytes(key)).as("%s: %s", what, key).isEqualTo(bytes));
            for (int liar : liars) {
                named(fresh, what, liar);
            }
            Map<?, Map<Verdict, Long>> seen = fresh.evidence().counts().entrySet().stream()
                    .collect(Collectors.toMap(e -> e.getKey().toString(), Map.Entry::getValue));
            seen.forEach((about, verdicts) -> {
                if (liars.stream().noneMatch(liar -> about.equals("node-" + liar))) {
                    assertThat(verdicts.keySet())
                            .as(
                                    "%s: %s is innocent; seen %s",
                                    what, about, fresh.evidence().since(0))
                            .doesNotContainAnyElementsOf(NAMED_CORRUPT);
                }
            });
        }
    }

    /**
     * Waits until the status names the liar, whether a reader, a peer or the node's own scrub detects the lie first.
     */
    private static void named(Bulwark client, String what, int liar) throws InterruptedException {
        long end = System.nanoTime() + REPAIR_MILLIS_MAX * 1_000_000;
        while (true) {
            Map<Verdict, Long> verdicts = client.status().nodes().get(liar).seen();
            if (!Collections.disjoint(verdicts.keySet(), NAMED_CORRUPT)) {
                return;
            }
            assertThat(System.nanoTime())
                    .as("%s: node %d is not named, only %s", what, liar, verdicts)
                    .isLessThan(end);
            Thread.sleep(100);
        }
    }

    /**
     * Waits until each node holds the right fragment of each object. A read would not do: it asks only as many nodes as it
     * needs, and a node says that it is whole before it has scrubbed all that was changed behind its back.
     */
    private void repaired(Bucket bucket, String what) throws InterruptedException {
        long end = System.nanoTime() + REPAIR_MILLIS_MAX * 1_000_000;
        List<String> left = new ArrayList<>(content.keySet());
        try (Bulwark fresh = CLUSTER.freshClient()) {
            Bucket own = fresh.bucket(bucket.name());
            while (!left.isEmpty()) {
                String key = left.getLast();
                FragmentMap map = own.fragments(key, 0, 0, FragmentMap.EXTENTS_MAX);
                if (map.extents().stream()
                        .allMatch(extent -> extent.good() == map.policy().n())) {
                    left.removeLast();
                } else {
                    assertThat(System.nanoTime())
                            .as("%s: %s is still %s", what, key, map.extents())
                            .isLessThan(end);
                    Thread.sleep(200);
                }
            }
        }
        // Two liars are more than the volumes of the other tests tolerate.
        CLUSTER.awaitFullFaults(volume -> volume.name().equals(bucket.name()));
    }

    /** Each extent's key gets the whole record, meta data and fragment, of the next one. */
    private static void rotateWholeRecords(StoreEditor editor) throws IOException {
        List<RecordKey> keys = editor.list(RecordKind.EXTENT);
        List<Loaded.Found> records = new ArrayList<>();
        for (RecordKey key : keys) {
            records.add((Loaded.Found) editor.read(key));
        }
        for (int i = 0; i < keys.size(); i++) {
            Loaded.Found next = records.get((i + 1) % records.size());
            editor.replace(keys.get(i), next.meta(), next.fragment());
        }
    }
}

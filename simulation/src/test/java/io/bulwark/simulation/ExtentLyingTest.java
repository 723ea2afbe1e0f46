package io.bulwark.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.effect.RecordKey;
import io.bulwark.protocol.effect.RecordKind;
import io.bulwark.protocol.effect.Verdict;
import io.bulwark.protocol.extent.ExtentLimits;
import io.bulwark.protocol.extent.ExtentMessage;
import io.bulwark.protocol.extent.ExtentRead;
import io.bulwark.protocol.extent.ReadOutcome;
import io.bulwark.protocol.extent.WriteOutcome;
import io.bulwark.protocol.fingerprint.BlockCode;
import io.bulwark.protocol.fingerprint.Fpcc;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.simulation.engine.NetworkFaults;
import io.bulwark.simulation.engine.RunningOperation;
import io.bulwark.simulation.engine.SimulatedRecords;
import io.bulwark.simulation.engine.Simulation;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests which party is named when one lies, and the possible damage by a faulty writer. */
@NullMarked
class ExtentLyingTest {
    private final long seed = Long.getLong("bulwark.seed", System.nanoTime());

    @BeforeEach
    void tellSeed() {
        System.out.println("ExtentLyingTest bulwark.seed=" + seed);
    }

    @PlantedBug(
            in = ExtentRead.class,
            rule = "a reader checks the shares of an extent",
            replace = "slot.bad = !found.checksum().pin().equals(pin) || "
                    + "!coding.isFragmentOf(found.checksum(), index, found.fragment());",
            with = "slot.bad = !found.checksum().pin().equals(pin);")
    @Test
    void aLiarAtEachSlotIsNamedByTheReaderAndConfirmedByFPlusOneNodes() {
        for (int node = 0; node < 4; node++) {
            for (ExtentLiar.Alteration how : List.of(ExtentLiar.Alteration.FLIPS, ExtentLiar.Alteration.SWAPS)) {
                PrincipalId liar = PrincipalId.node(node);
                ExtentCluster cluster = new ExtentCluster(
                        seed,
                        1,
                        2,
                        NetworkFaults.calm(),
                        ExtentLimits.standard(),
                        Map.of(node, correct -> new ExtentLiar(correct, how, seed)));
                BlockId block = cluster.newBlock();
                Bytes content = cluster.content();
                Bytes pin = cluster.pinOf(block, content);
                cluster.reference(block, pin);
                verify(cluster, block, pin, content);
                cluster.simulation.runFor(2_000);
                Set<PrincipalId> accusers = cluster.simulation.sightings().stream()
                        .filter(sighting -> sighting.evidence().verdict() == Verdict.CORRUPT)
                        .peek(sighting -> assertThat(sighting.evidence().about())
                                .as("seed %d, %s", seed, how)
                                .isEqualTo(liar))
                        .map(Simulation.Sighting::by)
                        .collect(Collectors.toSet());
                assertThat(accusers)
                        .as("seed %d, %s at %s", seed, how, liar)
                        .contains(ExtentCluster.READER)
                        .hasSizeGreaterThanOrEqualTo(1 + 2);
            }
        }
    }

    /**
     * Another block's fragment on disk, under this block's fpcc and with a checksum of the store that is right: readers
     * find that out, and the node once it is suspected.
     */
    @Test
    void aNodeWhoseDiskWasSwappedIsNamedAndHealsItself() {
        ExtentCluster cluster = new ExtentCluster(seed, 1, 2, NetworkFaults.calm());
        BlockId block = cluster.newBlock();
        Bytes content = cluster.content();
        Bytes pin = cluster.pinOf(block, content);
        cluster.reference(block, pin);
        PrincipalId liar = cluster.holder(0);
        RecordKey key = RecordKey.of(RecordKind.EXTENT, block);
        SimulatedRecords records = cluster.simulation.records(liar);
        SimulatedRecords.Content good = get(records, key);
        Bytes other = Bytes.of(new byte[cluster.policy.fragmentBytes(content.length())]);
        cluster.simulation.crash(liar);
        records.put(key, new SimulatedRecords.Content(good.meta(), other));
        cluster.simulation.restart(liar);

        assertThat(verify(cluster, block, pin, content)).containsExactly(Map.entry(0, Verdict.CORRUPT));
        cluster.simulation.runFor(5_000);
        assertThat(get(records, key)).as("seed %d: healed", seed).isEqualTo(good);
        assertThat(verify(cluster, block, pin, content)).isEmpty();
    }

    @Test
    void twoLiarsOfSevenAreBothNamed() {
        for (int first = 0; first < 7; first++) {
            int one = first;
            int two = (first + 3) % 7;
            ExtentCluster cluster = new ExtentCluster(
                    seed,
                    2,
                    3,
                    NetworkFaults.calm(),
                    ExtentLimits.standard(),
                    Map.of(
                            one,
                            correct -> new ExtentLiar(correct, ExtentLiar.Alteration.SWAPS, seed),
                            two,
                            correct -> new ExtentLiar(correct, ExtentLiar.Alteration.SWAPS, seed + 1)));
            BlockId block = cluster.newBlock();
            Bytes content = cluster.content();
            Bytes pin = cluster.pinOf(block, content);
            cluster.reference(block, pin);
            Map<Integer, Verdict> verdicts = verify(cluster, block, pin, content);
            assertThat(verdicts.keySet().stream().map(cluster::holder))
                    .as("seed %d", seed)
                    .containsExactlyInAnyOrder(PrincipalId.node(one), PrincipalId.node(two));
            assertThat(verdicts.values()).containsOnly(Verdict.CORRUPT);
        }
    }

    /** With more than f liars: the right bytes or an error. */
    @Test
    void beyondFNeverWrongBytes() {
        for (ExtentLiar.Alteration how : ExtentLiar.Alteration.values()) {
            ExtentCluster cluster = new ExtentCluster(
                    seed,
                    1,
                    2,
                    NetworkFaults.calm(),
                    ExtentLimits.standard(),
                    Map.of(
                            0,
                            correct -> new ExtentLiar(correct, how, seed),
                            1,
                            correct -> new ExtentLiar(correct, how, seed),
                            2,
                            correct -> new ExtentLiar(correct, ExtentLiar.Alteration.ANY, seed)));
            for (int i = 0; i < 5; i++) {
                BlockId block = cluster.newBlock();
                Bytes content = cluster.content();
                if (cluster.writeNow(block, content) instanceof WriteOutcome.Complete complete) {
                    ReadOutcome outcome = cluster.readNow(block, complete.pin());
                    if (outcome instanceof ReadOutcome.Whole whole) {
                        assertThat(whole.content()).as("seed %d, %s", seed, how).isEqualTo(cluster.padded(content));
                    }
                }
            }
        }
    }

    /** Fragments of two blocks under one fpcc, sent in every way: all readers see one block, or none see any. */
    @Test
    void aPoisonousWriterCannotShowTwoReadersDifferentBytes() {
        int read = 0;
        for (int round = 0; round < 40; round++) {
            ExtentCluster cluster = new ExtentCluster(seed + round, 1, 2, NetworkFaults.rough());
            Simulation simulation = cluster.simulation;
            BlockCode code = BlockCode.ofAll(2, 4);
            List<Bytes> blocks = IntStream.range(0, 2)
                    .mapToObj(_ -> {
                        byte[] block = new byte[64];
                        simulation.random().nextBytes(block);
                        return Bytes.of(block);
                    })
                    .toList();
            List<List<Bytes>> fragments =
                    blocks.stream().map(block -> code.encode(block).fragments()).toList();
            List<Bytes> mixed = IntStream.range(0, 4)
                    .mapToObj(slot ->
                            fragments.get(simulation.random().nextInt(2)).get(slot))
                    .toList();
            Fpcc fpcc = Fpcc.of(code.erasureCode(), 2, mixed);
            BlockId block = cluster.newBlock();
            for (int message = 0; message < 30; message++) {
                int slot = simulation.random().nextInt(4);
                Bytes any = fragments.get(simulation.random().nextInt(2)).get(slot);
                ExtentMessage store = new ExtentMessage.Store(
                        block, 1, slot, simulation.random().nextBoolean() ? mixed.get(slot) : any, fpcc);
                simulation.send(ExtentCluster.WRITER, cluster.holder(slot), 1_000_000 + message, store);
                simulation.runFor(simulation.random().nextInt(20));
            }
            Set<Bytes> seen = new HashSet<>();
            for (int reader = 0; reader < 6; reader++) {
                Set<Integer> last = Set.of(reader % 4);
                RunningOperation<ReadOutcome> reading = simulation.start(
                        ExtentCluster.READER,
                        new ExtentRead(
                                cluster.volume,
                                block,
                                fpcc.pin(),
                                last,
                                ExtentCluster.TIMING.withDeadlineMillis(3_000)));
                cluster.finish(reading);
                if (reading.outcome().orElseThrow() instanceof ReadOutcome.Whole whole) {
                    seen.add(whole.content());
                }
            }
            assertThat(seen).as("seed %d", seed + round).hasSizeLessThanOrEqualTo(1);
            read += seen.size();
        }
        assertThat(read).as("seed %d: some were readable", seed).isPositive();
    }

    private Map<Integer, Verdict> verify(ExtentCluster cluster, BlockId block, Bytes pin, Bytes content) {
        Set<Integer> all = IntStream.range(0, cluster.policy.n()).boxed().collect(Collectors.toSet());
        ExtentRead read = ExtentRead.forJudgement(cluster.volume, block, pin, all, Set.of(), ExtentCluster.TIMING);
        RunningOperation<ReadOutcome> running = cluster.simulation.start(ExtentCluster.READER, read);
        assertThat(cluster.simulation.runUntil(running::isFinished, 60_000)).isTrue();
        assertThat(running.outcome()).as("seed %d", seed).contains(new ReadOutcome.Whole(cluster.padded(content)));
        return read.verdicts();
    }

    private static SimulatedRecords.Content get(SimulatedRecords records, RecordKey key) {
        SimulatedRecords.Content content = records.get(key);
        if (content == null) {
            throw new AssertionError("no record of " + key);
        }
        return content;
    }
}

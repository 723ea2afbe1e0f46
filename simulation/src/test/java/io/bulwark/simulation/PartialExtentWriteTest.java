package io.bulwark.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.effect.RecordKey;
import io.bulwark.protocol.effect.RecordKind;
import io.bulwark.protocol.extent.ExtentMessage;
import io.bulwark.protocol.extent.ReadOutcome;
import io.bulwark.protocol.fingerprint.BlockCode;
import io.bulwark.protocol.fingerprint.Fpcc;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.simulation.engine.NetworkFaults;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A faulty writer stores at m slots only (f = 1, m = 2, n = 4). One of them may be a liar that stops answering. */
@NullMarked
class PartialExtentWriteTest {
    private final long seed = Long.getLong("bulwark.seed", 11);
    private final ExtentCluster cluster = new ExtentCluster(seed, 1, 2, NetworkFaults.calm());
    private final BlockCode code = BlockCode.ofAll(2, 4);
    private final BlockId block = cluster.newBlock();

    @BeforeEach
    void tellTheSeed() {
        System.out.println("PartialExtentWriteTest seed " + seed);
    }

    private Bytes padded() {
        return cluster.padded(cluster.content());
    }

    private void store(int slots, List<Bytes> fragments, Fpcc fpcc) {
        for (int slot = 0; slot < slots; slot++) {
            cluster.simulation.send(
                    ExtentCluster.WRITER,
                    cluster.holder(slot),
                    1_000_000 + slot,
                    new ExtentMessage.Store(block, 1, slot, fragments.get(slot), fpcc));
        }
        cluster.simulation.runFor(1_000);
    }

    private long holding() {
        return cluster.nodes().stream()
                .filter(node -> cluster.simulation.records(node).get(RecordKey.of(RecordKind.EXTENT, block)) != null)
                .count();
    }

    @Test
    void whatOneReaderGotIsReadOnceAHolderIsGone() {
        Bytes content = padded();
        BlockCode.Encoded encoded = code.encode(content);
        store(2, encoded.fragments(), encoded.fpcc());
        assertThat(holding()).isEqualTo(2);
        assertThat(cluster.readNow(block, encoded.fpcc().pin())).isEqualTo(new ReadOutcome.Whole(content));
        assertThat(holding()).as("m + f slots").isGreaterThanOrEqualTo(3);
        cluster.simulation.crash(cluster.holder(0));
        assertThat(cluster.readNow(block, encoded.fpcc().pin())).isEqualTo(new ReadOutcome.Whole(content));
    }

    /** One of the two may lie, and be silent later: what was not handed out is not returned. */
    @Test
    void whatCannotBeHandedOutInTimeIsNotReturned() {
        Bytes content = padded();
        BlockCode.Encoded encoded = code.encode(content);
        store(2, encoded.fragments(), encoded.fpcc());
        cluster.simulation.crash(cluster.holder(2));
        cluster.simulation.crash(cluster.holder(3));
        assertThat(cluster.readNow(block, encoded.fpcc().pin())).isInstanceOf(ReadOutcome.TooFewHolders.class);
        cluster.simulation.restart(cluster.holder(2));
        cluster.simulation.restart(cluster.holder(3));
        assertThat(cluster.readNow(block, encoded.fpcc().pin())).isEqualTo(new ReadOutcome.Whole(content));
        cluster.simulation.crash(cluster.holder(0));
        assertThat(cluster.readNow(block, encoded.fpcc().pin())).isEqualTo(new ReadOutcome.Whole(content));
    }

    /** Nobody may store under an id but its owner: what fewer than f + 1 slots hold is taken from no reader. */
    @Test
    void aReaderCannotStoreWhatNobodyHolds() {
        BlockCode.Encoded encoded = code.encode(padded());
        for (int slot = 0; slot < 4; slot++) {
            cluster.simulation.send(
                    ExtentCluster.READER,
                    cluster.holder(slot),
                    1_000_000 + slot,
                    new ExtentMessage.Supply(block, 1, slot, encoded.fragments().get(slot), encoded.fpcc()));
        }
        cluster.simulation.runFor(10_000);
        assertThat(holding()).isZero();
    }

    /** The hash of the last slot is that of another fragment: the first reader sees so, though enough slots hold theirs. */
    @Test
    void whatCouldNotBeHandedOutIsPoisonousForEverybody() {
        BlockCode.Encoded encoded = code.encode(padded());
        List<Bytes> mixed = new ArrayList<>(encoded.fragments());
        mixed.set(3, encoded.fragments().get(1));
        Fpcc poison = Fpcc.of(code.erasureCode(), 2, mixed);
        store(3, mixed, poison);
        assertThat(cluster.readNow(block, poison.pin())).isEqualTo(new ReadOutcome.Poisonous());
        cluster.simulation.runFor(5_000);
        assertThat(cluster.readNow(block, poison.pin())).isEqualTo(new ReadOutcome.Poisonous());
    }
}

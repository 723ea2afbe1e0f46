package io.bulwark.protocol.extent;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.effect.Stored;
import io.bulwark.protocol.extent.ExtentMessage.CheckDepth;
import io.bulwark.protocol.extent.ExtentMessage.Complete;
import io.bulwark.protocol.extent.ExtentMessage.Completed;
import io.bulwark.protocol.extent.ExtentMessage.Store;
import io.bulwark.protocol.extent.ExtentMessage.Suspect;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Answers of one of four nodes about an archive extent that it holds; f = 1, m = 2. */
@NullMarked
class DeliveryStageTest {
    private static final ProtectionPolicy POLICY = ProtectionPolicy.archive(1, 2, 4, 4096);
    private static final BlockId BLOCK = LocalNode.block(1);
    private static final ExtentCoding.Encoded ENCODED =
            ExtentCoding.of(POLICY).encode(Bytes.of(new byte[POLICY.paddedBytes(1000)]));

    private final LocalNode node = new LocalNode();

    @BeforeEach
    void holdsTheFragment() {
        node.volume = new Volume(
                LocalNode.VOLUME,
                "v",
                VolumeKind.OBJECT,
                POLICY,
                0,
                List.of(new PlacementGroup(1, List.of(0, 1, 2, 3))));
        Bytes fragment = ENCODED.fragments().getFirst();
        assertThat(node.ask(LocalNode.OWNER, new Store(BLOCK, 1, 0, fragment, ENCODED.checksum())))
                .containsExactly(new ExtentMessage.Acknowledged(BLOCK, 1));
    }

    private List<ExtentMessage.Answer> complete(CheckDepth depth) {
        return node.ask(
                PrincipalId.node(0),
                new Complete(BLOCK, 1, 0, ENCODED.checksum().pin(), depth));
    }

    private static Completed completed(CompletionResult result) {
        return new Completed(BLOCK, 1, result);
    }

    private void poll(Delivery stage) {
        assertThat(complete(CheckDepth.DISSEMINATE)).as("it asks the others").isEmpty();
        node.complete(node.runs.removeFirst(), stage);
    }

    @Test
    void aScrubAlsoSaysThatItIsNotDelivered() {
        assertThat(complete(CheckDepth.RECORD)).containsExactly(completed(CompletionResult.UNDELIVERED));
        assertThat(complete(CheckDepth.FRAGMENT)).containsExactly(completed(CompletionResult.UNDELIVERED));
        poll(Delivery.DELIVERED);
        assertThat(node.answers).containsExactly(completed(CompletionResult.HELD));
        assertThat(complete(CheckDepth.FRAGMENT)).containsExactly(completed(CompletionResult.HELD));
    }

    @Test
    void aStageThatTheDiskDidNotTakeIsNotReached() {
        node.nextStore = Stored.NO_SPACE;
        poll(Delivery.DELIVERED);
        assertThat(node.answers).containsExactly(completed(CompletionResult.UNDELIVERED));
        node.nextStore = Stored.DURABLE;
        assertThat(complete(CheckDepth.RECORD)).containsExactly(completed(CompletionResult.UNDELIVERED));
        poll(Delivery.DELIVERED);
        assertThat(complete(CheckDepth.RECORD)).containsExactly(completed(CompletionResult.HELD));
    }

    /** A reader that finds a segment which does not encode to the root tells each slot to look for itself. */
    @Test
    void aHintAboutTheOwnSlotLetsAFewHoldersLookForWhatTheWriterDid() {
        node.ask(
                PrincipalId.client(9),
                new Suspect(BLOCK, 1, 0, ENCODED.checksum().pin(), 0));
        node.complete(node.runs.removeFirst(), new RepairOutcome.Poisonous());
        assertThat(complete(CheckDepth.RECORD)).containsExactly(completed(CompletionResult.POISONOUS));
    }

    @Test
    void aHintAboutAnotherSlotReadsThatOneAlone() {
        node.ask(
                PrincipalId.client(9),
                new Suspect(BLOCK, 1, 0, ENCODED.checksum().pin(), 2));
        assertThat(node.runs.getLast().operation()).isInstanceOf(SuspectCheck.class);
    }
}

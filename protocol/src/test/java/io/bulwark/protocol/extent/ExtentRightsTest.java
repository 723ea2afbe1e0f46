package io.bulwark.protocol.extent;

import static io.bulwark.protocol.extent.LocalNode.OWNER;
import static io.bulwark.protocol.extent.LocalNode.POLICY;
import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.extent.ExtentMessage.Acknowledged;
import io.bulwark.protocol.extent.ExtentMessage.Found;
import io.bulwark.protocol.extent.ExtentMessage.NotFound;
import io.bulwark.protocol.extent.ExtentMessage.NotStored;
import io.bulwark.protocol.extent.ExtentMessage.ReadPinned;
import io.bulwark.protocol.extent.ExtentMessage.Store;
import io.bulwark.protocol.extent.ExtentMessage.StoreBlock;
import io.bulwark.protocol.fingerprint.BlockCode;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Tests who may read and store at a node, in which epoch, and how a node treats a whole block. */
@NullMarked
class ExtentRightsTest {
    private static final BlockId BLOCK = LocalNode.block(1);
    private static final BlockCode CODE = BlockCode.ofAll(POLICY.m(), POLICY.n());
    private static final Bytes CONTENT = content();
    private static final BlockCode.Encoded ENCODED = CODE.encode(CONTENT);
    private static final Bytes PIN = ENCODED.fpcc().pin();
    private static final PrincipalId READER = PrincipalId.client(2);

    private final LocalNode node = new LocalNode();

    private static Bytes content() {
        byte[] bytes = new byte[POLICY.blockBytes()];
        new Random(1).nextBytes(bytes);
        return Bytes.of(bytes);
    }

    private static Store store(long epoch) {
        return new Store(BLOCK, epoch, 0, ENCODED.fragments().getFirst(), ENCODED.fpcc());
    }

    private List<ExtentMessage.Answer> read(PrincipalId from) {
        return node.ask(from, new ReadPinned(BLOCK, 1, 0, PIN, true));
    }

    private static ExtentMessage.Answer found() {
        return new Found(BLOCK, 1, ENCODED.fpcc(), ENCODED.fragments().getFirst(), true);
    }

    private static ExtentMessage.Answer notPermitted() {
        return new NotFound(BLOCK, 1, ReadRefusal.NOT_PERMITTED);
    }

    @Test
    void onlyTheOwnerStores() {
        assertThat(node.ask(READER, store(1))).containsExactly(new NotStored(BLOCK, 1, StoreRefusal.NOT_OWNER));
        assertThat(node.ask(READER, new StoreBlock(BLOCK, 1, 0, CONTENT, ENCODED.fpcc())))
                .containsExactly(new NotStored(BLOCK, 1, StoreRefusal.NOT_OWNER));
        assertThat(node.has(BLOCK)).isFalse();
    }

    @Test
    void readersNeedAGrantAndTheNodesOfTheVolumeDoNot() {
        node.ask(OWNER, store(1));
        node.mayRead = false;
        assertThat(read(READER)).containsExactly(notPermitted());
        assertThat(read(PrincipalId.node(2))).containsExactly(found());
        assertThat(read(PrincipalId.node(4))).containsExactly(notPermitted());
        assertThat(read(PrincipalId.client(3))).containsExactly(notPermitted());
    }

    @Test
    void aDeniedGrantIsBelievedForASecondAndAGivenOneForHalfAMinute() {
        node.ask(OWNER, store(1));
        node.mayRead = false;
        assertThat(read(READER)).containsExactly(notPermitted());
        node.mayRead = true;
        node.now += 999;
        assertThat(read(READER)).containsExactly(notPermitted());
        node.now += 1;
        assertThat(read(READER)).containsExactly(found());
        node.mayRead = false;
        node.now += 29_999;
        assertThat(read(READER)).containsExactly(found());
        node.now += 1;
        assertThat(read(READER)).containsExactly(notPermitted());
    }

    @Test
    void aLaterEpochIsAskedForBeforeItIsRefused() {
        assertThat(node.ask(OWNER, store(1))).containsExactly(new Acknowledged(BLOCK, 1));
        node.now += 1_000;
        assertThat(node.ask(OWNER, store(2))).containsExactly(new NotStored(BLOCK, 1, StoreRefusal.WRONG_EPOCH));
        node.volume = LocalNode.volume(2, List.of(0, 1, 2, 3));
        node.now += 1_000;
        assertThat(node.ask(OWNER, store(2))).containsExactly(new Acknowledged(BLOCK, 2));
        assertThat(node.ask(OWNER, store(1))).containsExactly(new NotStored(BLOCK, 2, StoreRefusal.WRONG_EPOCH));
    }

    @Test
    void aWholeBlockIsTakenByNobodyUnderFp() {
        assertThat(node.ask(OWNER, new StoreBlock(BLOCK, 1, 0, CONTENT, ENCODED.fpcc())))
                .containsExactly(new NotStored(BLOCK, 1, StoreRefusal.INCONSISTENT));
        assertThat(node.has(BLOCK)).isFalse();
    }

    @Test
    void everySlotChecksItsFragmentAlone() {
        node.use(LocalNode.volume(2, List.of(1, 2, 3, 0)));
        assertThat(node.ask(OWNER, new Store(BLOCK, 2, 3, ENCODED.fragments().get(2), ENCODED.fpcc())))
                .containsExactly(new NotStored(BLOCK, 2, StoreRefusal.INCONSISTENT));
        node.pass(500);
        assertThat(node.ask(OWNER, new Store(BLOCK, 2, 3, ENCODED.fragments().get(3), ENCODED.fpcc())))
                .containsExactly(new Acknowledged(BLOCK, 2));
    }
}

package io.bulwark.protocol.fp;

import static io.bulwark.protocol.fp.LocalNodes.CLIENT;
import static io.bulwark.protocol.fp.LocalNodes.SESSION;
import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.effect.Stored;
import io.bulwark.protocol.fingerprint.BlockCode;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.kernel.Target;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Tests a node's memory against its disk: stores that fail, blocks that are dropped, accounts. */
@NullMarked
class FpDiskTest {
    private static final FpLimits ONE_BLOCK = new FpLimits(6, 2, 2, 1_000, 1_000, 1, 64, 10_000, 3_000);

    private LocalNodes nodes = new LocalNodes(1, 2);

    /** The commit is on the disk, but the node was told that it failed: the node continues from the state on disk. */
    @Test
    void afterAFailedStoreTheStateIsReadAgain() {
        nodes.write(4, 4, 0, 1, 2);
        Timestamp staged = new Timestamp(5, nodes.encode(1).fpcc());
        nodes.one(CLIENT, nodes.fragment(0, 5, 1));
        FpMessage.Commit commit = nodes.commit(0, 2, nodes.prepare(3, 6, 2));
        nodes.nextStore = Stored.FAILED;
        nodes.failedIsDone = true;
        assertThat(nodes.one(CLIENT, commit))
                .isInstanceOfSatisfying(
                        FpMessage.Refused.class,
                        refused -> assertThat(refused.refusal()).isEqualTo(FpRefusal.DEVICE));
        nodes.nextStore = Stored.DURABLE;
        assertThat(nodes.latest(0)).isEqualTo(new Timestamp(6, nodes.encode(2).fpcc()));
        assertThat(read(staged).holding()).as("dropped by the commit").isNull();
        assertThat(nodes.evidence).isEmpty();
    }

    @Test
    void whatIsNotStoredIsNotCharged() {
        nodes.nextStore = Stored.NO_SPACE;
        for (int number = 20; number < 30; number++) {
            assertThat(nodes.one(CLIENT, inBlock(number)))
                    .isInstanceOfSatisfying(
                            FpMessage.Refused.class,
                            refused -> assertThat(refused.refusal()).isEqualTo(FpRefusal.NO_SPACE));
        }
        nodes.nextStore = Stored.DURABLE;
        assertThat(nodes.one(CLIENT, inBlock(30))).isInstanceOf(FpMessage.Prepared.class);
    }

    @Test
    void aFragmentThatComesAgainAfterItsDamageIsServed() {
        Timestamp version = nodes.write(5, 1, 0, 1, 2);
        nodes.damage(0);
        nodes.cutOff.addAll(List.of(1, 2, 3));
        assertThat(nodes.holding(0, version).damaged()).isTrue();
        assertThat(nodes.one(CLIENT, nodes.fragment(0, 5, 1))).isInstanceOf(FpMessage.Prepared.class);
        assertThat(nodes.holding(0, version).fragment())
                .isEqualTo(nodes.encode(1).fragments().getFirst());
    }

    @Test
    void soManyRequestsWaitForABlock() {
        nodes.holdStores = true;
        nodes.ask(CLIENT, nodes.fragment(0, 5, 1));
        FpMessage.FindTimestamp find = new FpMessage.FindTimestamp(nodes.group.target(0), false);
        for (int waiting = 0; waiting < LocalNodes.LIMITS.waitingMax(); waiting++) {
            assertThat(nodes.ask(CLIENT, find)).isEmpty();
        }
        assertThat(nodes.one(CLIENT, find))
                .isEqualTo(new FpMessage.Refused(find.target(), RequestKind.FIND_TIMESTAMP, 0, FpRefusal.BUSY, 1));
    }

    /** A version kept for slow readers leaves its writer's account when it is deleted, by a later commit or by time. */
    @Test
    void whatIsKeptForReadersIsChargedOnlyAsLongAsItIsKept() {
        Timestamp before = nodes.write(1, 1, 0, 1, 2);
        for (int ts = 2; ts < 10; ts++) {
            Timestamp next = nodes.write(ts, ts, 0, 1, 2);
            assertThat(nodes.holding(0, before).fragment()).as("ts %d", ts - 1).isNotNull();
            before = next;
        }
        for (int ts = 10; ts < 18; ts++) {
            nodes.pass(1_500);
            Timestamp next = nodes.write(ts, ts, 0, 1, 2);
            assertThat(nodes.holding(0, before).fragment()).as("ts %d", ts - 1).isNotNull();
            before = next;
        }
    }

    @Test
    void afterARestartOverwrittenVersionsGo() {
        nodes.write(1, 1, 0, 1, 2);
        Timestamp latest = nodes.write(2, 2, 0, 1, 2);
        nodes.restart(0);
        assertThat(nodes.latest(0)).isEqualTo(latest);
        nodes.pass(100);
        assertThat(nodes.versionsOnDisk(0)).isEqualTo(1);
    }

    @Test
    void aCommitWithoutAFragmentIsNoDamageAfterARestart() {
        List<FpMessage.Prepared> prepares = new ArrayList<>();
        for (int slot : new int[] {0, 1, 3}) {
            prepares.add((FpMessage.Prepared)
                    nodes.one(CLIENT, slot == 3 ? nodes.wholeBlock(3, 5, 1) : nodes.fragment(slot, 5, 1)));
        }
        nodes.cutOff.addAll(List.of(0, 1, 3));
        assertThat(nodes.one(CLIENT, nodes.commit(2, 1, prepares))).isInstanceOf(FpMessage.Committed.class);
        nodes.restart(2);
        HeldVersion held = nodes.holding(2, new Timestamp(5, nodes.encode(1).fpcc()));
        assertThat(held.fragment()).isNull();
        assertThat(held.damaged()).isFalse();
    }

    @Test
    void aBlockThatRestsIsDroppedFromMemory() {
        nodes = new LocalNodes(1, 2, ONE_BLOCK);
        Timestamp version = nodes.write(5, 1, 0, 1, 2);
        nodes.holding(0, version);
        nodes.damage(1);
        nodes.holding(1, version);
        nodes.holding(1, version);
        nodes.pass(2_000);
        for (int node = 0; node < 2; node++) {
            int before = nodes.loads.getOrDefault(node, 0);
            pushOut(node);
            nodes.latest(node);
            assertThat(nodes.loads).containsEntry(node, before + 1);
        }
    }

    /** There must not be two states of one block, one of which does not know the other's stores. */
    @Test
    void aBlockWithAStoreUnderWayStaysInMemory() {
        nodes = new LocalNodes(1, 2, ONE_BLOCK);
        nodes.holdStores = true;
        nodes.ask(CLIENT, nodes.fragment(0, 5, 1));
        pushOut(0);
        nodes.ask(CLIENT, new FpMessage.FindTimestamp(nodes.group.target(0), false));
        nodes.releaseStores();
        assertThat(nodes.holding(0, new Timestamp(5, nodes.encode(1).fpcc())).fragment())
                .isNotNull();
    }

    @Test
    void aBlockThatIsBeingRepairedStaysInMemory() {
        nodes = new LocalNodes(1, 2, ONE_BLOCK);
        Timestamp version = nodes.write(5, 1, 0, 1, 2);
        nodes.cutOff.addAll(List.of(0, 1, 2));
        nodes.ask(CLIENT, new FpMessage.Repair(nodes.group.target(3), version));
        pushOut(3);
        assertThat(nodes.latest(3)).isEqualTo(Timestamp.NONE);
        nodes.cutOff.clear();
        nodes.pass(2_000);
        assertThat(nodes.latest(3)).isEqualTo(version);
    }

    @Test
    void aBlockWithVersionsKeptForReadersStaysInMemory() {
        nodes = new LocalNodes(1, 2, ONE_BLOCK);
        Timestamp old = nodes.write(1, 1, 0, 1, 2);
        nodes.write(2, 2, 0, 1, 2);
        pushOut(0);
        nodes.latest(0);
        nodes.pass(100);
        assertThat(nodes.holding(0, old).fragment()).isNotNull();
    }

    /** Another block is used at the node, and the only place in memory is its. */
    private void pushOut(int node) {
        Target other = new Target(BlockId.register(LocalNodes.VOLUME, 20), 1, node);
        nodes.ask(CLIENT, new FpMessage.FindTimestamp(other, false));
        nodes.pass(50);
    }

    private FpMessage.ReadAnswer read(Timestamp version) {
        return (FpMessage.ReadAnswer) nodes.one(CLIENT, new FpMessage.Read(nodes.group.target(0), version.version()));
    }

    private FpMessage.PrepareFragment inBlock(int number) {
        BlockCode.Encoded encoded = nodes.encode(1);
        Target target = new Target(BlockId.register(LocalNodes.VOLUME, number), 1, 0);
        return new FpMessage.PrepareFragment(
                target, SESSION, 0, encoded.fpcc(), encoded.fragments().getFirst());
    }
}

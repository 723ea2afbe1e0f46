package io.bulwark.protocol.fp;

import static io.bulwark.protocol.fp.LocalNodes.CLIENT;
import static io.bulwark.protocol.fp.LocalNodes.SESSION;
import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.effect.Mutation;
import io.bulwark.protocol.effect.Outbox;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.kernel.Timeouts;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/**
 * Shows why revocation needs a third step. Node 0 has proven a version that a revoked client had prepared, after its
 * own first step. It commits that version in the second step with the MAC of node 1. Node 1 had finished that step
 * before and has proven the version since; node 2 lies.
 */
@NullMarked
class FpLurkingStepsTest {
    private static final PrincipalId READER = PrincipalId.client(42);
    private static final PrincipalId LIAR = PrincipalId.node(2);
    private static final PrincipalId THIRD = PrincipalId.node(3);
    private static final Timeouts TIMES = new Timeouts(100, 400, 0, 20_000);

    private final LocalNodes nodes = new LocalNodes(1, 2);
    private final Timestamp version = new Timestamp(5, nodes.encode(1).fpcc());
    private final StagedIndex.Entry entry = new StagedIndex.Entry(nodes.group.block(), version.version());
    private final StagedIndex index = new StagedIndex(new Outbox(), _ -> true, 4);
    private final List<HeldVersion.SlotNonce> nonces = new ArrayList<>();

    private VersionRecord record(PrincipalId writer, List<HeldVersion.SlotNonce> with) {
        return new VersionRecord(version, 1, true, null, writer, SESSION, with);
    }

    private void liarSays(List<HeldVersion.SlotNonce> shown) {
        VersionRecord record = record(CLIENT, shown);
        nodes.disk(2).apply(new Mutation.UpdateMeta(record.key(nodes.group.block()), record.encoded()));
        nodes.restart(2);
    }

    private boolean step() {
        nodes.undecided.clear();
        for (int node : new int[] {0, 1, 3}) {
            nodes.tell(node, new Fact.Revoked(CLIENT));
        }
        nodes.pass(6_000);
        return List.of(0, 1, 3).stream().allMatch(node -> nodes.undecided.getOrDefault(node, 1) == 0);
    }

    private Timestamp read() {
        ClientOperation<FpReadOutcome> read = nodes.run(READER, FpRead.withWriteBack(nodes.group, SESSION, TIMES));
        nodes.pass(20_000);
        return ((FpReadOutcome.Value) read.outcome().orElseThrow()).timestamp();
    }

    private void twoSteps() {
        nodes.write(4, 4, 0, 1, 2, 3);
        for (int slot : new int[] {0, 2}) {
            FpMessage.Prepared prepared = (FpMessage.Prepared) nodes.one(CLIENT, nodes.fragment(slot, 5, 1));
            nonces.add(new HeldVersion.SlotNonce(slot, prepared.nonce()));
        }
        VersionRecord repaired = record(CLIENT, List.of()).repaired();
        nodes.disk(0).apply(new Mutation.Delete(repaired.key(nodes.group.block())));
        nodes.disk(0).apply(index.delete(CLIENT, entry));
        nodes.restart(0);
        nodes.denied.add(CLIENT);
        nodes.lost = arrival -> arrival.from().equals(LIAR) || arrival.to().equals(LIAR);
        assertThat(step()).isTrue();
        nodes.disk(0)
                .apply(new Mutation.Put(
                        repaired.key(nodes.group.block()),
                        repaired.encoded(),
                        nodes.encode(1).fragments().get(0)));
        nodes.disk(0).apply(index.put(PrepareTag.REPAIR, 0, entry));
        nodes.restart(0);
        liarSays(nonces);
        nodes.lost = arrival -> (arrival.from().equals(THIRD) && arrival.to().equals(LIAR))
                || (arrival.from().equals(LIAR) && arrival.to().equals(THIRD))
                || (arrival.message() instanceof FpMessage.RepairMac
                        && !arrival.to().equals(PrincipalId.node(0)));
        assertThat(step()).isTrue();
        assertThat(nodes.disk(0).committed(version)).isTrue();
        assertThat(nodes.disk(1).committed(version)).isFalse();
        assertThat(nodes.disk(3).committed(version)).isFalse();
        assertThat(nodes.disk(1).charges(true)).isEqualTo(1);
        forgets();
    }

    /** The liar has the write before. */
    private void forgets() {
        VersionRecord before =
                new VersionRecord(new Timestamp(4, nodes.encode(4).fpcc()), 1, true, null, CLIENT, SESSION, nonces);
        nodes.disk(2).apply(new Mutation.Delete(record(CLIENT, nonces).key(nodes.group.block())));
        nodes.disk(2)
                .apply(new Mutation.Put(
                        before.key(nodes.group.block()),
                        before.encoded(),
                        nodes.encode(4).fragments().get(2)));
        nodes.restart(2);
    }

    @Test
    void afterTwoStepsAReaderMayMissWhatALaterOneFinds() {
        twoSteps();
        nodes.cutOff.add(0);
        assertThat(read().ts()).isEqualTo(4);
        nodes.cutOff.clear();
        nodes.lost = _ -> false;
        nodes.cutOff.add(2);
        assertThat(read()).isEqualTo(version);
    }

    @Test
    void theThirdStepEndsOnceWhoeverVouchedForItHasCommittedIt() {
        twoSteps();
        assertThat(step()).isFalse();
        assertThat(nodes.undecided).containsEntry(1, 1);
        nodes.lost = _ -> false;
        nodes.pass(6_000);
        assertThat(nodes.undecided).containsEntry(1, 0);
        assertThat(nodes.disk(1).committed(version)).isTrue();
        nodes.cutOff.add(0);
        assertThat(read()).isEqualTo(version);
    }
}

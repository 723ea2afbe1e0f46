package io.bulwark.protocol.completion;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.cluster.ClusterMap;
import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.extent.CompletionResult;
import io.bulwark.protocol.extent.ExtentMessage.CheckDepth;
import io.bulwark.protocol.extent.ExtentMessage.Complete;
import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.BlockRange;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.object.ObjectLayout;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Backlog of archive extents at one of ten nodes: f = 1, any 2 of 10; a write goes to slots 0 to 7. */
@NullMarked
class DisseminationTest {
    private static final int BLOCK = 1 << 20;
    private static final PrincipalId OWNER = PrincipalId.client(1);
    private static final CompletionPace PACE = new CompletionPace(1_000, 4, 100_000, 5_000);
    private static final Volume VOLUME = new Volume(
            1,
            "cold",
            VolumeKind.OBJECT,
            ProtectionPolicy.archive(1, 2, 10, BLOCK),
            0,
            List.of(new PlacementGroup(1, IntStream.range(0, 10).boxed().toList())));

    private final List<Reply.Reference> references = new ArrayList<>();
    private final Set<BlockId> held = new HashSet<>();
    private final Set<BlockId> delivered = new HashSet<>();
    private final List<BlockId> disseminated = new ArrayList<>();
    private boolean idle = true;
    private Volume volume = VOLUME;
    private int looks;
    private int asked;
    private NodeCompletion completion = completionOf(8);

    /** Disseminates while the node is idle. */
    private NodeCompletion completionOf(int number) {
        WorkThrottle whenIdle = new WorkThrottle() {
            @Override
            public boolean open(long nowMillis) {
                return idle;
            }

            @Override
            public void begin(long nowMillis, long bytes) {
                assertThat(bytes).as("a whole segment is read").isEqualTo(BLOCK);
            }

            @Override
            public void end() {}
        };
        return new NodeCompletion(
                number, PACE, WorkThrottle.NEVER, WorkThrottle.NEVER, whenIdle, RebuildRate.of(1 << 30));
    }

    private static BlockId block(long inode, long counter) {
        return new BlockId(1, OWNER, inode, counter);
    }

    private void put(long inode, int blocks) {
        byte[] pins = new byte[blocks * ObjectLayout.PIN_BYTES];
        for (int i = 0; i < blocks; i++) {
            Hashes.sha256(Bytes.of((byte) i)).copyTo(0, pins, i * ObjectLayout.PIN_BYTES, ObjectLayout.PIN_BYTES);
        }
        ObjectLayout layout = new ObjectLayout(
                1, BLOCK, (long) blocks * BLOCK, List.of(new BlockRange(1, OWNER, inode, 0, blocks)), Bytes.of(pins));
        references.add(new Reply.Reference(inode, inode, Optional.of(layout), List.of()));
    }

    private void tick(long millis) {
        long now = 100_000 + millis;
        Deque<CompletionStep> steps = new ArrayDeque<>(completion.onTick(now));
        while (!steps.isEmpty()) {
            switch (steps.removeFirst()) {
                case CompletionStep.Ask ask -> steps.addAll(completion.onReply(now, ask.token(), reply(ask.query())));
                case CompletionStep.Check check ->
                    steps.addAll(completion.onChecked(now, check.token(), result(check.request())));
                case CompletionStep.Tell _ -> {}
                default -> throw new AssertionError();
            }
        }
    }

    private CompletionResult result(Complete request) {
        looks += request.look() == CheckDepth.RECORD ? 1 : 0;
        if (held.contains(request.block())) {
            asked += request.look() == CheckDepth.DISSEMINATE ? 1 : 0;
            return delivered.contains(request.block()) ? CompletionResult.HELD : CompletionResult.UNDELIVERED;
        }
        if (request.look() == CheckDepth.DISSEMINATE) {
            disseminated.add(request.block());
            held.add(request.block());
            return CompletionResult.COMPLETED;
        }
        return CompletionResult.LACKING;
    }

    private Reply reply(Query query) {
        return switch (query) {
            case Query.GetMap _ -> new Reply.Map(new ClusterMap(1, List.of(), List.of(volume)));
            case Query.SessionChanges after -> new Reply.SessionChanges(List.of(), after.afterSequence(), false);
            case Query.References after -> {
                List<Reply.Reference> page = references.stream()
                        .filter(reference -> reference.arrival() > after.after())
                        .toList();
                long next = page.isEmpty() ? after.after() : page.getLast().arrival();
                yield new Reply.References(page, next, false, next);
            }
            default -> throw new AssertionError(query.toString());
        };
    }

    private NodeCompletion.RemainingWork left() {
        return completion.counts().left().getFirst();
    }

    @Test
    void theSlotsThatAWriteLeavesOutTakeTurns() {
        put(1, 4);
        tick(0);
        assertThat(disseminated).as("the writer may send it yet").isEmpty();
        tick(2_000);
        assertThat(disseminated)
                .as("of slots 8 and 9 the first disseminates these")
                .containsExactly(block(1, 0), block(1, 2));
        assertThat(left().lacking()).isEqualTo(2);
        assertThat(left().unfinished())
                .as("it does not keep the node from confirming")
                .isZero();
        tick(3_900);
        assertThat(disseminated).hasSize(2);
        tick(4_000);
        assertThat(disseminated).as("slot 9 has left them out").hasSize(4);
        assertThat(left().lacking()).isZero();
        assertThat(completion.counts().completed()).isEqualTo(4);
    }

    @Test
    void whatAnotherSlotBringsBeforeTheTurnIsNotReadAgain() {
        completion = completionOf(3);
        put(1, 4);
        tick(0);
        assertThat(left().lacking()).isEqualTo(4);
        for (int i = 0; i < 4; i++) {
            held.add(block(1, i));
        }
        for (long now = 0; now <= 60_000; now += 500) {
            tick(now);
        }
        assertThat(disseminated).isEmpty();
        assertThat(left().lacking()).isZero();
    }

    @Test
    void onlyAnIdleNodeDisseminatesAndARestartForgetsNothing() {
        idle = false;
        put(1, 2);
        tick(0);
        tick(10_000);
        assertThat(disseminated).isEmpty();
        assertThat(left().lacking()).isEqualTo(2);
        completion = completionOf(8);
        tick(20_000);
        assertThat(left().lacking())
                .as("learned from the metadata and the disk")
                .isEqualTo(2);
        idle = true;
        tick(22_000);
        tick(24_000);
        assertThat(disseminated).hasSize(2);
        assertThat(left().lacking()).isZero();
    }

    @Test
    void deliveryIsAskedForMoreAndMoreSeldom() {
        put(1, 1);
        held.add(block(1, 0));
        for (long now = 0; now < 600_000; now += 1_000) {
            tick(now);
        }
        assertThat(asked).as("after 20, 60, 140, 300 s").isEqualTo(4);
        delivered.add(block(1, 0));
        tick(700_000);
        assertThat(asked).as("the record says it").isEqualTo(4);
        looks = 0;
        tick(5_000_000);
        assertThat(looks).isZero();
    }

    @Test
    void aNodeThatLostItsSlotLacksNothing() {
        completion = completionOf(3);
        idle = false;
        put(1, 4);
        tick(0);
        assertThat(left().lacking()).isEqualTo(4);
        List<Integer> others =
                IntStream.range(0, 11).filter(each -> each != 3).boxed().toList();
        // It still holds slots of the volume's other group.
        volume = new Volume(
                1,
                "cold",
                VolumeKind.OBJECT,
                VOLUME.policy(),
                0,
                List.of(new PlacementGroup(2, others), VOLUME.groups().getFirst()));
        for (long now = 500; now <= 60_000; now += 500) {
            tick(now);
        }
        assertThat(left().lacking())
                .as("those of the other group")
                .isEqualTo(IntStream.range(0, 4)
                        .filter(each -> volume.groupIndex(block(1, each)) == 1)
                        .count());
    }
}

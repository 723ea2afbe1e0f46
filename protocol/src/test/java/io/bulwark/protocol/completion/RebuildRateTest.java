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
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Node 0 with a disk that is lost or rots, under a clock of the test's: how many bytes it makes again, and when. */
@NullMarked
class RebuildRateTest {
    private static final int M = 2;
    private static final int BLOCK = 8_192;
    private static final int FRAGMENT = BLOCK / M;
    private static final int OBJECTS = 50;
    private static final int BLOCKS = 8;
    private static final int ALL = OBJECTS * BLOCKS;
    private static final int AT_ONCE = 4;
    /** Ten fragments in a second: all takes 40 s. */
    private static final long RATE = 10L * FRAGMENT;

    private static final long BURST = RATE / 10;
    private static final long TICK_MILLIS = 50;
    private static final long REPAIR_MILLIS = 70;
    private static final PrincipalId OWNER = PrincipalId.client(1);
    private static final Volume VOLUME = new Volume(
            1,
            "v",
            VolumeKind.OBJECT,
            new ProtectionPolicy(1, M, 4, BLOCK),
            0,
            List.of(new PlacementGroup(1, List.of(0, 1, 2, 3))));

    private final List<Reply.Reference> references = new ArrayList<>();
    /** Blocks on the disk; those that are not in {@link #good} are corrupt. */
    private final Set<BlockId> disk = new HashSet<>();

    private final Set<BlockId> good = new HashSet<>();
    private final Deque<Repair> repairs = new ArrayDeque<>();
    private long now = 100_000;
    private int made;
    private long underWayMax = AT_ONCE;

    /** Makes it known when it is over. */
    private record Repair(long millis, long token, BlockId block) {}

    private NodeCompletion life(WorkThrottle scrubbing) {
        repairs.clear();
        CompletionPace pace = new CompletionPace(1_000, AT_ONCE, 100_000, 5_000);
        return new NodeCompletion(0, pace, scrubbing, WorkThrottle.NEVER, WorkThrottle.NEVER, RebuildRate.of(RATE));
    }

    private void refer(int objects, int bytes) {
        for (int inode = 1; inode <= objects; inode++) {
            int blocks = Math.ceilDiv(bytes, BLOCK);
            List<BlockRange> ranges = List.of(new BlockRange(1, OWNER, inode, 0, blocks));
            Bytes pins = Bytes.of(new byte[blocks * ObjectLayout.PIN_BYTES]);
            references.add(new Reply.Reference(
                    inode, objects - inode, Optional.of(new ObjectLayout(1, BLOCK, bytes, ranges, pins)), List.of()));
        }
    }

    /**
     * Runs until that time. Since its beginning no more may have been made than the rate allows, plus the repairs that
     * are in flight at once.
     */
    private void run(NodeCompletion completion, long untilMillis) {
        long began = now;
        int before = made;
        while (now < untilMillis) {
            now += TICK_MILLIS;
            while (!repairs.isEmpty() && repairs.getFirst().millis() <= now) {
                Repair over = repairs.removeFirst();
                made++;
                disk.add(over.block());
                good.add(over.block());
                perform(completion, completion.onChecked(now, over.token(), CompletionResult.COMPLETED));
            }
            perform(completion, completion.onTick(now));
            assertThat((long) (made - before) * FRAGMENT)
                    .as("after %d ms", now - began)
                    .isLessThanOrEqualTo(RATE * (now - began) / 1_000 + BURST + underWayMax * FRAGMENT);
        }
    }

    private void perform(NodeCompletion completion, List<CompletionStep> first) {
        Deque<CompletionStep> steps = new ArrayDeque<>(first);
        while (!steps.isEmpty()) {
            switch (steps.removeFirst()) {
                case CompletionStep.Ask ask -> steps.addAll(completion.onReply(now, ask.token(), reply(ask.query())));
                case CompletionStep.Check(long token, Complete request) -> {
                    boolean seen =
                            request.look() == CheckDepth.RECORD ? disk.contains(request.block()) : isGood(request);
                    if (seen) {
                        steps.addAll(completion.onChecked(now, token, CompletionResult.HELD));
                    } else {
                        repairs.add(new Repair(now + REPAIR_MILLIS, token, request.block()));
                    }
                }
                case CompletionStep.Tell _ -> {}
                case CompletionStep.Fetch _,
                        CompletionStep.Find _,
                        CompletionStep.SeeTo _,
                        CompletionStep.FindRegister _,
                        CompletionStep.Submit _ -> throw new AssertionError("there are small objects alone");
            }
        }
    }

    private boolean isGood(Complete request) {
        return good.contains(request.block());
    }

    private Reply reply(Query query) {
        return switch (query) {
            case Query.GetMap _ -> new Reply.Map(new ClusterMap(1, List.of(), List.of(VOLUME)));
            case Query.SessionChanges _ -> new Reply.SessionChanges(List.of(), 0, false);
            case Query.References after -> {
                List<Reply.Reference> page = references.stream()
                        .filter(reference -> reference.arrival() > after.after())
                        .limit(20)
                        .toList();
                long next = page.isEmpty() ? after.after() : page.getLast().arrival();
                yield new Reply.References(page, next, next < references.size(), references.size());
            }
            default -> throw new AssertionError(query.toString());
        };
    }

    @Test
    void aLostDiskIsRebuiltAtTheRateAndNoSlowerThanThat() {
        refer(OBJECTS, BLOCKS * BLOCK);
        long began = now;
        NodeCompletion completion = life(WorkThrottle.NEVER);
        run(completion, began + 30_000);
        assertThat(made).isBetween(290, 310);
        run(completion, began + 45_000);
        assertThat(disk).hasSize(ALL);
    }

    @Test
    void aNodeThatDiesOnTheWayMakesNothingTwice() {
        refer(OBJECTS, BLOCKS * BLOCK);
        long began = now;
        run(life(WorkThrottle.NEVER), began + 20_000);
        int before = made;
        assertThat(before).isBetween(190, 210);
        run(life(WorkThrottle.NEVER), began + 45_000);
        assertThat(disk).hasSize(ALL);
        assertThat(made).as("nothing is made twice").isEqualTo(ALL);
    }

    @Test
    void whatScrubbingMakesAgainIsMadeWithinTheSameRate() {
        refer(OBJECTS, BLOCKS * BLOCK);
        for (Reply.Reference reference : references.subList(0, OBJECTS / 2)) {
            for (int block = 0; block < BLOCKS; block++) {
                disk.add(new BlockId(1, OWNER, reference.inode(), block));
            }
        }
        // One half is damaged, and the other one missing; either has its own work under way.
        underWayMax = 2 * AT_ONCE;
        long began = now;
        run(life(WorkThrottle.perSecond(100_000)), began + 60_000);
        assertThat(good).hasSize(ALL);
    }

    /** By the length of its block each would count as many times its bytes. */
    @Test
    void smallObjectsTakeNoMoreThanTheirBytes() {
        int small = 64;
        refer(1_000, small);
        RebuildRate counted = RebuildRate.of(100L * small / M);
        CompletionPace pace = new CompletionPace(1_000, AT_ONCE, 100_000, 5_000);
        NodeCompletion completion =
                new NodeCompletion(0, pace, WorkThrottle.NEVER, WorkThrottle.NEVER, WorkThrottle.NEVER, counted);
        for (long end = now + 12_000; now < end; ) {
            now += TICK_MILLIS;
            while (!repairs.isEmpty()) {
                Repair over = repairs.removeFirst();
                made++;
                perform(completion, completion.onChecked(now, over.token(), CompletionResult.REPAIRED));
            }
            perform(completion, completion.onTick(now));
        }
        assertThat(made).isEqualTo(1_000);
    }

    @Test
    void aDebtIsPaidAndRestIsNotSaved() {
        RebuildRate rate = RebuildRate.of(1_000);
        assertThat(rate.open(5_000)).isTrue();
        rate.charge(5_000, 600);
        assertThat(rate.open(5_500)).isFalse();
        assertThat(rate.open(5_501)).isTrue();
        // However long nothing was taken.
        rate.charge(1_000_000, 150);
        assertThat(rate.open(1_000_050)).isFalse();
        assertThat(rate.open(1_000_051)).isTrue();
    }
}

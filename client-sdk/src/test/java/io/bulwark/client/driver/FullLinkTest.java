package io.bulwark.client.driver;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.extent.ExtentMessage;
import io.bulwark.protocol.extent.ExtentRead;
import io.bulwark.protocol.extent.ExtentTiming;
import io.bulwark.protocol.extent.ExtentWrite;
import io.bulwark.protocol.extent.ReadOutcome;
import io.bulwark.protocol.extent.WriteOutcome;
import io.bulwark.protocol.fingerprint.BlockCode;
import io.bulwark.protocol.fp.FpGroup;
import io.bulwark.protocol.fp.FpMessage;
import io.bulwark.protocol.fp.FpWrite;
import io.bulwark.protocol.fp.FpWriteOutcome;
import io.bulwark.protocol.fp.Version;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.kernel.Target;
import io.bulwark.protocol.kernel.Timeouts;
import io.bulwark.protocol.mac.PairwiseKeys;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;
import io.bulwark.transport.Delivery;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/**
 * One slow cable under a virtual clock, with its carried bytes counted. Many concurrent operations keep it busy for
 * much longer than they wait for an answer. Connections share it by turns, 16 KiB at a time, in each direction.
 */
@NullMarked
class FullLinkTest {
    private static final int BLOCK_BYTES = 256 << 10;
    private static final int FRAGMENT_BYTES = BLOCK_BYTES / 2;
    private static final int BLOCKS = 16;
    /** All blocks once are on the cable for 8 s. */
    private static final int BYTES_PER_MILLI = BLOCKS * BLOCK_BYTES / 8_000;

    private static final int PIECE_BYTES = 16 << 10;
    private static final long EPOCH = 1;
    private static final int NODES = 4;
    private static final List<Integer> HOLDERS = List.of(0, 1, 2, 3);
    private static final Volume VOLUME = volume(VolumeKind.OBJECT);
    private static final Volume DISK = volume(VolumeKind.REGISTER);
    private static final Bytes CONTENT = Bytes.of(new byte[BLOCK_BYTES]);
    private static final BlockCode.Encoded ENCODED = BlockCode.ofAll(2, NODES).encode(CONTENT);

    private final Cable out = new Cable();
    private final Cable in = new Cable();
    private final Map<Long, Running> running = new TreeMap<>();
    private final Set<Integer> silent = new TreeSet<>();
    private final Map<Integer, List<Long>> sentMillis = new TreeMap<>();
    private long nowMillis = 1_000;
    private long longestMillis;

    private static Volume volume(VolumeKind kind) {
        PlacementGroup group = new PlacementGroup(EPOCH, HOLDERS);
        long blocks = kind == VolumeKind.OBJECT ? 0 : BLOCKS;
        return new Volume(1, "v", kind, new ProtectionPolicy(1, 2, NODES, BLOCK_BYTES), blocks, List.of(group));
    }

    private record Running(ClientOperation<?> operation, InFlightRequests inFlight) {}

    /** One message on its way over the connection with a node. */
    private final class Frame implements Delivery {
        private final int node;
        private final long id;
        private final Message message;
        private int left;
        private boolean lost;

        Frame(int node, long id, Message message) {
            this.node = node;
            this.id = id;
            this.message = message;
            this.left = bytes(message);
        }

        @Override
        public boolean lost() {
            return lost;
        }

        @Override
        public boolean waiting() {
            return left > 0 && !lost;
        }

        @Override
        public long movedNanos() {
            return TimeUnit.MILLISECONDS.toNanos(Math.max(out.movedMillis[node], in.movedMillis[node]));
        }
    }

    /** One direction. */
    private final class Cable {
        final long[] movedMillis = new long[NODES];
        final List<Deque<Frame>> queues =
                HOLDERS.stream().<Deque<Frame>>map(_ -> new ArrayDeque<>()).toList();
        long carried;
        private int turn;
        private int room;

        boolean busy() {
            return queues.stream().anyMatch(queue -> !queue.isEmpty());
        }

        /** Returns the frames that arrive completely within one more millisecond. */
        List<Frame> carry() {
            List<Frame> arrived = new ArrayList<>();
            room = Math.min(room + BYTES_PER_MILLI, PIECE_BYTES + BYTES_PER_MILLI);
            for (int idle = 0; idle < NODES && room > 0; turn = (turn + 1) % NODES) {
                Frame next = queues.get(turn).peekFirst();
                if (next == null) {
                    idle++;
                    continue;
                }
                idle = 0;
                int piece = Math.min(next.left, PIECE_BYTES);
                next.left -= piece;
                room -= piece;
                carried += piece;
                movedMillis[turn] = nowMillis;
                if (next.left == 0) {
                    arrived.add(queues.get(turn).removeFirst());
                }
            }
            return arrived;
        }
    }

    private static int bytes(Message message) {
        return switch (message) {
            case ExtentMessage.Store store -> store.fragment().length();
            case ExtentMessage.StoreBlock store -> store.content().length();
            case ExtentMessage.Found found -> found.fragment().length();
            case FpMessage.PrepareFragment prepare -> prepare.fragment().length();
            case FpMessage.PrepareBlock prepare -> prepare.block().length();
            default -> 100;
        };
    }

    private void start(long id, ClientOperation<?> operation) {
        InFlightRequests inFlight = new InFlightRequests(operation, (to, under, message) -> {
            Frame frame = new Frame(to.number(), under, message);
            out.queues.get(to.number()).addLast(frame);
            sentMillis.computeIfAbsent(to.number(), _ -> new ArrayList<>()).add(nowMillis);
            return frame;
        });
        Running started = new Running(operation, inFlight);
        running.put(id, started);
        perform(started, id, operation.start(nowMillis));
    }

    private void perform(Running by, long id, List<Effect> effects) {
        for (Effect effect : effects) {
            if (effect instanceof Effect.Send send) {
                by.inFlight().send(nowMillis, id, send);
            }
        }
    }

    /** Runs until all operations have their outcomes, then until the cables have carried everything queued for them. */
    private void run() {
        long began = nowMillis;
        while (running.values().stream()
                .anyMatch(each -> each.operation().outcome().isEmpty())) {
            step();
            assertThat(nowMillis - began).as("still running").isLessThan(60_000);
        }
        longestMillis = nowMillis - began;
        while (out.busy() || in.busy()) {
            step();
        }
    }

    /** One millisecond. */
    private void step() {
        nowMillis++;
        for (Frame request : out.carry()) {
            if (!silent.contains(request.node)) {
                Message answer = answer(request.node, request.message);
                in.queues.get(request.node).addLast(new Frame(request.node, request.id, answer));
            }
        }
        for (Frame answer : in.carry()) {
            Running to = Objects.requireNonNull(running.get(answer.id));
            to.inFlight().answered(PrincipalId.node(answer.node));
            perform(to, answer.id, to.operation().onMessage(nowMillis, PrincipalId.node(answer.node), answer.message));
        }
        if (nowMillis % 40 == 0) {
            running.forEach((id, each) -> {
                each.inFlight().tell();
                perform(each, id, each.operation().onTick(nowMillis));
            });
        }
    }

    private static Message answer(int slot, Message request) {
        return switch (request) {
            case ExtentMessage.Store store -> new ExtentMessage.Acknowledged(store.block(), EPOCH);
            case ExtentMessage.StoreBlock store -> new ExtentMessage.Acknowledged(store.block(), EPOCH);
            case ExtentMessage.ReadPinned read ->
                read.wantFragment()
                        ? new ExtentMessage.Found(
                                read.block(),
                                EPOCH,
                                ENCODED.fpcc(),
                                ENCODED.fragments().get(slot),
                                true)
                        : new ExtentMessage.Holds(read.block(), EPOCH);
            case FpMessage.PrepareFragment prepare ->
                prepared(prepare.target(), prepare.fpcc().pin());
            case FpMessage.PrepareBlock prepare ->
                prepared(prepare.target(), prepare.fpcc().pin());
            case FpMessage.Commit commit ->
                new FpMessage.Committed(
                        commit.target(), new Version(commit.ts(), commit.fpcc().pin()));
            default -> throw new AssertionError("no answer to " + request);
        };
    }

    private static Message prepared(Target target, Bytes pin) {
        Bytes nonce = Bytes.of(new byte[PairwiseKeys.KEY_BYTES]);
        Bytes mac = Bytes.of(new byte[PairwiseKeys.MAC_BYTES]);
        return new FpMessage.Prepared(target, new Version(1, pin), nonce, Collections.nCopies(NODES, mac));
    }

    private static BlockId extent(long counter) {
        return new BlockId(1, PrincipalId.client(0), 1, counter);
    }

    private void writeAll() {
        for (long id = 1; id <= BLOCKS; id++) {
            start(id, new ExtentWrite(VOLUME, extent(id), CONTENT, ExtentTiming.standard()));
        }
        run();
        assertThat(running.values())
                .allSatisfy(each ->
                        assertThat(each.operation().outcome().orElseThrow()).isInstanceOf(WriteOutcome.Complete.class));
    }

    private void readAll() {
        for (long id = 1; id <= BLOCKS; id++) {
            start(id, new ExtentRead(VOLUME, extent(id), ENCODED.fpcc().pin(), Set.of(), ExtentTiming.standard()));
        }
        run();
        assertThat(running.values())
                .allSatisfy(each ->
                        assertThat(each.operation().outcome().orElseThrow()).isInstanceOf(ReadOutcome.Whole.class));
    }

    @Test
    void eachFragmentIsSentOnceHoweverLongTheCableIsBusy() {
        writeAll();
        assertThat(longestMillis).isGreaterThan(10_000);
        assertThat(out.carried).isEqualTo(4L * BLOCKS * FRAGMENT_BYTES);
    }

    @Test
    void eachFragmentIsReadOnceHoweverLateItComes() {
        readAll();
        assertThat(longestMillis).isGreaterThan(7_000);
        // two fragments, and the word of a third slot
        assertThat(in.carried).isEqualTo(BLOCKS * (2L * FRAGMENT_BYTES + 100));
    }

    @Test
    void whatIsWrittenToRegistersIsSentOnceToo() {
        for (long id = 1; id <= BLOCKS; id++) {
            start(id, new FpWrite(FpGroup.of(DISK, BlockId.register(1, id - 1)), 1, CONTENT, Timeouts.standard()));
        }
        run();
        assertThat(running.values())
                .allSatisfy(each -> assertThat(each.operation().outcome().orElseThrow())
                        .isInstanceOf(FpWriteOutcome.Written.class));
        assertThat(out.carried).isLessThan(4L * BLOCKS * FRAGMENT_BYTES);
    }

    @Test
    void aNodeThatTakesAllAndAnswersNothingIsNotWaitedFor() {
        silent.add(1);
        start(99, new ExtentWrite(VOLUME, extent(99), CONTENT, ExtentTiming.standard()));
        run();
        assertThat(longestMillis).isLessThan(2_700);
        running.clear();
        writeAll();
        // Each block has five fragments, and the silent peer gets one more copy.
        assertThat(out.carried).isLessThanOrEqualTo((BLOCKS + 1) * 5L * FRAGMENT_BYTES);
    }

    @Test
    void whatAConnectionTookWithItIsSentAgain() {
        start(1, new ExtentWrite(VOLUME, extent(1), CONTENT, ExtentTiming.standard()));
        out.queues.get(2).forEach(frame -> frame.lost = true);
        out.queues.get(2).clear();
        run();
        assertThat(out.carried).isEqualTo(3L * FRAGMENT_BYTES);
        for (long until = nowMillis + ExtentTiming.standard().retryMillis(); nowMillis < until; ) {
            // the next connection with that node moves
            in.movedMillis[2] = nowMillis;
            step();
        }
        assertThat(out.carried).isEqualTo(4L * FRAGMENT_BYTES);
    }

    /** As where a cable was cut: nothing moves, and nothing is lost yet. */
    @Test
    void whatStillWaitsHereIsNotSentAgain() {
        start(1, new ExtentWrite(VOLUME, extent(1), CONTENT, ExtentTiming.standard()));
        Frame waiting = out.queues.get(2).removeFirst();
        for (long until = nowMillis + 30_000; nowMillis < until; ) {
            step();
        }
        assertThat(waiting.waiting()).isTrue();
        assertThat(out.carried).isEqualTo(3L * FRAGMENT_BYTES);
    }

    /** Nodes drop requests under load, though the connection stands. */
    @Test
    void whatIsNotAnsweredForLongIsSentAgainLessAndLessOften() {
        silent.addAll(HOLDERS);
        start(1, new ExtentWrite(VOLUME, extent(1), CONTENT, ExtentTiming.standard()));
        long began = nowMillis;
        while (nowMillis < began + 59_000) {
            // something else is always under way
            HOLDERS.forEach(node -> in.movedMillis[node] = nowMillis);
            step();
        }
        List<Long> toFirst = Objects.requireNonNull(sentMillis.get(0));
        assertThat(toFirst).hasSize(4).first().isEqualTo(began);
        assertThat(toFirst.get(1) - began).isBetween(8_000L, 10_100L);
        assertThat(toFirst.get(2) - toFirst.get(1)).isBetween(16_000L, 18_100L);
    }
}

package io.bulwark.simulation;

import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.fp.FpReadOutcome;
import io.bulwark.protocol.fp.FpWriteOutcome;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;

/**
 * What correct clients did to registers, and whether it is linearizable. All values written are different, so the test of
 * Gibbons and Korach applies: the operations on one value span a zone; zones of values that certainly held at some time must
 * not overlap, nor enclose another value's.
 */
@NullMarked
final class RegisterHistory {
    private static final long NEVER = Long.MAX_VALUE;

    private static final class Op {
        final BlockId block;
        final boolean write;
        final long startMillis;

        @Nullable
        Bytes value;

        long endMillis = NEVER;

        Op(BlockId block, boolean write, long startMillis, @Nullable Bytes value) {
            this.block = block;
            this.write = write;
            this.startMillis = startMillis;
            this.value = value;
        }
    }

    private final List<Op> ops = new ArrayList<>();
    private int reads;
    private int writes;

    ClientOperation<FpWriteOutcome> write(BlockId block, Bytes value, ClientOperation<FpWriteOutcome> operation) {
        return new Recorded<>(operation, block, true, value, outcome -> {
            boolean written = outcome instanceof FpWriteOutcome.Written;
            writes += written ? 1 : 0;
            return written ? Optional.of(value) : Optional.empty();
        });
    }

    ClientOperation<FpReadOutcome> read(BlockId block, ClientOperation<FpReadOutcome> operation) {
        return new Recorded<>(operation, block, false, null, outcome -> {
            Optional<Bytes> value = switch (outcome) {
                case FpReadOutcome.Value found -> Optional.of(found.block());
                case FpReadOutcome.NeverWritten never -> Optional.of(never.block());
                case FpReadOutcome.Failed _ -> Optional.empty();
            };
            reads += value.isPresent() ? 1 : 0;
            return value;
        });
    }

    int completedReads() {
        return reads;
    }

    int completedWrites() {
        return writes;
    }

    /** Empty, or what is wrong. */
    Optional<String> violation(int blockBytes) {
        Map<BlockId, Map<Bytes, List<Op>>> clusters = new HashMap<>();
        for (Op op : ops) {
            Bytes value = op.value;
            if (value != null) {
                clusters.computeIfAbsent(op.block, _ -> new HashMap<>())
                        .computeIfAbsent(value, _ -> new ArrayList<>())
                        .add(op);
            }
        }
        Bytes zeros = Bytes.of(new byte[blockBytes]);
        return clusters.entrySet().stream()
                .map(entry -> violation(entry.getKey(), zeros, entry.getValue()))
                .flatMap(Optional::stream)
                .findFirst();
    }

    private record Zone(String name, long firstEnd, long lastStart) {
        boolean forward() {
            return firstEnd < lastStart;
        }
    }

    private static Optional<String> violation(BlockId block, Bytes zeros, Map<Bytes, List<Op>> clusters) {
        List<Zone> zones = new ArrayList<>();
        // The initial value was written before everything.
        clusters.computeIfAbsent(zeros, _ -> new ArrayList<>());
        for (Map.Entry<Bytes, List<Op>> cluster : clusters.entrySet()) {
            List<Op> all = cluster.getValue();
            boolean initial = cluster.getKey().equals(zeros);
            // A value that no correct client wrote is a faulty client's, invoked at the beginning of time.
            long invoked = all.stream()
                    .filter(op -> op.write)
                    .mapToLong(op -> op.startMillis)
                    .findFirst()
                    .orElse(-1);
            long firstEnd = initial
                    ? -1
                    : all.stream().mapToLong(op -> op.endMillis).min().orElse(NEVER);
            long lastStart = all.stream().mapToLong(op -> op.startMillis).max().orElse(-2);
            if (all.stream().anyMatch(op -> !op.write && op.endMillis < invoked)) {
                return Optional.of(block + ": " + cluster.getKey() + " was read before it was written");
            }
            zones.add(new Zone(cluster.getKey().toHex(), firstEnd, Math.max(lastStart, invoked)));
        }
        for (Zone a : zones) {
            for (Zone b : zones) {
                if (a.name().equals(b.name()) || !a.forward()) {
                    continue;
                }
                boolean overlap = b.forward() && a.firstEnd() < b.lastStart() && b.firstEnd() < a.lastStart();
                boolean enclosed = !b.forward() && a.firstEnd() < b.lastStart() && b.firstEnd() < a.lastStart();
                if (overlap || enclosed) {
                    return Optional.of(block + ": not linearizable: " + a + " and " + b);
                }
            }
        }
        return Optional.empty();
    }

    private final class Recorded<R> implements ClientOperation<R> {
        private final ClientOperation<R> operation;
        private final BlockId block;
        private final boolean write;
        private final @Nullable Bytes value;
        private final Function<R, Optional<Bytes>> valueOf;
        private @Nullable Op op;

        Recorded(
                ClientOperation<R> operation,
                BlockId block,
                boolean write,
                @Nullable Bytes value,
                Function<R, Optional<Bytes>> valueOf) {
            this.operation = operation;
            this.block = block;
            this.write = write;
            this.value = value;
            this.valueOf = valueOf;
        }

        @Override
        public List<Effect> start(long nowMillis) {
            Op started = new Op(block, write, nowMillis, value);
            op = started;
            ops.add(started);
            return after(nowMillis, operation.start(nowMillis));
        }

        @Override
        public List<Effect> onMessage(long nowMillis, PrincipalId from, Message message) {
            return after(nowMillis, operation.onMessage(nowMillis, from, message));
        }

        @Override
        public List<Effect> onTick(long nowMillis) {
            return after(nowMillis, operation.onTick(nowMillis));
        }

        private List<Effect> after(long nowMillis, List<Effect> effects) {
            Op running = op;
            if (running != null && operation.outcome().isPresent()) {
                op = null;
                valueOf.apply(operation.outcome().get()).ifPresent(result -> {
                    running.value = result;
                    running.endMillis = nowMillis;
                });
            }
            return effects;
        }

        @Override
        public Optional<R> outcome() {
            return operation.outcome();
        }

        @Override
        public boolean finished() {
            return operation.finished();
        }
    }
}

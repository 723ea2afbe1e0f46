package io.bulwark.client.object;

import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.extent.ReadOutcome;
import io.bulwark.protocol.extent.WriteOutcome;
import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.wire.Bytes;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Write-once extents in memory, with a pin of the content; answers after a moment on another thread. */
final class MemoryExtents implements ExtentAccess {
    final Map<BlockId, Bytes> stored = new ConcurrentHashMap<>();
    final Set<BlockId> read = ConcurrentHashMap.newKeySet();
    final AtomicLong bytesUnderWay = new AtomicLong();
    final AtomicLong bytesUnderWayMax = new AtomicLong();
    final AtomicLong blocksUnderWay = new AtomicLong();
    final AtomicLong blocksUnderWayMax = new AtomicLong();
    volatile Function<BlockId, @Nullable WriteOutcome> writeFailure = _ -> null;
    volatile Function<BlockId, @Nullable ReadOutcome> readFailure = _ -> null;

    @Override
    public CompletableFuture<WriteOutcome> write(Volume volume, BlockId block, Bytes content) {
        Bytes copy = Bytes.of(content.toByteArray());
        return answer(content.length(), () -> {
            WriteOutcome planned = writeFailure.apply(block);
            if (planned != null) {
                return planned;
            }
            return stored.putIfAbsent(block, copy) == null
                    ? new WriteOutcome.Complete(Hashes.sha256(copy), 1)
                    : new WriteOutcome.Unavailable(Map.of(0, "written twice"));
        });
    }

    @Override
    public CompletableFuture<ReadOutcome> read(Volume volume, BlockId block, Bytes pin, int length) {
        read.add(block);
        return answer(length, () -> {
            ReadOutcome planned = readFailure.apply(block);
            if (planned != null) {
                return planned;
            }
            Bytes content = stored.get(block);
            if (content == null || !Hashes.sha256(content).equals(pin)) {
                return new ReadOutcome.Incomplete();
            }
            int padded = volume.policy().m() * volume.policy().fragmentBytes(content.length());
            return new ReadOutcome.Whole(Bytes.of(Arrays.copyOf(content.toByteArray(), padded)));
        });
    }

    private <T> CompletableFuture<T> answer(int bytes, Supplier<T> answer) {
        bytesUnderWayMax.accumulateAndGet(bytesUnderWay.addAndGet(bytes), Math::max);
        blocksUnderWayMax.accumulateAndGet(blocksUnderWay.incrementAndGet(), Math::max);
        return CompletableFuture.supplyAsync(() -> {
            try {
                return answer.get();
            } finally {
                bytesUnderWay.addAndGet(-bytes);
                blocksUnderWay.decrementAndGet();
            }
        });
    }
}

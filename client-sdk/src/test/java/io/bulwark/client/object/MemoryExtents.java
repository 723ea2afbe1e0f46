package io.bulwark.client.object;

import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.wire.Bytes;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Write-once extents in memory, with a pin of the content; answers after a moment on another thread. */
final class MemoryExtents implements ExtentAccess {
    final Map<BlockId, Bytes> stored = new ConcurrentHashMap<>();
    final Set<BlockId> read = ConcurrentHashMap.newKeySet();
    final AtomicLong bytesUnderWay = new AtomicLong();
    final AtomicLong bytesUnderWayMax = new AtomicLong();
    final AtomicLong blocksUnderWay = new AtomicLong();
    final AtomicLong blocksUnderWayMax = new AtomicLong();
    volatile Function<BlockId, @Nullable ExtentFailure> failure = _ -> null;

    @Override
    public CompletableFuture<Bytes> write(Volume volume, BlockId block, Bytes content) {
        Bytes copy = Bytes.of(content.toByteArray());
        return answer(content.length(), () -> {
            fail(block);
            if (stored.putIfAbsent(block, copy) != null) {
                throw new ExtentFailure(ExtentFailure.Reason.UNAVAILABLE, block, "written twice");
            }
            return Hashes.sha256(copy);
        });
    }

    @Override
    public CompletableFuture<Bytes> read(Volume volume, BlockId block, Bytes pin, int length) {
        read.add(block);
        return answer(length, () -> {
            fail(block);
            Bytes content = stored.get(block);
            if (content == null || !Hashes.sha256(content).equals(pin) || content.length() != length) {
                throw new ExtentFailure(ExtentFailure.Reason.INCOMPLETE, block, "another version");
            }
            return content;
        });
    }

    private void fail(BlockId block) {
        ExtentFailure planned = failure.apply(block);
        if (planned != null) {
            throw planned;
        }
    }

    private CompletableFuture<Bytes> answer(int bytes, java.util.function.Supplier<Bytes> answer) {
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

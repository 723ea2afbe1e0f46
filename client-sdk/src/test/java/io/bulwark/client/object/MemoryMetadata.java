package io.bulwark.client.object;

import io.bulwark.protocol.id.BlockRange;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.metadata.MetadataError;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.object.Inode;
import io.bulwark.protocol.object.ObjectLayout;
import io.bulwark.protocol.object.ObjectLock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Remembers what was put and which ranges were registered and abandoned; checks that no range is used twice. */
final class MemoryMetadata implements Metadata {
    final Map<String, Inode> objects = new ConcurrentHashMap<>();
    final List<BlockRange> registered = new CopyOnWriteArrayList<>();
    final List<BlockRange> abandoned = new CopyOnWriteArrayList<>();
    final AtomicLong sessions = new AtomicLong();
    volatile @Nullable MetadataError refusal;
    volatile long ttlMillis = 60_000;
    /** The session of this number, and those before it, are closed. */
    volatile long closed;

    private final List<BlockRange> used = new ArrayList<>();
    private long inodes;

    @Override
    public CompletableFuture<Reply> query(Query query) {
        Reply reply = switch (query) {
            case Query.FindInode find ->
                objects.values().stream().anyMatch(inode -> inode.id() == find.inode())
                        ? new Reply.InodeFound(true, true, true)
                        : Reply.InodeFound.GONE;
            default -> throw new IllegalArgumentException(query.toString());
        };
        return CompletableFuture.completedFuture(reply);
    }

    @Override
    public CompletableFuture<Session> open(int volume) {
        long number = sessions.incrementAndGet();
        return CompletableFuture.completedFuture(new Session() {
            @Override
            public long number() {
                return number;
            }

            @Override
            public long ttlMillis() {
                return ttlMillis;
            }

            @Override
            public CompletableFuture<Reply> submit(Command command, Optional<PrincipalId> onBehalfOf) {
                return CompletableFuture.completedFuture(
                        number <= closed
                                ? new Reply.Failed(MetadataError.SESSION_CLOSED, "as planned")
                                : execute(command));
            }
        });
    }

    private synchronized Reply execute(Command command) {
        return switch (command) {
            case Command.PutObject put -> {
                MetadataError planned = refusal;
                if (planned != null) {
                    yield new Reply.Failed(planned, "as planned");
                }
                for (BlockRange range : put.content().ranges()) {
                    if (used.stream().anyMatch(other -> overlap(range, other))) {
                        yield new Reply.Failed(MetadataError.RANGE_USED, range.toString());
                    }
                    used.add(range);
                }
                Inode inode = new Inode(++inodes, put.content(), 0);
                objects.put(put.key(), inode);
                yield new Reply.ObjectStored(inode.id(), inode.id(), 0, true, ObjectLock.NONE);
            }
            case Command.RegisterPending pending -> {
                registered.addAll(pending.ranges());
                yield new Reply.PendingRegistered(registered.size());
            }
            case Command.AbandonRanges abandon -> {
                abandoned.addAll(abandon.ranges());
                yield new Reply.Done();
            }
            default -> new Reply.Done();
        };
    }

    ObjectLayout layout(String key) {
        return (ObjectLayout) inode(key).content();
    }

    Inode inode(String key) {
        return Optional.ofNullable(objects.get(key)).orElseThrow();
    }

    private static boolean overlap(BlockRange one, BlockRange other) {
        return one.session() == other.session()
                && one.first() < other.first() + other.count()
                && other.first() < one.first() + one.count();
    }
}

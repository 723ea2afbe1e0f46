package io.bulwark.client;

import io.bulwark.client.error.Subject;
import io.bulwark.protocol.locking.Subtree;
import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.metadata.Reply;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The lock table in the replicated metadata. */
final class ReplicatedLocks implements Locks {
    private final BulwarkClient client;

    ReplicatedLocks(BulwarkClient client) {
        this.client = client;
    }

    @Override
    public List<LockInfo> list() {
        return Listing.pages(Optional.<Subtree>empty(), after -> {
                    Reply.LockList page = client.query(
                            Reply.LockList.class,
                            new Query.ListLocks(after, Query.PAGE_MAX),
                            Subject.NONE,
                            BulwarkClient.noDeadline());
                    List<LockInfo> locks = page.locks().stream()
                            .map(lock -> new LockInfo(
                                    lock.subtree().bucket(),
                                    lock.subtree().prefix(),
                                    lock.log().holder(),
                                    lock.log().session(),
                                    Duration.ofMillis(lock.ageMillis()),
                                    lock.reason()))
                            .toList();
                    Optional<Subtree> last = locks.isEmpty()
                            ? Optional.empty()
                            : Optional.of(page.locks().getLast().subtree());
                    return new Listing.Page<>(locks, page.more() ? last : null);
                })
                .toList();
    }

    @Override
    public LockUse use() {
        return client.lockUse();
    }

    @Override
    public void release(String bucket, String prefix) {
        client.execute(
                Reply.Done.class, new Command.OpenRound(new Subtree(bucket, prefix)), Subject.key(bucket, prefix));
    }
}

package io.bulwark.storage.completion;

import io.bulwark.client.object.Metadata;
import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.effect.Loaded;
import io.bulwark.protocol.effect.RecordKind;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.metadata.SessionChange;
import io.bulwark.storage.node.NodeAccess;
import java.util.List;
import java.util.concurrent.ExecutionException;

/** Tells the node's servers what has changed of sessions and freed ranges, in the order of the changes. */
final class FactFeed {
    private final Metadata metadata;
    private final NodeAccess node;
    private long sequence;

    FactFeed(Metadata metadata, NodeAccess node, long sequence) {
        this.metadata = metadata;
        this.node = node;
        this.sequence = sequence;
    }

    /** All changes up to this one were told; a server may still be making the last of them durable. */
    long sequence() {
        return sequence;
    }

    void poll(List<Volume> volumes) throws InterruptedException, ExecutionException {
        while (true) {
            Reply reply = metadata.query(new Query.SessionChanges(sequence, Query.PAGE_MAX))
                    .get();
            if (!(reply instanceof Reply.SessionChanges page)) {
                throw new IllegalStateException("the replicas answer " + reply);
            }
            for (SessionChange change : page.changes()) {
                tell(change, volumes);
            }
            sequence = Math.max(sequence, page.next());
            if (!page.more()) {
                return;
            }
        }
    }

    private void tell(SessionChange change, List<Volume> volumes) throws InterruptedException, ExecutionException {
        switch (change) {
            case SessionChange.Opened _ -> {}
            case SessionChange.Closed closed ->
                node.tell(new Fact.ClosedWith(closed.volume(), closed.owner(), closed.session(), closed.used()));
            case SessionChange.Freed freed -> node.tell(new Fact.Freed(freed.range()));
            case SessionChange.Collapsed collapsed -> {
                for (Volume volume : volumes) {
                    if (volume.kind() == VolumeKind.OBJECT) {
                        dropSessions(volume.id(), collapsed);
                    }
                }
            }
        }
    }

    /** Only those sessions are worth a word of which something is left here. */
    private void dropSessions(int volume, SessionChange.Collapsed collapsed)
            throws InterruptedException, ExecutionException {
        BlockId last = new BlockId(volume, collapsed.owner(), collapsed.lastSession(), Long.MAX_VALUE);
        long session = collapsed.firstSession();
        while (session <= collapsed.lastSession()) {
            BlockId from = new BlockId(volume, collapsed.owner(), session, 0);
            Loaded.Metas found = node.store()
                    .scan(RecordKind.EXTENT, from, last, 1, _ -> true)
                    .get();
            if (found.records().isEmpty()) {
                return;
            }
            session = found.records().getFirst().key().block().session();
            node.tell(new Fact.ClosedWith(volume, collapsed.owner(), session, List.of()));
            session++;
        }
    }
}

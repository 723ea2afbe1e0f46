package io.bulwark.client;

import io.bulwark.client.error.BulwarkException;
import io.bulwark.client.error.InvalidRequestException;
import io.bulwark.client.error.NoSuchKeyException;
import io.bulwark.client.error.Subject;
import io.bulwark.client.error.UnavailableException;
import io.bulwark.client.object.Deadline;
import io.bulwark.client.object.ObjectReader;
import io.bulwark.client.object.ObjectWriter;
import io.bulwark.client.object.RetryableException;
import io.bulwark.protocol.bucket.ObjectPut;
import io.bulwark.protocol.bucket.ObjectVersion;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.id.BlockRange;
import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.object.Inode;
import io.bulwark.protocol.object.ObjectLayout;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.List;

/**
 * Rewrites what stands under older policies of a volume: each inode gets extents of the newest generation in one command,
 * and keeps all that links to it. It may be ended at any time; another one goes on with what is left.
 */
final class VolumeRefill {
    /** Number of failures in a row after which the nodes or replicas count as away. */
    private static final int FAILURES_IN_A_ROW = 8;

    private final BulwarkClient client;
    private final Subject subject;
    private final ProgressListener progress;
    private final List<String> failures = new ArrayList<>();
    private Volume volume;
    private int inARow;
    private long refilled;
    private long doneBytes;

    VolumeRefill(BulwarkClient client, String name, ProgressListener progress) {
        this.client = client;
        this.subject = Subject.volume(name);
        this.progress = progress;
        client.view().refresh(BulwarkClient.noDeadline());
        this.volume = client.view().volume(name, BulwarkClient.noDeadline());
        if (volume.kind() == VolumeKind.REGISTER) {
            throw new InvalidRequestException(
                    "blocks of a register volume come under the newest policy as they are written; for the others stop"
                            + " its writers, and write what `bulwark volume read` returns",
                    subject);
        }
    }

    /** Goes once through all that is referenced now: what comes later is of the newest generation. */
    RefillResult run() {
        long totalBytes = left() * volume.policy().blockBytes();
        long cursor = 0;
        long end = Long.MAX_VALUE;
        boolean more = totalBytes > 0;
        while (more) {
            Reply.References page = client.query(
                    Reply.References.class,
                    new Query.References(volume.id(), cursor, Query.PAGE_MAX),
                    subject,
                    BulwarkClient.noDeadline());
            end = Math.min(end, page.last());
            for (Reply.Reference reference : page.references()) {
                if (reference.layout().isPresent() && reference.arrival() <= end) {
                    refill(reference.inode(), reference.layout().get());
                    progress.onProgress(Math.min(doneBytes, totalBytes), totalBytes);
                }
            }
            cursor = page.next();
            more = page.more() && cursor < end;
        }
        return new RefillResult(refilled, failures, left());
    }

    private long left() {
        return client
                .query(Reply.Status.class, new Query.GetStatus(), subject, BulwarkClient.noDeadline())
                .older()
                .stream()
                .filter(each -> each.volume() == volume.id())
                .mapToLong(Reply.OlderExtents::extents)
                .sum();
    }

    private void refill(long inode, ObjectLayout layout) {
        long older = layout.ranges().stream()
                .filter(range -> range.generation() < volume.generation())
                .mapToLong(BlockRange::count)
                .sum();
        if (older == 0) {
            return;
        }
        try {
            if (isLinked(inode, layout)) {
                rewrite(inode, layout);
                refilled++;
            }
            inARow = 0;
        } catch (NoSuchKeyException e) {
            // It was deleted meanwhile.
            inARow = 0;
        } catch (BulwarkException e) {
            failures.add("inode " + inode + ": " + e.getMessage());
            if (++inARow == FAILURES_IN_A_ROW) {
                throw e;
            }
        }
        doneBytes += older * layout.blockBytes();
    }

    private boolean isLinked(long inode, ObjectLayout layout) {
        return client.query(
                        Reply.InodeFound.class,
                        new Query.FindInode(inode, layout.block(0)),
                        subject,
                        BulwarkClient.noDeadline())
                .linked();
    }

    private void rewrite(long inode, ObjectLayout layout) {
        Deadline deadline = BulwarkClient.noDeadline();
        for (int attempt = 1; ; attempt++) {
            try {
                copy(inode, layout, deadline);
                return;
            } catch (RetryableException e) {
                client.view().refresh(deadline);
                volume = client.view().volume(volume.id(), subject, deadline);
                if (attempt == ObjectPut.ATTEMPTS_MAX) {
                    throw new UnavailableException(
                            "the session or a placement group changed during the write; refill again", subject, e);
                }
            }
        }
    }

    private void copy(long inode, ObjectLayout layout, Deadline deadline) {
        ObjectVersion old = new ObjectVersion("", "", 0, new Inode(inode, layout, 0));
        ObjectWriter.Target target = new ObjectWriter.Target(
                subject, false, (content, epochs, pending) -> new Command.RefillInode(inode, content, epochs, pending));
        try (ObjectReader reader =
                new ObjectReader(client.store(), volume, old, subject, 0, layout.length(), deadline)) {
            ObjectWriter writer =
                    new ObjectWriter(client.store(), volume, target, layout.length(), deadline, ignored -> {});
            try {
                for (Bytes part = reader.next(); !part.isEmpty(); part = reader.next()) {
                    writer.write(part.array(), part.offset(), part.length());
                }
                writer.finish();
            } finally {
                writer.abort();
            }
        }
    }
}

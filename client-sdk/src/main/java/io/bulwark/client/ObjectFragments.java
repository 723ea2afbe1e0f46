package io.bulwark.client;

import io.bulwark.client.error.IncompleteObjectException;
import io.bulwark.client.error.InvalidRequestException;
import io.bulwark.client.error.Subject;
import io.bulwark.client.error.UnavailableException;
import io.bulwark.client.object.Deadline;
import io.bulwark.protocol.bucket.ObjectGet;
import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.extent.FragmentSurvey;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.object.Inode;
import io.bulwark.protocol.object.ObjectLayout;
import io.bulwark.protocol.object.PinLists;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** A look at the fragments of some extents of one version of an object, a few extents at a time. */
final class ObjectFragments {
    /** Extents under survey at a time: each brings the fragments of all its slots. */
    private static final int AT_ONCE = 4;

    private final BulwarkClient client;
    private final Subject subject;
    private final ObjectLayout layout;
    private final PinLists pins;
    private final Deadline deadline;

    ObjectFragments(BulwarkClient client, Inode inode, Subject subject, Deadline deadline) {
        this.client = client;
        this.subject = subject;
        this.layout = inode.layout();
        this.pins = new PinLists(layout);
        this.deadline = deadline;
    }

    /** An extent whose survey runs. */
    private record Pending(long extent, Volume volume, CompletableFuture<FragmentSurvey.Result> survey) {}

    /** Looks at up to {@code count} extents from {@code first} on. */
    FragmentMap map(ObjectInfo object, long first, int count) {
        if (first < 0 || count < 1 || count > FragmentMap.EXTENTS_MAX) {
            throw new InvalidRequestException(
                    count + " extents from " + first + " on: ask for 1 to " + FragmentMap.EXTENTS_MAX
                            + ", from 0 or later",
                    subject);
        }
        Volume volume = client.view().volume(layout.volume(), subject, deadline);
        long total = layout.extents();
        long end = Math.min(total, first > total ? total : first + count);
        List<FragmentMap.Extent> extents = new ArrayList<>();
        Deque<Pending> running = new ArrayDeque<>();
        for (long extent = first; extent < end; extent++) {
            if (running.size() == AT_ONCE) {
                extents.add(finish(running.removeFirst()));
            }
            running.addLast(start(extent, volume));
        }
        while (!running.isEmpty()) {
            extents.add(finish(running.removeFirst()));
        }
        return new FragmentMap(object, volume.name(), volume.policy(), total, extents);
    }

    private Pending start(long extent, Volume volume) {
        BlockId block = layout.block(extent);
        Bytes pin = pin(extent, volume);
        Set<Integer> absent = new HashSet<>();
        PlacementGroup group = volume.group(block);
        for (int slot = 0; slot < group.holders().size(); slot++) {
            if (client.isDisconnected(PrincipalId.node(group.holders().get(slot)))) {
                absent.add(slot);
            }
        }
        long held = (long) volume.policy().n() * volume.policy().fragmentBytes(layout.lengthOf(extent));
        return new Pending(
                extent,
                volume,
                client.driver()
                        .submit(
                                new FragmentSurvey(volume, block, pin, absent, FragmentSurvey.Timing.standard()),
                                held));
    }

    /** Where f+1 nodes name a later epoch, the map is fetched and the nodes are asked once more. */
    private FragmentMap.Extent finish(Pending pending) {
        FragmentSurvey.Result result = deadline.await(pending.survey, subject);
        Volume volume = pending.volume;
        if (result.laterEpoch() > 0) {
            client.view().refresh(deadline);
            volume = client.view().volume(layout.volume(), subject, deadline);
            result = deadline.await(start(pending.extent, volume).survey, subject);
        }
        BlockId block = layout.block(pending.extent);
        return new FragmentMap.Extent(
                pending.extent,
                layout.levelOf(pending.extent),
                layout.lengthOf(pending.extent),
                block.toString(),
                volume.groupIndex(block),
                volume.group(block).epoch(),
                result.version(),
                result.slots());
    }

    /** The pin of an extent, which may stand in pin lists that have to be read first. */
    private Bytes pin(long extent, Volume volume) {
        for (OptionalLong missing = pins.missing(extent); missing.isPresent(); missing = pins.missing(extent)) {
            long list = missing.getAsLong();
            int length = layout.lengthOf(list);
            Bytes content = ObjectGet.content(
                            volume,
                            deadline.await(
                                    client.salvageStore()
                                            .extents()
                                            .read(
                                                    volume,
                                                    layout.block(list),
                                                    pins.pin(list).orElseThrow(),
                                                    length),
                                    subject),
                            length)
                    .orElseThrow(() -> new UnavailableException(
                            "the list that names the fragments of extent " + extent + " cannot be read", subject));
            try {
                pins.loaded(list, content);
            } catch (MalformedException e) {
                throw new IncompleteObjectException(
                        "a pin list is invalid: its writer lied: " + e.getMessage(), subject);
            }
        }
        return pins.pin(extent).orElseThrow();
    }

    static FragmentMap of(BulwarkClient client, Reply.ObjectFound found, ObjectInfo object, long first, int count) {
        Subject subject = Subject.key(object.bucket(), object.key());
        return new ObjectFragments(client, found.inode(), subject, BulwarkClient.noDeadline())
                .map(object, first, count);
    }
}

package io.bulwark.client;

import io.bulwark.client.error.IncompleteObjectException;
import io.bulwark.client.error.InvalidRequestException;
import io.bulwark.client.error.Subject;
import io.bulwark.client.error.UnavailableException;
import io.bulwark.client.object.Deadline;
import io.bulwark.protocol.bucket.ObjectGet;
import io.bulwark.protocol.bucket.ObjectVersion;
import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.extent.FragmentSurvey;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.object.Composition;
import io.bulwark.protocol.object.InlineContent;
import io.bulwark.protocol.object.ObjectLayout;
import io.bulwark.protocol.object.PinLists;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * A look at the fragments of some extents of one version of an object, a few extents at a time. Those of a composition are
 * the extents of the inodes that it slices, each inode once, in the order of the slices; extents without a byte of the
 * composition are left out.
 */
final class ObjectFragments {
    /** Extents under survey at a time: each brings the fragments of all its slots. */
    private static final int AT_ONCE = 4;

    private final BulwarkClient client;
    private final ObjectVersion object;
    private final Subject subject;
    private final Deadline deadline;

    ObjectFragments(BulwarkClient client, ObjectVersion object, Deadline deadline) {
        this.client = client;
        this.object = object;
        this.subject = Subject.key(object.bucket(), object.key());
        this.deadline = deadline;
    }

    /**
     * Extents of one inode.
     *
     * @param first number of the first of them within the object
     */
    private record Piece(long first, ObjectLayout layout, PinLists pins) {
        private Piece(long first, ObjectLayout layout) {
            this(first, layout, new PinLists(layout));
        }

        private long end() {
            return first + layout.extents();
        }
    }

    /**
     * The pieces with some extent that is wanted.
     *
     * @param total number of all extents
     */
    private record Pieces(List<Piece> wanted, long total) {}

    /** An extent whose survey runs. */
    private record Pending(Piece piece, long extent, Volume volume, CompletableFuture<FragmentSurvey.Result> survey) {}

    /** Looks at up to {@code count} extents from {@code first} on. */
    FragmentMap map(ObjectInfo info, long first, int count) {
        if (first < 0 || count < 1 || count > FragmentMap.EXTENTS_MAX) {
            throw new InvalidRequestException(
                    count + " extents from " + first + " on: ask for 1 to " + FragmentMap.EXTENTS_MAX
                            + ", from 0 or later",
                    subject);
        }
        // The object may stand in groups that were made since this client saw the map.
        client.view().refresh(deadline);
        Volume volume = client.view().volume(object.inode().content().volume(), subject, deadline);
        long end = first > Long.MAX_VALUE - count ? Long.MAX_VALUE : first + count;
        Pieces pieces = pieces(first, end);
        List<FragmentMap.Extent> extents = new ArrayList<>();
        Deque<Pending> running = new ArrayDeque<>();
        for (Piece piece : pieces.wanted) {
            for (long extent = Math.max(first, piece.first); extent < Math.min(end, piece.end()); extent++) {
                if (!piece.layout.leadsTo(extent - piece.first)) {
                    // Nothing of it belongs to the composition.
                    continue;
                }
                if (running.size() == AT_ONCE) {
                    extents.add(finish(running.removeFirst()));
                }
                running.addLast(start(piece, extent - piece.first, volume));
            }
        }
        while (!running.isEmpty()) {
            extents.add(finish(running.removeFirst()));
        }
        return new FragmentMap(info, volume.name(), volume.policy(), pieces.total, extents);
    }

    private Pieces pieces(long first, long end) {
        return switch (object.inode().content()) {
            case InlineContent ignored -> new Pieces(List.of(), 0);
            case ObjectLayout layout -> {
                Piece all = new Piece(0, layout);
                yield new Pieces(List.of(all), all.end());
            }
            case Composition composition -> sliced(composition, first, end);
        };
    }

    private Pieces sliced(Composition composition, long first, long end) {
        Map<Long, ObjectLayout> sliced = new LinkedHashMap<>();
        for (long known = 0; known < composition.length(); ) {
            Reply.SliceList page = client.query(
                    Reply.SliceList.class,
                    new Query.FindSlices(object.bucket(), object.key(), object.version(), known, Query.PAGE_MAX),
                    subject,
                    deadline);
            for (Reply.SliceEntry entry : page.slices()) {
                if (entry.content() instanceof ObjectLayout layout) {
                    sliced.merge(entry.slice().inode(), layout, ObjectLayout::merged);
                }
            }
            long reached = page.slices().isEmpty()
                    ? known
                    : page.slices().getLast().start()
                            + page.slices().getLast().slice().length();
            if (reached <= known) {
                throw new UnavailableException("the replicas name no slice at byte " + known, subject);
            }
            known = reached;
        }
        List<Piece> wanted = new ArrayList<>();
        long total = 0;
        for (ObjectLayout layout : sliced.values()) {
            Piece piece = new Piece(total, layout);
            total = piece.end();
            if (piece.first < end && piece.end() > first) {
                wanted.add(piece);
            }
        }
        return new Pieces(wanted, total);
    }

    private Pending start(Piece piece, long extent, Volume volume) {
        BlockId block = piece.layout.block(extent);
        Bytes pin = pin(piece, extent, volume);
        Set<Integer> absent = new HashSet<>();
        PlacementGroup group = volume.group(block);
        for (int slot = 0; slot < group.holders().size(); slot++) {
            if (client.isDisconnected(PrincipalId.node(group.holders().get(slot)))) {
                absent.add(slot);
            }
        }
        ProtectionPolicy policy = volume.policyOf(block);
        long held = (long) policy.n() * policy.fragmentBytes(piece.layout.lengthOf(extent));
        return new Pending(
                piece,
                extent,
                volume,
                client.driver()
                        .submit(
                                new FragmentSurvey(volume, block, pin, absent, FragmentSurvey.Timing.standard()),
                                held));
    }

    /** Fetches the map and asks the nodes once more if f+1 nodes name a later epoch. */
    private FragmentMap.Extent finish(Pending pending) {
        FragmentSurvey.Result result = deadline.await(pending.survey, subject);
        Volume volume = pending.volume;
        if (result.laterEpoch() > 0) {
            client.view().refresh(deadline);
            volume = client.view().volume(volume.id(), subject, deadline);
            result = deadline.await(start(pending.piece, pending.extent, volume).survey, subject);
        }
        ObjectLayout layout = pending.piece.layout;
        BlockId block = layout.block(pending.extent);
        return new FragmentMap.Extent(
                pending.piece.first + pending.extent,
                layout.levelOf(pending.extent),
                layout.lengthOf(pending.extent),
                block.toString(),
                volume.groupIndex(block),
                volume.group(block).epoch(),
                result.version(),
                result.slots());
    }

    /** The pin of an extent, which may stand in pin lists that have to be read first. */
    private Bytes pin(Piece piece, long extent, Volume volume) {
        PinLists pins = piece.pins;
        ObjectLayout layout = piece.layout;
        for (OptionalLong missing = pins.missing(extent); missing.isPresent(); missing = pins.missing(extent)) {
            long list = missing.getAsLong();
            int length = layout.lengthOf(list);
            Bytes content = ObjectGet.content(
                            volume,
                            layout.block(list),
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

    static FragmentMap of(BulwarkClient client, Reply.ObjectFound found, ObjectInfo info, long first, int count) {
        ObjectVersion object = ObjectVersion.of(info.bucket(), info.key(), found);
        return new ObjectFragments(client, object, BulwarkClient.noDeadline()).map(info, first, count);
    }
}

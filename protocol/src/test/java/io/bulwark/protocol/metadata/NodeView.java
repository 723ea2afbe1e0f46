package io.bulwark.protocol.metadata;

import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.BlockRange;
import io.bulwark.protocol.id.PrincipalId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.NullMarked;

/** Conclusions of a storage node from the changes that it fetches with a cursor: which blocks are dead for good. */
@NullMarked
final class NodeView {
    private long cursor;
    private final List<BlockRange> freed = new ArrayList<>();
    private final Map<PrincipalId, Map<Long, List<BlockRange>>> closed = new TreeMap<>();
    private final Map<PrincipalId, List<SessionChange.Collapsed>> collapsed = new TreeMap<>();

    void catchUp(MetadataStateMachine machine, int limit) {
        boolean more = true;
        while (more) {
            Reply.SessionChanges page = (Reply.SessionChanges)
                    Reply.decode(machine.query(PrincipalId.node(1), new Query.SessionChanges(cursor, limit).encoded()));
            page.changes().forEach(this::learn);
            cursor = page.next();
            more = page.more();
        }
    }

    boolean dead(BlockId block) {
        Map<Long, List<BlockRange>> ofOwner = closed.getOrDefault(block.owner(), Map.of());
        List<BlockRange> used = ofOwner.get(block.session());
        return freed.stream().anyMatch(range -> range.contains(block))
                || (used != null && used.stream().noneMatch(range -> range.contains(block)))
                || collapsed.getOrDefault(block.owner(), List.of()).stream()
                        .anyMatch(interval -> interval.firstSession() <= block.session()
                                && block.session() <= interval.lastSession());
    }

    private void learn(SessionChange change) {
        switch (change) {
            case SessionChange.Opened opened -> {
                Map<Long, List<BlockRange>> ofOwner = closed.getOrDefault(opened.owner(), Map.of());
                if (ofOwner.containsKey(opened.session())) {
                    throw new AssertionError("opened again: " + opened);
                }
            }
            case SessionChange.Closed now ->
                closed.computeIfAbsent(now.owner(), _ -> new TreeMap<>()).put(now.session(), now.used());
            case SessionChange.Freed now -> freed.add(now.range());
            case SessionChange.Collapsed now ->
                collapsed.computeIfAbsent(now.owner(), _ -> new ArrayList<>()).add(now);
        }
    }
}

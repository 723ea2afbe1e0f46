package io.bulwark.protocol.extent;

import io.bulwark.protocol.extent.ExtentMessage.Supply;
import io.bulwark.protocol.extent.Repairs.Place;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Handling of fragments that readers and other nodes send to a node (docs/protocols/extents.md, completion). The node keeps a
 * fragment of the version that it knows to be the extent's. If it knows none, it keeps one of the version that f+1
 * other slots hold.
 */
final class SuppliedFragments {
    /** Maximum number under way at once from one sender; also bounds the memory of their fragments. */
    static final int OF_ONE_SENDER_MAX = 8;

    /** Polls for versions that no reference names: less than a node's repairs, which go on beside them. */
    private static final int POLLS_MAX = 4;

    static final int POLLS_OF_ONE_SENDER_MAX = 2;

    private final ExtentLimits limits;
    private final ExtentBlocks blocks;
    private final ExtentSessions sessions;
    private final Repairs repairs;
    private final Map<PrincipalId, Integer> inFlight = new HashMap<>();
    private final Map<PrincipalId, Integer> polling = new HashMap<>();
    private int polls;

    SuppliedFragments(ExtentLimits limits, ExtentBlocks blocks, ExtentSessions sessions, Repairs repairs) {
        this.limits = limits;
        this.blocks = blocks;
        this.sessions = sessions;
        this.repairs = repairs;
    }

    /** Keeps the fragment, if it may. Calls with null for OK. */
    void take(
            ServerCall turn,
            PrincipalId sender,
            Place place,
            Supply supply,
            ExtentBlocks.ValueContinuation<@Nullable StoreRefusal> then) {
        if (inFlight.getOrDefault(sender, 0) >= OF_ONE_SENDER_MAX) {
            then.run(turn, StoreRefusal.LIMIT);
            return;
        }
        inFlight.merge(sender, 1, Integer::sum);
        ExtentBlocks.ValueContinuation<@Nullable StoreRefusal> end = (next, refusal) -> {
            leave(inFlight, sender);
            then.run(next, refusal);
        };
        Bytes pin = supply.checksum().pin();
        blocks.knows(turn, place.block(), pin, (next, known) -> {
            boolean full = polls >= POLLS_MAX
                    || polling.getOrDefault(sender, 0) >= POLLS_OF_ONE_SENDER_MAX
                    || repairs.isBusy();
            if (known == null && full) {
                end.run(next, StoreRefusal.LIMIT);
            } else if (known == null) {
                polls++;
                polling.merge(sender, 1, Integer::sum);
                HoldersPoll poll =
                        new HoldersPoll(place.volume(), place.block(), pin, place.slot(), limits.repairTiming());
                repairs.start(next, poll, (later, held) -> {
                    polls--;
                    leave(polling, sender);
                    if ((Boolean) held) {
                        store(later, sender, place, supply, end);
                    } else {
                        end.run(later, StoreRefusal.UNREFERENCED);
                    }
                });
            } else if (known) {
                store(next, sender, place, supply, end);
            } else {
                end.run(next, StoreRefusal.OTHER_CONTENT);
            }
        });
    }

    private static void leave(Map<PrincipalId, Integer> counted, PrincipalId sender) {
        counted.computeIfPresent(sender, (ignored, count) -> count == 1 ? null : (Integer) (count - 1));
    }

    private void store(
            ServerCall turn,
            PrincipalId sender,
            Place place,
            Supply supply,
            ExtentBlocks.ValueContinuation<@Nullable StoreRefusal> then) {
        StoreProposal proposal = StoreProposal.of(place.policy(), place.slot(), sender, supply);
        sessions.with(
                turn,
                ExtentSessions.Key.of(place.block()),
                (next, session) ->
                        blocks.store(next, place.block(), session, place.epoch(), place.slot(), proposal, then));
    }
}

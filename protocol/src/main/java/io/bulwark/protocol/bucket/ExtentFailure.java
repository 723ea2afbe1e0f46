package io.bulwark.protocol.bucket;

import io.bulwark.protocol.extent.ReadOutcome;
import io.bulwark.protocol.extent.StoreRefusal;
import io.bulwark.protocol.extent.WriteOutcome;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Failure to store or fetch one extent.
 *
 * @param detail for people
 */
public record ExtentFailure(Reason reason, BlockId block, String detail) {
    /** Reason as the object's operation reports it. */
    public enum Reason {
        /** Too few nodes answered in time. */
        UNAVAILABLE,
        /** Enough fragments are there, but too few nodes hold it: a salvage read returns its bytes. */
        TOO_FEW_HOLDERS,
        /** The extent was freed, say f+1 nodes or more. */
        FREED,
        /** Never complete, or not what a correct writer stores. */
        INCOMPLETE,
        /** No grant. */
        NOT_PERMITTED,
        /** The nodes have no space left. */
        NO_SPACE,
        /** A bound of the nodes on unreferenced bytes is reached. */
        LIMIT,
        /** The session is closed or unknown to the nodes. */
        SESSION_CLOSED,
        /** The placement group has another epoch now. */
        STALE_EPOCH
    }

    /** Returns the failure of a write that is not complete. */
    static ExtentFailure of(BlockId block, WriteOutcome outcome) {
        return switch (outcome) {
            case WriteOutcome.Complete complete ->
                throw new IllegalArgumentException("a complete write is not a failure: " + complete);
            case WriteOutcome.Refused(Map<PrincipalId, StoreRefusal> reasons) ->
                new ExtentFailure(reasonOf(reasons), block, "refused: " + said(reasons));
            case WriteOutcome.NoSpace(Map<PrincipalId, StoreRefusal> reasons) ->
                new ExtentFailure(Reason.NO_SPACE, block, said(reasons));
            case WriteOutcome.StaleMap(long epoch) ->
                new ExtentFailure(Reason.STALE_EPOCH, block, "its group is in epoch " + epoch);
            case WriteOutcome.Unavailable(Map<Integer, String> reasons) ->
                new ExtentFailure(Reason.UNAVAILABLE, block, "too few nodes: " + joinInOrder(reasons));
        };
    }

    /** Returns the failure of a read that did not give the wanted bytes; a whole block means one of another length. */
    static ExtentFailure of(BlockId block, ReadOutcome outcome) {
        return switch (outcome) {
            case ReadOutcome.Whole whole ->
                new ExtentFailure(
                        Reason.INCOMPLETE,
                        block,
                        "of a wrong length, " + whole.content().length() + ": its writer lied");
            case ReadOutcome.Freed ignored -> new ExtentFailure(Reason.FREED, block, "was freed");
            case ReadOutcome.NotPermitted ignored -> new ExtentFailure(Reason.NOT_PERMITTED, block, "no grant to read");
            case ReadOutcome.Incomplete ignored ->
                new ExtentFailure(Reason.INCOMPLETE, block, "left incomplete by its " + "writer");
            case ReadOutcome.Poisonous ignored ->
                new ExtentFailure(Reason.INCOMPLETE, block, "poisonous: its writer lied, no block encodes to it");
            case ReadOutcome.StaleMap(long epoch) ->
                new ExtentFailure(Reason.STALE_EPOCH, block, "its group is in epoch " + epoch);
            case ReadOutcome.Unavailable(Map<Integer, String> reasons) ->
                new ExtentFailure(Reason.UNAVAILABLE, block, "too few nodes: " + joinInOrder(reasons));
            case ReadOutcome.TooFewHolders(Map<Integer, String> reasons) ->
                new ExtentFailure(
                        Reason.TOO_FEW_HOLDERS,
                        block,
                        "its bytes can be read, but too few nodes hold it: " + joinInOrder(reasons));
        };
    }

    /** Returns text for people. */
    public String message() {
        return "extent " + block + ": " + detail;
    }

    private static Reason reasonOf(Map<PrincipalId, StoreRefusal> reasons) {
        if (reasons.containsValue(StoreRefusal.SESSION_CLOSED)) {
            return Reason.SESSION_CLOSED;
        }
        return reasons.containsValue(StoreRefusal.LIMIT) ? Reason.LIMIT : Reason.UNAVAILABLE;
    }

    private static String said(Map<PrincipalId, StoreRefusal> reasons) {
        return new TreeMap<>(reasons)
                .entrySet().stream()
                        .map(entry -> entry.getKey()
                                + (entry.getValue() == StoreRefusal.NO_SPACE
                                        ? " has no space"
                                        : " answered " + entry.getValue()))
                        .collect(Collectors.joining(", "));
    }

    private static String joinInOrder(Map<Integer, String> reasons) {
        return String.join(", ", new TreeMap<>(reasons).values());
    }
}

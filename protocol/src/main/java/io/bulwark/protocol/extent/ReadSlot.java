package io.bulwark.protocol.extent;

import io.bulwark.protocol.extent.ExtentMessage.Found;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** State of one slot in a read. */
final class ReadSlot {
    boolean asked;
    /** True if the slot was asked for its fragment, and not only whether it holds the version. */
    boolean wantsFragment;

    /** True once another slot may be asked in its place. */
    boolean hedged;
    /** True once it took so long that it counts as slow, which it is told of. */
    boolean late;

    /** True once the slot has answered the last request. */
    boolean settled;

    long firstAskedMillis;
    /** Time since which it is waited for: when it was first asked, first asked for its fragment, or handed it. */
    long awaitedMillis;

    long lastAskedMillis;
    /** Time at which it was asked, or its connection last moved since. */
    long movedMillis;
    /** Time of the request whose answer is pending, or of the latest one; resends do not count. */
    long questionMillis;
    /** Number of requests that the slot has answered. */
    int answers;

    @Nullable
    Found found;

    @Nullable
    ReadRefusal refusal;

    long refusalEpoch;
    boolean bad;
    boolean passedOn;
    /** True if the slot's last answer said that it holds the version. */
    boolean holds;
    /** True if the slot's last answer said that the version is delivered. */
    boolean delivered;
    /** True once the slot was sent its fragment. */
    boolean supplied;
    /** True while the slot's answer to the supplied fragment is pending. */
    boolean supplying;

    /** Order in which slots are asked for their fragments. */
    enum AskPriority {
        /** Says that it holds it. */
        HOLDING,
        UNASKED,
        /** Asked whether it holds it, and not heard. */
        UNHEARD,
        /** The slot was asked for it, or has refused. */
        NONE;

        static final List<AskPriority> ASKABLE = List.of(HOLDING, UNASKED, UNHEARD);
    }

    AskPriority rank() {
        if (wantsFragment || refusal != null || found != null) {
            return AskPriority.NONE;
        }
        return holds ? AskPriority.HOLDING : asked ? AskPriority.UNHEARD : AskPriority.UNASKED;
    }

    /** It says that it holds the version. */
    void hold() {
        holds = true;
        refusal = null;
        supplying = false;
    }

    /** Returns whether the slot says that it has nothing. */
    boolean isMissing() {
        return refusal == ReadRefusal.NONE || refusal == ReadRefusal.NOT_REPAIRED;
    }

    void supply(long nowMillis) {
        supplied = true;
        supplying = true;
        hedged = false;
        late = false;
        awaitedMillis = nowMillis;
        movedMillis = Math.max(movedMillis, nowMillis);
    }

    void ask(long nowMillis, boolean fragment) {
        if (!asked) {
            firstAskedMillis = nowMillis;
        }
        if (!asked || (fragment && !wantsFragment)) {
            awaitedMillis = nowMillis;
            movedMillis = nowMillis;
            hedged = false;
            late = false;
        }
        wantsFragment |= fragment;
        if (!asked || settled) {
            questionMillis = nowMillis;
        }
        asked = true;
        settled = false;
        lastAskedMillis = nowMillis;
    }

    void answered() {
        answers += settled ? 0 : 1;
        settled = true;
    }

    void onMovement(long atMillis) {
        movedMillis = Math.max(movedMillis, atMillis);
    }

    /**
     * Returns whether the slot is not expected to hold the version soon: it is silent, or refuses more than that it lacks it.
     *
     * @param doubted true if the slot was believed to be bad or slow before it was asked
     */
    boolean isAway(boolean doubted) {
        boolean silent = late || (doubted && !settled);
        boolean refuses = refusal != null && !isMissing();
        return bad || (!holds && (silent || refuses));
    }

    /** Returns whether the read waits for the slot and the slot got no help yet. */
    boolean isSilent() {
        return isAwaited() && !hedged;
    }

    /** Returns whether the read waits for the slot, which does not count as slow yet. */
    boolean isUnheard() {
        return isAwaited() && !late;
    }

    private boolean isAwaited() {
        return supplying || (asked && !settled);
    }
}

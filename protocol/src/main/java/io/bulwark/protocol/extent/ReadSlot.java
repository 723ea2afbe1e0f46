package io.bulwark.protocol.extent;

import io.bulwark.protocol.extent.ExtentMessage.Found;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a read knows of one slot. */
final class ReadSlot {
    boolean asked;
    /** Whether it was asked for its fragment, not only whether it holds it. */
    boolean wantsFragment;

    boolean hedged;
    /** Whether it has answered what it was asked last. */
    boolean settled;

    long firstAskedMillis;
    /** Since when it is waited for: when it was first asked, first asked for its fragment, or handed it. */
    long awaitedMillis;

    long lastAskedMillis;
    /** When it was asked, or its connection last moved since. */
    long movedMillis;
    /** When it was asked for the answer that is awaited, or came last; what is only said again does not count. */
    long questionMillis;
    /** How many of the times that it was asked it has answered. */
    int answers;

    @Nullable
    Found found;

    @Nullable
    ReadRefusal refusal;

    long refusalEpoch;
    boolean bad;
    boolean passedOn;
    /** Whether it has said last that it holds the version. */
    boolean holds;
    /** Whether it was handed its fragment. */
    boolean supplied;
    /** Whether its answer to that is awaited. */
    boolean supplying;

    /** Which slots are asked for their fragments before others. */
    enum Rank {
        /** Says that it holds it. */
        HOLDING,
        UNASKED,
        /** Asked whether it holds it, and not heard. */
        UNHEARD,
        /** Was asked for it, or has refused. */
        NONE;

        static final List<Rank> ASKABLE = List.of(HOLDING, UNASKED, UNHEARD);
    }

    Rank rank() {
        if (wantsFragment || refusal != null || found != null) {
            return Rank.NONE;
        }
        return holds ? Rank.HOLDING : asked ? Rank.UNHEARD : Rank.UNASKED;
    }

    /** It says that it holds the version. */
    void hold() {
        holds = true;
        refusal = null;
        supplying = false;
    }

    /** Whether it says that it has nothing. */
    boolean lacksIt() {
        return refusal == ReadRefusal.NONE || refusal == ReadRefusal.NOT_REPAIRED;
    }

    void supply(long nowMillis) {
        supplied = true;
        supplying = true;
        hedged = false;
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

    void moving(long atMillis) {
        movedMillis = Math.max(movedMillis, atMillis);
    }

    /** Whether it is waited for, and got no help yet. */
    boolean silent() {
        return (supplying || (asked && !settled)) && !hedged;
    }
}

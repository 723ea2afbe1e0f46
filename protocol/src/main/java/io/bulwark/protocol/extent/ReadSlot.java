package io.bulwark.protocol.extent;

import io.bulwark.protocol.extent.ExtentMessage.Found;
import org.jspecify.annotations.Nullable;

/** What a read knows of one slot. */
final class ReadSlot {
    boolean asked;
    boolean hedged;
    /** Whether it has answered what it was asked last. */
    boolean settled;

    long firstAskedMillis;
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

    void ask(long nowMillis) {
        if (!asked) {
            firstAskedMillis = nowMillis;
            movedMillis = nowMillis;
        }
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
        return asked && !settled && !hedged;
    }
}

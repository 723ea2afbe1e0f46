package io.bulwark.protocol.bucket;

import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.wire.Bytes;

/** Request of an operation on an object to its driver; the driver hands in the result under the token. */
public sealed interface ObjectStep {
    /** The token of what needs no answer. */
    long NO_ANSWER = 0;

    long token();

    /** Stores an extent of the operation's volume; the array is given up. Answered by {@code onStored}. */
    record StoreExtent(long token, BlockId block, Bytes content) implements ObjectStep {}

    /**
     * Fetches exactly the version that the pin names. Answered by {@code onFetched}.
     *
     * @param length the true length of the extent in bytes, as the layout has it
     */
    record FetchExtent(long token, BlockId block, Bytes pin, int length) implements ObjectStep {}

    /** Executes a command in the operation's session. Answered by {@code onReply}. */
    record Submit(long token, Command command) implements ObjectStep {}

    /** Asks the metadata. Answered by {@code onReply}. */
    record Ask(long token, Query query) implements ObjectStep {}
}

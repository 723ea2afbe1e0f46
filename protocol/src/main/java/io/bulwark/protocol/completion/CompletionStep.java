package io.bulwark.protocol.completion;

import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.effect.RecordKind;
import io.bulwark.protocol.epoch.SettleRequest;
import io.bulwark.protocol.extent.ExtentMessage;
import io.bulwark.protocol.extent.ExtentRead;
import io.bulwark.protocol.extent.ExtentTiming;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.wire.Bytes;
import java.util.Set;

/** Request of completion to its driver; the driver hands in the result under the token. */
public sealed interface CompletionStep {
    /** Asks 2f+1 replicas. Answered by {@code onReply} or {@code onSilence}. */
    record Ask(long token, Query query) implements CompletionStep {}

    /** Tells the node's own servers. Steps keep their order. */
    record Tell(Fact fact) implements CompletionStep {}

    /** Asks the node's own server, as from the node itself. Answered by {@code onChecked}. */
    record Check(long token, ExtentMessage.Complete request) implements CompletionStep {}

    /**
     * Reads a list of pins from the nodes. Answered by {@code onFetched}.
     *
     * @param length its true length in bytes, as its object says
     */
    record Fetch(long token, Volume volume, BlockId block, Bytes pin, int length) implements CompletionStep {
        public ExtentRead read(ExtentTiming timing) {
            return new ExtentRead(volume, block, pin, Set.of(), timing);
        }
    }

    /**
     * Looks for the first extent in a range, both ends included, of which something is kept here. Answered by {@code
     * onFound} or {@code onSilence}.
     */
    record Find(long token, BlockId from, BlockId to) implements CompletionStep {}

    /**
     * Looks for the first block of a placement group of registers, from a given one on, of which a version is kept
     * here. Answered by {@code onFound} or {@code onSilence}.
     *
     * @param from the counter of the first block
     */
    record FindRegister(long token, Volume volume, int group, long from) implements CompletionStep {
        public BlockId first() {
            return BlockId.register(volume.id(), from);
        }

        public BlockId last() {
            return volume.lastRegister(group);
        }

        /** Returns the kind of record that holds the versions of its blocks. */
        public RecordKind kind() {
            return RecordKind.ofVersions(volume.policy().protocol().isVersioned());
        }

        /** Returns whether a block belongs to the group. */
        public boolean wants(BlockId block) {
            return volume.groupIndex(block) == group;
        }
    }

    /** Has the node's own server see to a register before an epoch is confirmed. Answered by {@code onSettled}. */
    record SeeTo(long token, SettleRequest request) implements CompletionStep {}

    /** Submits a command in the node's own name. There is no answer: the map shows the result. */
    record Submit(Command command) implements CompletionStep {}
}

package io.bulwark.protocol.completion;

import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.epoch.SettleRequest;
import io.bulwark.protocol.extent.CompletionResult;
import io.bulwark.protocol.extent.ExtentMessage;
import io.bulwark.protocol.extent.ReadOutcome;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The steps of one turn, and their continuations when they are answered. */
final class PendingSteps {
    private final Map<Long, Consumer<Optional<Reply>>> asked = new HashMap<>();
    private final Map<Long, Consumer<CompletionResult>> checked = new HashMap<>();
    private final Map<Long, Consumer<ReadOutcome>> fetched = new HashMap<>();
    private final Map<Long, Consumer<Boolean>> settled = new HashMap<>();
    private final Map<Long, PendingFind> found = new HashMap<>();
    private List<CompletionStep> steps = new ArrayList<>();
    private long lastToken;

    private record PendingFind(Consumer<Optional<BlockId>> then, Runnable failed) {}

    /** @param then gets nothing if the replicas do not answer */
    void ask(Query query, Consumer<Optional<Reply>> then) {
        asked.put(++lastToken, then);
        steps.add(new CompletionStep.Ask(lastToken, query));
    }

    void tell(Fact fact) {
        steps.add(new CompletionStep.Tell(fact));
    }

    void check(ExtentMessage.Complete request, Consumer<CompletionResult> then) {
        checked.put(++lastToken, then);
        steps.add(new CompletionStep.Check(lastToken, request));
    }

    void fetch(Volume volume, BlockId block, Bytes pin, int length, Consumer<ReadOutcome> then) {
        fetched.put(++lastToken, then);
        steps.add(new CompletionStep.Fetch(lastToken, volume, block, pin, length));
    }

    void find(BlockId from, BlockId to, Consumer<Optional<BlockId>> then, Runnable failed) {
        found.put(++lastToken, new PendingFind(then, failed));
        steps.add(new CompletionStep.Find(lastToken, from, to));
    }

    void findRegister(Volume volume, int group, long from, Consumer<Optional<BlockId>> then, Runnable failed) {
        found.put(++lastToken, new PendingFind(then, failed));
        steps.add(new CompletionStep.FindRegister(lastToken, volume, group, from));
    }

    void settle(Volume volume, BlockId block, long epoch, Consumer<Boolean> then) {
        settled.put(++lastToken, then);
        steps.add(new CompletionStep.SeeTo(
                lastToken, new SettleRequest(volume.policy().protocol(), block, epoch)));
    }

    void submit(Command command) {
        steps.add(new CompletionStep.Submit(command));
    }

    void onReply(long token, Optional<Reply> reply) {
        go(asked.remove(token), reply);
    }

    void onSilence(long token) {
        onReply(token, Optional.empty());
        PendingFind sought = found.remove(token);
        if (sought != null) {
            sought.failed.run();
        }
    }

    void onChecked(long token, CompletionResult result) {
        go(checked.remove(token), result);
    }

    void onSettled(long token, boolean done) {
        go(settled.remove(token), done);
    }

    void onFetched(long token, ReadOutcome outcome) {
        go(fetched.remove(token), outcome);
    }

    void onFound(long token, Optional<BlockId> block) {
        PendingFind sought = found.remove(token);
        if (sought != null) {
            sought.then.accept(block);
        }
    }

    List<CompletionStep> drain() {
        List<CompletionStep> drained = steps;
        steps = new ArrayList<>();
        return drained;
    }

    private static <T> void go(@Nullable Consumer<T> then, T with) {
        if (then != null) {
            then.accept(with);
        }
    }
}

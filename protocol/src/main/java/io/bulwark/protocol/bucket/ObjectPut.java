package io.bulwark.protocol.bucket;

import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.extent.WriteOutcome;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.BlockRange;
import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.metadata.Condition;
import io.bulwark.protocol.metadata.EpochClaim;
import io.bulwark.protocol.metadata.MetadataError;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.metadata.UploadName;
import io.bulwark.protocol.object.InlineContent;
import io.bulwark.protocol.object.ObjectAttributes;
import io.bulwark.protocol.object.ObjectLayout;
import io.bulwark.protocol.object.ObjectLock;
import io.bulwark.protocol.object.OwnContent;
import io.bulwark.protocol.object.PinList;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Puts one object, or a part of one (docs/protocols/extents.md, "the inode is the commit"). Its blocks become extents, at most {@link
 * #WINDOW_BLOCKS} in flight, then its pin lists do, level by level. Only when all of them are complete, one command
 * makes the object visible. A failure before that command abandons the stored blocks. From then on nothing is
 * abandoned, since the command may still be executed.
 *
 * <p>The bytes of a small object stand in that command instead, up to a limit. If the metadata refuse that, which they
 * do before anything has happened, the same blocks become extents.
 */
public final class ObjectPut {
    /** Blocks of one object under way at most. */
    public static final int WINDOW_BLOCKS = 8;

    /**
     * Maximum number of attempts to put an object. A new attempt needs a lost session or a changed placement group,
     * before anything could become visible.
     */
    public static final int ATTEMPTS_MAX = 3;

    private static final long NONE = -1;

    private final Volume volume;
    private final Destination destination;
    private final long expectedLength;
    private final BlockPlan plan;
    /** Blocks are held back while the object may be as short as this. */
    private int inlineMax;

    private final PinCollector pins = new PinCollector();
    private final Map<Long, PendingStore> storing = new TreeMap<>();
    /** Blocks that have no id yet, or no place in the window. */
    private final Deque<Bytes> waiting = new ArrayDeque<>();

    private final Deque<PinList> lists = new ArrayDeque<>();
    private boolean finishing;
    private boolean refusedInline;
    /** 0 while data is stored, else the level of the pin lists. */
    private int level;

    private @Nullable BlockRange registering;
    private long registration = NONE;
    private long commit = NONE;
    private long lastToken;
    private long length;
    private long storedBytes;
    private @Nullable PutOutcome outcome;

    /** Place of the content. */
    public interface Destination {
        /** Returns the command that makes the content visible, once all its extents are complete. */
        Command commit(OwnContent content, List<EpochClaim> epochs, List<Long> pending);
    }

    /** Name that the content becomes an object under. */
    public record Target(String bucket, String key, Condition condition, ObjectAttributes attributes, ObjectLock lock)
            implements Destination {
        /** Creates the destination of an object without a lock of its own. */
        public Target(String bucket, String key, Condition condition, ObjectAttributes attributes) {
            this(bucket, key, condition, attributes, ObjectLock.NONE);
        }

        @Override
        public Command commit(OwnContent content, List<EpochClaim> epochs, List<Long> pending) {
            return new Command.PutObject(bucket, key, condition, content, attributes, lock, epochs, pending);
        }
    }

    /** Upload that the content becomes a part of. */
    public record PartTarget(UploadName upload, int number, ObjectAttributes attributes) implements Destination {
        @Override
        public Command commit(OwnContent content, List<EpochClaim> epochs, List<Long> pending) {
            return new Command.PutPart(upload, number, content, attributes, epochs, pending);
        }
    }

    private record PendingStore(BlockId block, long pin, int bytes) {}

    /**
     * Begins an object.
     *
     * @param volume that of the bucket
     * @param expectedLength in bytes, or -1 if not known; a wrong one costs a few ids
     * @param ids those of the session in which the commands are executed
     */
    public ObjectPut(Volume volume, Destination destination, long expectedLength, BlockIds ids) {
        this(volume, destination, expectedLength, ids, 0);
    }

    /**
     * Begins an object that may stand in the metadata.
     *
     * @param inlineMax its length at most then; 0 for never
     */
    public ObjectPut(Volume volume, Destination destination, long expectedLength, BlockIds ids, int inlineMax) {
        this.inlineMax = Math.min(inlineMax, InlineContent.BYTES_MAX);
        this.volume = volume;
        this.destination = destination;
        this.expectedLength = expectedLength;
        this.plan = new BlockPlan(ids, volume.generation(), volume.policy().blockBytes());
    }

    /** Returns whether the next block may be offered. */
    public boolean canTakeBlock() {
        return outcome == null
                && !finishing
                && (waiting.isEmpty() || mayBeInline())
                && registration == NONE
                && storing.size() < WINDOW_BLOCKS;
    }

    /**
     * Takes the next block.
     *
     * @param content a whole block; only the last of the object may be shorter
     */
    public List<ObjectStep> offer(Bytes content) {
        int blockBytes = volume.policy().blockBytes();
        if (!canTakeBlock() || content.isEmpty() || content.length() > blockBytes || length % blockBytes != 0) {
            throw new IllegalStateException("no room for a block of " + content.length() + " after " + length);
        }
        length += content.length();
        waiting.addLast(content);
        return advance();
    }

    /** There are no more blocks. */
    public List<ObjectStep> finish() {
        finishing = true;
        return advance();
    }

    public List<ObjectStep> onStored(long token, WriteOutcome result) {
        PendingStore stored = storing.remove(token);
        if (stored == null || outcome != null) {
            return List.of();
        }
        if (!(result instanceof WriteOutcome.Complete complete)) {
            return fail(PutOutcome.of(ExtentFailure.of(stored.block, result)));
        }
        pins.set(stored.pin, complete.pin());
        if (level == 0) {
            storedBytes += stored.bytes;
        }
        return advance();
    }

    public List<ObjectStep> onReply(long token, Reply reply) {
        if (outcome != null) {
            return List.of();
        }
        if (token == registration) {
            registration = NONE;
            if (reply instanceof Reply.PendingRegistered registered && registering != null) {
                plan.onRegistered(registering, registered.pending());
                return advance();
            }
            return fail(PutOutcome.of(reply));
        }
        if (token != commit) {
            return List.of();
        }
        if (reply instanceof Reply.Stored stored) {
            storedBytes = length;
            outcome = new PutOutcome.Stored(stored);
            return List.of();
        }
        if (reply instanceof Reply.Failed failed && SessionCommands.mayBeExecuted(failed)) {
            outcome = new PutOutcome.Unknown(failed.message());
            return List.of();
        }
        if (mayBeInline() && reply instanceof Reply.Failed failed && failed.error() == MetadataError.NOT_INLINE) {
            commit = NONE;
            inlineMax = 0;
            refusedInline = true;
            return advance();
        }
        PutOutcome refused = PutOutcome.of(reply);
        if (refused instanceof PutOutcome.Refused || refused instanceof PutOutcome.StaleEpoch) {
            return fail(refused);
        }
        outcome = refused;
        return List.of();
    }

    /** Handles a command whose result nobody has reported. */
    public List<ObjectStep> onSilence(long token, String why) {
        if (outcome != null || (token != registration && token != commit)) {
            return List.of();
        }
        if (token == registration) {
            return fail(new PutOutcome.Unknown(why));
        }
        outcome = new PutOutcome.Unknown(why);
        return List.of();
    }

    /** Gives the object up, unless the command that makes it visible is on its way. */
    public List<ObjectStep> abort() {
        return outcome != null || commit != NONE ? List.of() : fail(new PutOutcome.GivenUp());
    }

    public Optional<PutOutcome> outcome() {
        return Optional.ofNullable(outcome);
    }

    /** Returns whether the metadata refused the bytes, so that they became extents. */
    public boolean isRefusedInline() {
        return refusedInline;
    }

    /** Returns the number of bytes offered so far. */
    public long length() {
        return length;
    }

    /** Returns the number of bytes that are complete on the nodes or in the metadata. */
    public long storedBytes() {
        return storedBytes;
    }

    private boolean mayBeInline() {
        return length <= inlineMax;
    }

    private List<ObjectStep> advance() {
        List<ObjectStep> steps = new ArrayList<>();
        if (mayBeInline() && outcome == null && commit == NONE) {
            if (!finishing) {
                return steps;
            }
            if (length > 0) {
                commit(new InlineContent(volume.id(), held()), List.of(), steps);
                return steps;
            }
        }
        while (outcome == null && commit == NONE && registration == NONE) {
            if (waiting.isEmpty() && !lists.isEmpty()) {
                waiting.addLast(lists.removeFirst().encoded());
            }
            if (!waiting.isEmpty()) {
                if (storing.size() == WINDOW_BLOCKS) {
                    break;
                }
                storeNext(steps);
            } else if (finishing && storing.isEmpty()) {
                completeLevel(steps);
            } else {
                break;
            }
        }
        return steps;
    }

    private void storeNext(List<ObjectStep> steps) {
        if (!plan.hasNext()) {
            long expected = expectedLength < 1
                    ? 0
                    : ObjectLayout.extents(volume.policy().blockBytes(), expectedLength);
            Optional<BlockRange> unregistered = plan.extend(expected);
            if (unregistered.isPresent()) {
                registering = unregistered.get();
                registration = ++lastToken;
                steps.add(new ObjectStep.Submit(registration, new Command.RegisterPending(List.of(registering))));
                return;
            }
        }
        Bytes content = waiting.removeFirst();
        BlockId block = plan.next();
        long token = ++lastToken;
        storing.put(token, new PendingStore(block, pins.next(), content.length()));
        steps.add(new ObjectStep.StoreExtent(token, block, content));
    }

    /** Begins the next level of pin lists, or commits. */
    private void completeLevel(List<ObjectStep> steps) {
        Bytes below = pins.all();
        int blockBytes = volume.policy().blockBytes();
        if (below.length() > ObjectLayout.PINS_MAX * ObjectLayout.PIN_BYTES) {
            pins.clear();
            level++;
            lists.addAll(PinList.of(blockBytes, level, below));
            return;
        }
        ObjectLayout layout = new ObjectLayout(volume.id(), blockBytes, length, plan.used(), below);
        plan.giveBackUnused();
        commit(layout, length == 0 ? List.of() : EpochClaim.of(volume), steps);
    }

    private void commit(OwnContent content, List<EpochClaim> epochs, List<ObjectStep> steps) {
        Command put = destination.commit(content, epochs, plan.pending());
        commit = ++lastToken;
        steps.add(new ObjectStep.Submit(commit, put));
    }

    /** Returns the held back blocks as one. */
    private Bytes held() {
        if (waiting.size() == 1) {
            return waiting.getFirst();
        }
        byte[] all = new byte[(int) length];
        int at = 0;
        for (Bytes block : waiting) {
            block.copyTo(0, all, at, block.length());
            at += block.length();
        }
        return Bytes.of(all);
    }

    private List<ObjectStep> fail(PutOutcome how) {
        outcome = how;
        waiting.clear();
        lists.clear();
        storing.clear();
        return plan.abandoned()
                .<List<ObjectStep>>map(abandon -> List.of(new ObjectStep.Submit(ObjectStep.NO_ANSWER, abandon)))
                .orElse(List.of());
    }
}

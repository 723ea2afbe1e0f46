package io.bulwark.protocol.extent;

import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.Verdict;
import io.bulwark.protocol.extent.ExtentCoding.DecodeResult;
import io.bulwark.protocol.extent.ExtentMessage.Acknowledged;
import io.bulwark.protocol.extent.ExtentMessage.Answer;
import io.bulwark.protocol.extent.ExtentMessage.Completed;
import io.bulwark.protocol.extent.ExtentMessage.Found;
import io.bulwark.protocol.extent.ExtentMessage.Holds;
import io.bulwark.protocol.extent.ExtentMessage.NotFound;
import io.bulwark.protocol.extent.ExtentMessage.NotStored;
import io.bulwark.protocol.extent.ExtentMessage.ReadPinned;
import io.bulwark.protocol.extent.ExtentMessage.Supply;
import io.bulwark.protocol.extent.ExtentMessage.Suspect;
import io.bulwark.protocol.fingerprint.Checksum;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A pinned read (docs/protocols/extents.md): m slots are asked for exactly one version, the data slots first; each that is
 * silent, refuses or sends what cannot be right is replaced by the next. No timestamps and no proof are needed, since the
 * pin comes from the metadata.
 *
 * <p>Under FP f more slots are asked in the same round whether they hold it; in the archive class all, since many may be away, and the
 * first to answer are enough. The read is done once m+f slots do, and once it is
 * clear that any slot can be handed its fragment: then every later read succeeds, whoever wrote it. Slots that lack it are handed
 * their fragments. A read that has m fragments and hears of fewer than m+f holders before its deadline is {@code TooFewHolders}. A
 * node that makes its own fragment (that excludes its slot) does not wait for holders: what it makes, it returns to nobody.
 *
 * <pre>
 *   GATHERING  m good fragments                          -> HANDING (content is set)
 *              they encode to another checksum           -> done: POISONOUS
 *              more than f or 2f refusals, the deadline  -> done
 *   HANDING    m+f slots hold it                         -> done: WHOLE
 *              f+1 slots refuse, or are in a later epoch -> done: FREED, NOT_PERMITTED, STALE_MAP
 *              the deadline                              -> done: TOO_FEW_HOLDERS
 *              salvage: f+1 slots away, or a short wait  -> done: WHOLE
 * </pre>
 *
 * <p>A <i>salvage</i> read checks the block in the same way, and then returns it without m+f holders. Its bytes are those that the
 * pin names. If a faulty writer left the version incomplete, a later reader may not get it.
 *
 * <p>Once the block is known, what each slot sent is judged against it: {@link Verdict#CORRUPT} is what the slot sent as
 * this version and re-encoding does not give. A read by one that holds no slot itself (that excludes none) passes on,
 * once for each slot, what it finds corrupt or hears to be damaged: all holders get the hint, the suspect too, fetch for
 * themselves, judge, and repair.
 */
public final class ExtentRead implements ClientOperation<ReadOutcome> {
    /** More than f of these end a read, whatever it has. */
    private static final Set<ReadRefusal> ENDING =
            EnumSet.of(ReadRefusal.FREED, ReadRefusal.NOT_PERMITTED, ReadRefusal.WRONG_EPOCH);

    /** Fragments asked for a second time, elsewhere, are at most so many times those that came. */
    private static final int HEDGES_PER_ANSWER = 4;

    private final ProtectionPolicy policy;
    private final PlacementGroup group;
    private final ExtentCoding coding;
    private final BlockId block;
    private final Bytes pin;
    private final ExtentTiming timing;
    private final Set<Integer> doubted;
    private final Set<Integer> excluded;
    private final Set<Integer> judged;
    private int holdersWanted;
    /** m; more, once m fragments of the archive class did not suffice. */
    private int fragmentsWanted;

    private final List<Integer> order;

    private final ReadSlot[] slots;
    private final Map<Integer, Verdict> verdicts = new TreeMap<>();
    private VerifiedPins verified = new VerifiedPins(1);
    private boolean salvage;
    /** True if all slots are to get their fragments: a node disseminates an extent. */
    private boolean handsToAll;

    private int neverStoredElsewhere;
    private long startedMillis;
    private long slowestAnswerMillis;
    /** The same of fragments only. */
    private long slowestFragmentMillis;

    private @Nullable ReadOutcome outcome;
    private @Nullable Bytes content;
    /** Time at which the block was decoded. */
    private long decodedMillis;

    private @Nullable Checksum checksum;
    /** True if the block that was read is known to encode to the whole checksum; under FP only. */
    private boolean encoded;
    /** The fragments of all slots, once one of them was needed. */
    private List<Bytes> fragments = List.of();

    /** @param askLast slots believed to be bad or slow */
    public ExtentRead(Volume volume, BlockId block, Bytes pin, Set<Integer> askLast, ExtentTiming timing) {
        this(volume, block, pin, askLast, Set.of(), Set.of(), timing);
    }

    /**
     * Returns a read that also asks and judges the named slots before it finishes. It leaves out a slot that stays
     * silent for the time of a retry.
     *
     * @param judged all slots, to verify an extent; one, to judge a suspect
     * @param excluded slots that are not asked at all: a node leaves out its own
     */
    public static ExtentRead forJudgement(
            Volume volume, BlockId block, Bytes pin, Set<Integer> judged, Set<Integer> excluded, ExtentTiming timing) {
        return new ExtentRead(volume, block, pin, Set.of(), judged, excluded, timing);
    }

    private ExtentRead(
            Volume volume,
            BlockId block,
            Bytes pin,
            Set<Integer> askLast,
            Set<Integer> judged,
            Set<Integer> excluded,
            ExtentTiming timing) {
        this.policy = volume.policyOf(block);
        this.group = volume.group(block);
        this.coding = ExtentCoding.of(policy);
        this.block = block;
        this.pin = pin;
        this.timing = timing;
        this.doubted = Set.copyOf(askLast);
        this.excluded = Set.copyOf(excluded);
        this.holdersWanted = excluded.isEmpty() ? policy.readHolders() : 0;
        this.fragmentsWanted = policy.m();
        this.judged = new HashSet<>(judged);
        this.judged.removeAll(excluded);
        this.order = new ArrayList<>();
        slots = new ReadSlot[policy.n()];
        for (int last = 0; last < 2; last++) {
            for (int slot = 0; slot < policy.n(); slot++) {
                slots[slot] = new ReadSlot();
                if (askLast.contains(slot) == (last == 1) && !excluded.contains(slot)) {
                    order.add(slot);
                }
            }
        }
    }

    /** Makes this a salvage read. To be called before the start. */
    public ExtentRead withSalvage() {
        salvage = true;
        return this;
    }

    /**
     * Makes this a read that asks all slots, and waits until those that lack their fragments were handed them, for the time of a retry at
     * most. To be called before the start.
     */
    void handToAll() {
        handsToAll = true;
        holdersWanted = order.size();
    }

    /** Uses and extends what the process knows of pins. To be called before the start. */
    public ExtentRead withVerified(VerifiedPins known) {
        verified = known;
        return this;
    }

    /** Counts holders that are not asked, of which it is known that they never stored this version. */
    ExtentRead withNeverStored(int holders) {
        neverStoredElsewhere = holders;
        return this;
    }

    @Override
    public List<Effect> start(long nowMillis) {
        startedMillis = nowMillis;
        List<Effect> effects = new ArrayList<>();
        judged.forEach(slot -> ask(nowMillis, slot, true, effects));
        pump(nowMillis, effects);
        return effects;
    }

    @Override
    public List<Effect> onMessage(long nowMillis, PrincipalId from, Message message) {
        List<Effect> effects = new ArrayList<>();
        int index = group.slotOf(from);
        if (index < 0
                || excluded.contains(index)
                || isFinished()
                || !(message instanceof ExtentMessage.Answer answer)
                || !answer.block().equals(block)) {
            return effects;
        }
        ReadSlot slot = slots[index];
        if (!slot.asked || (slot.settled && slot.found != null)) {
            return effects;
        }
        switch (answer) {
            case Acknowledged ignored -> {
                onSupplied(nowMillis, index, answer, effects);
                return effects;
            }
            case NotStored ignored -> {
                onSupplied(nowMillis, index, answer, effects);
                return effects;
            }
            case Found found when answer.epoch() == group.epoch() -> accept(index, found);
            case Holds holds
            when answer.epoch() == group.epoch() -> {
                slot.hold();
                slot.delivered = holds.delivery() == Delivery.DELIVERED;
                verdicts.remove(index, Verdict.SLOW);
                if (wantsFragment(index)) {
                    // The answer to an earlier request, or its repetition: the fragment may still come.
                    if (outcome == null) {
                        decide(nowMillis, effects);
                    }
                    return effects;
                }
            }
            // The slot held the fragment when it said so. This is an earlier answer, or a lie.
            case NotFound refused
            when content != null && slot.holds && refused.epoch() == group.epoch() && onLacking(refused.reason()) -> {
                return effects;
            }
            case NotFound refused -> refuse(index, refused.reason(), refused.epoch(), effects);
            case Found ignored -> refuse(index, ReadRefusal.WRONG_EPOCH, answer.epoch(), effects);
            case Holds ignored -> refuse(index, ReadRefusal.WRONG_EPOCH, answer.epoch(), effects);
            case Completed ignored -> {
                return effects;
            }
        }
        if (!slot.settled) {
            slowestAnswerMillis = Math.max(slowestAnswerMillis, nowMillis - slot.questionMillis);
            if (answer instanceof Found) {
                slowestFragmentMillis = Math.max(slowestFragmentMillis, nowMillis - slot.questionMillis);
            }
        }
        slot.answered();
        judge(index, effects);
        if (outcome == null) {
            decide(nowMillis, effects);
        }
        return effects;
    }

    @Override
    public List<Effect> onTick(long nowMillis) {
        List<Effect> effects = new ArrayList<>();
        if (isFinished()) {
            return effects;
        }
        long silentSlots = Arrays.stream(slots).filter(ReadSlot::isUnheard).count();
        int slack = policy.f() + policy.spareSlots();
        for (int index : order) {
            ReadSlot slot = slots[index];
            if (!slot.asked) {
                continue;
            }
            long silentMillis = nowMillis - slot.awaitedMillis;
            long stillMillis = nowMillis - slot.movedMillis;
            if (silentSlots <= slack
                    && slot.isSilent()
                    && isMeasured(slot)
                    && timing.isHedged(Math.min(silentMillis, stillMillis), measure(slot))) {
                slot.hedged = true;
            }
            if (slot.isUnheard() && timing.isLate(silentMillis, stillMillis, silentSlots, slack, slowestAnswerMillis)) {
                slot.hedged = true;
                slot.late = true;
                blame(index, Verdict.SLOW, "no answer for " + silentMillis + " ms", effects);
            }
            if (outcome == null && nowMillis - slot.lastAskedMillis >= timing.retryMillis()) {
                askAgain(nowMillis, index, effects);
            }
            if (!slot.settled && nowMillis - slot.firstAskedMillis >= timing.retryMillis()) {
                judged.remove(index);
            }
        }
        if (outcome == null) {
            decide(nowMillis, effects);
        }
        if (outcome == null && nowMillis - startedMillis >= timing.deadlineMillis()) {
            fail(content == null ? new ReadOutcome.Unavailable(reasons()) : new ReadOutcome.TooFewHolders(reasons()));
        }
        return effects;
    }

    /** Returns the bytes of the fragments of all slots, and of the block twice: as it comes, and decoded. */
    @Override
    public long memoryBytes() {
        return policy.stripeBytes() + 2L * policy.blockBytes();
    }

    /** Returns whether enough of the others answered to say what is usual: of fragments a quarter of those wanted. */
    private boolean isMeasured(ReadSlot slot) {
        return (slot.wantsFragment && content == null)
                ? (usableCount() > 0 && HEDGES_PER_ANSWER * usableCount() >= fragmentsWanted)
                : Arrays.stream(slots).anyMatch(other -> other.settled);
    }

    private long measure(ReadSlot slot) {
        return slot.wantsFragment && content == null ? slowestFragmentMillis : slowestAnswerMillis;
    }

    /** Ends without the block, though it may have been read. */
    private void fail(ReadOutcome reason) {
        content = null;
        outcome = reason;
    }

    @Override
    public boolean isResendOptional() {
        return true;
    }

    @Override
    public void onMoving(PrincipalId peer, long atMillis) {
        int index = group.slotOf(peer);
        if (index >= 0) {
            slots[index].onMovement(atMillis);
        }
    }

    @Override
    public Optional<ReadOutcome> outcome() {
        return Optional.ofNullable(outcome);
    }

    @Override
    public boolean isFinished() {
        return outcome != null && (content == null || judged.stream().allMatch(slot -> slots[slot].settled));
    }

    /** Returns the verdicts so far, by slot; a slot without a verdict sent nothing wrong. */
    public Map<Integer, Verdict> verdicts() {
        return Map.copyOf(verdicts);
    }

    /** Returns the checksum that the pin names, once the block was read. */
    Optional<Checksum> checksum() {
        return Optional.ofNullable(checksum);
    }

    /** The fragments of all slots, once the block was read and is known to encode to them. */
    Optional<List<Bytes>> fragments() {
        if (encoded && fragments.isEmpty()) {
            fragments = coding.fragments(Objects.requireNonNull(content));
        }
        return fragments.isEmpty() ? Optional.empty() : Optional.of(fragments);
    }

    private void accept(int index, Found found) {
        ReadSlot slot = slots[index];
        slot.found = found;
        slot.hold();
        slot.delivered = found.delivery() == Delivery.DELIVERED;
        verdicts.remove(index, Verdict.SLOW);
        slot.bad =
                !found.checksum().pin().equals(pin) || !coding.isFragmentOf(found.checksum(), index, found.fragment());
        if (!slot.bad) {
            checksum = found.checksum();
        }
    }

    private void refuse(int index, ReadRefusal reason, long epoch, List<Effect> effects) {
        ReadSlot slot = slots[index];
        slot.holds = false;
        slot.refusal = epoch != group.epoch() ? ReadRefusal.WRONG_EPOCH : reason;
        slot.refusalEpoch = epoch;
        switch (slot.refusal) {
            case NONE -> {
                // In the archive class a write goes to some of the slots only.
                if (!policy.isDelivered()) {
                    blame(index, Verdict.BEHIND, "has nothing", effects);
                }
            }
            case OTHER_VERSION -> blame(index, Verdict.OTHER_VERSION, "has a different version", effects);
            case DAMAGED -> {
                blame(index, Verdict.DAMAGED, "reports that its fragment is damaged", effects);
                suspect(index, effects);
            }
            case WRONG_EPOCH, NOT_HOLDER, NO_VOLUME, NOT_PERMITTED, FREED, POISONOUS, NOT_REPAIRED -> {}
        }
    }

    /** Decodes if it can, and sees that enough slots hold it; concludes from refusals, or asks further slots. */
    private void decide(long nowMillis, List<Effect> effects) {
        if (content == null && usableCount() >= fragmentsWanted) {
            decode(effects);
            decodedMillis = nowMillis;
        }
        if (content != null) {
            ensureHolders(nowMillis, effects);
        }
        if (outcome != null) {
            return;
        }
        int f = policy.f();
        if (count(ReadRefusal.FREED) > f) {
            fail(new ReadOutcome.Freed());
        } else if (count(ReadRefusal.NOT_PERMITTED) > f) {
            fail(new ReadOutcome.NotPermitted());
        } else if (count(ReadRefusal.POISONOUS) > f) {
            fail(new ReadOutcome.Poisonous());
        } else if (laterEpoch() > group.epoch()) {
            fail(new ReadOutcome.StaleMap(laterEpoch()));
        } else if (neverStoredCount() > policy.lackingMax()) {
            fail(new ReadOutcome.Incomplete());
        } else if (content == null && order.stream().allMatch(this::isExhausted)) {
            fail(new ReadOutcome.Unavailable(reasons()));
        } else {
            pump(nowMillis, effects);
        }
    }

    /**
     * Returns whether another request to this slot is useless because it has answered twice, duplicates not counted. A
     * node that is behind the epoch of this read will hear of it, and one that refuses it will soon tell the next.
     */
    private boolean isExhausted(int index) {
        ReadSlot slot = slots[index];
        boolean behind = slot.refusal == ReadRefusal.WRONG_EPOCH && slot.refusalEpoch <= group.epoch();
        boolean asked = slot.wantsFragment || slot.refusal != null;
        return slot.found != null || (slot.settled && slot.answers > 1 && asked && !behind);
    }

    /** Ends the read once m+f slots hold the version; hands their fragments to those that lack it. */
    private void ensureHolders(long nowMillis, List<Effect> effects) {
        if (holders() < holdersWanted || holdersWanted == 0) {
            supplyMissing(nowMillis, effects);
        }
        if (holders() >= holdersWanted || isKnownDelivered() || (handsToAll && isHandedOut(nowMillis))) {
            outcome = new ReadOutcome.Whole(Objects.requireNonNull(content));
            blameOvertaken(effects);
        }
        if (outcome == null && salvage && isSalvageDue(nowMillis)) {
            outcome = new ReadOutcome.Whole(Objects.requireNonNull(content));
        }
    }

    /** Returns whether more than f slots are away, so that m+f cannot hold the block now, or the wait for them took too long. */
    private boolean isSalvageDue(long nowMillis) {
        int away = 0;
        for (int index = 0; index < slots.length; index++) {
            away += slots[index].isAway(doubted.contains(index)) ? 1 : 0;
        }
        return away > policy.f() || nowMillis - decodedMillis >= timing.retryMillis();
    }

    /** Slots in whose place others were asked, and that are still silent: the next reads ask them last. */
    private void blameOvertaken(List<Effect> effects) {
        for (int index : order) {
            ReadSlot slot = slots[index];
            if (slot.hedged && !slot.late && !slot.settled && slot.wantsFragment) {
                blame(index, Verdict.SLOW, "others answered in its place", effects);
            }
        }
    }

    /**
     * Returns whether a correct slot says that the version is delivered: then m + f slots held it once, and no others need to be
     * heard (thesis figure 2.3.2, lines 402 and 805).
     */
    private boolean isKnownDelivered() {
        int delivered = 0;
        for (ReadSlot slot : slots) {
            delivered += slot.holds && !slot.bad && slot.delivered ? 1 : 0;
        }
        return !handsToAll && delivered > policy.f();
    }

    /** Returns whether all slots have answered and no fragment is under way, or the wait for them took long enough. */
    private boolean isHandedOut(long nowMillis) {
        return nowMillis - decodedMillis >= timing.retryMillis()
                || order.stream().allMatch(index -> slots[index].settled && !slots[index].supplying);
    }

    /** Gives each slot that said that it has nothing its fragment, once. */
    private void supplyMissing(long nowMillis, List<Effect> effects) {
        for (int index : order) {
            if (encoded && slots[index].isMissing() && !slots[index].supplied) {
                slots[index].supply(nowMillis);
                supply(nowMillis, index, effects);
            }
        }
    }

    private void supply(long nowMillis, int index, List<Effect> effects) {
        slots[index].lastAskedMillis = nowMillis;
        effects.add(new Effect.Send(
                node(index),
                0,
                new Supply(
                        block,
                        group.epoch(),
                        index,
                        fragments().orElseThrow().get(index),
                        Objects.requireNonNull(checksum))));
    }

    private void onSupplied(long nowMillis, int index, Answer answer, List<Effect> effects) {
        ReadSlot slot = slots[index];
        if (!slot.supplied || outcome != null) {
            return;
        }
        switch (answer) {
            case Acknowledged ignored when answer.epoch() == group.epoch() -> slot.hold();
            case NotStored ignored
            when answer.epoch() > group.epoch() -> refuse(index, ReadRefusal.WRONG_EPOCH, answer.epoch(), effects);
            // Passing refusals are retried as long as the read runs.
            case NotStored refused when !ExtentWrite.PASSING.contains(refused.reason()) -> slot.supplying = false;
            default -> {}
        }
        decide(nowMillis, effects);
    }

    private int holders() {
        int holders = 0;
        for (ReadSlot slot : slots) {
            holders += slot.holds && !slot.bad ? 1 : 0;
        }
        return holders;
    }

    /** Asks as many further slots as are needed if all those that are not late answer well. */
    private void pump(long nowMillis, List<Effect> effects) {
        int expected = usableCount();
        for (ReadSlot slot : slots) {
            expected += slot.wantsFragment && slot.isSilent() ? 1 : 0;
        }
        for (ReadSlot.AskPriority rank : ReadSlot.AskPriority.ASKABLE) {
            for (int index : order) {
                if (content == null && expected < fragmentsWanted && slots[index].rank() == rank) {
                    ask(nowMillis, index, true, effects);
                    expected++;
                }
            }
        }
        int holding = 0;
        for (ReadSlot slot : slots) {
            holding += (slot.holds && !slot.bad) || slot.isSilent() ? 1 : 0;
        }
        int asked = holdersWanted > 0 && policy.spareSlots() > 0 ? slots.length : holdersWanted;
        for (int index : order) {
            if (holding < asked && !slots[index].asked) {
                ask(nowMillis, index, false, effects);
                holding++;
            }
        }
    }

    private void ask(long nowMillis, int index, boolean wantFragment, List<Effect> effects) {
        slots[index].ask(nowMillis, wantFragment);
        effects.add(new Effect.Send(node(index), 0, new ReadPinned(block, group.epoch(), index, pin, wantFragment)));
    }

    /** Asks those that lack it, and all where one says that it is freed or the epoch over: more than f must. */
    private void askAgain(long nowMillis, int index, List<Effect> effects) {
        ReadSlot slot = slots[index];
        boolean wants = wantsFragment(index);
        boolean doubtful = content != null
                && Arrays.stream(slots).anyMatch(other -> other.refusal != null && ENDING.contains(other.refusal));
        if (slot.supplying) {
            supply(nowMillis, index, effects);
        } else if (wants || !slot.holds || doubtful) {
            ask(nowMillis, index, wants, effects);
        }
    }

    /** Returns whether the read still has use for the fragment for which it asked the slot. */
    private boolean wantsFragment(int index) {
        ReadSlot slot = slots[index];
        return slot.wantsFragment && slot.found == null && (content == null || judged.contains(index));
    }

    /** Returns the number of good fragments. */
    private int usableCount() {
        int usable = 0;
        for (ReadSlot slot : slots) {
            usable += slot.found != null && !slot.bad ? 1 : 0;
        }
        return usable;
    }

    private void decode(List<Effect> effects) {
        Map<Integer, Bytes> good = new TreeMap<>();
        for (int index = 0; index < slots.length; index++) {
            ReadSlot slot = slots[index];
            if (slot.found != null && !slot.bad) {
                good.put(index, slot.found.fragment());
            }
        }
        Checksum known = checksum;
        DecodeResult decoded = known == null ? new DecodeResult.None() : coding.decode(known, good, isKnownValid());
        switch (decoded) {
            case DecodeResult.None ignored -> fragmentsWanted = usableCount() + 1;
            case DecodeResult.Poisonous ignored -> poisonous(effects);
            case DecodeResult.Block(Bytes whole) -> {
                if (policy.checksFragments() && !encodes(good, whole)) {
                    poisonous(effects);
                    for (int slot = 0; slot < slots.length; slot++) {
                        suspect(slot, slot, effects);
                    }
                    return;
                }
                content = whole;
                for (int index = 0; index < slots.length; index++) {
                    judge(index, effects);
                }
            }
        }
    }

    /**
     * Returns whether the writer gave the block the right hashes. A slot whose hash is wrong can never be handed its
     * fragment.
     */
    private boolean encodes(Map<Integer, Bytes> good, Bytes whole) {
        Checksum known = Objects.requireNonNull(checksum);
        encoded = verified.contains(known.pin()) || coding.encodes(known, whole, good.keySet());
        if (encoded) {
            verified.add(known.pin());
        }
        return encoded;
    }

    private void poisonous(List<Effect> effects) {
        outcome = new ReadOutcome.Poisonous();
        String detail = "wrote fragments that match their checksum but no single block";
        effects.add(new Effect.Evidence(block.owner(), block, Verdict.POISONOUS, detail));
    }

    /**
     * Returns whether at least one correct node has verified this version. A node that rebuilds its fragment of the
     * version trusts no other node.
     */
    private boolean isKnownValid() {
        long verified = Arrays.stream(slots)
                .filter(slot -> slot.found != null && !slot.bad && slot.found.verified())
                .count();
        return excluded.isEmpty() && verified > policy.f();
    }

    private void judge(int index, List<Effect> effects) {
        Found found = slots[index].found;
        Bytes accepted = content;
        if (accepted != null && slots[index].refusal == ReadRefusal.POISONOUS) {
            blame(index, Verdict.MISBEHAVED, "reported a valid version as poisonous", effects);
        }
        if (found == null || accepted == null || verdicts.get(index) == Verdict.CORRUPT) {
            return;
        }
        if (slots[index].bad && !isFragment(accepted, index, found.fragment())) {
            blame(
                    index,
                    Verdict.CORRUPT,
                    "sent bytes that differ from the re-encoded fragment of slot " + index,
                    effects);
            suspect(index, effects);
        } else if (slots[index].bad) {
            blame(index, Verdict.MISBEHAVED, "sent the right bytes with a wrong cross-checksum", effects);
        }
    }

    /** Returns whether it is the slot's fragment. In the archive class one costs as much as all, which are kept. */
    private boolean isFragment(Bytes accepted, int index, Bytes fragment) {
        return policy.isDelivered()
                ? fragments().orElseThrow().get(index).equals(fragment)
                : coding.matches(accepted, index, fragment);
    }

    /** A client's verdict is a hint only: all holders, the suspect too, are asked to look for themselves. */
    private void suspect(int index, List<Effect> effects) {
        if (!excluded.isEmpty() || slots[index].passedOn) {
            return;
        }
        slots[index].passedOn = true;
        for (int slot = 0; slot < slots.length; slot++) {
            suspect(slot, index, effects);
        }
    }

    private void suspect(int told, int index, List<Effect> effects) {
        if (excluded.isEmpty()) {
            effects.add(new Effect.Send(node(told), 0, new Suspect(block, group.epoch(), told, pin, index)));
        }
    }

    private void blame(int index, Verdict verdict, String detail, List<Effect> effects) {
        if (verdicts.put(index, verdict) != verdict) {
            effects.add(new Effect.Evidence(node(index), block, verdict, detail));
        }
    }

    /**
     * Returns the number of slots that lack this version. At most f slots that are not bad lack a complete one
     * (decision 16), and at most f are bad. Bad are liars, and slots whose holder came recently and has not caught up.
     * Therefore a slot that serves impossible bytes counts as well. So does one that found it poisonous: it keeps no fragment,
     * and if it is correct nobody reads the block.
     */
    private int neverStoredCount() {
        int bad = 0;
        for (ReadSlot slot : slots) {
            bad += slot.bad && slot.refusal == null ? 1 : 0;
        }
        return neverStoredElsewhere
                + bad
                + count(ReadRefusal.NONE)
                + count(ReadRefusal.OTHER_VERSION)
                + count(ReadRefusal.POISONOUS)
                + count(ReadRefusal.NOT_REPAIRED);
    }

    private static boolean onLacking(ReadRefusal reason) {
        return reason == ReadRefusal.NONE || reason == ReadRefusal.NOT_REPAIRED;
    }

    private int count(ReadRefusal refusal) {
        int count = 0;
        for (ReadSlot slot : slots) {
            count += slot.refusal == refusal ? 1 : 0;
        }
        return count;
    }

    /** The f+1-st highest epoch that slots answered: at least one correct node is there or further. */
    private long laterEpoch() {
        if (count(ReadRefusal.WRONG_EPOCH) == 0) {
            return 0;
        }
        return order.stream()
                .map(index -> slots[index])
                .filter(slot -> slot.refusal == ReadRefusal.WRONG_EPOCH)
                .map(slot -> slot.refusalEpoch)
                .sorted((a, b) -> Long.compare(b, a))
                .skip(policy.f())
                .findFirst()
                .orElse(0L);
    }

    private Map<Integer, String> reasons() {
        Map<Integer, String> reasons = new TreeMap<>();
        for (int index : order) {
            ReadSlot slot = slots[index];
            if (slot.bad) {
                reasons.put(index, node(index) + " sent data of another version");
            } else if (slot.refusal != null) {
                reasons.put(index, node(index) + " answered " + slot.refusal);
            } else if (!slot.holds) {
                reasons.put(index, node(index) + " has not answered");
            }
        }
        return reasons;
    }

    private PrincipalId node(int index) {
        return PrincipalId.node(group.holders().get(index));
    }
}

package io.bulwark.protocol.extent;

import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.Verdict;
import io.bulwark.protocol.extent.ExtentCoding.Decoded;
import io.bulwark.protocol.extent.ExtentMessage.Found;
import io.bulwark.protocol.extent.ExtentMessage.NotFound;
import io.bulwark.protocol.extent.ExtentMessage.ReadPinned;
import io.bulwark.protocol.extent.ExtentMessage.Suspect;
import io.bulwark.protocol.fingerprint.Checksum;
import io.bulwark.protocol.fingerprint.Share;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A pinned read (PROTOCOLS section 4): m slots are asked for exactly one version, the data slots first; each that is
 * silent, refuses or sends what cannot be right is replaced by the next. No timestamps and no proof are needed, since the
 * pin comes from the metadata. The rule of READ (section 2) for fragments with a cross-checksum of their own applies.
 *
 * <p>Once the block is known, what each slot sent is judged against it: {@link Verdict#CORRUPT} is what the slot sent as
 * this version and re-encoding does not give. A read by one that holds no slot itself (that excludes none) passes on,
 * once for each slot, what it finds corrupt or hears to be damaged: all holders get the hint, the suspect too, fetch for
 * themselves, judge, and repair.
 */
public final class ExtentRead implements ClientOperation<ReadOutcome> {
    private final ProtectionPolicy policy;
    private final PlacementGroup group;
    private final ExtentCoding coding;
    private final BlockId block;
    private final Bytes pin;
    private final ExtentTiming timing;
    private final Set<Integer> excluded;
    private final Set<Integer> judged;
    private final List<Integer> order;

    private final ReadSlot[] slots;
    private final Set<List<Bytes>> refutedGroups = new HashSet<>();
    private final Map<Integer, Verdict> verdicts = new TreeMap<>();
    private int neverStoredElsewhere;
    private boolean countsFresh;
    private long startedMillis;
    private long slowestAnswerMillis;
    private @Nullable ReadOutcome outcome;
    private @Nullable Bytes content;
    private @Nullable Checksum checksum;

    /** @param askLast slots believed to be bad or slow */
    public ExtentRead(Volume volume, BlockId block, Bytes pin, Set<Integer> askLast, ExtentTiming timing) {
        this(volume, block, pin, askLast, Set.of(), Set.of(), timing);
    }

    /**
     * A read that asks and judges the named slots, too, before it is finished; a slot that stays silent for the time of a
     * retry is left out.
     *
     * @param judged all slots, to verify an extent; one, to judge a suspect
     * @param excluded slots that are not asked at all: a node leaves out its own
     */
    public static ExtentRead judging(
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
        this.policy = volume.policy();
        this.group = volume.group(block);
        this.coding = ExtentCoding.of(policy);
        this.block = block;
        this.pin = pin;
        this.timing = timing;
        this.excluded = Set.copyOf(excluded);
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

    /** Counts holders that are not asked, of which it is known that they never stored this version. */
    ExtentRead countingNeverStored(int holders) {
        neverStoredElsewhere = holders;
        return this;
    }

    /**
     * By a node that took a slot lately: counts all holders that did among those that never stored this version. They are bad slots, of
     * which there are f at most, else one writer who left an extent incomplete would keep a new holder from ever being done.
     */
    public ExtentRead countingFresh() {
        countsFresh = true;
        return this;
    }

    @Override
    public List<Effect> start(long nowMillis) {
        startedMillis = nowMillis;
        List<Effect> effects = new ArrayList<>();
        judged.forEach(slot -> ask(nowMillis, slot, effects));
        pump(nowMillis, effects);
        return effects;
    }

    @Override
    public List<Effect> onMessage(long nowMillis, PrincipalId from, Message message) {
        List<Effect> effects = new ArrayList<>();
        int index = group.slotOf(from);
        if (index < 0
                || excluded.contains(index)
                || finished()
                || !(message instanceof ExtentMessage.Answer answer)
                || !answer.block().equals(block)) {
            return effects;
        }
        ReadSlot slot = slots[index];
        if (!slot.asked || (slot.settled && slot.found != null)) {
            return effects;
        }
        switch (answer) {
            case Found found when answer.epoch() == group.epoch() -> accept(index, found);
            case NotFound refused -> refuse(index, refused.reason(), refused.epoch(), effects);
            case Found _ -> refuse(index, ReadRefusal.WRONG_EPOCH, answer.epoch(), effects);
            default -> {
                return effects;
            }
        }
        if (!slot.settled) {
            slowestAnswerMillis = Math.max(slowestAnswerMillis, nowMillis - slot.questionMillis);
        }
        slot.answered();
        if (outcome == null) {
            decide(nowMillis, effects);
        } else {
            judge(index, effects);
        }
        return effects;
    }

    @Override
    public List<Effect> onTick(long nowMillis) {
        List<Effect> effects = new ArrayList<>();
        if (finished()) {
            return effects;
        }
        long silentSlots = Arrays.stream(slots).filter(ReadSlot::silent).count();
        for (int index : order) {
            ReadSlot slot = slots[index];
            if (!slot.asked) {
                continue;
            }
            long silentMillis = nowMillis - slot.firstAskedMillis;
            long stillMillis = nowMillis - slot.movedMillis;
            if (slot.silent()
                    && timing.isLate(silentMillis, stillMillis, silentSlots, policy.f(), slowestAnswerMillis)) {
                slot.hedged = true;
                blame(index, Verdict.UNREACHABLE, "silent for " + silentMillis + " ms", effects);
            }
            boolean again = outcome == null && slot.found == null;
            if (again && nowMillis - slot.lastAskedMillis >= timing.retryMillis()) {
                ask(nowMillis, index, effects);
            }
            if (!slot.settled && nowMillis - slot.firstAskedMillis >= timing.retryMillis()) {
                judged.remove(index);
            }
        }
        if (outcome == null) {
            decide(nowMillis, effects);
        }
        if (outcome == null && nowMillis - startedMillis >= timing.deadlineMillis()) {
            outcome = new ReadOutcome.Unavailable(reasons());
        }
        return effects;
    }

    @Override
    public boolean repeatsInCaseOfLoss() {
        return true;
    }

    @Override
    public void onMoving(PrincipalId peer, long atMillis) {
        int index = group.slotOf(peer);
        if (index >= 0) {
            slots[index].moving(atMillis);
        }
    }

    @Override
    public Optional<ReadOutcome> outcome() {
        return Optional.ofNullable(outcome);
    }

    @Override
    public boolean finished() {
        return outcome != null && (content == null || judged.stream().allMatch(slot -> slots[slot].settled));
    }

    /** What was seen of each slot so far, by slot; a slot that is not named sent nothing wrong. */
    public Map<Integer, Verdict> verdicts() {
        return Map.copyOf(verdicts);
    }

    /** What the pin names, once the block was read. */
    Optional<Checksum> checksum() {
        return Optional.ofNullable(checksum);
    }

    private void accept(int index, Found found) {
        ReadSlot slot = slots[index];
        slot.found = found;
        slot.refusal = null;
        verdicts.remove(index, Verdict.UNREACHABLE);
        slot.bad = !found.checksum().pin().equals(pin) || !coding.isShareOf(found.checksum(), index, found.share());
        if (!slot.bad) {
            checksum = found.checksum();
        }
    }

    private void refuse(int index, ReadRefusal reason, long epoch, List<Effect> effects) {
        ReadSlot slot = slots[index];
        slot.refusal = epoch != group.epoch() ? ReadRefusal.WRONG_EPOCH : reason;
        slot.refusalEpoch = epoch;
        switch (slot.refusal) {
            case NONE -> blame(index, Verdict.BEHIND, "has nothing", effects);
            case OTHER_VERSION -> blame(index, Verdict.OTHER_VERSION, "has another version", effects);
            case DAMAGED -> {
                blame(index, Verdict.DAMAGED, "says that its fragment is damaged", effects);
                suspect(index, effects);
            }
            case WRONG_EPOCH, NOT_HOLDER, NO_VOLUME, NOT_PERMITTED, FREED, POISONOUS, NOT_REPAIRED -> {}
        }
    }

    /** Decodes if it can; else concludes from refusals, or asks further slots. */
    private void decide(long nowMillis, List<Effect> effects) {
        if (usable() >= policy.m() && decode(effects)) {
            return;
        }
        int f = policy.f();
        if (count(ReadRefusal.FREED) > f) {
            outcome = new ReadOutcome.Freed();
        } else if (count(ReadRefusal.NOT_PERMITTED) > f) {
            outcome = new ReadOutcome.NotPermitted();
        } else if (count(ReadRefusal.POISONOUS) > f) {
            outcome = new ReadOutcome.Poisonous();
        } else if (laterEpoch() > group.epoch()) {
            outcome = new ReadOutcome.StaleMap(laterEpoch());
        } else if (neverStored() > 2 * f) {
            outcome = new ReadOutcome.Incomplete();
        } else if (order.stream().allMatch(this::exhausted)) {
            outcome = new ReadOutcome.Unavailable(reasons());
        } else {
            pump(nowMillis, effects);
        }
    }

    /**
     * Whether asking this slot once more promises nothing: it has answered twice, a message that came again left out. A node
     * that is behind the epoch of this read will hear of it, and one that refuses it will soon tell the next.
     */
    private boolean exhausted(int index) {
        ReadSlot slot = slots[index];
        boolean behind = slot.refusal == ReadRefusal.WRONG_EPOCH && slot.refusalEpoch <= group.epoch();
        return slot.found != null || (slot.settled && slot.answers > 1 && !behind);
    }

    /** Asks as many further slots as are needed if all those that are not late answer well. */
    private void pump(long nowMillis, List<Effect> effects) {
        int expected = usable();
        for (ReadSlot slot : slots) {
            expected += slot.silent() ? 1 : 0;
        }
        for (int index : order) {
            if (expected >= policy.m()) {
                return;
            }
            if (!slots[index].asked) {
                ask(nowMillis, index, effects);
                expected++;
            }
        }
    }

    private void ask(long nowMillis, int index, List<Effect> effects) {
        slots[index].ask(nowMillis);
        effects.add(new Effect.Send(node(index), 0, new ReadPinned(block, group.epoch(), index, pin, true)));
    }

    /** Fragments consistent with fpcc, and the largest group of those that come with one cross-checksum of their own. */
    private int usable() {
        int consistent = 0;
        int largest = 0;
        Map<List<Bytes>, Integer> groups = new HashMap<>();
        for (ReadSlot slot : slots) {
            if (slot.found != null && !slot.bad) {
                List<Bytes> cc = slot.found.share().cc();
                if (cc == null) {
                    consistent++;
                } else if (!refutedGroups.contains(cc)) {
                    largest = Math.max(largest, groups.merge(cc, 1, Integer::sum));
                }
            }
        }
        return consistent + largest;
    }

    private boolean decode(List<Effect> effects) {
        Map<Integer, Share> shares = new TreeMap<>();
        int consistent = 0;
        for (int index = 0; index < slots.length; index++) {
            ReadSlot slot = slots[index];
            if (slot.found != null && !slot.bad && !refuted(slot.found)) {
                shares.put(index, slot.found.share());
                consistent += slot.found.share().cc() == null ? 1 : 0;
            }
        }
        Checksum known = checksum;
        Decoded decoded = known == null ? new Decoded.None() : coding.decode(known, shares, knownValid());
        switch (decoded) {
            case Decoded.None _ -> {
                refuteGroups(shares, consistent);
                return false;
            }
            case Decoded.Poisonous _ -> {
                outcome = new ReadOutcome.Poisonous();
                String detail = "wrote fragments that match their checksum and belong to no one block";
                effects.add(new Effect.Evidence(block.owner(), block, Verdict.POISONOUS, detail));
            }
            case Decoded.Block(Bytes whole) -> {
                content = whole;
                outcome = new ReadOutcome.Whole(whole);
                for (int index = 0; index < slots.length; index++) {
                    judge(index, effects);
                }
            }
        }
        return true;
    }

    /** Whether one correct node, at least, has verified this version. A node that makes a fragment of it believes nobody. */
    private boolean knownValid() {
        long verified = Arrays.stream(slots)
                .filter(slot -> slot.found != null && !slot.bad && slot.found.verified())
                .count();
        return excluded.isEmpty() && verified > policy.f();
    }

    /**
     * A group that could be decoded and gave no block of this fpcc contains a lie: correct nodes keep a cross-checksum of
     * their own only for a block that they have checked against fpcc.
     */
    private void refuteGroups(Map<Integer, Share> shares, int consistent) {
        Map<List<Bytes>, Integer> sizes = new HashMap<>();
        shares.values().forEach(share -> {
            if (share.cc() != null) {
                sizes.merge(share.cc(), 1, Integer::sum);
            }
        });
        sizes.forEach((cc, size) -> {
            if (consistent + size >= policy.m()) {
                refutedGroups.add(cc);
            }
        });
    }

    private boolean refuted(Found found) {
        List<Bytes> cc = found.share().cc();
        return cc != null && refutedGroups.contains(cc);
    }

    private void judge(int index, List<Effect> effects) {
        Found found = slots[index].found;
        Bytes accepted = content;
        if (accepted != null && slots[index].refusal == ReadRefusal.POISONOUS) {
            blame(index, Verdict.MISBEHAVED, "calls a version poisonous that is valid", effects);
        }
        if (found == null || accepted == null || verdicts.get(index) == Verdict.CORRUPT) {
            return;
        }
        boolean cleared = !slots[index].bad && found.share().cc() == null;
        if (!cleared && !coding.matches(accepted, index, found.share().fragment())) {
            blame(index, Verdict.CORRUPT, "sent bytes that re-encoding does not give for slot " + index, effects);
            suspect(index, effects);
        } else if (slots[index].bad || refuted(found)) {
            blame(index, Verdict.MISBEHAVED, "sent the right bytes with a wrong cross-checksum", effects);
        }
    }

    /** A client's verdict is a hint only: all holders, the suspect too, are asked to look for themselves. */
    private void suspect(int index, List<Effect> effects) {
        if (!excluded.isEmpty() || slots[index].passedOn) {
            return;
        }
        slots[index].passedOn = true;
        for (int slot = 0; slot < slots.length; slot++) {
            effects.add(new Effect.Send(node(slot), 0, new Suspect(block, group.epoch(), slot, pin, index)));
        }
    }

    private void blame(int index, Verdict verdict, String detail, List<Effect> effects) {
        if (verdicts.put(index, verdict) != verdict) {
            effects.add(new Effect.Evidence(node(index), block, verdict, detail));
        }
    }

    private int neverStored() {
        return neverStoredElsewhere
                + count(ReadRefusal.NONE)
                + count(ReadRefusal.OTHER_VERSION)
                + (countsFresh ? count(ReadRefusal.NOT_REPAIRED) : 0);
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
            if (slot.bad || (slot.found != null && refuted(slot.found))) {
                reasons.put(index, node(index) + " sent what is not this version");
            } else if (slot.refusal != null) {
                reasons.put(index, node(index) + " answered " + slot.refusal);
            } else if (slot.found == null) {
                reasons.put(index, node(index) + " is silent");
            }
        }
        return reasons;
    }

    private PrincipalId node(int index) {
        return PrincipalId.node(group.holders().get(index));
    }
}

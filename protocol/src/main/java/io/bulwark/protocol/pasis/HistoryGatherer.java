package io.bulwark.protocol.pasis;

import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.Verdict;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.kernel.RetryTimer;
import io.bulwark.protocol.kernel.Timeouts;
import io.bulwark.protocol.wire.Bytes;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Answers that a reader has gathered from the nodes, with the nodes asked and the late ones. It draws no conclusions.
 */
final class HistoryGatherer {
    private final PasisGroup group;
    private final Timeouts times;
    private final OwnHistory own;
    private final @Nullable VersionName awaited;
    /** All slots, in the order in which they are asked. */
    private final List<Integer> order;

    private final SlotView[] views;
    private final @Nullable RetryTimer[] histories;
    private final Map<ValidatingTimestamp, TreeMap<Integer, Bytes>> fragments = new HashMap<>();
    private final Set<Integer> unreachable = new HashSet<>();
    private final RefusalCounts refusals;
    private boolean secondRound;
    private boolean fetched;
    private long bytes;

    HistoryGatherer(
            PasisGroup group, Timeouts times, OwnHistory own, @Nullable VersionName awaited, List<Integer> order) {
        this.group = group;
        this.times = times;
        this.own = own;
        this.awaited = awaited;
        this.order = order;
        this.views = new SlotView[group.n()];
        this.histories = new RetryTimer[group.n()];
        this.refusals = new RefusalCounts(group);
    }

    RefusalCounts refusals() {
        return refusals;
    }

    /** Asks the first nodes, so many of them for fragments. */
    void begin(long nowMillis, int nodes, int fragmentsWanted, List<Effect> effects) {
        fragments.clear();
        for (int slot = 0; slot < group.n(); slot++) {
            views[slot] = new SlotView();
            histories[slot] = null;
        }
        int asked = 0;
        if (own.slot() >= 0) {
            views[own.slot()].takeAll(own.versions(), own.collected());
            own.fragments().forEach((version, fragment) -> keep(own.slot(), version, fragment));
            asked++;
        }
        int withFragment = 0;
        for (int slot : order) {
            if (slot != own.slot() && asked < nodes) {
                ask(nowMillis, slot, withFragment++ < fragmentsWanted, effects);
                asked++;
            }
        }
    }

    private void ask(long nowMillis, int slot, boolean withFragment, List<Effect> effects) {
        histories[slot] = RetryTimer.asked(times, nowMillis);
        send(slot, new PasisMessage.Read(group.target(slot), views[slot].low(), withFragment, awaited), effects);
    }

    private void send(int slot, PasisMessage message, List<Effect> effects) {
        effects.add(new Effect.Send(group.node(slot), 0, message));
    }

    /** The slot that an answer speaks for, or -1 if it is not one of those asked. */
    int take(PrincipalId from, PasisMessage.Answer answer, List<Effect> effects) {
        int slot = group.slotOf(from, answer.target());
        if (slot < 0 || slot == own.slot()) {
            return -1;
        }
        switch (answer) {
            case PasisMessage.History history -> take(slot, history, effects);
            case PasisMessage.Fragment fragment -> take(slot, fragment, effects);
            case PasisMessage.Refused refused -> {
                if (refused.asked() == RequestKind.READ || refused.asked() == RequestKind.READ_FRAGMENT) {
                    refusals.add(slot, refused);
                }
            }
            default -> {}
        }
        return slot;
    }

    private void take(int slot, PasisMessage.History history, List<Effect> effects) {
        if (!isWellFormed(history)) {
            accuse(slot, Verdict.MISBEHAVED, "a malformed history", effects);
            return;
        }
        RetryTimer asked = histories[slot];
        if (asked == null || !asked.waiting() || !views[slot].take(history)) {
            return;
        }
        asked.answered();
        refusals.remove(slot);
        Bytes fragment = history.fragment();
        if (fragment != null && !history.versions().isEmpty()) {
            checked(slot, history.versions().getFirst().timestamp(), fragment, effects);
        }
    }

    private boolean isWellFormed(PasisMessage.History history) {
        ValidatingTimestamp last = history.before();
        if (!group.fits(last) || !group.fits(history.collected())) {
            return false;
        }
        for (PasisMessage.Entry entry : history.versions()) {
            boolean descends = last.isNone() || last.isAfter(entry.timestamp());
            if (!group.fits(entry.timestamp()) || !descends) {
                return false;
            }
            last = entry.timestamp();
        }
        return !history.versions().isEmpty() || !history.more();
    }

    private void take(int slot, PasisMessage.Fragment answer, List<Effect> effects) {
        SlotView view = views[slot];
        for (Map.Entry<ValidatingTimestamp, RetryTimer> entry : view.asked().entrySet()) {
            ValidatingTimestamp version = entry.getKey();
            if (entry.getValue().waiting() && version.name().equals(answer.version())) {
                entry.getValue().answered();
                refusals.remove(slot);
                if (answer.held() == PasisMessage.Held.HELD) {
                    checked(slot, version, answer.fragment(), effects);
                    return;
                }
                if (answer.held() == PasisMessage.Held.DAMAGED) {
                    accuse(slot, Verdict.DAMAGED, "has lost its fragment of " + version, effects);
                } else if (group.fits(answer.collected())) {
                    view.collect(answer.collected());
                }
                view.withdraw(version);
                return;
            }
        }
    }

    /** Only a fragment that matches the cross-checksum counts: a correct node accepts, and sends, no other. */
    private void checked(int slot, ValidatingTimestamp version, Bytes fragment, List<Effect> effects) {
        bytes += fragment.length();
        if (group.accepts(version, slot, fragment)) {
            keep(slot, version, fragment);
        } else {
            accuse(slot, Verdict.CORRUPT, "sent for its fragment of " + version + " other data", effects);
            views[slot].withdraw(version);
        }
    }

    private void keep(int slot, ValidatingTimestamp version, Bytes fragment) {
        fragments.computeIfAbsent(version, ignored -> new TreeMap<>()).put(slot, fragment);
    }

    private void accuse(int slot, Verdict verdict, String detail, List<Effect> effects) {
        effects.add(new Effect.Evidence(group.node(slot), group.block(), verdict, detail));
    }

    int answered() {
        return (int) slots(SlotView::answered);
    }

    private long slots(Predicate<SlotView> test) {
        long count = 0;
        for (SlotView view : views) {
            count += test.test(view) ? 1 : 0;
        }
        return count;
    }

    long standing(ValidatingTimestamp version, SlotView.VersionStatus stand) {
        return slots(view -> view.stand(version) == stand);
    }

    /** The greatest version that somebody claims and that is not in either set; NONE if there is none. */
    ValidatingTimestamp candidate(Set<ValidatingTimestamp> passedOver, Set<ValidatingTimestamp> poisonous) {
        ValidatingTimestamp greatest = ValidatingTimestamp.NONE;
        for (SlotView view : views) {
            for (ValidatingTimestamp version : view.claimed()) {
                if (!version.isAfter(greatest)) {
                    break;
                }
                if (!passedOver.contains(version) && !poisonous.contains(version)) {
                    greatest = version;
                    break;
                }
            }
        }
        return greatest;
    }

    /** Returns whether b + 1 nodes report that they have verified it. */
    boolean isProvenByNodes(ValidatingTimestamp version) {
        return slots(view -> view.verified(version)) >= group.weakQuorum();
    }

    /** Returns whether it may still turn out to be at N - b nodes, if the silent nodes claim it and are not late. */
    boolean mayBeComplete(long nowMillis, ValidatingTimestamp version) {
        long possible = 0;
        for (int slot = 0; slot < group.n(); slot++) {
            RetryTimer asked = histories[slot];
            boolean late = asked != null && asked.isSlow(nowMillis);
            possible += switch (views[slot].stand(version)) {
                case CLAIMS -> 1;
                case SILENT, UNKNOWN -> late || refusals.has(slot) ? 0 : 1;
                case DENIES, COLLECTED -> 0;
            };
        }
        return possible >= group.quorum();
    }

    /**
     * Returns whether too few fragments remain for the candidate to be complete. A slot that claims it and does not
     * send its fragment counts as one that has not answered.
     */
    boolean isHopeless(ValidatingTimestamp version, long claims, long hidden, int answered) {
        int pending = 0;
        for (SlotView view : views) {
            RetryTimer asked = view.fragment(version);
            pending += asked != null && asked.waiting() && view.stand(version) == SlotView.VersionStatus.CLAIMS ? 1 : 0;
        }
        int fully = answered - pending;
        return fully >= group.quorum() && claims - pending + hidden < group.minShown(fully);
    }

    /** Asks for fragments at nodes that claim the version: as many as are missing, more for those that are slow. False if nothing comes any more. */
    boolean fetch(long nowMillis, ValidatingTimestamp version, List<Effect> effects) {
        Map<Integer, Bytes> valid = validFragments(version);
        int coming = valid.size();
        boolean late = false;
        for (SlotView view : views) {
            RetryTimer asked = view.fragment(version);
            late |= asked != null && asked.isSlow(nowMillis);
            coming += asked != null && asked.waiting() && !asked.isSlow(nowMillis) ? 1 : 0;
        }
        for (int slot : order) {
            boolean claims = views[slot].stand(version) == SlotView.VersionStatus.CLAIMS;
            boolean open = slot != own.slot() && !valid.containsKey(slot) && views[slot].fragment(version) == null;
            if (claims && open && (late || coming < group.m())) {
                views[slot].ask(version, RetryTimer.asked(times, nowMillis));
                send(slot, new PasisMessage.ReadFragment(group.target(slot), version.name()), effects);
                fetched = true;
                coming++;
            }
        }
        return (!late && coming >= group.m()) || askMore(nowMillis, version, effects);
    }

    /**
     * Asks for older versions, and asks further slots: first the rest of N - b, and all once these have answered or are slow.
     * False if no further answer can help.
     */
    boolean askMore(long nowMillis, ValidatingTimestamp version, List<Effect> effects) {
        boolean hope = false;
        int fresh = freshSlots(nowMillis);
        for (int slot : order) {
            SlotView.VersionStatus stand = views[slot].stand(version);
            if (stand == SlotView.VersionStatus.SILENT || stand == SlotView.VersionStatus.UNKNOWN) {
                RetryTimer asked = histories[slot];
                boolean asks = asked == null ? fresh-- > 0 : !asked.waiting();
                if (asks) {
                    ask(nowMillis, slot, false, effects);
                    secondRound = true;
                }
                hope |= asks || (asked != null && !asked.isSlow(nowMillis));
            }
        }
        for (SlotView view : views) {
            RetryTimer asked = view.fragment(version);
            hope |= asked != null && asked.waiting() && !asked.late(nowMillis);
        }
        return hope;
    }

    /** Returns how many slots may be asked for the first time now: none while others are yet to answer. */
    private int freshSlots(long nowMillis) {
        for (RetryTimer asked : histories) {
            if (asked != null && asked.waiting() && !asked.isSlow(nowMillis)) {
                return 0;
            }
        }
        int asked = asked();
        return asked < group.quorum() ? group.quorum() - asked : group.n() - asked;
    }

    /** Returns how many slots have been asked since the beginning, the own one included. */
    int asked() {
        int asked = own.slot() >= 0 ? 1 : 0;
        for (RetryTimer each : histories) {
            asked += each != null ? 1 : 0;
        }
        return asked;
    }

    /** Returns whether more was asked than at the beginning. */
    boolean secondRound() {
        return secondRound;
    }

    /** Returns whether fragments were asked for one by one. */
    boolean fetched() {
        return fetched;
    }

    /** Returns the bytes of all fragments that came. */
    long bytes() {
        return bytes;
    }

    /**
     * Reports that a request to a node, or its answer, was in transit at this time. Up to b nodes alone may be liars
     * that keep their connections moving.
     */
    void onMovement(PrincipalId peer, long atMillis) {
        long awaited = Arrays.stream(histories)
                .filter(asked -> asked != null && asked.waiting())
                .count();
        int slot = group.slotOf(peer);
        RetryTimer asked = slot < 0 ? null : histories[slot];
        if (asked != null && awaited > group.b()) {
            asked.onMovement(atMillis);
        }
    }

    /** All are asked once one of the first is slow or refuses. */
    void engageMore(long nowMillis, List<Effect> effects) {
        boolean needed = false;
        for (int slot = 0; slot < group.n(); slot++) {
            RetryTimer asked = histories[slot];
            needed |= asked != null && (asked.isSlow(nowMillis) || refusals.has(slot));
        }
        for (int slot = 0; needed && slot < group.n(); slot++) {
            if (slot != own.slot() && histories[slot] == null) {
                ask(nowMillis, slot, false, effects);
                secondRound = true;
            }
        }
    }

    /** The fragments of a version that match its cross-checksum, by slot. */
    Map<Integer, Bytes> validFragments(ValidatingTimestamp version) {
        return fragments.getOrDefault(version, new TreeMap<>());
    }

    /** The slots that claim the version, and the own one, which will hold it. */
    Set<Integer> holders(ValidatingTimestamp version) {
        Set<Integer> holders = new HashSet<>();
        for (int slot = 0; slot < group.n(); slot++) {
            if (views[slot].stand(version) == SlotView.VersionStatus.CLAIMS || slot == own.slot()) {
                holders.add(slot);
            }
        }
        return holders;
    }

    void sendAgain(long nowMillis, List<Effect> effects) {
        for (int slot = 0; slot < group.n(); slot++) {
            SlotView view = views[slot];
            RetryTimer asked = histories[slot];
            if (asked != null && asked.again(nowMillis)) {
                send(slot, new PasisMessage.Read(group.target(slot), view.low(), false, awaited), effects);
                if (asked.isSlow(nowMillis) && !refusals.has(slot) && unreachable.add(slot)) {
                    accuse(slot, Verdict.SLOW, "no answer to a read", effects);
                }
            }
            int to = slot;
            view.asked().forEach((version, asking) -> {
                if (asking.again(nowMillis)) {
                    send(to, new PasisMessage.ReadFragment(group.target(to), version.name()), effects);
                }
            });
        }
    }
}

package io.bulwark.protocol.pasis;

import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.kernel.RetryTimer;
import io.bulwark.protocol.kernel.Timeouts;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Rebuild of a node's fragment of a version from those of the others. It takes N - 3b of them that match the
 * cross-checksum, so that a correct node, which has judged the version's time, holds it. It also validates the
 * timestamp.
 */
final class FragmentFetch implements ClientOperation<FragmentFetch.Outcome> {
    /** Result of the fetch. */
    sealed interface Outcome {
        /** The node's own fragment. */
        record Made(Bytes fragment) implements Outcome {}

        record Poisonous() implements Outcome {}

        /** b + 1 nodes know of a later version that is complete. */
        record Obsolete() implements Outcome {}

        /** It cannot have been complete when this began. */
        record NotFound() implements Outcome {}

        record TimedOut() implements Outcome {}
    }

    private final PasisGroup group;
    private final int ownSlot;
    private final ValidatingTimestamp version;
    private final VersionName name;
    private final Timeouts times;
    private final @Nullable RetryTimer[] asked;
    private final TreeMap<Integer, Bytes> valid = new TreeMap<>();
    private final Set<Integer> collected = new HashSet<>();
    private final Set<Integer> denied = new HashSet<>();
    private long startedMillis;
    private @Nullable Outcome outcome;

    FragmentFetch(PasisGroup group, int ownSlot, ValidatingTimestamp version, Timeouts times) {
        this.group = group;
        this.ownSlot = ownSlot;
        this.version = version;
        this.name = version.name();
        this.times = times;
        this.asked = new RetryTimer[group.n()];
        this.denied.add(ownSlot);
    }

    @Override
    public List<Effect> start(long nowMillis) {
        startedMillis = nowMillis;
        List<Effect> effects = new ArrayList<>();
        for (int slot = 0; slot < group.n(); slot++) {
            if (slot != ownSlot) {
                asked[slot] = RetryTimer.asked(times, nowMillis);
                ask(slot, effects);
            }
        }
        return effects;
    }

    private void ask(int slot, List<Effect> effects) {
        effects.add(new Effect.Send(group.node(slot), 0, new PasisMessage.ReadFragment(group.target(slot), name)));
    }

    @Override
    public List<Effect> onMessage(long nowMillis, PrincipalId from, Message message) {
        if (message instanceof PasisMessage.Fragment answer && answer.version().equals(name) && outcome == null) {
            int slot = group.slotOf(from, answer.target());
            RetryTimer asking = slot < 0 ? null : asked[slot];
            if (asking != null && asking.waiting()) {
                asking.answered();
                boolean held = answer.held() == PasisMessage.Held.HELD;
                if (held && group.accepts(version, slot, answer.fragment())) {
                    valid.put(slot, answer.fragment());
                } else if (!held
                        && group.fits(answer.collected())
                        && answer.collected().isAfter(version)) {
                    collected.add(slot);
                } else {
                    denied.add(slot);
                }
                decide();
            }
        }
        return List.of();
    }

    private void decide() {
        int answered = valid.size() + collected.size() + denied.size();
        if (valid.size() >= group.repairable()) {
            outcome = group.validate(version, group.decode(valid))
                    .<Outcome>map(fragments -> new Outcome.Made(fragments.get(ownSlot)))
                    .orElseGet(Outcome.Poisonous::new);
        } else if (collected.size() >= group.weakQuorum()) {
            outcome = new Outcome.Obsolete();
        } else if (answered >= group.quorum() && valid.size() + collected.size() < group.minShown(answered)) {
            outcome = new Outcome.NotFound();
        }
    }

    @Override
    public List<Effect> onTick(long nowMillis) {
        List<Effect> effects = new ArrayList<>();
        if (outcome == null && nowMillis - startedMillis >= times.timeoutMillis()) {
            outcome = new Outcome.TimedOut();
        }
        for (int slot = 0; slot < group.n() && outcome == null; slot++) {
            RetryTimer asking = asked[slot];
            if (asking != null && asking.again(nowMillis)) {
                ask(slot, effects);
            }
        }
        return effects;
    }

    @Override
    public boolean isResendOptional() {
        return true;
    }

    @Override
    public Optional<Outcome> outcome() {
        return Optional.ofNullable(outcome);
    }
}

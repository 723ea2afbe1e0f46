package io.bulwark.protocol.fp;

import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.kernel.RetryTimer;
import io.bulwark.protocol.kernel.Timeouts;
import io.bulwark.protocol.wire.Message;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A repairing node gathers the {@code repair} MACs of its peers: m + f with its own, or it adopts nothing. */
final class RepairMacs implements ClientOperation<RepairMacs.Outcome> {
    /** Outcome of the collection of MACs. */
    sealed interface Outcome {
        /** At least m + f - 1 prepares of peers, by ascending slot. */
        record Gathered(List<FpMessage.PrepareMac> prepares) implements Outcome {}

        /** Peers have committed something later. */
        record Superseded(Timestamp by) implements Outcome {}

        /** m + f - 1 peers have vouched for the version or say that it is proven. */
        record Supported() implements Outcome {}

        record TimedOut() implements Outcome {}
    }

    private final boolean endsBacked;
    /** The slots that say that it is proven. */
    private final Set<Integer> backing = new HashSet<>();

    private final FpGroup group;
    private final int ownSlot;
    private final Timestamp version;
    private final Timeouts times;
    private final Predicate<FpMessage.PrepareMac> valid;
    private final BooleanSupplier hurried;
    private final Map<Integer, RetryTimer> asked = new HashMap<>();
    private final TreeMap<Integer, FpMessage.PrepareMac> prepareMacs = new TreeMap<>();
    private final Map<Integer, Timestamp> later = new HashMap<>();
    private long startedMillis;
    private @Nullable Outcome outcome;

    /**
     * @param valid whether a vouch carries a right MAC for this node
     * @param hurried whether others wait for another version: liars that name a version that nobody else can prove
     *     delay them only briefly
     * @param endsBacked whether it is enough for now that the others know the version to be proven, as this node has no
     *     room for it
     */
    RepairMacs(
            FpGroup group,
            int ownSlot,
            Timestamp version,
            Timeouts times,
            Predicate<FpMessage.PrepareMac> valid,
            BooleanSupplier hurried,
            boolean endsBacked) {
        this.endsBacked = endsBacked;
        this.group = group;
        this.ownSlot = ownSlot;
        this.version = version;
        this.times = times;
        this.valid = valid;
        this.hurried = hurried;
    }

    @Override
    public List<Effect> start(long nowMillis) {
        startedMillis = nowMillis;
        List<Effect> effects = new ArrayList<>();
        for (int slot = 0; slot < group.n(); slot++) {
            if (slot != ownSlot) {
                RetryTimer retryTimer = new RetryTimer(times);
                retryTimer.ask(nowMillis);
                asked.put(slot, retryTimer);
                ask(slot, effects);
            }
        }
        return effects;
    }

    @Override
    public List<Effect> onMessage(long nowMillis, PrincipalId from, Message message) {
        if (message instanceof FpMessage.Answer answer) {
            int slot = group.slotOf(from, answer.target());
            if (slot >= 0 && slot != ownSlot) {
                take(slot, answer);
            }
        }
        return List.of();
    }

    private void take(int slot, FpMessage.Answer answer) {
        if (answer instanceof FpMessage.RepairMac mac && mac.version().equals(version.version())) {
            FpMessage.PrepareMac prepareMac = new FpMessage.PrepareMac(slot, mac.nonce(), mac.mac());
            if (valid.test(prepareMac)) {
                prepareMacs.put(slot, prepareMac);
            }
        } else if (answer instanceof FpMessage.RepairAnswer repaired
                && group.fits(repaired.latest())
                && repaired.latest().isAfter(version)) {
            later.put(slot, repaired.latest());
        }
        if (answer instanceof FpMessage.Proven proven && proven.version().equals(version.version())) {
            backing.add(slot);
        }
        if (outcome == null && prepareMacs.size() + 1 >= group.policy().writeQuorum()) {
            outcome = new Outcome.Gathered(List.copyOf(prepareMacs.values()));
        }
        backing.addAll(prepareMacs.keySet());
        if (outcome == null
                && endsBacked
                && backing.size() + 1 >= group.policy().writeQuorum()) {
            outcome = new Outcome.Supported();
        }
        if (outcome == null && later.size() > group.f()) {
            outcome = overtaken();
        }
    }

    /** The greatest that is not only f liars' word. */
    private Outcome overtaken() {
        List<Timestamp> claims = new ArrayList<>(later.values());
        claims.sort(null);
        return new Outcome.Superseded(claims.get(Math.max(0, claims.size() - 1 - group.f())));
    }

    @Override
    public List<Effect> onTick(long nowMillis) {
        List<Effect> effects = new ArrayList<>();
        if (outcome != null) {
            return effects;
        }
        long elapsed = nowMillis - startedMillis;
        boolean enough = elapsed >= 4 * times.retryMillis();
        if (!later.isEmpty() && enough) {
            outcome = overtaken();
        } else if (elapsed >= times.timeoutMillis() || (enough && hurried.getAsBoolean())) {
            outcome = new Outcome.TimedOut();
        } else {
            asked.forEach((slot, retryTimer) -> {
                if (!prepareMacs.containsKey(slot) && retryTimer.isRetryDue(nowMillis)) {
                    retryTimer.askAgain(nowMillis);
                    ask(slot, effects);
                }
            });
        }
        return effects;
    }

    private void ask(int slot, List<Effect> effects) {
        effects.add(new Effect.Send(group.node(slot), 0, new FpMessage.AskRepairMac(group.target(slot), version)));
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

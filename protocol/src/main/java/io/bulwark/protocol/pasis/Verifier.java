package io.bulwark.protocol.pasis;

import io.bulwark.protocol.cluster.Verification;
import io.bulwark.protocol.effect.Mutation;
import io.bulwark.protocol.effect.Verdict;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKind;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Verification of one block at this node (lazy verification paper, section 3), by reading at the other nodes, or by the
 * reports of b + 1 of them; and the collection that follows. Only one runs at a time; a request during it waits for the
 * next.
 */
final class Verifier {
    private static final int OWN_FRAGMENTS_MAX = 16;
    private static final long PAUSE_MILLIS_MIN = 1_000;
    private static final long PAUSE_MILLIS_MAX = 60_000;

    /** Callback for the result. */
    interface VerificationCallback {
        void then(long nowMillis, PasisBackground.VerificationOutcome found, int freed);
    }

    /**
     * Requester of a verification, and its purpose.
     *
     * @param awaited it is enough that this one is verified, or collected
     */
    private record VerificationRequest(
            VerificationGoal wish, @Nullable VersionName awaited, VerificationCallback then) {
        /** Returns whether a verification that awaits this version, or none, satisfies the request. */
        boolean isAnsweredBy(@Nullable VersionName version) {
            return awaited == null ? version == null || !wish.repair() : awaited.equals(version);
        }
    }

    private final PasisBlock block;
    private final PasisNode node;
    private final List<VerificationRequest> current = new ArrayList<>();
    private final List<VerificationRequest> next = new ArrayList<>();
    private PeerNotifications notices;
    private boolean running;
    /** True if a version came during the verification, which may have missed it. */
    private boolean outdated;
    /** The pause after the last verification, if nothing came of it: until its end none is begun for a read. */
    private long pauseMillis;

    private long pausedUntilMillis = Long.MIN_VALUE;

    Verifier(PasisBlock block, PasisNode node) {
        this.block = block;
        this.node = node;
        this.notices = new PeerNotifications(block.group());
    }

    boolean running() {
        return running;
    }

    /** Discards the notices of the holders of another epoch. */
    void forget() {
        notices = new PeerNotifications(block.group());
        promising();
    }

    private void promising() {
        pauseMillis = 0;
        pausedUntilMillis = Long.MIN_VALUE;
    }

    void request(long nowMillis, VerificationGoal wish, VerificationCallback then) {
        request(nowMillis, new VerificationRequest(wish, null, then));
    }

    /** Verifies a version before it is acknowledged: peers wait until it has come to them, too. */
    void verifyAtWriteTime(long nowMillis, VersionName awaited, VerificationCallback then) {
        request(nowMillis, new VerificationRequest(VerificationGoal.DEMANDED, awaited, then));
    }

    private void request(long nowMillis, VerificationRequest asker) {
        if (!running) {
            running = true;
            current.add(asker);
            block.enqueue(nowMillis, this::begin);
        } else if (next.size() < node.limits().waitingMax()) {
            next.add(asker);
        } else {
            asker.then().then(nowMillis, PasisBackground.VerificationOutcome.UNASKED, 0);
        }
    }

    /**
     * Returns whether a verification for a read is worthwhile: not soon after one without result, unless a write came
     * since.
     */
    boolean isPromising(long nowMillis) {
        return nowMillis >= pausedUntilMillis;
    }

    private void begin(long nowMillis) {
        outdated = false;
        if (!block.serves(block.group().placement().epoch())) {
            finish(nowMillis, PasisBackground.VerificationOutcome.UNASKED, 0);
            return;
        }
        for (VerificationRequest asker : List.copyOf(current)) {
            VersionName awaited = asker.awaited();
            if (awaited != null && verified(awaited)) {
                current.remove(asker);
                asker.then().then(nowMillis, PasisBackground.VerificationOutcome.IDLE, 0);
            }
        }
        VersionName awaited = putOff();
        VerificationGoal wish = current.stream()
                .map(VerificationRequest::wish)
                .reduce(VerificationGoal.BACKGROUND, VerificationGoal::and);
        if (current.isEmpty() || (!wish.missing() && node.possible().of(block.block()) == 0)) {
            finish(nowMillis, PasisBackground.VerificationOutcome.IDLE, 0);
            return;
        }
        node.tally().verification(block.block(), wish.demanded());
        if (wish.repair()) {
            withOwnFragments(
                    OWN_FRAGMENTS_MAX,
                    own -> run(PasisRead.forVerificationWithRepair(block.group(), own, node.times())));
        } else if (block.group().holdsCopies()) {
            // A copy that is here need not be fetched.
            withOwnFragments(1, own -> run(PasisRead.forVerification(block.group(), own, node.times(), awaited)));
        } else {
            run(PasisRead.forVerification(block.group(), own(), node.times(), awaited));
        }
    }

    /**
     * Postpones the askers that the current verification does not serve. Its peers wait for one version, and for none
     * while it repairs.
     *
     * @return the awaited version
     */
    private @Nullable VersionName putOff() {
        VersionName awaited = null;
        boolean repair = !current.isEmpty() && current.getFirst().wish().repair();
        for (VerificationRequest asker : repair ? List.<VerificationRequest>of() : current) {
            awaited = awaited == null ? asker.awaited() : awaited;
        }
        List<VerificationRequest> later = new ArrayList<>();
        for (VerificationRequest asker : List.copyOf(current)) {
            if (!asker.isAnsweredBy(awaited)) {
                current.remove(asker);
                later.add(asker);
            }
        }
        next.addAll(0, later);
        return awaited;
    }

    private boolean verified(VersionName name) {
        VersionRecord record = block.versions().get(name);
        return record == null || record.verified();
    }

    /** Returns the state that this node holds, without fragments. */
    OwnHistory own() {
        return own(Map.of());
    }

    private OwnHistory own(Map<ValidatingTimestamp, Bytes> fragments) {
        Versions versions = block.versions();
        return new OwnHistory(block.slot(), versions.entries(), versions.collected(), fragments);
    }

    private interface WithOwn {
        void run(OwnHistory own);
    }

    private void withOwnFragments(int max, WithOwn then) {
        List<VersionRecord> all = block.versions().history(ValidatingTimestamp.NONE);
        List<VersionRecord> some = all.subList(0, Math.min(all.size(), max));
        Map<ValidatingTimestamp, Bytes> fragments = new HashMap<>();
        int[] left = {some.size()};
        for (VersionRecord record : some) {
            block.fragment(record, (now, fragment) -> {
                if (fragment != null) {
                    fragments.put(record.timestamp(), fragment);
                }
                if (--left[0] == 0) {
                    block.enqueue(now, ignored -> then.run(own(fragments)));
                }
            });
        }
        if (some.isEmpty()) {
            then.run(own(fragments));
        }
    }

    private void run(PasisRead operation) {
        PasisGroup group = block.group();
        node.out()
                .run(
                        operation,
                        (now, outcome) -> block.enqueue(
                                now, later -> found(later, group, operation, (PasisReadOutcome) outcome)));
    }

    private void found(long nowMillis, PasisGroup group, PasisRead operation, PasisReadOutcome outcome) {
        if (!block.serves(group.placement().epoch())) {
            finish(nowMillis, PasisBackground.VerificationOutcome.UNASKED, 0);
            return;
        }
        Conclusion conclusion = new Conclusion();
        conclusion.poisonous.addAll(operation.poisonous());
        PasisBackground.VerificationOutcome result = outcome instanceof PasisReadOutcome.Failed
                ? PasisBackground.VerificationOutcome.UNASKED
                : PasisBackground.VerificationOutcome.NOTHING_NEW;
        if (outcome instanceof PasisReadOutcome.Value value) {
            VersionRecord known = block.versions().get(value.timestamp());
            boolean fresh =
                    !block.versions().collected().isAfter(value.timestamp()) && (known == null || !known.verified());
            if (fresh) {
                conclusion.complete = value.timestamp();
                conclusion.collectable = value.timestamp();
                conclusion.padded = value.padded();
                result = PasisBackground.VerificationOutcome.VERIFIED;
            }
        }
        PasisBackground.VerificationOutcome told = result;
        Map<ValidatingTimestamp, Set<Integer>> poison = new HashMap<>();
        operation.poisonous().forEach(version -> poison.put(version, notices.slotsMatching(version, true)));
        ValidatingTimestamp complete = conclusion.complete;
        conclude(
                nowMillis,
                conclusion,
                (now, freed) -> {
                    poison.forEach((version, said) -> tell(version, true, said));
                    if (complete != null) {
                        tell(complete, false, notices.slotsMatching(complete, false));
                    }
                    finish(now, told, freed);
                },
                now -> finish(now, PasisBackground.VerificationOutcome.UNASKED, 0));
    }

    /** NOTIFY (3.2), but not to those who have said the same. */
    private void tell(ValidatingTimestamp version, boolean poisonous, Set<Integer> said) {
        if (node.limits().cooperative() && block.group().verification() == Verification.LAZY) {
            Set<Integer> without = new HashSet<>(said);
            without.add(block.slot());
            node.out().run(new Notification(block.group(), without, version, poisonous), (ignored1, ignored2) -> {});
        }
    }

    private void finish(long nowMillis, PasisBackground.VerificationOutcome found, int freed) {
        List<VerificationRequest> waiting = List.copyOf(current);
        current.clear();
        boolean fruitful = freed > 0
                || found == PasisBackground.VerificationOutcome.VERIFIED
                || found == PasisBackground.VerificationOutcome.IDLE;
        if (fruitful || outdated) {
            promising();
        } else {
            pauseMillis = Math.clamp(2 * pauseMillis, PAUSE_MILLIS_MIN, PAUSE_MILLIS_MAX);
            pausedUntilMillis = nowMillis + pauseMillis;
        }
        running = !next.isEmpty();
        if (running) {
            current.addAll(next);
            next.clear();
            block.enqueue(nowMillis, this::begin);
        }
        waiting.forEach(asker -> asker.then().then(nowMillis, found, freed));
    }

    void onNotify(long nowMillis, int slot, PasisMessage.Notify request) {
        ValidatingTimestamp version = request.version();
        if (!node.limits().cooperative() || slot < 0 || slot == block.slot()) {
            return;
        }
        if (!block.group().fits(version)) {
            PrincipalId sender = block.group().node(slot);
            if (node.rate().allow(nowMillis, sender)) {
                node.out().evidence(sender, block.block(), Verdict.MISBEHAVED, "a notice of a malformed version");
            }
            return;
        }
        boolean here = block.versions().get(version) != null;
        if (!here && request.poisonous() && block.versions().isPoisonous(version.name())) {
            return;
        }
        notices.take(slot, version, request.poisonous(), here);
        boolean settled = believe(nowMillis, version);
        VersionRecord record = block.versions().get(version);
        boolean mine = record != null && !record.verified() && block.group().isResponsible(block.slot());
        boolean lead = mine && !request.poisonous() && block.group().verification() == Verification.LAZY;
        if (!settled
                && lead
                && !running
                && node.rate().allow(nowMillis, block.group().node(slot))) {
            // Another b nodes verify too, and notify the rest.
            request(nowMillis, VerificationGoal.BACKGROUND, (ignored1, ignored2, ignored3) -> {});
        }
    }

    /** Handles the arrival of a version that peers have already reported. */
    void onArrived(long nowMillis, ValidatingTimestamp version) {
        promising();
        outdated = true;
        block.enqueue(nowMillis, now -> believe(now, version));
    }

    /** Applies the reports of b + 1 peers on a version. Returns true if they led to a conclusion. */
    private boolean believe(long nowMillis, ValidatingTimestamp version) {
        Conclusion conclusion = new Conclusion();
        Versions versions = block.versions();
        VersionRecord record = versions.get(version);
        if (record != null && notices.confirmed(version, true)) {
            conclusion.poisonous.add(version);
        }
        if (notices.confirmed(version, false) && !versions.collected().isAfter(version)) {
            if (record != null && !record.verified()) {
                conclusion.complete = version;
            } else if (record == null) {
                block.mend(nowMillis, version);
            }
        }
        conclusion.collectable = notices.collectableVersion();
        if (conclusion.complete != null && conclusion.collectable.isAfter(conclusion.complete)) {
            conclusion.complete = null;
        }
        boolean later = conclusion.collectable.isAfter(versions.collected());
        if (conclusion.poisonous.isEmpty() && conclusion.complete == null && !later) {
            return false;
        }
        if (conclusion.complete != null) {
            node.tally().countCooperative(block.block());
        }
        conclude(nowMillis, conclusion, (ignored1, ignored2) -> {}, ignored -> {});
        return true;
    }

    /** Findings on the block's versions. */
    private static final class Conclusion {
        private final Set<ValidatingTimestamp> poisonous = new HashSet<>();
        /** Complete and valid. */
        private @Nullable ValidatingTimestamp complete;
        /** Versions before this one are not needed. */
        private ValidatingTimestamp collectable = ValidatingTimestamp.NONE;
        /** The block of the complete version, if this node has decoded it. */
        private @Nullable Bytes padded;
    }

    private interface ConclusionCallback {
        void then(long nowMillis, int freed);
    }

    /** Marks, discards and collects, all in one store. */
    private void conclude(long nowMillis, Conclusion conclusion, ConclusionCallback then, LongConsumer failed) {
        Versions versions = block.versions();
        List<Mutation> mutations = new ArrayList<>();
        List<VersionRecord> bad = new ArrayList<>();
        for (ValidatingTimestamp version : conclusion.poisonous) {
            versions.poisonous(version.name());
            VersionRecord record = versions.get(version);
            if (record != null && !record.verified()) {
                bad.add(record);
            }
        }
        List<VersionRecord> old = conclusion.collectable.isAfter(versions.collected())
                ? new ArrayList<>(versions.before(conclusion.collectable))
                : new ArrayList<>();
        old.removeAll(bad);
        bad.forEach(record -> delete(record, mutations));
        old.forEach(record -> delete(record, mutations));
        VersionRecord marked = mark(conclusion, mutations);
        boolean more = conclusion.collectable.isAfter(versions.collected());
        ValidatingTimestamp collected = more ? conclusion.collectable : versions.collected();
        boolean told = marked != null && marked.timestamp().equals(collected);
        if (!bad.isEmpty() || (more && !told)) {
            VersionRecord.Floor floor = new VersionRecord.Floor(collected, versions.time(), block.taken());
            mutations.add(new Mutation.Put(VersionRecord.Floor.key(block.block()), floor.encoded(), Bytes.EMPTY));
        }
        if (mutations.isEmpty()) {
            then.then(nowMillis, 0);
            return;
        }
        int before = node.possible().of(block.block());
        block.store(
                mutations,
                null,
                now -> {
                    bad.forEach(this::onDiscarded);
                    old.forEach(this::gone);
                    node.tally().countAvoided(block.block(), (int)
                            old.stream().filter(record -> !record.verified()).count());
                    versions.collect(collected);
                    if (marked != null) {
                        node.possible()
                                .release(block.block(), marked.timestamp().name());
                        if (conclusion.padded == null) {
                            versions.update(marked);
                        } else {
                            versions.put(marked);
                        }
                    }
                    block.onArrived(now);
                    then.then(now, before - node.possible().of(block.block()));
                },
                failed);
    }

    private void delete(VersionRecord record, List<Mutation> mutations) {
        mutations.add(new Mutation.Delete(record.key(block.block())));
        if (!record.verified()) {
            mutations.add(
                    PossibleVersions.delete(block.block(), record.timestamp().name()));
        }
    }

    /** The complete version's record, with a fragment of its own from the decoded block where that is missing. */
    private @Nullable VersionRecord mark(Conclusion conclusion, List<Mutation> mutations) {
        ValidatingTimestamp complete = conclusion.complete;
        if (complete == null) {
            return null;
        }
        VersionRecord known = block.versions().get(complete);
        VersionRecord marked = (known == null ? VersionRecord.made(complete, block.taken(), true) : known).asVerified();
        Bytes padded = conclusion.padded;
        if (padded != null && !block.versions().holds(complete)) {
            Bytes fragment = block.group().encode(padded).get(block.slot());
            mutations.add(new Mutation.Put(marked.key(block.block()), marked.encoded(), fragment));
        } else {
            conclusion.padded = null;
            mutations.add(new Mutation.UpdateMeta(marked.key(block.block()), marked.encoded()));
        }
        mutations.add(PossibleVersions.delete(block.block(), complete.name()));
        return marked;
    }

    private void gone(VersionRecord record) {
        notices.forget(record.timestamp());
        block.versions().remove(record.timestamp());
        node.possible().release(block.block(), record.timestamp().name());
    }

    /** Evidence against the authenticated sender, never the client that the timestamp names (3.3). */
    private void onDiscarded(VersionRecord record) {
        gone(record);
        node.tally().poisonous(block.block());
        if (record.sender().kind() == PrincipalKind.CLIENT) {
            node.out()
                    .poisonous(
                            record.sender(),
                            block.block(),
                            record.session(),
                            "poisonous version " + record.timestamp().name());
        }
    }
}

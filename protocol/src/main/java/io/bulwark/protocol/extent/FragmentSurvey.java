package io.bulwark.protocol.extent;

import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.Verdict;
import io.bulwark.protocol.extent.ExtentCoding.DecodeResult;
import io.bulwark.protocol.extent.ExtentMessage.Answer;
import io.bulwark.protocol.extent.ExtentMessage.Found;
import io.bulwark.protocol.extent.ExtentMessage.NotFound;
import io.bulwark.protocol.extent.ExtentMessage.ReadPinned;
import io.bulwark.protocol.extent.ExtentMessage.Suspect;
import io.bulwark.protocol.fingerprint.Checksum;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * A look at one version of an extent: every slot is asked for its fragment by the pin, and each fragment is judged. It
 * changes nothing except that nodes get a hint about a slot that sent a corrupt fragment or reports a damaged one, as
 * they do from a read ({@link Suspect}).
 *
 * <p>A fragment is checked against the checksum that the pin names. Where m such fragments came, the block is decoded
 * and encoded again, so that the checksum itself is checked too: a faulty writer may have given it hashes that belong to
 * no block.
 */
public final class FragmentSurvey implements ClientOperation<FragmentSurvey.Result> {
    private static final long RETRY_MILLIS = 1_000;

    private final ProtectionPolicy policy;
    private final PlacementGroup group;
    private final ExtentCoding coding;
    private final BlockId block;
    private final Bytes pin;
    private final Set<Integer> absent;
    private final Timing timing;
    private final Map<Integer, Answer> answers = new TreeMap<>();
    private long startedMillis;
    private long askedMillis;
    private Optional<Result> result = Optional.empty();

    /** State of a slot's fragment, as the asker saw it. */
    public enum State {
        /** The slot sent the fragment, and it is right. */
        GOOD,
        /** The slot sent a fragment that matches its hash, but too few others came to check the hash itself. */
        UNCHECKED,
        /** The node reports that it has no fragment of this version. */
        MISSING,
        /** The node took the slot recently, or lost its disk, and has not rebuilt this yet; or it was freed. */
        EXCUSED,
        /** The node reports itself that its fragment is damaged. */
        DAMAGED,
        /** The slot sent bytes that are not its fragment of this version. */
        CORRUPT,
        /** The node did not answer in time. */
        UNREACHABLE,
        /** The node answered for another epoch of the group, or does not hold the slot any more. */
        MOVED,
        /** The node refused to answer. */
        REFUSED;

        /** Returns the word that people read. */
        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** State of the version as a whole. */
    public enum Version {
        /** The block was decoded, and encodes to the checksum that the pin names. */
        READABLE,
        /** Fewer than m good fragments came. */
        TOO_FEW_FRAGMENTS,
        /** No block encodes to the checksum: the writer lied. */
        POISONOUS
    }

    /** Report on one slot. */
    public record Slot(int slot, int node, State state, String detail) {}

    /**
     * Report on the extent.
     *
     * @param laterEpoch the epoch that f+1 nodes name if it is later than the asker's; else 0
     */
    public record Result(Version version, long laterEpoch, List<Slot> slots) {
        public Result {
            slots = List.copyOf(slots);
        }
    }

    /**
     * Patience of a survey.
     *
     * @param absentMillis for slots whose nodes have no connection
     * @param answerMillis for all others
     */
    public record Timing(long absentMillis, long answerMillis) {
        public Timing {
            if (absentMillis < 1 || answerMillis < absentMillis) {
                throw new IllegalArgumentException("timing " + absentMillis + " " + answerMillis);
            }
        }

        /** Half a second for nodes without a connection, and five seconds for all others. */
        public static Timing standard() {
            return new Timing(500, 5_000);
        }
    }

    /** @param absent slots whose nodes have no connection now */
    public FragmentSurvey(Volume volume, BlockId block, Bytes pin, Set<Integer> absent, Timing timing) {
        this.policy = volume.policyOf(block);
        this.group = volume.group(block);
        this.coding = ExtentCoding.of(policy);
        this.block = block;
        this.pin = pin;
        this.absent = Set.copyOf(absent);
        this.timing = timing;
    }

    @Override
    public List<Effect> start(long nowMillis) {
        startedMillis = nowMillis;
        return ask(nowMillis);
    }

    @Override
    public List<Effect> onMessage(long nowMillis, PrincipalId from, Message message) {
        int slot = group.slotOf(from);
        if (slot < 0
                || result.isPresent()
                || !(message instanceof Found || message instanceof NotFound)
                || !(message instanceof Answer answer)
                || !answer.block().equals(block)) {
            return List.of();
        }
        answers.putIfAbsent(slot, answer);
        return answers.size() == policy.n() ? conclude() : List.of();
    }

    @Override
    public List<Effect> onTick(long nowMillis) {
        if (result.isPresent()) {
            return List.of();
        }
        long waited = nowMillis - startedMillis;
        boolean onlyAbsent = true;
        for (int slot = 0; slot < policy.n(); slot++) {
            onlyAbsent &= answers.containsKey(slot) || absent.contains(slot);
        }
        if (waited >= timing.answerMillis || (onlyAbsent && waited >= timing.absentMillis)) {
            return conclude();
        }
        return nowMillis - askedMillis < RETRY_MILLIS ? List.of() : ask(nowMillis);
    }

    /** Returns the bytes of what all slots send, and of the block that they give, encoded again. */
    @Override
    public long memoryBytes() {
        return 2 * policy.stripeBytes() + policy.blockBytes();
    }

    @Override
    public Optional<Result> outcome() {
        return result;
    }

    private List<Effect> ask(long nowMillis) {
        askedMillis = nowMillis;
        List<Effect> effects = new ArrayList<>();
        for (int slot = 0; slot < policy.n(); slot++) {
            if (!answers.containsKey(slot)) {
                effects.add(new Effect.Send(node(slot), 0, new ReadPinned(block, group.epoch(), slot, pin, true)));
            }
        }
        return effects;
    }

    private List<Effect> conclude() {
        Map<Integer, Found> plausible = plausible();
        Version version = version(plausible);
        List<Slot> slots = new ArrayList<>();
        List<Effect> effects = new ArrayList<>();
        for (int slot = 0; slot < policy.n(); slot++) {
            Slot judged = judge(slot, plausible, version);
            slots.add(judged);
            if (version == Version.READABLE && (judged.state == State.CORRUPT || judged.state == State.DAMAGED)) {
                Verdict verdict = judged.state == State.CORRUPT ? Verdict.CORRUPT : Verdict.DAMAGED;
                effects.add(new Effect.Evidence(node(slot), block, verdict, judged.detail));
                hint(slot, effects);
            }
        }
        result = Optional.of(new Result(version, laterEpoch(), slots));
        return effects;
    }

    /** Returns the answers that carry a fragment which the checksum named by the pin allows for the slot. */
    private Map<Integer, Found> plausible() {
        Map<Integer, Found> plausible = new TreeMap<>();
        answers.forEach((slot, answer) -> {
            if (answer instanceof Found found
                    && found.epoch() == group.epoch()
                    && found.checksum().pin().equals(pin)
                    && coding.isFragmentOf(found.checksum(), slot, found.fragment())) {
                plausible.put(slot, found);
            }
        });
        return plausible;
    }

    private Version version(Map<Integer, Found> plausible) {
        if (plausible.size() < policy.m()) {
            return Version.TOO_FEW_FRAGMENTS;
        }
        Map<Integer, Bytes> fragments = new TreeMap<>();
        plausible.forEach((slot, found) -> fragments.put(slot, found.fragment()));
        Checksum checksum = plausible.values().iterator().next().checksum();
        return switch (coding.decode(checksum, fragments, false)) {
            case DecodeResult.None ignored -> Version.TOO_FEW_FRAGMENTS;
            case DecodeResult.Poisonous ignored -> Version.POISONOUS;
            // Under PASIS decoding has encoded again already.
            case DecodeResult.Block(Bytes content) ->
                !policy.checksFragments() || coding.encodes(checksum, content, fragments.keySet())
                        ? Version.READABLE
                        : Version.POISONOUS;
        };
    }

    private Slot judge(int slot, Map<Integer, Found> plausible, Version version) {
        Answer answer = answers.get(slot);
        int node = group.holders().get(slot);
        if (answer == null) {
            return new Slot(slot, node, State.UNREACHABLE, "did not answer");
        }
        if (answer.epoch() != group.epoch()) {
            return new Slot(slot, node, State.MOVED, "answered for epoch " + answer.epoch());
        }
        if (plausible.containsKey(slot)) {
            return version == Version.READABLE
                    ? new Slot(slot, node, State.GOOD, "hash and fingerprint are right")
                    : new Slot(slot, node, State.UNCHECKED, unchecked(version));
        }
        return answer instanceof NotFound refused
                ? refused(slot, node, refused.reason())
                : new Slot(slot, node, State.CORRUPT, "sent bytes that are not its fragment of this version");
    }

    private String unchecked(Version version) {
        return version == Version.POISONOUS
                ? "matches a checksum that no block has: the writer lied"
                : "matches its hash; fewer than " + policy.m() + " fragments came, so the hash itself is unchecked";
    }

    private static Slot refused(int slot, int node, ReadRefusal reason) {
        return switch (reason) {
            case NONE -> new Slot(slot, node, State.MISSING, "reports that it never stored this");
            case OTHER_VERSION -> new Slot(slot, node, State.MISSING, "reports another version");
            case NOT_REPAIRED ->
                new Slot(slot, node, State.EXCUSED, "took the slot recently and has not rebuilt this yet");
            case FREED -> new Slot(slot, node, State.EXCUSED, "reports that this was freed");
            case DAMAGED -> new Slot(slot, node, State.DAMAGED, "reports that its fragment is damaged");
            case WRONG_EPOCH, NOT_HOLDER -> new Slot(slot, node, State.MOVED, "reports that it does not hold the slot");
            case NO_VOLUME -> new Slot(slot, node, State.REFUSED, "reports that it knows no such volume");
            case NOT_PERMITTED -> new Slot(slot, node, State.REFUSED, "reports that the asker may not read");
            case POISONOUS -> new Slot(slot, node, State.REFUSED, "reports that the writer lied");
        };
    }

    /** Tells all holders, the suspect too, to look for themselves. */
    private void hint(int suspect, List<Effect> effects) {
        for (int slot = 0; slot < policy.n(); slot++) {
            effects.add(new Effect.Send(node(slot), 0, new Suspect(block, group.epoch(), slot, pin, suspect)));
        }
    }

    /** The f+1-st highest epoch that nodes name: at least one correct node is there or further. */
    private long laterEpoch() {
        return answers.values().stream()
                .map(Answer::epoch)
                .filter(epoch -> epoch > group.epoch())
                .sorted((a, b) -> Long.compare(b, a))
                .skip(policy.f())
                .findFirst()
                .orElse(0L);
    }

    private PrincipalId node(int slot) {
        return PrincipalId.node(group.holders().get(slot));
    }
}

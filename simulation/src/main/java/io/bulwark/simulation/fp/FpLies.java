package io.bulwark.simulation.fp;

import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.fp.FpMessage;
import io.bulwark.protocol.fp.FpRefusal;
import io.bulwark.protocol.fp.HeldVersion;
import io.bulwark.protocol.fp.PrepareTag;
import io.bulwark.protocol.fp.RequestKind;
import io.bulwark.protocol.fp.Timestamp;
import io.bulwark.protocol.fp.Version;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.kernel.Target;
import io.bulwark.protocol.mac.PairwiseKeys;
import io.bulwark.protocol.mac.TagKeys;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;
import io.bulwark.simulation.byzantine.Forgery;
import io.bulwark.simulation.byzantine.Lie;
import io.bulwark.simulation.byzantine.Lies;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The lies of one node in the messages of the FP register. It has its own keys, so its MACs can be right. */
final class FpLies implements Lies {
    private static final FpRefusal[] REFUSALS = FpRefusal.values();
    private static final FpMessage.LeftoverState[] STATES = FpMessage.LeftoverState.values();

    private final TagKeys keys;
    private final FpVolume volume;
    private final FpPlot plot;
    private final Random random;

    FpLies(TagKeys keys, FpVolume volume, FpPlot plot) {
        this.keys = keys;
        this.volume = volume;
        this.plot = plot;
        this.random = plot.random();
    }

    @Override
    public void onRequest(PrincipalId from, Message request) {
        if (request instanceof FpMessage.Prepare prepare
                && prepare.ts() != 0
                && volume.has(prepare.target().block())) {
            plot.learn(prepare, prepare.ts());
        }
    }

    @Override
    public List<Message> instead(Lie lie, PrincipalId from, Message request) {
        if (!(request instanceof FpMessage.Request asked)
                || !volume.has(asked.target().block())) {
            return List.of();
        }
        Message answer = switch (lie) {
            case STALE -> old(asked);
            case FORGETS, COLLUDES -> pretended(lie, from, asked);
            case FALSE_TIMESTAMP -> invented(from, asked);
            case REFUSES ->
                new FpMessage.Refused(
                        asked.target(),
                        asked.asked(),
                        asked instanceof FpMessage.Prepare prepare ? prepare.ts() : random.nextInt(4),
                        REFUSALS[random.nextInt(REFUSALS.length)],
                        random.nextInt(3));
            case LIES_ABOUT_COMMITS ->
                asked instanceof FpMessage.Commit commit
                        ? new FpMessage.Committed(commit.target(), named(commit))
                        : null;
            case REPLAYS -> plot.collusion().recall(FpMessage.Answer.class, again(asked.target()));
            default -> null;
        };
        return answer == null ? List.of() : List.of(answer);
    }

    private static Predicate<FpMessage.Answer> again(Target target) {
        return answer -> answer.target().equals(target);
    }

    private static Version named(FpMessage.Commit commit) {
        return new Version(commit.ts() == 0 ? 1 : commit.ts(), commit.fpcc().pin());
    }

    /** Returns an answer as if nothing had been written since some earlier time. */
    private @Nullable Message old(FpMessage.Request asked) {
        Timestamp latest = random.nextBoolean()
                ? Timestamp.NONE
                : plot.anyVersion(asked.target().block());
        return switch (asked) {
            case FpMessage.FindTimestamp find -> new FpMessage.FoundTimestamp(find.target(), latest, null);
            case FpMessage.Read read -> new FpMessage.ReadAnswer(read.target(), read.version(), latest, null);
            case FpMessage.Repair repair -> new FpMessage.RepairAnswer(repair.target(), latest);
            case FpMessage.Commit commit -> new FpMessage.Committed(commit.target(), named(commit));
            default -> null;
        };
    }

    /** Acknowledges and does nothing; if it colludes, swears to the agreed lie. */
    private @Nullable Message pretended(Lie lie, PrincipalId from, FpMessage.Request asked) {
        Target target = asked.target();
        Timestamp sworn = lie == Lie.COLLUDES ? plot.sworn(target.block()) : Timestamp.NONE;
        if (sworn == null) {
            return null;
        }
        HeldVersion holding = sworn.isNone()
                ? null
                : plot.holding(target.slot(), volume.policy().n(), sworn);
        return switch (asked) {
            case FpMessage.Prepare prepare ->
                prepared(from, prepare, prepare.ts() == 0 ? sworn.ts() + 1 : prepare.ts());
            case FpMessage.Commit commit -> new FpMessage.Committed(target, named(commit));
            case FpMessage.FindTimestamp _ -> new FpMessage.FoundTimestamp(target, sworn, holding);
            case FpMessage.Read read ->
                new FpMessage.ReadAnswer(
                        target,
                        read.version(),
                        sworn,
                        sworn.isNone() || !sworn.version().equals(read.version()) ? null : holding);
            case FpMessage.Repair _ -> new FpMessage.RepairAnswer(target, sworn);
            case FpMessage.AskRepairMac ask ->
                random.nextBoolean() || ask.version().isNone()
                        ? repairMac(from, ask)
                        : new FpMessage.Proven(target, ask.version().version());
            case FpMessage.AskLeftover ask ->
                new FpMessage.Leftover(target, ask.version().version(), STATES[random.nextInt(STATES.length)], sworn);
        };
    }

    /** A repair MAC for whatever it is asked: right, but for nothing that it has proven. */
    private @Nullable Message repairMac(PrincipalId from, FpMessage.AskRepairMac ask) {
        if (ask.version().isNone() || !keys.knows(from)) {
            return null;
        }
        Bytes nonce = PrepareTag.nonce(keys, ask.target().block(), ask.version());
        int receiver = volume.group(ask.target().block()).placement().slotOf(from.number());
        if (receiver < 0) {
            return null;
        }
        Bytes input = PrepareTag.input(ask.target(), receiver, PrepareTag.REPAIR, 0, ask.version(), nonce);
        return new FpMessage.RepairMac(ask.target(), ask.version().version(), nonce, keys.mac(from, input));
    }

    private @Nullable Message invented(PrincipalId from, FpMessage.Request asked) {
        Target target = asked.target();
        Timestamp wrong = plot.falseTimestamp(target.block());
        HeldVersion holding = wrong.isNone()
                ? null
                : plot.holding(target.slot(), volume.policy().n(), wrong);
        return switch (asked) {
            case FpMessage.Prepare prepare
            when prepare.ts() == 0 -> prepared(from, prepare, wrong.isNone() ? 1L << random.nextInt(64) : wrong.ts());
            case FpMessage.FindTimestamp _ ->
                new FpMessage.FoundTimestamp(target, wrong, random.nextBoolean() ? holding : null);
            case FpMessage.Read read -> new FpMessage.ReadAnswer(target, read.version(), wrong, null);
            case FpMessage.Repair _ -> new FpMessage.RepairAnswer(target, wrong);
            default -> null;
        };
    }

    /** A prepare with MACs that are right, of whatever the sender wants. */
    private Message prepared(PrincipalId from, FpMessage.Prepare prepare, long ts) {
        Target target = prepare.target();
        Timestamp version = new Timestamp(ts == 0 ? 1 : ts, prepare.fpcc());
        plot.learn(prepare, version.ts());
        Bytes nonce = PrepareTag.nonce(keys, target.block(), version);
        PlacementGroup placement = volume.group(target.block()).placement();
        List<Bytes> macs = new ArrayList<>();
        for (int slot = 0; slot < volume.policy().n(); slot++) {
            PrincipalId peer = PrincipalId.node(placement.holders().get(slot));
            Bytes input = PrepareTag.input(target, slot, from, prepare.session(), version, nonce);
            macs.add(keys.knows(peer) ? keys.mac(peer, input) : plot.bytes(PairwiseKeys.MAC_BYTES));
        }
        return new FpMessage.Prepared(target, version.version(), nonce, macs);
    }

    @Override
    public Message altered(Lie lie, PrincipalId to, Message answer) {
        return switch (answer) {
            case FpMessage.FoundTimestamp found ->
                new FpMessage.FoundTimestamp(found.target(), found.latest(), altered(lie, found.holding()));
            case FpMessage.ReadAnswer read ->
                new FpMessage.ReadAnswer(read.target(), read.version(), read.latest(), altered(lie, read.holding()));
            case FpMessage.Prepared prepared -> altered(lie, prepared);
            case FpMessage.Committed committed
            when lie == Lie.LIES_ABOUT_COMMITS ->
                new FpMessage.Refused(
                        committed.target(),
                        RequestKind.COMMIT,
                        committed.version().ts(),
                        FpRefusal.PREPARES,
                        1);
            case FpMessage.RepairMac mac
            when lie == Lie.WRONG_MACS ->
                new FpMessage.RepairMac(
                        mac.target(),
                        mac.version(),
                        mac.nonce(),
                        plot.bytes(mac.mac().length()));
            default -> answer;
        };
    }

    private FpMessage altered(Lie lie, FpMessage.Prepared prepared) {
        List<Bytes> macs = new ArrayList<>(prepared.macs());
        Bytes nonce = prepared.nonce();
        switch (lie) {
            case WRONG_MACS -> {
                macs.replaceAll(mac -> random.nextBoolean() ? plot.bytes(mac.length()) : mac);
                nonce = random.nextInt(3) == 0 ? plot.bytes(nonce.length()) : nonce;
            }
            case REPLAYS -> {
                FpMessage.Prepared before = plot.collusion().recall(FpMessage.Prepared.class, other -> true);
                if (before != null && before.macs().size() == macs.size()) {
                    macs = before.macs();
                }
            }
            default -> {}
        }
        return new FpMessage.Prepared(prepared.target(), prepared.version(), nonce, macs);
    }

    private @Nullable HeldVersion altered(Lie lie, @Nullable HeldVersion holding) {
        Bytes fragment = holding == null ? null : holding.fragment();
        if (holding == null || fragment == null) {
            return holding;
        }
        Bytes wrong = switch (lie) {
            case WRONG_FRAGMENT -> {
                byte[] flipped = fragment.toByteArray();
                flipped[random.nextInt(flipped.length)] ^= (byte) (1 + random.nextInt(255));
                yield Bytes.of(flipped);
            }
            case OTHER_FRAGMENT -> {
                FpMessage.PrepareFragment other = plot.collusion().recall(FpMessage.PrepareFragment.class, _ -> true);
                yield other == null ? plot.bytes(fragment.length()) : other.fragment();
            }
            default -> fragment;
        };
        List<Bytes> cc = holding.cc();
        boolean forge = !wrong.equals(fragment) && random.nextBoolean();
        Bytes nonceHash = lie == Lie.WRONG_MACS ? plot.bytes(32) : holding.nonceHash();
        return new HeldVersion(
                wrong,
                forge ? Forgery.crossChecksum(wrong, volume.policy().n()) : cc,
                nonceHash,
                holding.nonces(),
                false);
    }
}

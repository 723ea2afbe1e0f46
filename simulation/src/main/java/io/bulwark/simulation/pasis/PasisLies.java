package io.bulwark.simulation.pasis;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.pasis.PasisGroup;
import io.bulwark.protocol.pasis.PasisMessage;
import io.bulwark.protocol.pasis.PasisRefusal;
import io.bulwark.protocol.pasis.RequestKind;
import io.bulwark.protocol.pasis.ValidatingTimestamp;
import io.bulwark.protocol.pasis.VersionName;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;
import io.bulwark.simulation.byzantine.Lie;
import io.bulwark.simulation.byzantine.Lies;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** The lies of one node in the messages of the PASIS register: of versions, fragments, verified flags and what is collected. */
final class PasisLies implements Lies {
    private static final PasisRefusal[] REFUSALS = PasisRefusal.values();

    private final PasisVolume volume;
    private final PasisPlot plot;
    private final Random random;

    PasisLies(PasisVolume volume, PasisPlot plot) {
        this.volume = volume;
        this.plot = plot;
        this.random = plot.random();
    }

    @Override
    public void onRequest(PrincipalId from, Message request) {
        if (request instanceof PasisMessage.Write write
                && volume.has(write.target().block())) {
            plot.learn(write.target().block(), write.timestamp(), write.target().slot(), write.fragment());
        }
    }

    @Override
    public List<Message> instead(Lie lie, PrincipalId from, Message request) {
        if (!(request instanceof PasisMessage.Request asked)
                || asked instanceof PasisMessage.Notify
                || !volume.has(asked.target().block())) {
            return List.of();
        }
        PasisGroup group = volume.group(asked.target().block());
        Message answer = switch (lie) {
            case STALE -> claiming(asked, old(group), false);
            case FORGETS, LIES_ABOUT_COMMITS -> acknowledged(asked);
            case COLLUDES -> claiming(asked, plot.sworn(group.block()), random.nextBoolean());
            case FALSE_TIMESTAMP -> claiming(asked, plot.falseTimestamp(group), random.nextInt(3) == 0);
            case REFUSES -> refused(asked);
            case REPLAYS ->
                plot.collusion()
                        .recall(
                                PasisMessage.Answer.class,
                                answered -> answered.target().equals(asked.target()));
            default -> null;
        };
        return answer == null ? List.of() : List.of(answer);
    }

    private ValidatingTimestamp old(PasisGroup group) {
        return random.nextBoolean() ? ValidatingTimestamp.NONE : plot.anyVersion(group.block());
    }

    private @Nullable Message refused(PasisMessage.Request asked) {
        VersionName name = switch (asked) {
            case PasisMessage.Write write -> write.timestamp().name();
            case PasisMessage.ReadFragment read -> read.version();
            case PasisMessage.Repair repair -> repair.version().name();
            default -> null;
        };
        PasisRefusal refusal = REFUSALS[random.nextInt(REFUSALS.length)];
        return new PasisMessage.Refused(asked.target(), asked.asked(), name, refusal, random.nextInt(3));
    }

    /** Says yes and does nothing. */
    private static @Nullable Message acknowledged(PasisMessage.Request asked) {
        return switch (asked) {
            case PasisMessage.Write write ->
                new PasisMessage.Written(write.target(), write.timestamp().name());
            case PasisMessage.Repair repair ->
                new PasisMessage.Repaired(repair.target(), repair.version().name());
            default -> null;
        };
    }

    /** As if this version were the latest, and verified; perhaps as if all before it were collected. */
    private @Nullable Message claiming(PasisMessage.Request asked, ValidatingTimestamp version, boolean collects) {
        return switch (asked) {
            case PasisMessage.FindTime find -> new PasisMessage.FoundTime(find.target(), version.time());
            case PasisMessage.Read read -> plot.history(read, version, collects);
            case PasisMessage.ReadFragment read -> {
                Bytes fragment = plot.fragment(read.version(), read.target().slot());
                PasisMessage.Held held = fragment != null
                        ? PasisMessage.Held.HELD
                        : random.nextBoolean() ? PasisMessage.Held.NOT_HELD : PasisMessage.Held.DAMAGED;
                yield new PasisMessage.Fragment(
                        read.target(),
                        read.version(),
                        held,
                        fragment == null ? Bytes.EMPTY : fragment,
                        collects ? version : ValidatingTimestamp.NONE);
            }
            default -> acknowledged(asked);
        };
    }

    @Override
    public Message altered(Lie lie, PrincipalId to, Message answer) {
        return switch (answer) {
            case PasisMessage.History history -> altered(lie, history);
            case PasisMessage.Fragment fragment
            when fragment.held() == PasisMessage.Held.HELD ->
                new PasisMessage.Fragment(
                        fragment.target(),
                        fragment.version(),
                        fragment.held(),
                        altered(lie, fragment.fragment()),
                        fragment.collected());
            case PasisMessage.Written written
            when lie == Lie.LIES_ABOUT_COMMITS ->
                new PasisMessage.Refused(
                        written.target(),
                        RequestKind.WRITE,
                        written.version(),
                        random.nextBoolean() ? PasisRefusal.FAR : PasisRefusal.BLOCK_LIMIT,
                        1);
            default -> answer;
        };
    }

    /** False verified flags, false horizons, and a few versions left out. */
    private PasisMessage.History altered(Lie lie, PasisMessage.History history) {
        List<PasisMessage.Entry> entries = new ArrayList<>(history.versions());
        ValidatingTimestamp collected = history.collected();
        Bytes fragment = history.fragment();
        switch (lie) {
            case LIES_ABOUT_COMMITS, COLLUDES, FALSE_TIMESTAMP -> {
                entries.replaceAll(entry -> new PasisMessage.Entry(entry.timestamp(), random.nextInt(4) != 0));
                if (!entries.isEmpty() && random.nextBoolean()) {
                    collected = entries.getFirst().timestamp();
                }
            }
            case FORGETS, STALE -> entries.removeIf(_ -> random.nextBoolean());
            default -> {}
        }
        boolean first = entries.equals(history.versions())
                || (!entries.isEmpty()
                        && !history.versions().isEmpty()
                        && entries.getFirst()
                                .timestamp()
                                .equals(history.versions().getFirst().timestamp()));
        return new PasisMessage.History(
                history.target(),
                history.before(),
                entries,
                history.more() && !entries.isEmpty(),
                collected,
                fragment == null || !first ? null : altered(lie, fragment));
    }

    private Bytes altered(Lie lie, Bytes fragment) {
        return switch (lie) {
            case WRONG_FRAGMENT -> {
                byte[] flipped = fragment.toByteArray();
                flipped[random.nextInt(flipped.length)] ^= (byte) (1 + random.nextInt(255));
                yield Bytes.of(flipped);
            }
            case OTHER_FRAGMENT -> {
                PasisMessage.Write other = plot.collusion().recall(PasisMessage.Write.class, _ -> true);
                yield other == null ? plot.bytes(fragment.length()) : other.fragment();
            }
            default -> fragment;
        };
    }
}

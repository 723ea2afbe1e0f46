package io.bulwark.simulation.object;

import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.ProtocolServer;
import io.bulwark.protocol.extent.Delivery;
import io.bulwark.protocol.extent.ExtentMessage;
import io.bulwark.protocol.extent.ExtentMessage.Acknowledged;
import io.bulwark.protocol.extent.ExtentMessage.Found;
import io.bulwark.protocol.extent.ExtentMessage.NotFound;
import io.bulwark.protocol.extent.ExtentMessage.NotStored;
import io.bulwark.protocol.extent.ReadRefusal;
import io.bulwark.protocol.extent.StoreRefusal;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKind;
import io.bulwark.simulation.engine.AlteringServer;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** A Byzantine storage node as those see it who store and fetch extents there; it changes its mind now and then. */
final class LyingStorage extends AlteringServer {
    private final Random random;
    private Alteration how;
    private @Nullable Found earlier;

    /** Fault applied to its answers. */
    private enum Alteration {
        HONEST,
        SILENT,
        /** Another extent's fragment, fpcc and all. */
        REPLAYS,
        /** Denies that it ever had the extents that it stores. */
        DENIES,
        /** Says so to nodes and to some clients, and serves others: what these get nobody makes again. */
        DENIES_SOME,
        /** Says of each extent that it is delivered, ready or neither, to each as it likes. */
        LIES_OF_DELIVERY,
        /** Claims that its extents were freed. */
        CLAIMS_FREED,
        /** Claims to have extents that it refused, or never received. */
        CLAIMS_STORED,
        /** Refuses what it stored. */
        REFUSES,
        /** Claims to keep extents that it refused, and has nothing when asked. */
        FORGETS
    }

    LyingStorage(ProtocolServer correct, long seed) {
        super(correct);
        this.random = new Random(seed);
        this.how = any();
    }

    @Override
    protected List<Effect> alter(long nowMillis, Effect effect) {
        if (random.nextInt(100) == 0) {
            how = any();
        }
        if (!(effect instanceof Effect.Send(PrincipalId to, long requestId, ExtentMessage.Answer answer))
                || answer instanceof ExtentMessage.Completed) {
            return List.of(effect);
        }
        if (how == Alteration.SILENT) {
            return List.of();
        }
        boolean denied = how == Alteration.DENIES_SOME
                && (to.kind() == PrincipalKind.NODE
                        || (to.number() + answer.block().counter()) % 2 == 0);
        ExtentMessage lie = switch (answer) {
            case Found found when denied -> new NotFound(found.block(), found.epoch(), ReadRefusal.NONE);
            case ExtentMessage.Holds holds when denied -> new NotFound(holds.block(), holds.epoch(), ReadRefusal.NONE);
            case Found found
            when how == Alteration.LIES_OF_DELIVERY ->
                new Found(found.block(), found.epoch(), found.checksum(), found.fragment(), true, anyStage());
            case ExtentMessage.Holds holds
            when how == Alteration.LIES_OF_DELIVERY ->
                new ExtentMessage.Holds(holds.block(), holds.epoch(), anyStage());
            case NotFound no
            when how == Alteration.LIES_OF_DELIVERY -> new ExtentMessage.Holds(no.block(), no.epoch(), anyStage());
            case Found found -> ofFound(found);
            case Acknowledged ok when how == Alteration.REFUSES -> new NotStored(ok.block(), ok.epoch(), anyRefusal());
            case NotStored no
            when how == Alteration.CLAIMS_STORED || how == Alteration.FORGETS ->
                new Acknowledged(no.block(), no.epoch());
            case ExtentMessage.Holds holds
            when how == Alteration.DENIES -> new NotFound(holds.block(), holds.epoch(), ReadRefusal.NONE);
            case NotFound no when how == Alteration.CLAIMS_STORED -> new ExtentMessage.Holds(no.block(), no.epoch());
            case NotFound no
            when how == Alteration.CLAIMS_FREED -> new NotFound(no.block(), no.epoch(), ReadRefusal.FREED);
            default -> answer;
        };
        return List.of(new Effect.Send(to, requestId, lie));
    }

    private ExtentMessage ofFound(Found found) {
        Found before = earlier;
        if (before == null || random.nextInt(4) == 0) {
            earlier = found;
        }
        return switch (how) {
            case REPLAYS ->
                before == null ? found : new Found(found.block(), 1, before.checksum(), before.fragment(), true);
            case DENIES -> new NotFound(found.block(), found.epoch(), ReadRefusal.NONE);
            case CLAIMS_FREED -> new NotFound(found.block(), found.epoch(), ReadRefusal.FREED);
            case HONEST, SILENT, DENIES_SOME, CLAIMS_STORED, REFUSES, FORGETS, LIES_OF_DELIVERY -> found;
        };
    }

    private static final Delivery[] STAGES = Delivery.values();

    private Delivery anyStage() {
        return STAGES[random.nextInt(STAGES.length)];
    }

    private StoreRefusal anyRefusal() {
        return StoreRefusal.values()[random.nextInt(StoreRefusal.values().length)];
    }

    private Alteration any() {
        return Alteration.values()[random.nextInt(Alteration.values().length)];
    }
}

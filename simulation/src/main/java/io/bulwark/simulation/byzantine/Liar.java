package io.bulwark.simulation.byzantine;

import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.ProtocolServer;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Message;
import io.bulwark.simulation.engine.AlteringServer;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * A faulty node: a correct server whose requests and answers are tampered with. It uses a few lies at a time, and
 * switches to others now and then. Its lies outlive its crashes.
 */
public final class Liar {
    private static final Lie[] ALL = Lie.values();

    private record DelayedSend(long untilMillis, Effect.Send send) {}

    private final Lies lies;
    private final Random random;
    private final Set<Lie> menu;
    private final List<Lie> inUse = new ArrayList<>();
    private final List<DelayedSend> held = new ArrayList<>();
    private int refused;
    private BooleanSupplier asleep = () -> false;

    /** @param menu what it ever does */
    public Liar(Lies lies, Set<Lie> menu, Random random) {
        this.lies = lies;
        this.menu = EnumSet.copyOf(menu);
        this.random = random;
        change();
    }

    /** A liar with a random menu: everything, or a few things only. */
    public static Liar any(Lies lies, Random random) {
        Set<Lie> menu = EnumSet.of(Lie.HONEST);
        int kinds = random.nextInt(4);
        for (int i = 0; i < kinds; i++) {
            menu.add(ALL[random.nextInt(ALL.length)]);
        }
        return new Liar(lies, kinds == 0 ? EnumSet.allOf(Lie.class) : menu, random);
    }

    /** Makes it answer like a correct node for as long as this holds. */
    public Liar asleepWhile(BooleanSupplier condition) {
        asleep = condition;
        return this;
    }

    private void change() {
        List<Lie> all = List.copyOf(menu);
        inUse.clear();
        int many = 1 + random.nextInt(3);
        for (int i = 0; i < many; i++) {
            inUse.add(all.get(random.nextInt(all.size())));
        }
        refused = random.nextInt(4);
    }

    /** The lie that this party is told now. */
    private Lie towards(PrincipalId party) {
        if (asleep.getAsBoolean()) {
            return Lie.HONEST;
        }
        Lie lie = inUse.get(random.nextInt(inUse.size()));
        return switch (lie) {
            case EQUIVOCATES -> party.number() % 2 == refused % 2 ? ALL[random.nextInt(ALL.length)] : Lie.HONEST;
            case REFUSES_ONE -> party.number() % 4 == refused ? Lie.REFUSES : Lie.HONEST;
            default -> lie;
        };
    }

    public ProtocolServer wrap(ProtocolServer correct) {
        held.clear();
        return new LyingServer(correct);
    }

    private final class LyingServer extends AlteringServer {
        LyingServer(ProtocolServer correct) {
            super(correct);
        }

        @Override
        public List<Effect> onMessage(long nowMillis, PrincipalId from, long requestId, Message message) {
            lies.onRequest(from, message);
            Lie lie = towards(from);
            if (lie == Lie.SILENT && random.nextBoolean()) {
                return List.of();
            }
            List<Message> answers = lies.instead(lie, from, message);
            if (!answers.isEmpty()) {
                List<Effect> effects = new ArrayList<>();
                answers.forEach(answer -> effects.add(new Effect.Send(from, requestId, answer)));
                return effects;
            }
            return super.onMessage(nowMillis, from, requestId, message);
        }

        @Override
        public List<Effect> onTick(long nowMillis) {
            if (random.nextInt(60) == 0) {
                change();
            }
            List<Effect> effects = new ArrayList<>(super.onTick(nowMillis));
            held.removeIf(waiting -> {
                boolean over = waiting.untilMillis() <= nowMillis;
                if (over) {
                    effects.add(waiting.send());
                }
                return over;
            });
            return effects;
        }

        @Override
        protected List<Effect> alter(long nowMillis, Effect effect) {
            if (!(effect instanceof Effect.Send send)) {
                return List.of(effect);
            }
            Lie lie = towards(send.to());
            return switch (lie) {
                case SILENT -> List.of();
                case SLOW -> {
                    held.add(new DelayedSend(nowMillis + random.nextInt(3_000), send));
                    yield List.of();
                }
                default ->
                    List.of(new Effect.Send(send.to(), send.requestId(), lies.altered(lie, send.to(), send.message())));
            };
        }
    }
}

package io.bulwark.simulation.fp;

import io.bulwark.protocol.agreement.AgreementMessage;
import io.bulwark.protocol.agreement.AgreementMessage.GiveNonce;
import io.bulwark.protocol.agreement.AgreementMessage.NewKey;
import io.bulwark.protocol.agreement.KeyAgreement;
import io.bulwark.protocol.agreement.KeyAgreement.Settings;
import io.bulwark.protocol.effect.ProtocolServer;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.mac.KeyBook;
import io.bulwark.protocol.mac.PairwiseKeys;
import io.bulwark.protocol.mac.TagKeys;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;
import io.bulwark.simulation.byzantine.Collusion;
import io.bulwark.simulation.campaign.Invariant;
import io.bulwark.simulation.campaign.Setting;
import io.bulwark.simulation.engine.Simulation;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The keys of the nodes' MACs. In half of the runs they are permanent. In the other half nodes agree on them, refresh
 * and renew them while clients write, and faulty nodes replay old messages. The choice is independent of the workload.
 */
final class FpKeys {
    private static final long NO_OPERATION = 1L << 40;
    private static final long[] KEY_MILLIS = {6_000, 20_000, 120_000};

    private final Random random;
    private final boolean agreed;
    private final Settings settings;
    private final IntFunction<PairwiseKeys> forGood;
    private final List<PrincipalId> nodes;
    private final List<Bytes> own = new ArrayList<>();
    private final Map<PrincipalId, KeyAgreement> agreements = new HashMap<>();
    private final Map<PrincipalId, TagKeys> inForce = new HashMap<>();
    /** Keys of nodes' earlier lives. */
    private final Map<PrincipalId, List<TagKeys>> stolen = new HashMap<>();

    /** Keys of a node in its current life. */
    private record CurrentKeys(PrincipalId self, Map<PrincipalId, TagKeys> inForce) implements TagKeys {
        private TagKeys now() {
            return Objects.requireNonNull(inForce.get(self));
        }

        @Override
        public boolean knows(PrincipalId peer) {
            return now().knows(peer);
        }

        @Override
        public Bytes mac(PrincipalId peer, Bytes input) {
            return now().mac(peer, input);
        }

        @Override
        public boolean verify(PrincipalId peer, Bytes input, Bytes mac) {
            return now().verify(peer, input, mac);
        }

        @Override
        public Bytes own(Bytes input) {
            return now().own(input);
        }
    }

    /** @param forGood the keys of a node by its number */
    FpKeys(Setting setting, IntFunction<PairwiseKeys> forGood) {
        this.random = new Random(setting.random("keys").nextLong());
        this.agreed = random.nextBoolean();
        this.settings = Settings.every(KEY_MILLIS[random.nextInt(KEY_MILLIS.length)]);
        this.forGood = forGood;
        this.nodes =
                IntStream.range(0, setting.nodes()).mapToObj(PrincipalId::node).toList();
        nodes.forEach(_ -> own.add(bytes(PairwiseKeys.KEY_BYTES)));
    }

    private Bytes bytes(int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return Bytes.of(bytes);
    }

    /** Returns the keys that the node has at the time of each use. */
    TagKeys of(PrincipalId node) {
        return new CurrentKeys(node, inForce);
    }

    /** A life of a node begins. */
    ProtocolServer start(PrincipalId node, Function<TagKeys, ProtocolServer> registers) {
        if (!agreed) {
            PairwiseKeys keys = forGood.apply(node.number());
            inForce.put(node, keys);
            return registers.apply(keys);
        }
        KeyBook book = new KeyBook(node, own.get(node.number()));
        SimulatedNodeKeys ports = new SimulatedNodeKeys(node.number());
        List<PrincipalId> others =
                nodes.stream().filter(other -> !other.equals(node)).toList();
        KeyAgreement agreement =
                new KeyAgreement(book, others, settings, ports, ports, _ -> List.of(), new Random(random.nextLong()));
        TagKeys before = inForce.put(node, book);
        if (before != null) {
            stolen.computeIfAbsent(node, _ -> new ArrayList<>()).add(before);
        }
        agreements.put(node, agreement);
        return new KeyedServer(agreement, registers.apply(book));
    }

    /** An operator or a faulty node does something about keys, now and then. */
    void step(Simulation simulation, Set<PrincipalId> faulty, Collusion collusion) {
        if (!agreed) {
            return;
        }
        if (random.nextInt(12) == 0) {
            PrincipalId node = nodes.get(random.nextInt(nodes.size()));
            Objects.requireNonNull(agreements.get(node)).renew(simulation.localMillis(node));
        }
        for (PrincipalId liar : faulty) {
            if (random.nextInt(3) == 0) {
                PrincipalId to = nodes.get(random.nextInt(nodes.size()));
                Message lie = lie(liar, to, collusion);
                if (!liar.equals(to) && lie != null) {
                    simulation.send(liar, to, NO_OPERATION, lie);
                }
            }
        }
    }

    /** Checks that the keys of a node's earlier life are of no more use to anybody. */
    void checkAtEnd(Simulation simulation, Set<PrincipalId> faulty) {
        if (!agreed) {
            return;
        }
        simulation.runFor(5_000);
        List<PrincipalId> correct =
                nodes.stream().filter(node -> !faulty.contains(node)).toList();
        for (PrincipalId from : correct) {
            for (PrincipalId to : correct) {
                if (!believes(to, from, of(from))) {
                    throw Invariant.KEYS_AGREED.violation(from.toString(), "not believed by " + to);
                }
                for (TagKeys old : stolen.getOrDefault(from, List.of())) {
                    if (believes(to, from, old)) {
                        throw Invariant.OLD_KEYS_REFUSED.violation(from.toString(), "still believed by " + to);
                    }
                }
            }
        }
    }

    private boolean believes(PrincipalId node, PrincipalId from, TagKeys spoken) {
        Bytes said = Bytes.of((byte) 1);
        return spoken.knows(node) && of(node).verify(from, said, spoken.mac(node, said));
    }

    private @Nullable Message lie(PrincipalId liar, PrincipalId to, Collusion collusion) {
        NewKey before = collusion.recall(NewKey.class, _ -> true);
        GiveNonce given = collusion.recall(GiveNonce.class, _ -> true);
        return switch (random.nextInt(4)) {
            case 0 -> before;
            case 1 -> new AgreementMessage.AskNonce();
            case 2 ->
                before == null || given == null
                        ? null
                        : new NewKey(given.nonce(), before.life(), before.sealed(), before.signature());
            default ->
                given == null
                        ? null
                        : KeyAgreement.signed(
                                new SimulatedNodeKeys(liar.number()),
                                liar,
                                to,
                                given.nonce(),
                                bytes(AgreementMessage.LIFE_BYTES),
                                new SimulatedNodeKeys(liar.number()).seal(to.number(), bytes(PairwiseKeys.KEY_BYTES)));
        };
    }
}

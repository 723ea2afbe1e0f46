package io.bulwark.simulation.object;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.bucket.ObjectPut;
import io.bulwark.protocol.bucket.PutOutcome;
import io.bulwark.protocol.cluster.NodeAddress;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.extent.ExtentCodec;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.metadata.Condition;
import io.bulwark.protocol.metadata.Genesis;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.metadata.Versioning;
import io.bulwark.protocol.ordering.OrderingCodec;
import io.bulwark.protocol.ordering.OrderingMessage;
import io.bulwark.simulation.engine.AlteringServer;
import io.bulwark.simulation.engine.NetworkFaults;
import io.bulwark.simulation.engine.Simulation;
import io.bulwark.simulation.history.Action;
import io.bulwark.simulation.history.HistoryCheck;
import io.bulwark.simulation.history.HistoryRecorder;
import io.bulwark.simulation.metadata.CommandOrder;
import io.bulwark.simulation.metadata.ReplicaDisk;
import io.bulwark.simulation.metadata.ReplicaInvariants;
import io.bulwark.simulation.metadata.SimulatedReplica;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A client's command is executed, every reply to it is lost, and its session closes before it is sent again. Repeated in
 * another session it would take effect a second time, over what others did in between.
 */
@NullMarked
class LostReplyTest {
    private static final PrincipalId UNLUCKY = PrincipalId.client(1);
    private static final PrincipalId OTHER = PrincipalId.client(2);
    private static final int REPLICAS = 4;
    private static final long WAIT_MILLIS = 600_000;
    private static final String BUCKET = "bucket";
    private static final String KEY = "key";
    private static final ProtectionPolicy POLICY = new ProtectionPolicy(1, 2, 4, 512);

    private final long seed = Long.getLong("bulwark.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final Simulation simulation = new Simulation(
            seed, NetworkFaults.calm(), List.of(new ExtentCodec(), new OrderingCodec()), (_, _) -> Optional.empty());
    private final CommandOrder order = new CommandOrder(simulation::nowMillis);
    private final ObjectClient unlucky = client(UNLUCKY);
    private final ObjectClient other = client(OTHER);
    private final HistoryRecorder recorder = new HistoryRecorder();
    private final List<Volume> volumes = new ArrayList<>();

    private ObjectClient client(PrincipalId self) {
        Replicas replicas = Replicas.of(REPLICAS, 10 * WAIT_MILLIS, random);
        return new ObjectClient(simulation, self, replicas, random, ClientTraits.plain(), ObjectParts.PRODUCTION);
    }

    @BeforeEach
    void setUp() {
        List<NodeAddress> nodes = IntStream.range(0, POLICY.n())
                .mapToObj(node -> new NodeAddress(node, "node-" + node, 1))
                .toList();
        Genesis genesis = new Genesis(nodes, List.of(Genesis.Grant.all(UNLUCKY), Genesis.Grant.all(OTHER)));
        ReplicaInvariants agreement = new ReplicaInvariants();
        for (int number = 0; number < REPLICAS; number++) {
            int self = number;
            ReplicaDisk disk = new ReplicaDisk(genesis, 1);
            simulation.addNode(PrincipalId.replica(number), () -> {
                SimulatedReplica replica = new SimulatedReplica(self, order, disk, agreement, random.nextLong());
                return new AlteringServer(replica) {
                    @Override
                    protected List<Effect> alter(long nowMillis, Effect effect) {
                        return isUnlucky(effect) ? List.of() : List.of(effect);
                    }
                };
            });
        }
        this.<Optional<Reply>>wait(
                then -> other.execute(new Command.CreateVolume("volume", VolumeKind.OBJECT, POLICY, 0, 1, 0), then));
        this.<Optional<Reply>>wait(
                then -> other.execute(new Command.CreateBucket(BUCKET, "volume", Versioning.LATEST_ONLY, 0), then));
        Optional<Reply> map = wait(then -> other.query(new Query.GetMap(), then));
        volumes.addAll(((Reply.Map) map.orElseThrow()).map().volumes());
    }

    /** Returns whether the message says that a name was changed; such a message is never delivered. */
    private static boolean isUnlucky(Effect effect) {
        if (!(effect instanceof Effect.Send send)
                || !send.to().equals(UNLUCKY)
                || !(send.message() instanceof OrderingMessage.Reply reply)) {
            return false;
        }
        Reply told = Reply.decode(reply.reply());
        return told instanceof Reply.ObjectStored || told instanceof Reply.Deleted;
    }

    /** Returns the outcome of an operation. */
    private <T> T wait(Consumer<Consumer<T>> operation) {
        List<T> outcomes = new ArrayList<>();
        operation.accept(outcomes::add);
        assertThat(simulation.runUntil(() -> !outcomes.isEmpty(), WAIT_MILLIS))
                .as("done, seed %d", seed)
                .isTrue();
        return outcomes.getFirst();
    }

    private void put(ObjectClient client, String value, Consumer<PutOutcome> then) {
        HistoryRecorder.Pending pending =
                recorder.invoke(client.self().toString(), Action.PUT, KEY, value, simulation.nowMillis());
        var target = new ObjectPut.Target(BUCKET, KEY, Condition.NONE, Contents.attributes(value));
        client.put(volumes.getFirst(), target, Contents.of(value), true, outcome -> {
            if (outcome instanceof PutOutcome.Stored(Reply.ObjectStored stored)) {
                pending.ok(simulation.nowMillis(), null, stored.version());
            }
            then.accept(outcome);
        });
    }

    /** The name of what the other client finds; empty for nothing. */
    private String find() {
        HistoryRecorder.Pending pending =
                recorder.invoke(OTHER.toString(), Action.GET, KEY, null, simulation.nowMillis());
        Optional<Reply> reply = wait(then -> other.query(new Query.FindObject(BUCKET, KEY, 0), then));
        if (reply.orElseThrow() instanceof Reply.ObjectFound found) {
            String value = Contents.name(found);
            pending.ok(simulation.nowMillis(), value, found.version());
            return value;
        }
        pending.ok(simulation.nowMillis());
        return "";
    }

    /** Closes the session, which repeats the messages; the other client's put must survive. */
    private void closeAndRepeat(List<?> outcomes) {
        unlucky.close();
        boolean ended = simulation.runUntil(() -> !outcomes.isEmpty(), WAIT_MILLIS / 5);
        String found = find();
        assertThat(HistoryCheck.of(recorder.history()).problem())
                .as("seed %d", seed)
                .isEmpty();
        assertThat(found).as("seed %d", seed).isEqualTo("v2/0");
        assertThat(ended).as("an outcome, seed %d", seed).isTrue();
    }

    @Test
    void aPutThatASessionExecutedBeforeItClosedIsNotRepeated() {
        List<PutOutcome> outcomes = new ArrayList<>();
        put(unlucky, "v1/0", outcomes::add);
        assertThat(simulation.runUntil(() -> find().equals("v1/0"), WAIT_MILLIS))
                .isTrue();
        this.<PutOutcome>wait(then -> put(other, "v2/0", then));
        closeAndRepeat(outcomes);
        assertThat(outcomes.getFirst()).as("seed %d", seed).isInstanceOf(PutOutcome.Unknown.class);
    }

    @Test
    void aDeletionThatASessionExecutedBeforeItClosedIsNotRepeated() {
        this.<PutOutcome>wait(then -> put(other, "v0/0", then));
        recorder.invoke(UNLUCKY.toString(), Action.DELETE, KEY, null, simulation.nowMillis());
        List<Optional<Reply>> outcomes = new ArrayList<>();
        unlucky.execute(new Command.DeleteObject(BUCKET, KEY, 0), outcomes::add);
        assertThat(simulation.runUntil(() -> find().isEmpty(), WAIT_MILLIS)).isTrue();
        this.<PutOutcome>wait(then -> put(other, "v2/0", then));
        closeAndRepeat(outcomes);
        assertThat(outcomes.getFirst()).as("seed %d", seed).isEmpty();
    }
}

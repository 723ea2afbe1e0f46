package io.bulwark.simulation.ordering;

import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.ReplicatedCall;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.simulation.campaign.Invariant;
import io.bulwark.simulation.engine.RunningOperation;
import io.bulwark.simulation.engine.Simulation;
import io.bulwark.simulation.history.Action;
import io.bulwark.simulation.history.History;
import io.bulwark.simulation.history.HistoryRecorder;
import io.bulwark.simulation.history.Outcome;
import io.bulwark.simulation.history.RecordedOperation;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Correct clients of a few registers, and what they and the faulty ones have done. */
final class OrderingClients {
    static final int CLIENTS = 3;
    static final int KEYS = 3;
    private static final int RUNNING_MAX = 20;

    /** Operations end by agreement, never by a deadline. */
    static final long NO_TIMEOUT_MILLIS = 1_000_000_000_000L;

    /** A client's knowledge of the replicas. */
    interface Directory {
        List<PrincipalId> replicas(PrincipalId client);

        /** The call, in a group whose replicas may change. */
        ClientOperation<ReplicatedCall.Outcome> following(PrincipalId client, ReplicatedCall call);
    }

    private record Attack(PrincipalId client, Bytes operation) {}

    private final Simulation simulation;
    private final Random random;
    private final Directory directory;
    private final HistoryRecorder recorder = new HistoryRecorder();
    private final Set<Attack> attacks = new HashSet<>();
    private final List<RunningOperation<?>> running = new ArrayList<>();
    private long numbers;
    private long completed;

    OrderingClients(Simulation simulation, Random random, Directory directory) {
        this.simulation = simulation;
        this.random = random;
        this.directory = directory;
    }

    boolean areBusy() {
        return running.size() >= RUNNING_MAX;
    }

    /** Records that a faulty client's operation takes effect. */
    void executed(PrincipalId client, Bytes operation, boolean again) {
        if (client.number() >= CLIENTS
                && !AbsentMembers.isOne(client)
                && !again
                && attacks.add(new Attack(client, operation))) {
            RegisterOperation write = RegisterOperation.decode(operation).orElseThrow();
            recorder.faulty(
                    client.toString(),
                    Action.WRITE,
                    "key-" + write.key(),
                    Long.toString(write.value()),
                    0,
                    simulation.nowMillis());
        }
    }

    void write() {
        var _ = write(PrincipalId.client(random.nextInt(CLIENTS)));
    }

    RunningOperation<?> write(PrincipalId client) {
        RegisterOperation write = new RegisterOperation(numbers++, random.nextInt(KEYS), numbers);
        ReplicatedCall call = ReplicatedCall.command(
                directory.replicas(client), write.encode(), NO_TIMEOUT_MILLIS, simulation.random());
        return begin(
                client,
                new RecordedOperation<>(
                        directory.following(client, call),
                        _ -> recorder.invoke(
                                client.toString(),
                                Action.WRITE,
                                "key-" + write.key(),
                                Long.toString(write.value()),
                                simulation.nowMillis()),
                        (pending, _, outcome) -> {
                            if (outcome instanceof ReplicatedCall.Agreed agreed) {
                                if (!agreed.reply().equals(RegisterState.DONE)) {
                                    throw Invariant.LINEARIZABLE.violation(
                                            client.toString(), "a reply to something else");
                                }
                                pending.ok(simulation.nowMillis());
                            } else {
                                pending.ended(simulation.nowMillis(), Outcome.UNKNOWN);
                            }
                        }));
    }

    void read() {
        read(random.nextInt(KEYS));
    }

    void readEverything() {
        for (int key = 0; key < KEYS; key++) {
            read(key);
        }
        write();
    }

    private void read(int key) {
        var _ = read(PrincipalId.client(random.nextInt(CLIENTS)), key);
    }

    RunningOperation<?> read(PrincipalId client, int key) {
        ReplicatedCall call = ReplicatedCall.query(
                directory.replicas(client), RegisterOperation.query(key), NO_TIMEOUT_MILLIS, simulation.random());
        return begin(
                client,
                new RecordedOperation<>(
                        directory.following(client, call),
                        _ -> recorder.invoke(
                                client.toString(), Action.READ, "key-" + key, null, simulation.nowMillis()),
                        (pending, _, outcome) -> {
                            if (outcome instanceof ReplicatedCall.Agreed agreed) {
                                pending.ok(simulation.nowMillis(), value(agreed.reply()), 0);
                            } else {
                                pending.ended(simulation.nowMillis(), Outcome.FAILED);
                            }
                        }));
    }

    private RunningOperation<?> begin(PrincipalId client, ClientOperation<?> operation) {
        RunningOperation<?> begun = simulation.start(client, operation);
        running.add(begun);
        return begun;
    }

    private static @Nullable String value(Bytes reply) {
        return reply.isEmpty() ? null : Long.toString(RegisterState.value(reply));
    }

    void settle() {
        int before = running.size();
        running.removeIf(RunningOperation::isFinished);
        completed += before - running.size();
    }

    boolean isIdle() {
        return running.stream().allMatch(RunningOperation::isFinished);
    }

    History history() {
        return recorder.history();
    }

    long completed() {
        return completed;
    }
}

package io.bulwark.simulation.object;

import io.bulwark.protocol.bucket.PutOutcome;
import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.metadata.Condition;
import io.bulwark.protocol.metadata.MetadataError;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.simulation.history.Action;
import io.bulwark.simulation.history.History;
import io.bulwark.simulation.history.HistoryRecorder;
import io.bulwark.simulation.history.Outcome;
import java.util.List;
import java.util.Random;

/** Correct clients that put, get and delete the same few names at once; what they see is recorded and must be linearizable. */
final class SharedNames {
    private static final int KEYS = 2;

    private final ObjectWorld world;
    private final List<ObjectClient> clients;
    private final List<String> buckets;
    private final Random random;
    private final HistoryRecorder recorder = new HistoryRecorder();
    /** Some version that was seen, for conditions. */
    private long lastVersion = 1;

    SharedNames(ObjectWorld world, List<ObjectClient> clients, List<String> buckets, Random random) {
        this.world = world;
        this.clients = clients;
        this.buckets = buckets;
        this.random = random;
    }

    void step() {
        ObjectClient client = clients.get(random.nextInt(clients.size()));
        String bucket = buckets.get(random.nextInt(buckets.size()));
        String key = "k" + random.nextInt(KEYS);
        switch (random.nextInt(8)) {
            case 0, 1 -> put(client, bucket, key, Action.PUT, Condition.NONE);
            case 2 -> put(client, bucket, key, Action.PUT_IF_ABSENT, Condition.IF_ABSENT);
            case 3 -> put(client, bucket, key, Action.PUT_IF_VERSION, Condition.ifVersion(lastVersion));
            case 4 -> delete(client, bucket, key);
            default -> get(client, bucket, key);
        }
    }

    void readAll() {
        for (String bucket : buckets) {
            for (int key = 0; key < KEYS; key++) {
                get(clients.getFirst(), bucket, "k" + key);
                get(clients.getLast(), bucket, "k" + key);
            }
        }
    }

    History history() {
        return recorder.history();
    }

    private long now() {
        return world.simulation().nowMillis();
    }

    private void put(ObjectClient client, String bucket, String key, Action action, Condition condition) {
        String value = world.contents().next();
        String name = bucket + "/" + key;
        HistoryRecorder.Pending pending = action == Action.PUT_IF_VERSION
                ? recorder.invokeIfVersion(client.self().toString(), name, value, condition.version(), now())
                : recorder.invoke(client.self().toString(), action, name, value, now());
        world.begins();
        world.put(client, bucket, key, condition, value, outcome -> {
            switch (outcome) {
                case PutOutcome.Stored(Reply.ObjectStored stored) -> {
                    lastVersion = stored.version();
                    pending.ok(now(), null, stored.version());
                    world.changed(bucket, key, stored.version(), false);
                }
                case PutOutcome.Stored(Reply.Stored other) -> throw new IllegalStateException("only " + other);
                case PutOutcome.Refused(Reply.Failed failed)
                when failed.error() == MetadataError.CONDITION_FAILED -> pending.ended(now(), Outcome.REFUSED);
                case PutOutcome.Refused _,
                        PutOutcome.Failed _,
                        PutOutcome.SessionLost _,
                        PutOutcome.StaleEpoch _,
                        PutOutcome.GivenUp _ -> pending.ended(now(), Outcome.FAILED);
                case PutOutcome.Unknown _ -> {}
            }
            world.ends();
        });
    }

    private void delete(ObjectClient client, String bucket, String key) {
        HistoryRecorder.Pending pending =
                recorder.invoke(client.self().toString(), Action.DELETE, bucket + "/" + key, null, now());
        world.begins();
        client.execute(new Command.DeleteObject(bucket, key, 0), reply -> {
            switch (reply.orElse(null)) {
                case Reply.Deleted deleted -> {
                    pending.ok(now(), null, deleted.marker() ? 0 : deleted.version());
                    world.changed(bucket, key, deleted.version(), true);
                }
                case Reply.Failed failed
                when failed.error() == MetadataError.NO_SUCH_OBJECT -> pending.ended(now(), Outcome.REFUSED);
                case Reply.Failed _ -> pending.ended(now(), Outcome.FAILED);
                case null, default -> {}
            }
            world.ends();
        });
    }

    private void get(ObjectClient client, String bucket, String key) {
        HistoryRecorder.Pending pending =
                recorder.invoke(client.self().toString(), Action.GET, bucket + "/" + key, null, now());
        world.begins();
        world.read(client, bucket, key, read -> {
            switch (read) {
                case ObjectWorld.ReadResult.Value value -> {
                    lastVersion = value.version();
                    pending.ok(now(), value.name(), value.version());
                }
                case ObjectWorld.ReadResult.Nothing _ -> pending.ok(now());
                case ObjectWorld.ReadResult.Failed _ -> pending.ended(now(), Outcome.FAILED);
            }
            world.ends();
        });
    }
}

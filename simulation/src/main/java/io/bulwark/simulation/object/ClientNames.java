package io.bulwark.simulation.object;

import io.bulwark.protocol.bucket.PutOutcome;
import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.metadata.Condition;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A correct client that works alone under its own prefix, one operation after the other. It must always find its own
 * last state by get, head, list, rename and copy. If the outcome of an operation is unknown, it continues under another
 * prefix.
 */
final class ClientNames {
    private static final int KEYS = 4;

    private final ObjectWorld world;
    private final ObjectClient client;
    private final Random random;
    private final String bucket;
    private final Map<String, String> names = new TreeMap<>();
    private int prefix;
    private boolean busy;

    ClientNames(ObjectWorld world, ObjectClient client, String bucket, Random random) {
        this.world = world;
        this.client = client;
        this.bucket = bucket;
        this.random = random;
    }

    void step() {
        if (busy) {
            return;
        }
        switch (random.nextInt(8)) {
            case 0, 1 -> put();
            case 2 -> get();
            case 3 -> head();
            case 4 -> list(1 + random.nextInt(3), new ArrayList<>());
            case 5 -> rename();
            case 6 -> copy();
            default -> delete();
        }
    }

    /** Everything must still be there. */
    void readAll() {
        names.forEach((key, value) -> {
            world.begins();
            world.read(client, bucket, key, found -> {
                require(key, value, found);
                world.ends();
            });
        });
    }

    private String anyKey() {
        return prefix() + random.nextInt(KEYS);
    }

    private String prefix() {
        return client.self() + "-" + prefix + "-";
    }

    private void begin() {
        busy = true;
        world.begins();
    }

    private void end() {
        busy = false;
        world.ends();
    }

    /** Handles an operation with an unknown outcome. */
    private void lost() {
        names.clear();
        prefix++;
    }

    private void put() {
        String key = anyKey();
        String value = world.contents().next();
        begin();
        world.put(client, bucket, key, Condition.NONE, value, outcome -> {
            switch (outcome) {
                case PutOutcome.Stored _ -> names.put(key, value);
                default -> lost();
            }
            end();
        });
    }

    private void get() {
        String key = anyKey();
        begin();
        world.read(client, bucket, key, found -> {
            require(key, names.get(key), found);
            end();
        });
    }

    private void require(String key, @Nullable String value, ObjectWorld.ReadResult found) {
        boolean right = switch (found) {
            case ObjectWorld.ReadResult.Value got -> got.name().equals(value);
            case ObjectWorld.ReadResult.Nothing _ -> value == null;
            case ObjectWorld.ReadResult.Failed _ -> true;
        };
        if (!right) {
            throw ObjectInvariants.OWN_NAMES.violation(key, "has " + value + ", found " + found);
        }
    }

    private void head() {
        String key = anyKey();
        begin();
        client.query(new Query.FindObject(bucket, key, 0), reply -> {
            reply.ifPresent(known -> {
                String value = known instanceof Reply.ObjectFound found ? Contents.name(found) : null;
                String expected = names.get(key);
                if (expected == null ? value != null : !expected.equals(value)) {
                    throw ObjectInvariants.OWN_NAMES.violation(key, "has " + expected + ", head says " + known);
                }
            });
            end();
        });
    }

    private void list(int limit, List<String> seen) {
        begin();
        listFrom(Bytes.EMPTY, limit, seen);
    }

    private void listFrom(Bytes after, int limit, List<String> seen) {
        client.query(new Query.ListObjects(bucket, prefix(), "", after, limit, false), reply -> {
            if (!(reply.orElse(null) instanceof Reply.ObjectList page)) {
                end();
                return;
            }
            page.objects().forEach(entry -> seen.add(entry.key()));
            if (!page.next().isEmpty()) {
                listFrom(page.next(), limit, seen);
                return;
            }
            if (!seen.equals(List.copyOf(names.keySet()))) {
                throw ObjectInvariants.OWN_NAMES.violation(prefix(), "has " + names.keySet() + ", listed " + seen);
            }
            end();
        });
    }

    private void rename() {
        String from = anyKey();
        String to = anyKey();
        if (to.equals(from)) {
            return;
        }
        change(new Command.RenameObject(bucket, from, bucket, to, Condition.NONE), from, () -> {
            String value = names.remove(from);
            if (value != null) {
                names.put(to, value);
            }
        });
    }

    private void copy() {
        String from = anyKey();
        String to = anyKey();
        change(new Command.CopyObject(bucket, from, 0, bucket, to, Condition.NONE), from, () -> {
            String value = names.get(from);
            if (value != null) {
                names.put(to, value);
            }
        });
    }

    private void delete() {
        String key = anyKey();
        change(new Command.DeleteObject(bucket, key, 0), key, () -> names.remove(key));
    }

    /** A command that must succeed if and only if there is an object under this key. */
    private void change(Command command, String key, Runnable done) {
        begin();
        client.execute(command, reply -> {
            Reply known = reply.orElse(null);
            boolean refused = known instanceof Reply.Failed;
            if (known == null) {
                lost();
            } else if (refused == names.containsKey(key)) {
                throw ObjectInvariants.OWN_NAMES.violation(
                        key, "has " + names.get(key) + ", " + command + ": " + known);
            } else if (!refused) {
                done.run();
            }
            end();
        });
    }
}

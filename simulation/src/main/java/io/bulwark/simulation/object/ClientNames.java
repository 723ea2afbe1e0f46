package io.bulwark.simulation.object;

import io.bulwark.protocol.bucket.PutOutcome;
import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.metadata.Condition;
import io.bulwark.protocol.metadata.ObjectRange;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.object.ObjectLock;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A correct client that works alone under its own prefix, one operation after the other. It must always find its own
 * last state by get, head, list, rename, copy and composition. If the outcome of an operation is unknown, it continues under another
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
        switch (random.nextInt(world.isPartwise() ? 10 : 8)) {
            case 0, 1 -> put();
            case 2 -> get();
            case 3 -> head();
            case 4 -> list(1 + random.nextInt(3), new ArrayList<>());
            case 5 -> rename();
            case 6 -> copy();
            case 8 -> compose();
            case 9 -> composeInParts();
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
        change(new Command.RenameObject(bucket, from, bucket, to, Condition.NONE), names.containsKey(from), () -> {
            String value = names.remove(from);
            if (value != null) {
                names.put(to, value);
            }
        });
    }

    private void copy() {
        String from = anyKey();
        String to = anyKey();
        change(new Command.CopyObject(bucket, from, 0, bucket, to, Condition.NONE), names.containsKey(from), () -> {
            String value = names.get(from);
            if (value != null) {
                names.put(to, value);
            }
        });
    }

    private void delete() {
        String key = anyKey();
        change(new Command.DeleteObject(bucket, key, 0), names.containsKey(key), () -> names.remove(key));
    }

    /** Some bytes of an object of this client, or all of them if there are any. */
    private ObjectRange anyRange() {
        String key = anyKey();
        String value = names.get(key);
        if (value == null || random.nextBoolean()) {
            return new ObjectRange(bucket, key, 0, 0, ObjectRange.TO_END);
        }
        int length = Contents.length(value);
        int from = random.nextInt(length + 1);
        return new ObjectRange(bucket, key, 0, from, random.nextInt(length - from + 1));
    }

    private List<ObjectRange> anyRanges() {
        List<ObjectRange> ranges = new ArrayList<>();
        for (int range = random.nextInt(3); range >= 0; range--) {
            ranges.add(anyRange());
        }
        return ranges;
    }

    /** Returns the value that these ranges make; empty if an object is not there or the name would be too long. */
    private Optional<String> valueOf(List<ObjectRange> ranges) {
        List<String> pieces = new ArrayList<>();
        for (ObjectRange range : ranges) {
            String value = names.get(range.key());
            if (value == null) {
                return Optional.empty();
            }
            long count = Math.min(range.length(), Contents.length(value) - range.offset());
            pieces.add(Contents.slice(value, (int) range.offset(), (int) count));
        }
        return Contents.joined(pieces);
    }

    /** An object of slices of this client's objects, some of which are of slices themselves. */
    private void compose() {
        List<ObjectRange> ranges = anyRanges();
        String to = anyKey();
        boolean there = ranges.stream().allMatch(range -> names.containsKey(range.key()));
        Optional<String> value = valueOf(ranges);
        if (there && value.isEmpty()) {
            return;
        }
        String made = value.orElse("");
        change(
                new Command.ComposeObject(
                        bucket, to, Condition.NONE, ranges, Contents.attributes(made), ObjectLock.NONE),
                there,
                () -> names.put(to, made));
    }

    /** The same by an upload whose parts are slices. */
    private void composeInParts() {
        List<ObjectRange> ranges = anyRanges();
        String to = anyKey();
        Optional<String> value = valueOf(ranges);
        if (value.isEmpty()) {
            return;
        }
        String made = value.get();
        begin();
        new PartwisePut(client, world::volume, bucket, to, random).copy(ranges, Condition.NONE, made, outcome -> {
            switch (outcome) {
                case PutOutcome.Stored _ -> names.put(to, made);
                case PutOutcome.Refused(Reply.Failed failed) ->
                    throw ObjectInvariants.OWN_NAMES.violation(to, "an upload of " + ranges + ": " + failed);
                default -> lost();
            }
            end();
        });
    }

    /** A command that must succeed if and only if all objects are there that it names. */
    private void change(Command command, boolean there, Runnable done) {
        begin();
        client.execute(command, reply -> {
            Reply known = reply.orElse(null);
            boolean refused = known instanceof Reply.Failed;
            if (known == null) {
                lost();
            } else if (refused == there) {
                throw ObjectInvariants.OWN_NAMES.violation(prefix(), "has " + names + ", " + command + ": " + known);
            } else if (!refused) {
                done.run();
            }
            end();
        });
    }
}

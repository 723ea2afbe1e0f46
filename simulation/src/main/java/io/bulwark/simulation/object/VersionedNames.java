package io.bulwark.simulation.object;

import io.bulwark.protocol.bucket.PutOutcome;
import io.bulwark.protocol.metadata.BucketChange;
import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.metadata.Condition;
import io.bulwark.protocol.metadata.MetadataError;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.metadata.Versioning;
import io.bulwark.protocol.object.ObjectLock;
import io.bulwark.protocol.object.Retention;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * A correct client that works alone in a bucket, one operation after the other, and knows all versions there. In one
 * bucket it changes the versioning, in one with object lock it locks versions. If the outcome of an operation is
 * unknown, it continues under another prefix; after an unknown change of the bucket it stops.
 */
final class VersionedNames {
    private static final int KEYS = 3;
    private static final String PROPERTY = "colour";
    private static final long FAR_MILLIS = 40L * 365 * 24 * 3_600_000;
    private static final int NEAR_MILLIS = 300_000;

    private final ObjectWorld world;
    private final ObjectClient client;
    private final String bucket;
    private final boolean locks;
    private final Random random;
    private final Map<String, NavigableMap<Long, Made>> names = new TreeMap<>();
    private Versioning state;
    /** Latest agreed time that a reply has shown. */
    private long agreedMillis;

    private int prefix;
    private boolean busy;
    private boolean over;

    /** A version; the value of a delete marker is empty. */
    private record Made(String value, boolean isNull, ObjectLock lock) {
        private boolean marker() {
            return value.isEmpty();
        }
    }

    VersionedNames(
            ObjectWorld world, ObjectClient client, String bucket, Versioning state, boolean locks, Random random) {
        this.world = world;
        this.client = client;
        this.bucket = bucket;
        this.state = state;
        this.locks = locks;
        this.random = random;
    }

    void step() {
        if (busy || over) {
            return;
        }
        switch (random.nextInt(8)) {
            case 0, 1, 2 -> put();
            case 3 -> delete();
            case 4 -> deleteVersion();
            case 5 -> list();
            case 6 -> copy();
            default -> {
                if (locks) {
                    lock();
                } else {
                    change();
                }
            }
        }
    }

    /** Every version must still be there. */
    void readAll() {
        if (over) {
            return;
        }
        names.forEach((key, versions) -> versions.forEach((version, made) -> {
            if (!made.marker()) {
                world.begins();
                world.read(client, bucket, key, version, found -> {
                    requireValue(key, version, made, found);
                    world.ends();
                });
            }
        }));
    }

    private void requireValue(String key, long version, Made made, ObjectWorld.ReadResult found) {
        boolean right = switch (found) {
            case ObjectWorld.ReadResult.Value got -> got.name().equals(made.value);
            case ObjectWorld.ReadResult.Nothing _ -> false;
            case ObjectWorld.ReadResult.Failed _ -> true;
        };
        if (!right) {
            throw ObjectInvariants.OWN_NAMES.violation(key + " " + version, "has " + made + ", found " + found);
        }
    }

    private String prefix() {
        return client.self() + "-v" + prefix + "-";
    }

    private String anyKey() {
        return prefix() + random.nextInt(KEYS);
    }

    private NavigableMap<Long, Made> versions(String key) {
        return names.computeIfAbsent(key, _ -> new TreeMap<>());
    }

    private Optional<Made> shown(String key) {
        return Optional.ofNullable(versions(key).lastEntry())
                .map(Map.Entry::getValue)
                .filter(made -> !made.marker());
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

    private Condition anyCondition(String key) {
        return switch (random.nextInt(6)) {
            case 0 -> Condition.IF_ABSENT;
            case 1 -> Condition.IF_PRESENT;
            case 2 -> Condition.ifProperty(PROPERTY, shown(key).map(Made::value).orElse("none"));
            case 3 -> Condition.ifProperty(PROPERTY, "none");
            default -> Condition.NONE;
        };
    }

    private boolean holds(Condition condition, String key) {
        Optional<Made> shown = shown(key);
        return switch (condition.kind()) {
            case NONE -> true;
            case IF_ABSENT -> shown.isEmpty();
            case IF_PRESENT -> shown.isPresent();
            case IF_PROPERTY ->
                shown.filter(made -> made.value.equals(condition.value())).isPresent();
            case IF_VERSION -> throw new IllegalStateException("not used here");
        };
    }

    private ObjectLock anyLock() {
        if (!locks || random.nextInt(3) == 0) {
            return ObjectLock.NONE;
        }
        long length = random.nextBoolean() ? FAR_MILLIS : 1_000 + random.nextInt(NEAR_MILLIS);
        Retention.Mode mode = random.nextBoolean() ? Retention.Mode.GOVERNANCE : Retention.Mode.COMPLIANCE;
        boolean known = agreedMillis > 0 && random.nextInt(4) != 0;
        return new ObjectLock(
                known ? new Retention(mode, agreedMillis + length) : Retention.NONE, random.nextInt(3) == 0);
    }

    private void put() {
        String key = anyKey();
        String value = world.contents().next();
        Condition condition = anyCondition(key);
        ObjectLock lock = anyLock();
        begin();
        world.put(client, bucket, key, condition, lock, value, outcome -> {
            switch (outcome) {
                case PutOutcome.Stored(Reply.ObjectStored stored) -> {
                    requireJudged(condition, key, true, outcome);
                    add(key, value, stored, lock);
                }
                case PutOutcome.Stored(Reply.Stored other) -> throw new IllegalStateException("only " + other);
                case PutOutcome.Refused(Reply.Failed failed)
                when failed.error() == MetadataError.CONDITION_FAILED -> requireJudged(condition, key, false, outcome);
                case PutOutcome.Refused(Reply.Failed failed)
                when failed.error() == MetadataError.BAD_ARGUMENT -> requireNear(key, lock, outcome);
                default -> lost();
            }
            end();
        });
    }

    private void requireJudged(Condition condition, String key, boolean expected, Object outcome) {
        if (holds(condition, key) != expected) {
            throw ObjectInvariants.OWN_NAMES.violation(
                    key, "has " + names.get(key) + ", under " + condition + ": " + outcome);
        }
    }

    /** Only a retention that may be over already is refused. */
    private void requireNear(String key, ObjectLock lock, Object outcome) {
        if (lock.retention().mode() == Retention.Mode.NONE
                || lock.retention().untilMillis() > agreedMillis + FAR_MILLIS / 2) {
            throw ObjectInvariants.OWN_NAMES.violation(key, "lock " + lock + ": " + outcome);
        }
    }

    private void add(String key, String value, Reply.ObjectStored stored, ObjectLock lock) {
        boolean isNull = state != Versioning.KEEP_ALL;
        if (stored.isNull() != isNull || !stored.lock().equals(lock)) {
            throw ObjectInvariants.OWN_NAMES.violation(key, "versioning " + state + ", lock " + lock + ": " + stored);
        }
        agreedMillis = Math.max(agreedMillis, stored.linkedMillis());
        if (isNull) {
            versions(key).values().removeIf(Made::isNull);
        }
        versions(key).put(stored.version(), new Made(value, isNull, lock));
    }

    private void copy() {
        String from = anyKey();
        String to = anyKey();
        List<Long> numbers = new ArrayList<>(versions(from).keySet());
        if (numbers.isEmpty()) {
            return;
        }
        long version = numbers.get(random.nextInt(numbers.size()));
        Made source = Optional.ofNullable(versions(from).get(version)).orElseThrow();
        execute(new Command.CopyObject(bucket, from, version, bucket, to, Condition.NONE), reply -> {
            if (reply instanceof Reply.ObjectStored stored && !source.marker()) {
                add(to, source.value, stored, ObjectLock.NONE);
            } else {
                requireRefused(from, MetadataError.IS_DELETE_MARKER, source.marker(), reply);
            }
        });
    }

    private void delete() {
        String key = anyKey();
        boolean even = random.nextBoolean();
        Condition condition = anyCondition(key);
        Command.DeleteMode mode = even ? Command.DeleteMode.EVEN_IF_ABSENT : Command.DeleteMode.STRICT;
        execute(new Command.DeleteObject(bucket, key, 0, condition, mode), reply -> {
            boolean absent = shown(key).isEmpty();
            if (reply instanceof Reply.Deleted deleted) {
                requireJudged(condition, key, true, reply);
                hide(key, deleted);
            } else if (absent && !even) {
                requireRefused(key, MetadataError.NO_SUCH_OBJECT, true, reply);
            } else {
                requireRefused(key, MetadataError.CONDITION_FAILED, !holds(condition, key), reply);
            }
        });
    }

    private void hide(String key, Reply.Deleted deleted) {
        if (state != Versioning.KEEP_ALL) {
            versions(key).values().removeIf(Made::isNull);
        }
        if (state != Versioning.LATEST_ONLY) {
            versions(key).put(deleted.version(), new Made("", state == Versioning.SUSPENDED, ObjectLock.NONE));
        }
    }

    private void deleteVersion() {
        String key = anyKey();
        List<Long> numbers = new ArrayList<>(versions(key).keySet());
        if (numbers.isEmpty()) {
            return;
        }
        long version = numbers.get(random.nextInt(numbers.size()));
        Made made = Optional.ofNullable(versions(key).get(version)).orElseThrow();
        boolean bypass = locks && random.nextInt(4) == 0;
        long before = agreedMillis;
        Command.DeleteMode mode = bypass ? Command.DeleteMode.BYPASS_GOVERNANCE : Command.DeleteMode.STRICT;
        execute(
                new Command.DeleteObject(
                        bucket,
                        key,
                        made.isNull && random.nextBoolean() ? Versioning.NULL_VERSION : version,
                        Condition.NONE,
                        mode),
                reply -> {
                    Retention retention = made.lock.retention();
                    long until = bypass && retention.mode() == Retention.Mode.GOVERNANCE ? 0 : retention.untilMillis();
                    if (reply instanceof Reply.Deleted) {
                        versions(key).remove(version);
                        requireOver(key + " " + version, made, until);
                    } else {
                        boolean locked = made.lock.legalHold() || until > before;
                        requireRefused(key, MetadataError.OBJECT_LOCKED, locked, reply);
                    }
                });
    }

    /** The time that replicas agree on after a deletion is not before the end of the lock. */
    private void requireOver(String name, Made made, long until) {
        if (made.lock.legalHold()) {
            throw ObjectInvariants.LOCKED_STAYS.violation(name, made + " was deleted");
        }
        if (until == 0) {
            return;
        }
        world.begins();
        client.query(new Query.GetStatus(), reply -> {
            if (reply.orElse(null) instanceof Reply.Status status) {
                agreedMillis = Math.max(agreedMillis, status.agreedMillis());
                if (status.agreedMillis() < until) {
                    throw ObjectInvariants.LOCKED_STAYS.violation(
                            name, made + " was deleted before " + status.agreedMillis());
                }
            }
            world.ends();
        });
    }

    private void lock() {
        String key = anyKey();
        Map.Entry<Long, Made> latest = versions(key).lastEntry();
        if (latest == null || latest.getValue().marker()) {
            return;
        }
        Made made = latest.getValue();
        boolean held = random.nextBoolean();
        execute(new Command.SetLegalHold(bucket, key, latest.getKey(), held), reply -> {
            if (reply instanceof Reply.ObjectStored) {
                ObjectLock lock = new ObjectLock(made.lock.retention(), held);
                versions(key).put(latest.getKey(), new Made(made.value, made.isNull, lock));
            } else {
                throw ObjectInvariants.OWN_NAMES.violation(key, "legal hold of " + made + ": " + reply);
            }
        });
    }

    private void change() {
        Versioning next =
                state == Versioning.KEEP_ALL || random.nextInt(3) == 0 ? Versioning.SUSPENDED : Versioning.KEEP_ALL;
        begin();
        client.execute(new Command.UpdateBucket(bucket, BucketChange.NONE.withVersioning(next)), reply -> {
            // A change whose outcome is unknown may be executed later, too.
            over = !(reply.orElse(null) instanceof Reply.Done);
            state = next;
            end();
        });
    }

    private void list() {
        begin();
        Query query = new Query.ListVersions(bucket, prefix(), "", "", 0, Query.PAGE_MAX, true);
        client.query(query, reply -> {
            if (reply.orElse(null) instanceof Reply.VersionList list) {
                Map<String, TreeMap<Long, Made>> found = new TreeMap<>();
                list.versions()
                        .forEach(entry -> found.computeIfAbsent(entry.key(), _ -> new TreeMap<>())
                                .put(entry.version(), made(entry)));
                names.values().removeIf(Map::isEmpty);
                if (!found.equals(names)) {
                    throw ObjectInvariants.OWN_NAMES.violation(bucket, "has " + names + ", listed " + found);
                }
            }
            end();
        });
    }

    private static Made made(Reply.VersionEntry entry) {
        return new Made(
                entry.deleteMarker() ? "" : entry.state().attributes().contentType(),
                entry.state().isNull(),
                entry.state().lock());
    }

    private static void requireRefused(String key, MetadataError error, boolean expected, Reply reply) {
        if (!expected || !(reply instanceof Reply.Failed failed) || failed.error() != error) {
            throw ObjectInvariants.OWN_NAMES.violation(key, reply + " where " + error + " was possible: " + expected);
        }
    }

    private void execute(Command command, Consumer<Reply> then) {
        begin();
        client.execute(command, reply -> {
            reply.ifPresentOrElse(then, this::lost);
            end();
        });
    }
}

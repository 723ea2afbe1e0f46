package io.bulwark.simulation.locking;

import io.bulwark.protocol.metadata.MetadataError;
import io.bulwark.protocol.metadata.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Names of one bucket that keeps the latest versions only: the sequential object of the history. Immutable. */
record NameState(SortedMap<String, Version> names) {
    static final NameState EMPTY = new NameState(new TreeMap<>());

    /**
     * A version of an object.
     *
     * @param number 0 if the reply to the command that made it is not known
     */
    record Version(String value, long number) {
        private boolean mayBe(long other) {
            return number == 0 || number == other;
        }
    }

    /**
     * Returns the state after a request with this reply; null if it does not have this reply here.
     *
     * @param reply empty if it is not known, and the request was executed
     */
    @Nullable
    NameState after(NameRequest request, Optional<Reply> reply) {
        return switch (request) {
            case NameRequest.Put put -> afterPut(put, reply);
            case NameRequest.Delete delete -> afterDelete(delete, reply);
            case NameRequest.Rename rename -> afterCopy(rename.key(), rename.to(), true, reply);
            case NameRequest.Copy copy -> afterCopy(copy.key(), copy.to(), false, reply);
            case NameRequest.Get get -> afterGet(get, reply);
            case NameRequest.ListNames list -> afterList(list, reply);
        };
    }

    private @Nullable NameState afterPut(NameRequest.Put put, Optional<Reply> reply) {
        Version now = names.get(put.key());
        boolean mayHold = switch (put.condition().kind()) {
            case IF_ABSENT -> now == null;
            case IF_VERSION -> now != null && now.mayBe(put.condition().version());
            default -> true;
        };
        if (isFailure(reply)) {
            boolean mayFail = switch (put.condition().kind()) {
                case IF_ABSENT -> now != null;
                case IF_VERSION -> now == null || now.number != put.condition().version();
                default -> false;
            };
            return mayFail ? this : null;
        }
        return mayHold ? with(put.key(), new Version(put.value(), versionOf(reply))) : null;
    }

    private @Nullable NameState afterDelete(NameRequest.Delete delete, Optional<Reply> reply) {
        Version now = names.get(delete.key());
        if (isFailure(reply) || now == null) {
            return isFailure(reply) && now == null ? this : null;
        }
        boolean isThis = !(reply.orElse(null) instanceof Reply.Deleted deleted) || now.mayBe(deleted.version());
        return isThis ? without(delete.key()) : null;
    }

    private @Nullable NameState afterCopy(String key, String to, boolean moves, Optional<Reply> reply) {
        Version now = names.get(key);
        if (isFailure(reply) || now == null) {
            return isFailure(reply) && now == null ? this : null;
        }
        NameState source = moves ? without(key) : this;
        return source.with(to, new Version(now.value, versionOf(reply)));
    }

    private @Nullable NameState afterGet(NameRequest.Get get, Optional<Reply> reply) {
        Version now = names.get(get.key());
        if (!(reply.orElse(null) instanceof Reply.ObjectFound found)) {
            return now == null ? this : null;
        }
        return now != null && now.value.equals(found.attributes().contentType()) && now.mayBe(found.version())
                ? with(get.key(), new Version(now.value, found.version()))
                : null;
    }

    private @Nullable NameState afterList(NameRequest.ListNames list, Optional<Reply> reply) {
        List<Reply.ObjectEntry> listed =
                reply.orElse(null) instanceof Reply.ObjectList page ? page.objects() : List.of();
        List<String> keys = new ArrayList<>();
        names.keySet().stream().filter(key -> key.startsWith(list.prefix())).forEach(keys::add);
        if (!keys.equals(listed.stream().map(Reply.ObjectEntry::key).toList())) {
            return null;
        }
        NameState after = this;
        for (Reply.ObjectEntry entry : listed) {
            Version now = names.get(entry.key());
            if (now == null || !now.value.equals(entry.attributes().contentType()) || !now.mayBe(entry.version())) {
                return null;
            }
            after = after.with(entry.key(), new Version(now.value, entry.version()));
        }
        return after;
    }

    private static boolean isFailure(Optional<Reply> reply) {
        return reply.orElse(null) instanceof Reply.Failed;
    }

    /** Returns whether a refusal tells something about the names. Others had no effect, and tell nothing. */
    static boolean isAboutNames(Reply.Failed failed) {
        return failed.error() == MetadataError.NO_SUCH_OBJECT || failed.error() == MetadataError.CONDITION_FAILED;
    }

    private static long versionOf(Optional<Reply> reply) {
        return reply.orElse(null) instanceof Reply.ObjectStored stored ? stored.version() : 0;
    }

    private NameState with(String key, Version version) {
        if (version.equals(names.get(key))) {
            return this;
        }
        SortedMap<String, Version> next = new TreeMap<>(names);
        next.put(key, version);
        return new NameState(next);
    }

    private NameState without(String key) {
        SortedMap<String, Version> next = new TreeMap<>(names);
        next.remove(key);
        return new NameState(next);
    }

    /** Returns text for people. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (Map.Entry<String, Version> name : names.entrySet()) {
            text.append(name.getKey())
                    .append('=')
                    .append(name.getValue().value)
                    .append('#')
                    .append(name.getValue().number)
                    .append(' ');
        }
        return text.toString();
    }
}

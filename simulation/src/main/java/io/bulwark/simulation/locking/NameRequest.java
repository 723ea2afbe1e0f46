package io.bulwark.simulation.locking;

import io.bulwark.protocol.locking.Subtree;
import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.metadata.Condition;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.object.ObjectAttributes;
import io.bulwark.protocol.object.ObjectLayout;
import io.bulwark.protocol.wire.Bytes;
import java.util.List;
import java.util.Optional;

/** Request about names of one bucket, as it stands in a history. Values are told apart by the object's content type. */
sealed interface NameRequest {
    int BLOCK_BYTES = 512;
    int LIST_MAX = 100;

    record Put(String key, String value, Condition condition) implements NameRequest {}

    record Delete(String key) implements NameRequest {}

    record Rename(String key, String to) implements NameRequest {}

    record Copy(String key, String to) implements NameRequest {}

    record Get(String key) implements NameRequest {}

    record ListNames(String prefix) implements NameRequest {}

    /** Returns the names that it reads or changes. */
    default List<Subtree> names(String bucket) {
        return switch (this) {
            case Put put -> List.of(new Subtree(bucket, put.key));
            case Delete delete -> List.of(new Subtree(bucket, delete.key));
            case Rename rename -> List.of(new Subtree(bucket, rename.key), new Subtree(bucket, rename.to));
            case Copy copy -> List.of(new Subtree(bucket, copy.key), new Subtree(bucket, copy.to));
            case Get get -> List.of(new Subtree(bucket, get.key));
            case ListNames list -> List.of(new Subtree(bucket, list.prefix));
        };
    }

    /** Returns the command; empty for a query. */
    default Optional<Command> command(String bucket, int volume) {
        return switch (this) {
            case Put put ->
                Optional.of(new Command.PutObject(
                        bucket,
                        put.key,
                        put.condition,
                        new ObjectLayout(volume, BLOCK_BYTES, 0, List.of(), Bytes.EMPTY),
                        ObjectAttributes.ofType(put.value),
                        List.of(),
                        List.of()));
            case Delete delete -> Optional.of(new Command.DeleteObject(bucket, delete.key, 0));
            case Rename rename ->
                Optional.of(new Command.RenameObject(bucket, rename.key, bucket, rename.to, Condition.NONE));
            case Copy copy -> Optional.of(new Command.CopyObject(bucket, copy.key, 0, bucket, copy.to, Condition.NONE));
            case Get ignored -> Optional.empty();
            case ListNames ignored -> Optional.empty();
        };
    }

    /** Returns the query; empty for a command. */
    default Optional<Query> query(String bucket) {
        return switch (this) {
            case Get get -> Optional.of(new Query.FindObject(bucket, get.key, 0));
            case ListNames list ->
                Optional.of(new Query.ListObjects(bucket, list.prefix, "", Bytes.EMPTY, LIST_MAX, true));
            case Put ignored -> Optional.empty();
            case Delete ignored -> Optional.empty();
            case Rename ignored -> Optional.empty();
            case Copy ignored -> Optional.empty();
        };
    }
}

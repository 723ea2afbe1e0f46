package io.bulwark.client.locking;

import io.bulwark.protocol.locking.Subtree;
import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.metadata.Query;
import java.util.List;
import java.util.Optional;

/** Names that a command or query reads or changes. */
final class LockableNames {
    private LockableNames() {}

    /** One name, as the narrowest subtree with it. */
    private static Subtree name(String bucket, String key) {
        return new Subtree(bucket, key);
    }

    /** Returns the names of a command that a log can hold; empty for any other command. */
    static List<Subtree> of(Command command) {
        return switch (command) {
            case Command.PutObject put when put.pending().isEmpty() -> List.of(name(put.bucket(), put.key()));
            case Command.DeleteObject delete -> List.of(name(delete.bucket(), delete.key()));
            case Command.SetTags set -> List.of(name(set.bucket(), set.key()));
            case Command.RenameObject rename ->
                List.of(name(rename.bucket(), rename.key()), name(rename.toBucket(), rename.toKey()));
            case Command.CopyObject copy ->
                List.of(name(copy.bucket(), copy.key()), name(copy.toBucket(), copy.toKey()));
            default -> List.of();
        };
    }

    /** Returns the part of the namespace that a query reads; empty for a query about anything else. */
    static Optional<Subtree> of(Query query) {
        return switch (query) {
            case Query.FindObject find -> Optional.of(name(find.bucket(), find.key()));
            case Query.ListObjects list -> Optional.of(new Subtree(list.bucket(), list.prefix()));
            case Query.ListVersions list -> Optional.of(new Subtree(list.bucket(), list.prefix()));
            case Query.FindSlices find -> Optional.of(name(find.bucket(), find.key()));
            default -> Optional.empty();
        };
    }

    /** Returns whether subtrees of this client contain all of these names. */
    static boolean areWithin(List<Subtree> names, List<Subtree> held) {
        return !names.isEmpty()
                && names.stream()
                        .allMatch(name ->
                                held.stream().anyMatch(subtree -> subtree.contains(name.bucket(), name.prefix())));
    }

    static boolean overlap(List<Subtree> names, List<Subtree> held) {
        return names.stream().anyMatch(name -> held.stream().anyMatch(name::overlaps));
    }
}

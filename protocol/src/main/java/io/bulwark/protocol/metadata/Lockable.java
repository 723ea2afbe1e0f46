package io.bulwark.protocol.metadata;

import io.bulwark.protocol.locking.Subtree;
import java.util.List;

/** Requests that a log can hold: they read and change names in its subtrees, and nothing else that others change. */
final class Lockable {
    private Lockable() {}

    static boolean isWithin(List<Subtree> subtrees, Command command) {
        return switch (command) {
            case Command.PutObject put -> put.pending().isEmpty() && contains(subtrees, put.bucket(), put.key());
            case Command.DeleteObject delete -> contains(subtrees, delete.bucket(), delete.key());
            case Command.RenameObject rename ->
                contains(subtrees, rename.bucket(), rename.key())
                        && contains(subtrees, rename.toBucket(), rename.toKey());
            case Command.CopyObject copy ->
                contains(subtrees, copy.bucket(), copy.key()) && contains(subtrees, copy.toBucket(), copy.toKey());
            case Command.SetTags set -> contains(subtrees, set.bucket(), set.key());
            default -> false;
        };
    }

    static boolean isWithin(List<Subtree> subtrees, Query query) {
        return switch (query) {
            case Query.FindObject find -> contains(subtrees, find.bucket(), find.key());
            case Query.FindSlices find -> contains(subtrees, find.bucket(), find.key());
            case Query.ListObjects list -> contains(subtrees, list.bucket(), list.prefix());
            case Query.ListVersions list ->
                contains(subtrees, list.bucket(), list.prefix())
                        && (list.afterKey().isEmpty() || list.afterKey().startsWith(list.prefix()));
            case Query.FindInode ignored -> true;
            default -> false;
        };
    }

    private static boolean contains(List<Subtree> subtrees, String bucket, String key) {
        return subtrees.stream().anyMatch(subtree -> subtree.contains(bucket, key));
    }
}

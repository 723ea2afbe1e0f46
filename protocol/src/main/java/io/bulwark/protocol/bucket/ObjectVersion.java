package io.bulwark.protocol.bucket;

import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.object.Inode;

/** A version of an object as the metadata named it, and its inode. */
public record ObjectVersion(String bucket, String key, long version, Inode inode) {
    public static ObjectVersion of(String bucket, String key, Reply.ObjectFound found) {
        return new ObjectVersion(bucket, key, found.version(), found.inode());
    }
}

package io.bulwark.client;

import io.bulwark.client.encryption.ObjectEncryption;
import io.bulwark.protocol.id.BlockRange;
import io.bulwark.protocol.object.ObjectLock;
import io.bulwark.protocol.object.VersionState;
import java.time.Instant;
import java.util.List;
import java.util.SortedMap;

/**
 * Metadata of an object, available without reading it.
 *
 * @param version grows over all names, is never reused
 * @param length in bytes; of the plain text where the client has a key provider, else as it is stored
 * @param modified when the name got this version, in the time that the replicas agreed on
 * @param state attributes and lock of this version
 * @param blocks location of its bytes, in order, as verdicts about nodes name them; empty in listings and after a put,
 *     which do not return it; of an object that is composed of others only after a read, as far as that went
 */
public record ObjectInfo(
        String bucket,
        String key,
        long version,
        long length,
        Instant modified,
        VersionState state,
        List<BlockRange> blocks) {
    public ObjectInfo {
        blocks = List.copyOf(blocks);
    }

    public String contentType() {
        return state.attributes().contentType();
    }

    /** Returns the user's tags, which may be changed later. */
    public SortedMap<String, String> tags() {
        return state.attributes().tags();
    }

    /** Returns the properties, which belong to this version for good. */
    public SortedMap<String, String> properties() {
        return state.attributes().properties();
    }

    /** Returns whether this is the null version: the only one that the bucket kept when it was made. */
    public boolean isNull() {
        return state.isNull();
    }

    public ObjectLock lock() {
        return state.lock();
    }

    /** Returns whether a client has encrypted it: without the key nothing can be read. */
    public boolean encrypted() {
        return properties().containsKey(ObjectEncryption.PROPERTY);
    }

    ObjectInfo withLength(long other) {
        return new ObjectInfo(bucket, key, version, other, modified, state, blocks);
    }
}

package io.bulwark.client;

import io.bulwark.client.encryption.ObjectEncryption;
import io.bulwark.protocol.id.BlockRange;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Metadata of an object, available without reading it.
 *
 * @param version grows over all names, is never reused
 * @param length in bytes; of the plain text where the client has a key provider, else as it is stored
 * @param modified when the name got this version, in the time that the replicas agreed on
 * @param blocks location of its bytes, in order, as verdicts about nodes name them; empty in listings and after a put,
 *     which do not return it
 */
public record ObjectInfo(
        String bucket,
        String key,
        long version,
        long length,
        Instant modified,
        String contentType,
        SortedMap<String, String> tags,
        List<BlockRange> blocks) {
    public ObjectInfo {
        tags = Collections.unmodifiableSortedMap(new TreeMap<>(tags));
        blocks = List.copyOf(blocks);
    }

    /** Returns whether a client has encrypted it: without the key nothing can be read. */
    public boolean encrypted() {
        return tags.containsKey(ObjectEncryption.TAG);
    }

    ObjectInfo withLength(long other) {
        return new ObjectInfo(bucket, key, version, other, modified, contentType, tags, blocks);
    }
}

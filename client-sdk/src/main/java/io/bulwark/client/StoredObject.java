package io.bulwark.client;

import java.io.InputStream;

/** One version of an object, whose bytes are read without another question to the replicas about its name. */
public interface StoredObject {
    ObjectInfo info();

    /**
     * Returns a stream over the bytes of this version, as {@link Bucket#get} does.
     *
     * @param options the version that they name does not count
     */
    InputStream content(GetOptions options);
}

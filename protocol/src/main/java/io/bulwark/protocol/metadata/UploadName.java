package io.bulwark.protocol.metadata;

import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;

/**
 * Name of a multipart upload.
 *
 * @param bucket of the object to be
 * @param key of the object to be
 * @param id never reused
 */
public record UploadName(String bucket, String key, long id) {
    void write(WireWriter out) {
        out.string(bucket).string(key).i64(id);
    }

    static UploadName read(WireReader in) {
        return new UploadName(in.string(Names.WIRE_BYTES_MAX), in.string(Names.WIRE_BYTES_MAX), in.nonNegative64());
    }
}

package io.bulwark.appliance.transfer;

import io.bulwark.client.Bucket;
import io.bulwark.client.GetOptions;
import io.bulwark.client.ObjectInfo;
import io.bulwark.client.error.BulwarkException;
import io.bulwark.transport.file.OutputFile;
import io.bulwark.transport.file.PartFile;
import io.bulwark.transport.file.TargetAttributes;
import java.io.IOException;
import java.nio.file.Path;

/** Writes objects to files. The download of a large object goes on where an earlier one ended. */
public final class ObjectDownload {
    /** Length from which a broken download leaves its part. */
    public static final long RESUMABLE_BYTES = 2 * PartFile.CHECKPOINT_BYTES;

    private final Bucket bucket;
    private final RateLimit limit;

    public ObjectDownload(Bucket bucket, RateLimit limit) {
        this.bucket = bucket;
        this.limit = limit;
    }

    /**
     * Writes a version of an object to exactly this place. A link there is replaced, not followed.
     *
     * @param options of the read, without range
     * @throws IOException if the file cannot be written
     * @throws BulwarkException if the object cannot be read
     */
    public void write(
            ObjectInfo object, Path place, TargetAttributes attributes, GetOptions options, TransferListener listener)
            throws IOException {
        GetOptions exactly = options.withVersion(object.version());
        if (object.length() < RESUMABLE_BYTES) {
            OutputFile.writeInPlace(
                    place, attributes, out -> bucket.readTo(object.key(), limit.limiting(out, listener), exactly));
            return;
        }
        try (PartFile part = PartFile.open(place, identity(object), attributes.permissions() != null)) {
            listener.onBytes(part.position());
            if (part.position() < object.length()) {
                GetOptions rest = exactly.withRange(part.position(), Long.MAX_VALUE);
                bucket.readTo(object.key(), limit.limiting(part.stream(), listener), rest);
            }
            if (part.position() != object.length()) {
                part.restart();
                throw new IOException("the part has another length than the object; repeat the command");
            }
            part.finish(attributes);
        }
    }

    /** Names the exact bytes. */
    private static String identity(ObjectInfo object) {
        return object.bucket() + "\0" + object.key() + "\0" + object.version() + "\0" + object.length();
    }
}

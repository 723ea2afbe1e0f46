package io.bulwark.protocol.ordering.message;

import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;

/**
 * Names one request in batches and vouches.
 *
 * @param client who made it
 * @param call the client's number of it
 * @param digest SHA-256 of the request's canonical encoding (client, call, kind, operation), 32 bytes
 */
public record RequestId(PrincipalId client, long call, Bytes digest) implements Comparable<RequestId> {
    public RequestId {
        if (digest.length() != Hashes.LENGTH) {
            throw new IllegalArgumentException("a digest of " + digest.length() + " bytes");
        }
    }

    @Override
    public int compareTo(RequestId other) {
        int byClient = client.compareTo(other.client);
        int byCall = byClient != 0 ? byClient : Long.compare(call, other.call);
        return byCall != 0 ? byCall : digest.compareTo(other.digest);
    }

    public void write(WireWriter out) {
        client.write(out);
        out.i64(call).raw(digest);
    }

    public static RequestId read(WireReader in) {
        return new RequestId(PrincipalId.read(in), in.i64(), in.raw(Hashes.LENGTH));
    }
}

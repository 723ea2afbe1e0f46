package io.bulwark.client;

import io.bulwark.client.error.InvalidRequestException;
import io.bulwark.client.error.Subject;
import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.wire.Bytes;
import java.util.HexFormat;
import java.util.List;

/** The releases in the replicated metadata. */
final class AllowedReleases implements Releases {
    private final BulwarkClient client;

    AllowedReleases(BulwarkClient client) {
        this.client = client;
    }

    @Override
    public List<String> allowed() {
        return client
                .query(Reply.ReleaseList.class, new Query.ListReleases(), Subject.NONE, BulwarkClient.noDeadline())
                .hashes()
                .stream()
                .map(Bytes::toHex)
                .toList();
    }

    @Override
    public void allow(String hash) {
        client.execute(Reply.Done.class, new Command.SetRelease(parsed(hash), true), Subject.NONE);
    }

    @Override
    public void forget(String hash) {
        client.execute(Reply.Done.class, new Command.SetRelease(parsed(hash), false), Subject.NONE);
    }

    private static Bytes parsed(String hash) {
        try {
            byte[] bytes = HexFormat.of().parseHex(hash);
            if (bytes.length == Command.RELEASE_BYTES) {
                return Bytes.of(bytes);
            }
        } catch (IllegalArgumentException e) {
            // Said below.
        }
        throw new InvalidRequestException("\"" + hash + "\" is not a SHA-256 in hexadecimal", Subject.NONE);
    }
}

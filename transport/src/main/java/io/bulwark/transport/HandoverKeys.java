package io.bulwark.transport;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.protocol.ordering.membership.Member;
import io.bulwark.protocol.ordering.membership.Signatures;
import io.bulwark.protocol.wire.Bytes;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Keys that sign, and verify, the end of a configuration of replicas (docs/decisions/0020). The own key is that of the
 * identity or of a device. For others they are the keys from their configuration, and those that have replaced these
 * since.
 *
 * @param registered the keys of a principal, as the replicas have agreed
 */
public record HandoverKeys(TlsCredentials credentials, Function<PrincipalId, List<PrincipalKey>> registered)
        implements Signatures {
    @Override
    public Bytes sign(Bytes content) {
        return credentials.ownKey().sign(content);
    }

    @Override
    public boolean verify(Member member, Bytes content, Bytes signature) {
        return Stream.concat(first(member), registered.apply(member.replica()).stream())
                .distinct()
                .anyMatch(key -> key.verifies(content, signature));
    }

    private static Stream<PrincipalKey> first(Member member) {
        try {
            return Stream.of(new PrincipalKey(member.key()));
        } catch (IllegalArgumentException e) {
            return Stream.empty(); // No group with identities has such a member.
        }
    }
}

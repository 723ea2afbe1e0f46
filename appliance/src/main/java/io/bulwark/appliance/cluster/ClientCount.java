package io.bulwark.appliance.cluster;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKind;
import io.bulwark.transport.Credentials;
import io.bulwark.transport.InsecureLoopback;
import io.bulwark.transport.TlsCredentials;
import io.bulwark.transport.identity.TrustedKeys;
import java.util.Collection;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/** How many clients could connect to a member now: those of the registry, or of the key ring where there is no TLS. Thread-safe. */
final class ClientCount implements IntSupplier {
    private final Credentials credentials;
    private volatile @Nullable Counted counted;

    private record Counted(TrustedKeys of, int clients) {}

    ClientCount(Credentials credentials) {
        this.credentials = credentials;
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // the registry replaces what is trusted as a whole
    public int getAsInt() {
        return switch (credentials) {
            case InsecureLoopback plain -> count(plain.keys().peers());
            case TlsCredentials tls -> {
                TrustedKeys now = tls.trusted();
                Counted known = counted;
                if (known == null || known.of != now) {
                    known = new Counted(now, count(now.owners().values()));
                    counted = known;
                }
                yield known.clients;
            }
        };
    }

    private static int count(Collection<PrincipalId> principals) {
        return Math.toIntExact(principals.stream()
                .filter(principal -> principal.kind() == PrincipalKind.CLIENT)
                .distinct()
                .count());
    }
}

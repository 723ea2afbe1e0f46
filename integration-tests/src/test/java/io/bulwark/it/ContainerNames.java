package io.bulwark.it;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.net.spi.InetAddressResolver;
import java.net.spi.InetAddressResolverProvider;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;

/**
 * Has this process find containers by the names that they have for each other, as a machine does that is in their network. The JDK
 * makes it ({@code META-INF/services}), and asks it for every name; without containers all is as ever.
 */
@NullMarked
public final class ContainerNames extends InetAddressResolverProvider {
    private static volatile @Nullable Source source;

    /** Source of the current addresses. */
    interface Source {
        /** The address of who is called so; nothing if it is none of them. */
        Optional<String> address(String name) throws IOException;
    }

    /** From now on these are asked first; nobody in place of null. */
    static void use(@Nullable Source known) {
        source = known;
    }

    @Override
    public InetAddressResolver get(Configuration configuration) {
        return new Resolver(configuration.builtinResolver());
    }

    @Override
    public String name() {
        return "containers of tests";
    }

    private record Resolver(InetAddressResolver others) implements InetAddressResolver {
        @Override
        public Stream<InetAddress> lookupByName(String host, LookupPolicy policy) throws UnknownHostException {
            Source known = source;
            if (known == null) {
                return others.lookupByName(host, policy);
            }
            Optional<String> found;
            try {
                found = known.address(host);
            } catch (IOException e) {
                throw new UnknownHostException(host + ": " + e);
            }
            return found.isPresent()
                    ? Stream.of(InetAddress.ofLiteral(found.get()))
                    : others.lookupByName(host, policy);
        }

        @Override
        public String lookupByAddress(byte[] address) throws UnknownHostException {
            return others.lookupByAddress(address);
        }
    }
}

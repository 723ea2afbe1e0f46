package io.bulwark.gateway.s3.http;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;

/**
 * Settings of a server.
 *
 * @param address to listen on; port 0 takes a free one
 * @param tls its certificate; plain HTTP if empty
 * @param domains host names under which each bucket is a host of its own (virtual-host style)
 */
public record S3Settings(
        InetSocketAddress address, Optional<ServerCertificate> tls, List<String> domains, S3Limits limits) {
    public S3Settings {
        domains = List.copyOf(domains);
    }
}

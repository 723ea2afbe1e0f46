/**
 * The HTTP server of the gateway. {@link io.bulwark.gateway.s3.http.S3Server} accepts connections;
 * {@link io.bulwark.gateway.s3.http.HttpConnection} reads one request after the other on an event loop, and a virtual thread
 * ({@link io.bulwark.gateway.s3.http.RequestTask}) verifies and answers each. Bodies stream both ways and each side waits for
 * the other.
 */
@NullMarked
package io.bulwark.gateway.s3.http;

import org.jspecify.annotations.NullMarked;

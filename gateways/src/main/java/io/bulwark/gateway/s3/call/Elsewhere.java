package io.bulwark.gateway.s3.call;

import io.bulwark.gateway.s3.request.BodyDigests;
import io.bulwark.gateway.s3.request.Caller;
import io.bulwark.gateway.s3.request.Exchange;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;

/** A request as if it named another bucket. */
record Elsewhere(Exchange exchange, String otherBucket) implements Exchange {
    @Override
    public String method() {
        return exchange.method();
    }

    @Override
    public Optional<String> bucket() {
        return Optional.of(otherBucket);
    }

    @Override
    public Optional<String> key() {
        return exchange.key();
    }

    @Override
    public SortedMap<String, String> query() {
        return exchange.query();
    }

    @Override
    public List<String> headers(String name) {
        return exchange.headers(name);
    }

    @Override
    public List<String> headerNames() {
        return exchange.headerNames();
    }

    @Override
    public Caller caller() {
        return exchange.caller();
    }

    @Override
    public String requestId() {
        return exchange.requestId();
    }

    @Override
    public OptionalLong contentLength() {
        return exchange.contentLength();
    }

    @Override
    public InputStream body() {
        return exchange.body();
    }

    @Override
    public BodyDigests digests() {
        return exchange.digests();
    }

    @Override
    public OutputStream respond(int status, SortedMap<String, String> headers, OptionalLong length) {
        return exchange.respond(status, headers, length);
    }
}

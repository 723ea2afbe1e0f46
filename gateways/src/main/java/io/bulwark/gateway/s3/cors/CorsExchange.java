package io.bulwark.gateway.s3.cors;

import io.bulwark.gateway.s3.request.BodyDigests;
import io.bulwark.gateway.s3.request.Caller;
import io.bulwark.gateway.s3.request.Exchange;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A request from another origin, whose answer has the headers that a rule gives it.
 *
 * @param answer those headers
 */
public record CorsExchange(Exchange exchange, SortedMap<String, String> answer) implements Exchange {
    @Override
    public String method() {
        return exchange.method();
    }

    @Override
    public Optional<String> bucket() {
        return exchange.bucket();
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
    public Optional<SortedMap<String, String>> form() {
        return exchange.form();
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
    public void setOperation(String name) {
        exchange.setOperation(name);
    }

    @Override
    public OutputStream respond(int status, SortedMap<String, String> headers, OptionalLong length) {
        SortedMap<String, String> all = new TreeMap<>(answer);
        all.putAll(headers);
        return exchange.respond(status, all, length);
    }
}

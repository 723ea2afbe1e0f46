package io.bulwark.gateway.s3.http;

import io.bulwark.gateway.s3.body.VerifiedBody;
import io.bulwark.gateway.s3.request.Addressing;
import io.bulwark.gateway.s3.request.BodyDigests;
import io.bulwark.gateway.s3.request.Caller;
import io.bulwark.gateway.s3.request.Exchange;
import io.bulwark.gateway.s3.request.RequestHead;
import io.bulwark.gateway.s3.request.S3Exception;
import io.bulwark.gateway.s3.request.WireText;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.function.Supplier;

/** One verified request of a connection. */
final class HttpExchange implements Exchange {
    private final RequestHead head;
    private final Addressing.Place place;
    private final Supplier<Caller> caller;
    private final Content content;
    private final Responder responder;
    private volatile String operation = S3Meters.NO_OPERATION;

    /**
     * Content of a request.
     *
     * @param form fields of a POST form
     */
    record Content(VerifiedBody body, OptionalLong length, Optional<SortedMap<String, String>> form) {}

    HttpExchange(
            RequestHead head, Addressing.Place place, Supplier<Caller> caller, Content content, Responder responder) {
        this.head = head;
        this.place = place;
        this.caller = caller;
        this.content = content;
        this.responder = responder;
    }

    @Override
    public String method() {
        return head.method();
    }

    @Override
    public Optional<String> bucket() {
        return place.bucket();
    }

    @Override
    public Optional<String> key() {
        return place.key();
    }

    @Override
    public SortedMap<String, String> query() {
        return head.target().query();
    }

    @Override
    public List<String> headers(String name) {
        // Bytes that are not UTF-8 are characters of Latin-1. Space around is no part of a value, also not in fields of
        // forms and in parameters: policies must see the values that operations see.
        return head.headers().getOrDefault(name.toLowerCase(Locale.ROOT), List.of()).stream()
                .map(wire -> WireText.read(wire).orElse(wire).strip())
                .toList();
    }

    @Override
    public List<String> headerNames() {
        return List.copyOf(head.headers().keySet());
    }

    @Override
    public Optional<SortedMap<String, String>> form() {
        return content.form();
    }

    @Override
    public Caller caller() {
        return caller.get();
    }

    /** Returns whether a key has signed the request. */
    boolean isSigned() {
        try {
            return caller.get().key().isPresent();
        } catch (S3Exception _) {
            // Nobody without a signature is served.
            return false;
        }
    }

    @Override
    public String requestId() {
        return responder.ids().requestId();
    }

    @Override
    public OptionalLong contentLength() {
        return content.length();
    }

    @Override
    public InputStream body() {
        return content.body();
    }

    @Override
    public BodyDigests digests() {
        return content.body().digests();
    }

    @Override
    public void setOperation(String name) {
        operation = name;
    }

    String operation() {
        return operation;
    }

    @Override
    public OutputStream respond(int status, SortedMap<String, String> headers, OptionalLong length) {
        return responder.respond(status, headers, length);
    }
}

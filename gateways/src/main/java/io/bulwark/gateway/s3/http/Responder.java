package io.bulwark.gateway.s3.http;

import io.bulwark.gateway.s3.request.Times;
import io.bulwark.gateway.s3.request.WireText;
import io.netty.channel.Channel;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import java.io.OutputStream;
import java.time.Instant;
import java.util.Map;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Writes the one response of a request. Used by the thread of the request. */
final class Responder {
    static final String SERVER = "Bulwark";
    /** An unread body of this size is discarded, so that the connection can be used on. */
    private static final int DRAIN_BYTES_MAX = 64 << 10;

    private static final long DRAIN_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Strangers, who could take all requests in processing so, are waited for as long as a body in one piece takes. */
    private static final long STRANGERS_DRAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final Channel channel;
    private final WriteGate gate;
    private final RequestIds ids;
    private final Trait trait;
    private final RequestBody body;
    private boolean keepsAlive;
    private boolean awaitsContinue;
    private long drainNanos = DRAIN_NANOS;
    private int status;
    private @Nullable ResponseStream stream;

    /**
     * Traits of a request that its response depends on.
     *
     * @param isHead the response has no body
     * @param isOld HTTP/1.0, which knows no chunks
     * @param keepsAlive the client may send another request on the connection
     * @param expectsContinue the client waits for the status 100 before it sends the body
     */
    record Trait(boolean isHead, boolean isOld, boolean keepsAlive, boolean expectsContinue) {}

    /** Names of a request. */
    record RequestIds(String requestId, String hostId) {}

    Responder(Channel channel, WriteGate gate, RequestIds ids, Trait trait, RequestBody body) {
        this.channel = channel;
        this.gate = gate;
        this.ids = ids;
        this.trait = trait;
        this.body = body;
        this.keepsAlive = trait.keepsAlive();
        this.awaitsContinue = trait.expectsContinue();
    }

    RequestIds ids() {
        return ids;
    }

    /** Returns the status; 0 if no response has begun. */
    int status() {
        return status;
    }

    boolean hasBegun() {
        return status != 0;
    }

    /** Returns whether the response has been written as a whole. */
    boolean isComplete() {
        return stream != null && stream.isComplete();
    }

    /** Returns whether the connection may serve another request. */
    boolean keepsAlive() {
        return keepsAlive;
    }

    /** Returns the number of bytes of the response's body. */
    long sentBytes() {
        return stream == null ? 0 : stream.sentBytes();
    }

    /** Closes the connection after this response. */
    void endConnection() {
        keepsAlive = false;
    }

    /** Waits for the rest of the body for a moment only. */
    void refuseStranger() {
        drainNanos = STRANGERS_DRAIN_NANOS;
    }

    /** Ends the connection within the response. */
    void abort() {
        keepsAlive = false;
        if (stream != null) {
            stream.abort();
        }
    }

    /** Tells the client to send the body, if it waits for that. */
    void sendContinue() {
        if (awaitsContinue && !hasBegun()) {
            awaitsContinue = false;
            var _ = channel.writeAndFlush(new ContinueResponse(), channel.voidPromise());
        }
    }

    OutputStream respond(int code, SortedMap<String, String> headers, OptionalLong length) {
        if (hasBegun()) {
            throw new IllegalStateException("the response has begun");
        }
        if (body.hasEnded()) {
            // A client of Amazon's that expects this for an empty body misreads the next response on the connection
            // without it.
            sendContinue();
        }
        settleBody();
        HttpResponseStatus httpStatus = HttpResponseStatus.valueOf(code);
        boolean hasBody = !trait.isHead() && code != 204 && code != 304;
        DefaultHttpResponse response =
                hasBody ? new DefaultHttpResponse(HttpVersion.HTTP_1_1, httpStatus) : new BodilessResponse(httpStatus);
        HttpHeaders fields = response.headers();
        for (Map.Entry<String, String> header : headers.entrySet()) {
            fields.add(header.getKey(), WireText.of(header.getValue()));
        }
        fields.set(HttpHeaderNames.DATE, date());
        fields.set(HttpHeaderNames.SERVER, SERVER);
        fields.set("x-amz-request-id", ids.requestId());
        fields.set("x-amz-id-2", ids.hostId());
        if (length.isPresent()) {
            if (code != 204 && code != 304) {
                fields.set(HttpHeaderNames.CONTENT_LENGTH, length.getAsLong());
            }
        } else if (hasBody && trait.isOld()) {
            keepsAlive = false;
        } else if (hasBody) {
            fields.set(HttpHeaderNames.TRANSFER_ENCODING, HttpHeaderValues.CHUNKED);
        }
        if (!keepsAlive) {
            fields.set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
        } else if (trait.isOld()) {
            fields.set(HttpHeaderNames.CONNECTION, HttpHeaderValues.KEEP_ALIVE);
        }
        status = code;
        var _ = channel.write(response, channel.voidPromise());
        ResponseStream begun = new ResponseStream(
                channel, gate, new ResponseStream.Shape(hasBody ? length : OptionalLong.of(0), !hasBody));
        stream = begun;
        return begun;
    }

    /** Decides whether the connection can be used after this response, as to the rest of the body. */
    private void settleBody() {
        if (!keepsAlive || body.hasEnded()) {
            body.discard();
        } else if (awaitsContinue) {
            // The client may send the body or not.
            keepsAlive = false;
        } else {
            keepsAlive = body.drain(DRAIN_BYTES_MAX, drainNanos);
        }
    }

    /** Returns the current time as HTTP writes it. */
    static String date() {
        return Times.http(Instant.now());
    }
}

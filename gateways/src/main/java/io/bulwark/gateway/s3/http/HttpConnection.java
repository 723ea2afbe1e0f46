package io.bulwark.gateway.s3.http;

import io.bulwark.gateway.s3.request.ErrorDocument;
import io.bulwark.gateway.s3.request.S3Exception;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufHolder;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection of a client, on its event loop. The next request of a pipeline is read when the response to the last one is
 * complete.
 *
 * <table>
 * <caption>Transitions</caption>
 * <tr><th>State</th><th>Event</th><th>Next</th></tr>
 * <tr><td>IDLE</td><td>head of a request</td><td>BUSY; LINGERING if it is invalid or the server has too many</td></tr>
 * <tr><td>IDLE</td><td>time is over, server stops</td><td>closed</td></tr>
 * <tr><td>BUSY</td><td>response complete</td><td>IDLE; LINGERING if the connection cannot be used on</td></tr>
 * <tr><td>LINGERING</td><td>time is over, too many bytes, client has closed</td><td>closed</td></tr>
 * <tr><td>IDLE, LINGERING</td><td>its place is needed ({@link #tryEvict})</td><td>closed</td></tr>
 * </table>
 */
final class HttpConnection extends ChannelInboundHandlerAdapter {
    private static final Logger LOG = LoggerFactory.getLogger(HttpConnection.class);
    /** Bytes discarded after the last response. A client that reads only after it has sent all would miss the response. */
    private static final int LINGER_BYTES_MAX = 4 << 20;

    private static final long BUSY = 0;
    private static final long EVICTED = -1;

    private final ServerContext server;
    private final Channel channel;
    private final WriteGate gate;
    /** Since when no request is in processing, as a number that grows; or {@link #BUSY}, {@link #EVICTED}. */
    private final AtomicLong idleSince = new AtomicLong(BUSY);

    private State state = State.IDLE;
    private @Nullable RequestBody body;
    private @Nullable Responder responder;
    private @Nullable Future<?> deadline;
    /** Messages of the last read that are not processed yet. */
    private final ArrayDeque<Object> decoded = new ArrayDeque<>();

    private boolean isWanted;
    private boolean isProcessing;
    private long lingeredBytes;

    /** States of a connection. */
    private enum State {
        /** It waits for the head of a request. */
        IDLE,
        /** A virtual thread answers a request. */
        BUSY,
        /** The last response is written; what arrives is discarded. */
        LINGERING
    }

    HttpConnection(ServerContext server, Channel channel) {
        this.server = server;
        this.channel = channel;
        this.gate = new WriteGate(channel, server.limits().times().stallMillis());
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        awaitRequest(server.limits().times().headMillis());
    }

    private void awaitRequest(int millis) {
        state = State.IDLE;
        idleSince.compareAndSet(BUSY, server.nextIdle());
        setDeadline(millis);
        next();
    }

    private void setDeadline(int millis) {
        cancelDeadline();
        deadline = channel.eventLoop().schedule(this::close, millis, TimeUnit.MILLISECONDS);
    }

    private void close() {
        var _ = channel.close();
    }

    private void cancelDeadline() {
        if (deadline != null) {
            deadline.cancel(false);
            deadline = null;
        }
    }

    /** Returns since when no request is in processing, by which connections can be ordered; 0 if one is. Thread-safe. */
    long idleSince() {
        return Math.max(BUSY, idleSince.get());
    }

    /** Closes the connection if it has been idle since then; returns whether it does. Thread-safe. */
    boolean tryEvict(long since) {
        boolean evicted = idleSince.compareAndSet(since, EVICTED);
        if (evicted) {
            close();
        }
        return evicted;
    }

    /** Closes the connection unless it is answering. */
    void stop() {
        if (state == State.IDLE) {
            var _ = channel.close();
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        // The rest of a read goes to the body's queue, which is compact, even if it is not wanted yet.
        isWanted |= decoded.isEmpty() && state == State.BUSY && message instanceof HttpContent && body != null;
        decoded.add(message);
        process();
    }

    /** Takes one more message, as soon as there is one. Bytes are read only for that: slow requests slow their clients. */
    private void next() {
        isWanted = true;
        process();
    }

    private void process() {
        if (isProcessing) {
            return;
        }
        isProcessing = true;
        try {
            while (isWanted && !decoded.isEmpty()) {
                isWanted = false;
                process(decoded.remove());
            }
        } finally {
            isProcessing = false;
        }
        if (isWanted) {
            channel.read();
        }
    }

    private void process(Object message) {
        try {
            switch (state) {
                case IDLE -> onHead(message);
                case BUSY -> onBody(message);
                case LINGERING -> onRest(message);
            }
        } finally {
            ReferenceCountUtil.release(message);
        }
    }

    private void onHead(Object message) {
        if (!(message instanceof HttpRequest request)) {
            // The rest of a message whose head was refused.
            next();
            return;
        }
        if (idleSince.getAndSet(BUSY) == EVICTED) {
            return;
        }
        cancelDeadline();
        S3Exception refusal = refusalOf(request);
        if (refusal != null) {
            refuse(request, refusal);
        } else if (!server.tryEnter()) {
            refuse(request, new S3Exception(503, "SlowDown", "Please reduce your request rate."));
        } else {
            begin(request);
        }
    }

    private @Nullable S3Exception refusalOf(HttpRequest request) {
        if (request.decoderResult().isFailure()) {
            return switch (request.decoderResult().cause()) {
                case TooLongHttpLineException _ -> new S3Exception(414, "URITooLong", "The request line is too long.");
                case TooLongHttpHeaderException _ -> tooLargeHeaders();
                default -> new S3Exception(400, "BadRequest", "An error occurred when parsing the HTTP request.");
            };
        }
        if (request.headers().size() > server.limits().head().headersMax()) {
            return tooLargeHeaders();
        }
        if (!request.protocolVersion().equals(HttpVersion.HTTP_1_1)
                && !request.protocolVersion().equals(HttpVersion.HTTP_1_0)) {
            return new S3Exception(505, "HttpVersionNotSupported", "The HTTP version is not supported.");
        }
        return null;
    }

    private static S3Exception tooLargeHeaders() {
        return new S3Exception(
                400,
                "RequestHeaderSectionTooLarge",
                "Your request header and metadata exceed the maximum allowed request header size.");
    }

    private void begin(HttpRequest request) {
        state = State.BUSY;
        boolean isOld = request.protocolVersion().equals(HttpVersion.HTTP_1_0);
        boolean expectsContinue = !isOld && HttpUtil.is100ContinueExpected(request);
        Responder.Trait trait = new Responder.Trait(
                request.method().equals(HttpMethod.HEAD),
                isOld,
                HttpUtil.isKeepAlive(request) && !server.isStopping(),
                expectsContinue);
        int stallMillis = server.limits().times().stallMillis();
        Responder[] later = new Responder[1];
        RequestBody arriving = new RequestBody(
                () -> channel.eventLoop().execute(this::next), () -> later[0].sendContinue(), stallMillis);
        Responder answering = new Responder(channel, gate, server.newIds(), trait, arriving);
        later[0] = answering;
        body = arriving;
        responder = answering;
        server.start("s3-" + answering.ids().requestId(), new RequestTask(server, request, arriving, answering, () -> {
            server.leave();
            channel.eventLoop().execute(this::onAnswered);
        }));
        next();
    }

    private void onBody(Object message) {
        RequestBody arriving = body;
        if (arriving == null || !(message instanceof HttpContent content)) {
            throw new IllegalStateException("unexpected message " + message);
        }
        if (content.decoderResult().isFailure()) {
            arriving.fail(new S3Exception(400, "IncompleteBody", "The chunks of the request body are malformed."));
            return;
        }
        boolean readOn = arriving.offer(content.content().retain());
        if (message instanceof LastHttpContent) {
            arriving.end();
        } else if (readOn) {
            next();
        }
    }

    private void onAnswered() {
        RequestBody arriving = body;
        Responder answered = responder;
        body = null;
        responder = null;
        if (!channel.isActive()) {
            return;
        }
        if (answered == null || arriving == null || !answered.isComplete()) {
            var _ = channel.close();
        } else if (answered.keepsAlive() && arriving.hasEnded() && !server.isStopping()) {
            awaitRequest(server.limits().times().idleMillis());
        } else if (arriving.hasEnded()) {
            var _ = channel.close();
        } else {
            linger();
        }
    }

    private void linger() {
        state = State.LINGERING;
        idleSince.compareAndSet(BUSY, server.nextIdle());
        setDeadline(server.limits().times().lingerMillis());
        if (channel instanceof DuplexChannel duplex && channel.pipeline().get(SslHandler.class) == null) {
            var _ = duplex.shutdownOutput();
        }
        next();
    }

    private void onRest(Object message) {
        if (message instanceof ByteBufHolder holder) {
            lingeredBytes += holder.content().readableBytes();
        }
        if (message instanceof LastHttpContent || lingeredBytes > LINGER_BYTES_MAX) {
            var _ = channel.close();
        } else {
            next();
        }
    }

    /** Answers from the event loop: what cannot be parsed or afforded gets no thread. */
    private void refuse(HttpRequest request, S3Exception refusal) {
        state = State.LINGERING;
        Responder.RequestIds ids = server.newIds();
        LOG.debug("refused request {}: {}", ids.requestId(), refusal.code());
        ByteBuf document = Unpooled.wrappedBuffer(ErrorDocument.encode(refusal, "", ids.requestId(), ids.hostId()));
        boolean isHead = request.method().equals(HttpMethod.HEAD);
        HttpResponseStatus status = HttpResponseStatus.valueOf(refusal.status());
        var response = isHead ? new BodilessResponse(status) : new DefaultHttpResponse(HttpVersion.HTTP_1_1, status);
        response.headers()
                .set(HttpHeaderNames.CONTENT_LENGTH, document.readableBytes())
                .set(HttpHeaderNames.CONTENT_TYPE, "application/xml")
                .set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE)
                .set(HttpHeaderNames.SERVER, Responder.SERVER)
                .set(HttpHeaderNames.DATE, Responder.date())
                .set("x-amz-request-id", ids.requestId())
                .set("x-amz-id-2", ids.hostId());
        server.meters().count(S3Meters.NO_OPERATION, refusal.status(), 0, 0, isHead ? 0 : document.readableBytes());
        var _ = channel.write(response, channel.voidPromise());
        if (isHead) {
            document.release();
        } else {
            var _ = channel.write(new DefaultHttpContent(document), channel.voidPromise());
        }
        var _ = channel.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT).addListener(_ -> linger());
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        gate.onChange();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        cancelDeadline();
        decoded.forEach(ReferenceCountUtil::release);
        decoded.clear();
        RequestBody arriving = body;
        if (arriving != null) {
            arriving.fail(new S3Exception(
                    400, "IncompleteBody", "The connection was closed before all of the request body had arrived."));
        }
        gate.onChange();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        LOG.debug("closed the connection of {}", channel.remoteAddress(), cause);
        var _ = channel.close();
    }
}

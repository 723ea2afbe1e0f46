package io.bulwark.transport;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.FrameHeader;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.Message;
import io.bulwark.protocol.wire.MessageCodecs;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.concurrent.Future;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Decodes bytes to {@link ReceivedFrame}. A body goes straight from Netty's buffers into the one array that its message will
 * slice. That array is allocated after the header was checked, and is never much larger than the bytes received. A
 * started frame must be complete in time, and all incomplete frames count against one bound. After the first malformed
 * byte nothing more is read.
 */
final class FrameDecoder extends ChannelInboundHandlerAdapter {
    /** Bytes allocated at once on the word of a header alone; longer bodies grow with the bytes received. */
    private static final int TRUSTED_BYTES = (1 << 20) + (64 << 10);

    private final byte[] headerBytes = new byte[FrameHeader.BYTES];
    private final UnfinishedFrames unfinished;
    private final long timeoutMillis;
    private PrincipalId owner = PrincipalId.NOBODY;
    private MessageCodecs codecs;
    private int bodyBytesMax;
    private int have;
    private @Nullable FrameHeader header;
    private byte[] body = {};
    private boolean broken;
    private int heldBytes;
    private long startedNanos;
    private @Nullable Future<?> timer;

    /** @param timeoutMillis from a frame's first byte to its last */
    FrameDecoder(MessageCodecs codecs, int bodyBytesMax, UnfinishedFrames unfinished, long timeoutMillis) {
        this.codecs = codecs;
        this.bodyBytesMax = bodyBytesMax;
        this.unfinished = unfinished;
        this.timeoutMillis = timeoutMillis;
    }

    /** Lets these families through from the next frame on, and no others. */
    void accept(PrincipalId authenticated, MessageCodecs nextCodecs, int nextBodyBytesMax) {
        this.owner = authenticated;
        this.codecs = nextCodecs;
        this.bodyBytesMax = nextBodyBytesMax;
    }

    /** Restarts the clock, as a pause in this side's reading is not the other's delay. */
    void onReadingResumed() {
        startedNanos = System.nanoTime();
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf in = (ByteBuf) message;
        try {
            while (!broken && ctx.channel().isActive() && step(ctx, in)) {
                // one header or one body per step
            }
            account(ctx);
        } catch (ConnectionFault e) {
            broken = true;
            ctx.fireExceptionCaught(e);
        } finally {
            in.release();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        broken = true;
        release(ctx);
        ctx.fireChannelInactive();
    }

    /** Accounts for the memory of an incomplete frame, and for the time since its start. */
    private void account(ChannelHandlerContext ctx) {
        if (header == null && have == 0) {
            return;
        }
        if (heldBytes == 0) {
            startedNanos = System.nanoTime();
        }
        int bytes = FrameHeader.BYTES + body.length;
        if (bytes != heldBytes) {
            heldBytes = bytes;
            unfinished.hold(ctx.channel(), owner, bytes);
        }
        if (timer == null) {
            timer = ctx.executor().schedule(() -> check(ctx), timeoutMillis, TimeUnit.MILLISECONDS);
        }
    }

    private void release(ChannelHandlerContext ctx) {
        if (heldBytes > 0) {
            heldBytes = 0;
            unfinished.release(ctx.channel());
        }
    }

    /** One timer for many frames: where this one has time left, it looks again. */
    private void check(ChannelHandlerContext ctx) {
        timer = null;
        if (broken || heldBytes == 0) {
            return;
        }
        long left = timeoutMillis - TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startedNanos);
        if (!ctx.channel().config().isAutoRead()) {
            left = timeoutMillis;
        }
        if (left > 0) {
            timer = ctx.executor().schedule(() -> check(ctx), left, TimeUnit.MILLISECONDS);
        } else {
            broken = true;
            ctx.fireExceptionCaught(new ConnectionFault(
                    Fault.FRAME_TIMEOUT, "a frame that is incomplete after " + timeoutMillis + " ms"));
        }
    }

    /** Takes what there is of the current header or body; false if there was not enough of it. */
    private boolean step(ChannelHandlerContext ctx, ByteBuf in) {
        if (header == null) {
            have += take(in, headerBytes, FrameHeader.BYTES);
            if (have < FrameHeader.BYTES) {
                return false;
            }
            header = checkHeader();
            body = new byte[Math.min(header.bodyLength(), TRUSTED_BYTES)];
            have = 0;
        }
        int length = header.bodyLength();
        while (have < length && in.isReadable()) {
            if (have == body.length) {
                body = Arrays.copyOf(body, (int) Math.min(length, 2L * body.length));
            }
            have += take(in, body, body.length);
        }
        if (have < length) {
            return false;
        }
        ReceivedFrame received = decode(header, Bytes.of(body));
        header = null;
        body = new byte[0];
        have = 0;
        release(ctx);
        ctx.fireChannelRead(received);
        return true;
    }

    private int take(ByteBuf in, byte[] target, int upTo) {
        int count = Math.min(upTo - have, in.readableBytes());
        in.readBytes(target, have, count);
        return count;
    }

    private FrameHeader checkHeader() {
        FrameHeader read;
        try {
            read = FrameHeader.read(Bytes.of(headerBytes));
        } catch (MalformedException e) {
            throw new ConnectionFault(faultOfHeader(), String.valueOf(e.getMessage()));
        }
        if (!codecs.knowsFamilyOf(read.type())) {
            throw new ConnectionFault(Fault.TYPE, "unexpected type " + Integer.toHexString(read.type()));
        }
        if (read.bodyLength() > bodyBytesMax) {
            throw new ConnectionFault(Fault.LENGTH, read.bodyLength() + " bytes, at most " + bodyBytesMax);
        }
        return read;
    }

    /** Returns the fault for the first field that {@link FrameHeader#read} rejected, in its order. */
    private Fault faultOfHeader() {
        for (int i = 0; i < 4; i++) {
            if (headerBytes[i] != (byte) (FrameHeader.MAGIC >>> (24 - 8 * i))) {
                return Fault.MAGIC;
            }
        }
        if (headerBytes[4] != FrameHeader.VERSION) {
            return Fault.VERSION;
        }
        return headerBytes[5] != 0 ? Fault.RESERVED : Fault.LENGTH;
    }

    private ReceivedFrame decode(FrameHeader checked, Bytes bytes) {
        if (!checked.covers(bytes)) {
            throw new ConnectionFault(Fault.CHECKSUM, "wrong checksum");
        }
        try {
            Message message = codecs.decode(checked, bytes);
            return new ReceivedFrame(checked.requestId(), message, bytes.length());
        } catch (MalformedException e) {
            throw new ConnectionFault(
                    Fault.BODY, "type " + Integer.toHexString(checked.type()) + ": " + e.getMessage());
        }
    }
}

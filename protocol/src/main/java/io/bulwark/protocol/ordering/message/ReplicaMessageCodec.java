package io.bulwark.protocol.ordering.message;

import static io.bulwark.protocol.ordering.message.ReplicaMessage.NUMBERS_MAX;

import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.ordering.OrderingMessage;
import io.bulwark.protocol.ordering.message.ReplicaMessage.BatchBody;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Checkpoint;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Commit;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Executed;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Fetch;
import io.bulwark.protocol.ordering.message.ReplicaMessage.FetchBatch;
import io.bulwark.protocol.ordering.message.ReplicaMessage.FetchRequests;
import io.bulwark.protocol.ordering.message.ReplicaMessage.FetchViewChange;
import io.bulwark.protocol.ordering.message.ReplicaMessage.ForwardedViewChange;
import io.bulwark.protocol.ordering.message.ReplicaMessage.NewView;
import io.bulwark.protocol.ordering.message.ReplicaMessage.OwnCommand;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Pages;
import io.bulwark.protocol.ordering.message.ReplicaMessage.PrePrepare;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Prepare;
import io.bulwark.protocol.ordering.message.ReplicaMessage.QueryStable;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Recover;
import io.bulwark.protocol.ordering.message.ReplicaMessage.RecoveryReply;
import io.bulwark.protocol.ordering.message.ReplicaMessage.ReplyStable;
import io.bulwark.protocol.ordering.message.ReplicaMessage.RequestBodies;
import io.bulwark.protocol.ordering.message.ReplicaMessage.RequestEcho;
import io.bulwark.protocol.ordering.message.ReplicaMessage.RequestReady;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Status;
import io.bulwark.protocol.ordering.message.ReplicaMessage.ViewChange;
import io.bulwark.protocol.ordering.message.ReplicaMessage.ViewChangeAck;
import io.bulwark.protocol.state.FetchSettings;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.Message;
import io.bulwark.protocol.wire.MessageCodec;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.ArrayList;
import java.util.List;

/** Codec of family 6, the messages among replicas of the ordering engine, type numbers 0x0601 to 0x0618. */
public final class ReplicaMessageCodec implements MessageCodec {
    private static final int FAMILY = 6;
    private static final int FIRST = 0x0601;

    /** Two bits for each number. */
    private static final int BITS_BYTES_MAX = NUMBERS_MAX / 4;

    @Override
    public int family() {
        return FAMILY;
    }

    @Override
    public boolean handles(Message message) {
        return message instanceof ReplicaMessage;
    }

    @Override
    public int typeOf(Message message) {
        return FIRST
                + switch ((ReplicaMessage) message) {
                    case RequestEcho ignored -> 0;
                    case PrePrepare ignored -> 1;
                    case Prepare ignored -> 2;
                    case Commit ignored -> 3;
                    case Executed ignored -> 4;
                    case Checkpoint ignored -> 5;
                    case ViewChange ignored -> 6;
                    case ViewChangeAck ignored -> 7;
                    case NewView ignored -> 8;
                    case FetchViewChange ignored -> 9;
                    case ForwardedViewChange ignored -> 10;
                    case FetchBatch ignored -> 11;
                    case BatchBody ignored -> 12;
                    case FetchRequests ignored -> 13;
                    case RequestBodies ignored -> 14;
                    case Status ignored -> 15;
                    case Fetch ignored -> 16;
                    case Pages ignored -> 17;
                    case QueryStable ignored -> 18;
                    case ReplyStable ignored -> 19;
                    case Recover ignored -> 20;
                    case RecoveryReply ignored -> 21;
                    case RequestReady ignored -> 22;
                    case OwnCommand ignored -> 23;
                };
    }

    @Override
    public void write(Message message, WireWriter out) {
        switch ((ReplicaMessage) message) {
            case RequestEcho requestEcho -> Batch.writeIds(requestEcho.requests(), out);
            case RequestReady ready -> Batch.writeIds(ready.requests(), out);
            case OwnCommand command -> out.i64(command.call()).bytes(command.operation());
            case PrePrepare pre -> {
                out.i64(pre.view()).i64(pre.sequence());
                pre.batch().write(out);
            }
            case Prepare prepare ->
                out.i64(prepare.view()).i64(prepare.sequence()).raw(prepare.digest());
            case Commit commit -> out.i64(commit.view()).i64(commit.sequence()).raw(commit.digest());
            case Executed executed -> {
                out.i64(executed.first()).u16(executed.digests().size());
                executed.digests().forEach(out::raw);
            }
            case Checkpoint checkpoint -> out.i64(checkpoint.sequence()).raw(checkpoint.digest());
            case ViewChange change -> ViewMessages.write(change, out);
            case ViewChangeAck ack -> out.i64(ack.view()).u8(ack.replica()).raw(ack.digest());
            case NewView newView -> ViewMessages.write(newView, out);
            case FetchViewChange fetch ->
                out.i64(fetch.view()).u8(fetch.replica()).raw(fetch.digest());
            case ForwardedViewChange forwarded -> {
                out.u8(forwarded.replica());
                ViewMessages.write(forwarded.viewChange(), out);
            }
            case FetchBatch fetch -> out.raw(fetch.digest());
            case BatchBody body -> body.batch().write(out);
            case FetchRequests fetch -> Batch.writeIds(fetch.requests(), out);
            case RequestBodies bodies -> {
                out.u16(bodies.requests().size());
                bodies.requests().forEach(request -> request.write(out));
            }
            case Status status -> writeStatus(status, out);
            case Fetch fetch -> {
                out.i64(fetch.token()).u16(fetch.digests().size());
                fetch.digests().forEach(out::raw);
            }
            case Pages pages -> {
                out.i64(pages.token()).u16(pages.pages().size());
                pages.pages().forEach(out::bytes);
            }
            case QueryStable query -> out.i64(query.round());
            case ReplyStable reply ->
                out.i64(reply.round())
                        .i64(reply.checkpoint())
                        .i64(reply.prepared())
                        .raw(reply.nonce());
            case Recover recover -> recover.request().write(out);
            case RecoveryReply reply ->
                out.i64(reply.call())
                        .bool(reply.accepted())
                        .i64(reply.sequence())
                        .i64(reply.view());
        }
    }

    @Override
    public Message readBody(int type, WireReader in) {
        return switch (type - FIRST) {
            case 0 -> new RequestEcho(Batch.readIds(in));
            case 1 -> new PrePrepare(in.nonNegative64(), in.nonNegative64(), Batch.read(in));
            case 2 -> new Prepare(in.nonNegative64(), in.nonNegative64(), digest(in));
            case 3 -> new Commit(in.nonNegative64(), in.nonNegative64(), digest(in));
            case 4 -> new Executed(in.nonNegative64(), digests(in, NUMBERS_MAX));
            case 5 -> new Checkpoint(in.nonNegative64(), digest(in));
            case 6 -> ViewMessages.viewChange(in);
            case 7 -> new ViewChangeAck(in.nonNegative64(), ViewMessages.replica(in), digest(in));
            case 8 -> ViewMessages.newView(in);
            case 9 -> new FetchViewChange(in.nonNegative64(), ViewMessages.replica(in), digest(in));
            case 10 -> new ForwardedViewChange(ViewMessages.replica(in), ViewMessages.viewChange(in));
            case 11 -> new FetchBatch(digest(in));
            case 12 -> new BatchBody(Batch.read(in));
            case 13 -> new FetchRequests(Batch.readIds(in));
            case 14 -> new RequestBodies(requests(in));
            case 15 -> status(in);
            case 16 -> new Fetch(in.i64(), digests(in, FetchSettings.PAGES_MAX));
            case 17 -> new Pages(in.i64(), pages(in));
            case 18 -> new QueryStable(in.i64());
            case 19 ->
                new ReplyStable(in.i64(), in.nonNegative64(), in.nonNegative64(), in.raw(ReplicaMessage.NONCE_BYTES));
            case 20 -> new Recover(Request.read(in));
            case 21 -> new RecoveryReply(in.i64(), in.bool(), in.nonNegative64(), in.nonNegative64());
            case 22 -> new RequestReady(Batch.readIds(in));
            case 23 -> new OwnCommand(in.i64(), in.bytes(OrderingMessage.COMMAND_BYTES_MAX));
            default -> throw new MalformedException("unknown type " + type);
        };
    }

    private static void writeStatus(Status status, WireWriter out) {
        out.i64(status.view())
                .bool(status.inView())
                .i64(status.stable())
                .i64(status.executed())
                .bytes(status.prepared())
                .bytes(status.prePrepared())
                .i64(status.viewChanges())
                .bool(status.newView());
    }

    private static Status status(WireReader in) {
        return new Status(
                in.nonNegative64(),
                in.bool(),
                in.nonNegative64(),
                in.nonNegative64(),
                in.bytes(BITS_BYTES_MAX),
                in.bytes(BITS_BYTES_MAX),
                in.i64(),
                in.bool());
    }

    private static List<Bytes> digests(WireReader in, int max) {
        int count = in.count16(max);
        List<Bytes> digests = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            digests.add(digest(in));
        }
        return digests;
    }

    private static List<Bytes> pages(WireReader in) {
        int count = in.count16(FetchSettings.PAGES_MAX);
        List<Bytes> pages = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            pages.add(in.bytes(FetchSettings.PAGE_BYTES_MAX));
        }
        return pages;
    }

    private static List<Request> requests(WireReader in) {
        int count = in.count16(Batch.REQUESTS_MAX);
        List<Request> requests = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            requests.add(Request.read(in));
        }
        return requests;
    }

    private static Bytes digest(WireReader in) {
        return in.raw(Hashes.LENGTH);
    }
}

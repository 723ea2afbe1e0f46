package io.bulwark.protocol.ordering.message;

import static io.bulwark.protocol.ordering.message.ReplicaMessage.NUMBERS_MAX;
import static io.bulwark.protocol.ordering.message.ReplicaMessage.PAIRS_MAX;
import static io.bulwark.protocol.ordering.message.ReplicaMessage.REPLICAS_MAX;

import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.ordering.message.ReplicaMessage.DigestView;
import io.bulwark.protocol.ordering.message.ReplicaMessage.NewView;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Numbered;
import io.bulwark.protocol.ordering.message.ReplicaMessage.PrePrepared;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Prepared;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Support;
import io.bulwark.protocol.ordering.message.ReplicaMessage.ViewChange;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** The canonical bytes of VIEW-CHANGE and NEW-VIEW: on the wire, on disk, and as what their digests cover. */
public final class ViewMessages {
    private ViewMessages() {}

    public static void write(ViewChange change, WireWriter out) {
        out.i64(change.view()).i64(change.stable());
        writeNumbered(change.checkpoints(), out);
        out.u16(change.prepared().size());
        for (Prepared entry : change.prepared()) {
            out.i64(entry.sequence()).raw(entry.digest()).i64(entry.view());
        }
        out.u16(change.prePrepared().size());
        for (PrePrepared entry : change.prePrepared()) {
            out.i64(entry.sequence()).u16(entry.pairs().size());
            entry.pairs().forEach(pair -> out.raw(pair.digest()).i64(pair.view()));
        }
    }

    public static ViewChange viewChange(WireReader in) {
        return new ViewChange(
                in.nonNegative64(),
                in.nonNegative64(),
                list(in, NUMBERS_MAX, ViewMessages::numbered),
                list(
                        in,
                        NUMBERS_MAX,
                        each -> new Prepared(each.nonNegative64(), each.raw(Hashes.LENGTH), each.nonNegative64())),
                list(
                        in,
                        NUMBERS_MAX,
                        each -> new PrePrepared(
                                each.nonNegative64(),
                                list(
                                        each,
                                        PAIRS_MAX,
                                        pair -> new DigestView(pair.raw(Hashes.LENGTH), pair.nonNegative64())))));
    }

    public static void write(NewView newView, WireWriter out) {
        out.i64(newView.view()).u16(newView.support().size());
        newView.support().forEach(support -> out.u8(support.replica()).raw(support.digest()));
        out.i64(newView.checkpoint().sequence()).raw(newView.checkpoint().digest());
        writeNumbered(newView.chosen(), out);
    }

    public static NewView newView(WireReader in) {
        return new NewView(
                in.nonNegative64(),
                list(in, REPLICAS_MAX, each -> new Support(replica(each), each.raw(Hashes.LENGTH))),
                numbered(in),
                list(in, NUMBERS_MAX, ViewMessages::numbered));
    }

    static int replica(WireReader in) {
        int replica = in.u8();
        if (replica >= REPLICAS_MAX) {
            throw new MalformedException("no such replica: " + replica);
        }
        return replica;
    }

    private static void writeNumbered(List<Numbered> entries, WireWriter out) {
        out.u16(entries.size());
        entries.forEach(entry -> out.i64(entry.sequence()).raw(entry.digest()));
    }

    private static Numbered numbered(WireReader in) {
        return new Numbered(in.nonNegative64(), in.raw(Hashes.LENGTH));
    }

    private static <T> List<T> list(WireReader in, int max, Function<WireReader, T> entry) {
        int count = in.count16(max);
        List<T> entries = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            entries.add(entry.apply(in));
        }
        return entries;
    }
}

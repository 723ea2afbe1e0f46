package io.bulwark.metadata.bft;

import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.ordering.message.ReplicaMessage;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Numbered;
import io.bulwark.protocol.ordering.message.ReplicaMessageCodec;
import io.bulwark.protocol.ordering.replica.LogRecord;
import io.bulwark.protocol.ordering.replica.LogRecordCodec;
import io.bulwark.protocol.ordering.view.ViewChanges;
import io.bulwark.protocol.ordering.view.ViewGroup;
import io.bulwark.protocol.ordering.view.ViewHistory;
import io.bulwark.protocol.ordering.view.ViewStep;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A view change of four replicas that exist in memory only, before a process takes part in its group. The first one of a process
 * spends more time on loading and linking classes than on the protocol, and nothing is ordered meanwhile; a process that recovers
 * every few minutes hardly sees a second one.
 */
final class Rehearsal {
    private static final int FAULTY = 1;
    private static final int REPLICAS = 3 * FAULTY + 1;
    private static final AtomicBoolean HELD = new AtomicBoolean();

    private record Mail(int from, int to, Bytes body, int type) {}

    private final ReplicaMessageCodec codec = new ReplicaMessageCodec();
    private final ViewGroup group = new ViewGroup(FAULTY, 128, 256);
    private final Bytes digest = Hashes.sha256(Bytes.EMPTY);
    private final List<ViewChanges> replicas = new ArrayList<>();
    private final Deque<Mail> mail = new ArrayDeque<>();

    private Rehearsal() {
        for (int self = 0; self < REPLICAS; self++) {
            replicas.add(new ViewChanges(group, self, 1_000, (_, _) -> true));
        }
    }

    /** Once in this process. */
    static void hold() {
        if (!HELD.getAndSet(true)) {
            var _ = viewChange();
        }
    }

    /** The views that the four have come to. */
    static List<Long> viewChange() {
        Rehearsal rehearsal = new Rehearsal();
        rehearsal.run();
        return rehearsal.replicas.stream()
                .filter(ViewChanges::active)
                .map(ViewChanges::view)
                .toList();
    }

    private void run() {
        for (int self = 0; self < REPLICAS; self++) {
            carryOut(self, replicas.get(self).suspect(0));
        }
        while (!mail.isEmpty()) {
            Mail next = mail.remove();
            carryOut(next.to, replicas.get(next.to).onMessage(0, next.from, read(next)));
        }
    }

    private void carryOut(int self, List<ViewStep> steps) {
        ViewChanges changes = replicas.get(self);
        for (ViewStep step : steps) {
            switch (step) {
                case ViewStep.Send send -> mail.add(mail(self, send));
                case ViewStep.Leave leave -> {
                    ReplicaMessage.ViewChange own = history().tell(leave.view(), List.of(new Numbered(0, digest)));
                    promise(new LogRecord.ViewChange(own));
                    carryOut(self, changes.entered(0, own));
                }
                case ViewStep.Install install -> {
                    promise(new LogRecord.NewView(install.newView()));
                    carryOut(self, changes.installed(install.newView()));
                }
                case ViewStep.Missing _, ViewStep.Misbehaved _ ->
                    throw new IllegalStateException("nobody lies in a rehearsal: " + step);
            }
        }
    }

    private ViewHistory history() {
        ViewHistory history = new ViewHistory(group, 0);
        history.prePrepared(1, digest, 0);
        history.prepared(1, digest, 0);
        return history;
    }

    private static void promise(LogRecord record) {
        LogRecordCodec.write(record, new WireWriter());
    }

    private Mail mail(int self, ViewStep.Send send) {
        WireWriter out = new WireWriter();
        codec.write(send.message(), out);
        return new Mail(self, send.to(), out.toBytes(), codec.typeOf(send.message()));
    }

    private ReplicaMessage read(Mail sent) {
        try {
            return (ReplicaMessage) codec.readBody(sent.type, new WireReader(sent.body));
        } catch (MalformedException e) {
            throw new IllegalStateException(e);
        }
    }
}

package io.bulwark.protocol.ordering.replica;

import io.bulwark.protocol.ordering.driver.JournalApplication;
import io.bulwark.protocol.ordering.driver.LogRecord;
import io.bulwark.protocol.ordering.driver.ReplicaConfig;
import io.bulwark.protocol.ordering.driver.ReplicaEffect;
import io.bulwark.protocol.ordering.driver.StartReason;
import io.bulwark.protocol.ordering.message.Batch;
import io.bulwark.protocol.ordering.message.ReplicaMessage;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Numbered;
import io.bulwark.protocol.ordering.message.ReplicaMessage.QueryStable;
import io.bulwark.protocol.ordering.message.ReplicaMessage.RecoveryReply;
import io.bulwark.protocol.ordering.message.ReplicaMessage.ReplyStable;
import io.bulwark.protocol.ordering.message.Request;
import io.bulwark.protocol.ordering.recovery.RecoveryReport;
import io.bulwark.protocol.ordering.recovery.RecoveryRequest;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.NullMarked;

/** One replica of four, with a fast disk; the test plays the other three. K = 8, L = 16, T_k = 1 s. */
@NullMarked
final class LoneReplica {
    static final long KEY_MILLIS = 1_000;
    static final long WATCHDOG_MILLIS = 20_000;
    static final int TICK_MILLIS = 20;

    final JournalApplication application = new JournalApplication();
    final List<ReplicaMessage> said = new ArrayList<>();
    final List<ReplicaEffect> effects = new ArrayList<>();
    private final int self;
    long nowMillis = 1_000;
    /** Checks of the state that come to their end at once. */
    boolean checksState = true;

    Replica replica;
    private long appended;

    LoneReplica(int self, StartReason start, LogRecord... disk) {
        this.self = self;
        replica = start(start, disk);
    }

    Replica start(StartReason start, LogRecord... disk) {
        appended = 0;
        replica = new Replica(
                ReplicaConfig.of(self, 1)
                        .withLog(8, 16)
                        .withRecoveries(new ReplicaConfig.Recoveries(WATCHDOG_MILLIS, KEY_MILLIS, 5_000)),
                application,
                List.of(disk),
                start,
                new TestSigning(self),
                new Random(5));
        return replica;
    }

    /** Everything that was asked for is done. */
    void settle() {
        boolean more = true;
        while (more) {
            List<ReplicaEffect> next = replica.drain(nowMillis);
            more = next.stream().anyMatch(effect -> !(effect instanceof ReplicaEffect.Stop));
            effects.addAll(next);
            next.forEach(this::carryOut);
            replica.onDurable(nowMillis, appended);
            for (long sequence : application.taken()) {
                application.makeDurable(sequence);
                replica.onCheckpointDurable(sequence);
                more = true;
            }
        }
    }

    private void carryOut(ReplicaEffect effect) {
        switch (effect) {
            case ReplicaEffect.Append append -> appended = append.index();
            case ReplicaEffect.Roll roll -> appended = roll.index();
            case ReplicaEffect.Send send -> said.add(send.message());
            case ReplicaEffect.CheckState _ when checksState -> replica.onStateChecked(nowMillis, 1, 0);
            default -> {}
        }
    }

    void pass(long millis) {
        settle();
        for (long end = nowMillis + millis; nowMillis < end; ) {
            nowMillis += TICK_MILLIS;
            replica.onClock(nowMillis, nowMillis);
            replica.onTick(nowMillis);
            settle();
        }
    }

    void hear(int from, ReplicaMessage message) {
        replica.onMessage(nowMillis, from, message);
        settle();
    }

    <T extends ReplicaMessage> List<T> said(Class<T> kind) {
        return said.stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    <T extends ReplicaEffect> List<T> effects(Class<T> kind) {
        return effects.stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    RecoveryReport report() {
        return replica.recoveries(nowMillis);
    }

    /** The others decide null batches for these numbers. */
    void decide(long first, long last) {
        for (long sequence = first; sequence <= last; sequence++) {
            decide(sequence, Batch.NULL_DIGEST);
        }
    }

    private void decide(long sequence, Bytes digest) {
        for (int from = 0; from < 4; from++) {
            if (from != self) {
                hear(from, new ReplicaMessage.Commit(replica.view(), sequence, digest));
            }
        }
    }

    /** Two others have the same checkpoint. */
    void stable(long sequence) {
        Bytes digest = application.checkpoints().stream()
                .filter(each -> each.sequence() == sequence)
                .map(Numbered::digest)
                .findFirst()
                .orElseThrow();
        hear(2, new ReplicaMessage.Checkpoint(sequence, digest));
        hear(3, new ReplicaMessage.Checkpoint(sequence, digest));
    }

    /** Decides the batch; the batch and its one request come from the others. */
    void execute(long sequence, Request request) {
        Batch batch = new Batch(1_000, List.of(request.id()));
        decide(sequence, batch.digest());
        pass(TICK_MILLIS);
        hear(2, new ReplicaMessage.BatchBody(batch));
        pass(TICK_MILLIS);
        hear(2, new ReplicaMessage.RequestBodies(List.of(request)));
    }

    // Its recovery.

    long round() {
        return said(QueryStable.class).getLast().round();
    }

    static Bytes nonce(int from, int which) {
        byte[] nonce = new byte[RecoveryRequest.NONCE_BYTES];
        nonce[0] = (byte) from;
        nonce[1] = (byte) which;
        return Bytes.of(nonce);
    }

    void stands(int from, long checkpoint, long prepared) {
        hear(from, new ReplyStable(round(), checkpoint, prepared, nonce(from, 0)));
    }

    Request asked() {
        return said(ReplicaMessage.Recover.class).getLast().request();
    }

    void executes(int from, boolean accepted, long sequence, long view) {
        hear(from, new RecoveryReply(asked().call(), accepted, sequence, view));
    }

    /** Up to the request: the others have begun just now. */
    void estimate() {
        pass(TICK_MILLIS);
        stands(2, 0, 0);
        stands(3, 0, 0);
        if (said(ReplicaMessage.Recover.class).isEmpty()) {
            stands(self == 0 ? 1 : 0, 0, 0); // it has nothing to say itself
        }
    }

    /** Up to the recovery point, 16: two others have executed the request as number 1, and so has it. */
    void answer(long view) {
        estimate();
        execute(1, asked());
        executes(2, true, 1, view);
        executes(3, true, 1, view);
    }
}

package io.bulwark.metadata;

import io.bulwark.metadata.ordering.OrderedBatch;
import io.bulwark.metadata.ordering.ReplicatedApplication;
import io.bulwark.metadata.ordering.Submission;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The state machine together with the agreed time, which belongs to the replicated state. */
final class Execution {
    private static final Logger LOG = LoggerFactory.getLogger(Execution.class);

    /** Result of a request from the state machine. */
    sealed interface Result {
        int length();
    }

    record Done(Bytes reply) implements Result {
        @Override
        public int length() {
            return reply.length();
        }
    }

    /** It threw. */
    record Failed() implements Result {
        @Override
        public int length() {
            return 0;
        }
    }

    /** The answer to one submission of a batch. */
    record Answer(Submission submission, Result result) {}

    private final ReplicatedApplication application;
    private long agreedMillis;

    Execution(ReplicatedApplication application) {
        this.application = application;
    }

    /** The batch as it is to be logged: at the agreed time, max(previous, proposed). */
    OrderedBatch agreed(OrderedBatch proposed) {
        return new OrderedBatch(Math.max(agreedMillis, proposed.millis()), proposed.submissions());
    }

    /** Executes a batch that has its agreed time. */
    List<Answer> apply(OrderedBatch batch) {
        agreedMillis = batch.millis();
        List<Answer> answers = new ArrayList<>(batch.submissions().size());
        for (Submission submission : batch.submissions()) {
            answers.add(new Answer(submission, answer(submission)));
        }
        return answers;
    }

    Result query(PrincipalId client, Bytes query) {
        try {
            return new Done(application.query(client, query));
        } catch (RuntimeException e) {
            LOG.error("a query of {} failed", client, e);
            return new Failed();
        }
    }

    /** The agreed time (8 bytes) and the state machine's snapshot. */
    Bytes snapshot() {
        Bytes state = application.snapshot();
        return new WireWriter(8 + state.length()).i64(agreedMillis).raw(state).toBytes();
    }

    void restore(Bytes snapshot) {
        WireReader in = new WireReader(snapshot);
        agreedMillis = in.i64();
        application.restore(in.raw(in.remaining()));
    }

    private Result answer(Submission submission) {
        if (submission.query()) {
            return query(submission.client(), submission.command());
        }
        try {
            return new Done(application.execute(submission.client(), submission.command(), agreedMillis));
        } catch (RuntimeException e) {
            // Deterministic: the same happens at every replica, and their states stay equal.
            LOG.error("a command of {} failed", submission.client(), e);
            return new Failed();
        }
    }
}

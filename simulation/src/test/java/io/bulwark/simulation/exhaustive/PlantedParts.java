package io.bulwark.simulation.exhaustive;

import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.cluster.RevocationWatch;
import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.Loaded;
import io.bulwark.protocol.effect.ProtocolServer;
import io.bulwark.protocol.effect.Stored;
import io.bulwark.protocol.fingerprint.Fpcc;
import io.bulwark.protocol.fp.FpGroup;
import io.bulwark.protocol.fp.FpLimits;
import io.bulwark.protocol.fp.FpMessage;
import io.bulwark.protocol.fp.FpReadOutcome;
import io.bulwark.protocol.fp.FpTimes;
import io.bulwark.protocol.fp.FpWriteOutcome;
import io.bulwark.protocol.fp.Target;
import io.bulwark.protocol.fp.Timestamp;
import io.bulwark.protocol.fp.Version;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.mac.TagKeys;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;
import io.bulwark.simulation.fp.FpParts;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;

/** Correct parties around which something is wrong. */
@NullMarked
enum PlantedParts implements FpParts {
    WRITE_DONE_AT_ONE_ANSWER_TOO_FEW {
        @Override
        public ClientOperation<FpWriteOutcome> write(FpGroup group, long session, Bytes value, FpTimes times) {
            return new EarlyWrite(PRODUCTION.write(group, session, value, times), group);
        }
    },
    READ_DONE_AT_ONE_ANSWER_TOO_FEW {
        @Override
        public ClientOperation<FpReadOutcome> readWritingBack(FpGroup group, long session, FpTimes times) {
            return new CountingTwice(PRODUCTION.readWritingBack(group, session, times), group);
        }
    },
    COMMITTED_BEFORE_IT_IS_DURABLE {
        @Override
        public ProtocolServer server(TagKeys keys, FpLimits limits, RevocationWatch revocations) {
            return new HastyServer(PRODUCTION.server(keys, limits, revocations));
        }
    };

    /** Passes everything on. */
    private abstract static class Around<R> implements ClientOperation<R> {
        final ClientOperation<R> operation;

        Around(ClientOperation<R> operation) {
            this.operation = operation;
        }

        @Override
        public List<Effect> start(long nowMillis) {
            return operation.start(nowMillis);
        }

        @Override
        public List<Effect> onTick(long nowMillis) {
            return operation.onTick(nowMillis);
        }

        @Override
        public Optional<R> outcome() {
            return operation.outcome();
        }

        @Override
        public boolean finished() {
            return operation.finished();
        }
    }

    /** Has its outcome when all but one of the nodes that it needs have committed. */
    private static final class EarlyWrite extends Around<FpWriteOutcome> {
        private final FpGroup group;
        private final TreeSet<PrincipalId> committed = new TreeSet<>();
        private @Nullable Version version;

        EarlyWrite(ClientOperation<FpWriteOutcome> operation, FpGroup group) {
            super(operation);
            this.group = group;
        }

        @Override
        public List<Effect> onMessage(long nowMillis, PrincipalId from, Message message) {
            if (message instanceof FpMessage.Committed ok) {
                committed.add(from);
                version = ok.version();
            }
            return operation.onMessage(nowMillis, from, message);
        }

        @Override
        public Optional<FpWriteOutcome> outcome() {
            Version known = version;
            if (known == null || committed.size() < group.policy().writeQuorum() - 1) {
                return operation.outcome();
            }
            Fpcc any = Fpcc.of(1, List.of(known.pin()), List.of(known.pin().slice(0, 16)));
            return Optional.of(new FpWriteOutcome.Written(new Timestamp(known.ts(), any)));
        }
    }

    /** Takes the first answer for the last node's, too. */
    private static final class CountingTwice extends Around<FpReadOutcome> {
        private final FpGroup group;
        private boolean counted;

        CountingTwice(ClientOperation<FpReadOutcome> operation, FpGroup group) {
            super(operation);
            this.group = group;
        }

        @Override
        public List<Effect> onMessage(long nowMillis, PrincipalId from, Message message) {
            List<Effect> effects = new ArrayList<>(operation.onMessage(nowMillis, from, message));
            if (!counted && message instanceof FpMessage.FoundTimestamp found) {
                counted = true;
                int last = group.policy().n() - 1;
                Target target =
                        new Target(found.target().block(), found.target().epoch(), last);
                PrincipalId node = PrincipalId.node(group.placement().holders().get(last));
                FpMessage again = new FpMessage.FoundTimestamp(target, found.latest(), null);
                effects.addAll(operation.onMessage(nowMillis, node, again));
            }
            return effects;
        }
    }

    /** Answers each COMMIT at once. */
    private record HastyServer(ProtocolServer correct) implements ProtocolServer {
        @Override
        public List<Effect> onMessage(long nowMillis, PrincipalId from, long requestId, Message message) {
            List<Effect> effects = new ArrayList<>(correct.onMessage(nowMillis, from, requestId, message));
            if (message instanceof FpMessage.Commit commit) {
                Version version = new Timestamp(commit.ts(), commit.fpcc()).version();
                effects.add(new Effect.Send(from, requestId, new FpMessage.Committed(commit.target(), version)));
            }
            return effects;
        }

        @Override
        public List<Effect> onTick(long nowMillis) {
            return correct.onTick(nowMillis);
        }

        @Override
        public List<Effect> onStored(long nowMillis, long token, Stored stored) {
            return correct.onStored(nowMillis, token, stored);
        }

        @Override
        public List<Effect> onLoaded(long nowMillis, long token, Loaded loaded) {
            return correct.onLoaded(nowMillis, token, loaded);
        }

        @Override
        public List<Effect> onFact(long nowMillis, Fact fact) {
            return correct.onFact(nowMillis, fact);
        }

        @Override
        public List<Effect> onCompleted(long nowMillis, long token, Object outcome) {
            return correct.onCompleted(nowMillis, token, outcome);
        }
    }
}

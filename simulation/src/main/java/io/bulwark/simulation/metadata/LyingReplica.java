package io.bulwark.simulation.metadata;

import io.bulwark.protocol.cluster.ClusterMap;
import io.bulwark.protocol.cluster.SessionState;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.ProtocolServer;
import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.MetadataError;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.metadata.SessionChange;
import io.bulwark.protocol.ordering.CallRefusal;
import io.bulwark.protocol.ordering.OrderingMessage;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.simulation.engine.AlteringServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * A Byzantine replica: sends false answers, stale answers, or none. The liars of one world collude: their forgeries are
 * equal, so that clients would count them together.
 */
public final class LyingReplica extends AlteringServer {
    private static final int KEPT = 200;

    private final Random random;
    private final List<Bytes> earlier = new ArrayList<>();
    private Alteration how;

    /** Fault applied to its answers. */
    private enum Alteration {
        HONEST,
        SILENT,
        /** An earlier reply, to anybody's question. */
        STALE,
        FORGED,
        GARBLED,
        REFUSING,
        OTHER_INCARNATION,
        /** Its digest, where it is to send all of it. */
        WITHHELD
    }

    public LyingReplica(ProtocolServer correct, long seed) {
        super(correct);
        this.random = new Random(seed);
        this.how = any();
    }

    @Override
    protected List<Effect> alter(long nowMillis, Effect effect) {
        if (!(effect instanceof Effect.Send(PrincipalId to, long requestId, OrderingMessage.ToClient answer))) {
            return List.of(effect);
        }
        if (random.nextInt(50) == 0) {
            how = any();
        }
        if (how == Alteration.SILENT) {
            return List.of();
        }
        OrderingMessage lie = answer instanceof OrderingMessage.Reply reply ? insteadOf(reply) : answer;
        return List.of(new Effect.Send(
                to, requestId, lie instanceof OrderingMessage.ReplyDigest digest ? insteadOf(digest) : lie));
    }

    private OrderingMessage insteadOf(OrderingMessage.Reply reply) {
        if (earlier.size() == KEPT) {
            earlier.removeFirst();
        }
        earlier.add(reply.reply());
        return switch (how) {
            case HONEST, SILENT -> reply;
            case STALE -> with(reply, earlier.get(random.nextInt(earlier.size())));
            case FORGED -> with(reply, forged(reply.reply()));
            case GARBLED -> with(reply, garbled(reply.reply()));
            case REFUSING ->
                new OrderingMessage.Refused(
                        reply.call(), CallRefusal.values()[random.nextInt(CallRefusal.values().length)]);
            case OTHER_INCARNATION -> new OrderingMessage.Reply(reply.call(), random.nextLong(4), reply.reply());
            case WITHHELD -> reply.by(0, 1);
        };
    }

    /** Returns its answer where another replica is to send the reply. It may be a full reply that was not requested. */
    private OrderingMessage insteadOf(OrderingMessage.ReplyDigest said) {
        Bytes other = earlier.isEmpty() ? Bytes.EMPTY : earlier.get(random.nextInt(earlier.size()));
        return switch (how) {
            case STALE -> new OrderingMessage.ReplyDigest(said.call(), said.incarnation(), Hashes.sha256(other));
            case FORGED -> new OrderingMessage.Reply(said.call(), said.incarnation(), other);
            case GARBLED -> new OrderingMessage.ReplyDigest(said.call(), said.incarnation(), flipped(said.digest()));
            case OTHER_INCARNATION -> new OrderingMessage.ReplyDigest(said.call(), random.nextLong(4), said.digest());
            default -> said;
        };
    }

    private static Bytes flipped(Bytes digest) {
        byte[] bytes = digest.toByteArray();
        bytes[0] ^= 1;
        return Bytes.of(bytes);
    }

    private Alteration any() {
        return Alteration.values()[random.nextInt(Alteration.values().length)];
    }

    private static OrderingMessage.Reply with(OrderingMessage.Reply reply, Bytes other) {
        return new OrderingMessage.Reply(reply.call(), reply.incarnation(), other);
    }

    private Bytes garbled(Bytes reply) {
        byte[] bytes = reply.toByteArray();
        if (bytes.length > 0) {
            bytes[random.nextInt(bytes.length)] ^= (byte) (1 + random.nextInt(255));
        }
        return Bytes.of(bytes, 0, random.nextInt(4) == 0 ? random.nextInt(bytes.length + 1) : bytes.length);
    }

    /** Returns the reply that does most harm if it is believed. All faulty replicas return the same one. */
    private static Bytes forged(Bytes reply) {
        Reply forged = switch (Reply.decode(reply)) {
            case Reply.ObjectFound _ -> new Reply.Failed(MetadataError.NO_SUCH_OBJECT, "");
            case Reply.ObjectStored stored ->
                new Reply.ObjectStored(
                        stored.inode() + 1,
                        stored.version() + 1,
                        stored.linkedMillis(),
                        stored.isNull(),
                        stored.lock());
            case Reply.SessionOpened opened -> new Reply.SessionOpened(opened.volume(), 1, opened.ttlMillis());
            case Reply.Session session ->
                new Reply.Session(session.state() == SessionState.OPEN ? SessionState.CLOSED : SessionState.OPEN);
            case Reply.Granted granted -> new Reply.Granted(!granted.mayRead(), !granted.mayWrite());
            case Reply.References references ->
                new Reply.References(List.of(), references.next() + 1, false, references.last());
            case Reply.SessionChanges changes ->
                new Reply.SessionChanges(
                        changes.changes().stream().map(LyingReplica::forged).toList(), changes.next(), changes.more());
            case Reply.InodeFound found -> new Reply.InodeFound(!found.exists(), found.linked(), !found.names());
            case Reply.Map _ -> new Reply.Map(new ClusterMap(0, List.of(), List.of()));
            case Reply.Deleted deleted -> new Reply.Deleted(deleted.version() + 1, deleted.marker(), deleted.isNull());
            case Reply.Failed _ -> new Reply.Done();
            default -> new Reply.Failed(MetadataError.SESSION_CLOSED, "");
        };
        return forged.encoded();
    }

    /** Every open session is closed, and nothing of it referenced. */
    private static SessionChange forged(SessionChange change) {
        return switch (change) {
            case SessionChange.Opened opened ->
                new SessionChange.Closed(
                        opened.sequence(), opened.owner(), opened.session(), opened.volume(), List.of());
            case SessionChange.Closed closed ->
                new SessionChange.Closed(
                        closed.sequence(), closed.owner(), closed.session(), closed.volume(), List.of());
            case SessionChange.Freed freed -> freed;
            case SessionChange.Collapsed collapsed -> collapsed;
        };
    }
}

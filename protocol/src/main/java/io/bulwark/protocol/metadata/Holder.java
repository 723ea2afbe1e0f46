package io.bulwark.protocol.metadata;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.protocol.locking.LogId;
import io.bulwark.protocol.locking.LogLimits;
import io.bulwark.protocol.locking.Subtree;
import io.bulwark.protocol.metadata.Tables.OwnedKey;
import io.bulwark.protocol.metadata.Tables.TimedSession;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.List;
import java.util.Optional;

/**
 * Session that holds locks, or held some before. It has one log at a time:
 *
 * <pre>
 * state       event                                              next
 * idle        Lock                                               open
 * open        a touch, Unlock, Lock, its age, or its end         collecting
 * collecting  2f+1 FETCHes are backed                            replaying
 * replaying   all entries up to the chosen length are executed   idle, or the session is closed
 * </pre>
 */
final class Holder {
    /** State of its log. The order is in the state. */
    enum Stage {
        IDLE,
        OPEN,
        COLLECTING,
        REPLAYING;

        private static final Stage[] STAGES = values();

        private static Stage read(WireReader in) {
            int code = in.u8();
            if (code >= STAGES.length) {
                throw new MalformedException("unknown stage of a log " + code);
            }
            return STAGES[code];
        }
    }

    final PrincipalId owner;
    final long session;

    /** Number of the last lock. */
    long lock;

    PrincipalKey key;
    List<Subtree> subtrees;
    Stage stage = Stage.OPEN;

    /** Served time at which a round opens. */
    long dueMillis;

    /** Number of the command that opened the round. */
    long round;

    RoundReason reason = RoundReason.UNLOCKED;

    /** Subtrees of which somebody else needed a name: bit i for number i, of at most 64. */
    long contended;

    /** True if the session is to be closed with the round. */
    boolean closing;

    /** Chosen length, from the decision of a round on. */
    int length;

    int executed;

    Holder(PrincipalId owner, long session, long lock, PrincipalKey key, List<Subtree> subtrees) {
        this.owner = owner;
        this.session = session;
        this.lock = lock;
        this.key = key;
        this.subtrees = subtrees;
    }

    OwnedKey id() {
        return new OwnedKey(owner, session);
    }

    LogId log() {
        return new LogId(owner, session, lock);
    }

    boolean hasLog() {
        return stage != Stage.IDLE;
    }

    boolean isClosing() {
        return stage == Stage.COLLECTING || stage == Stage.REPLAYING;
    }

    Optional<RoundReason> openRound() {
        return isClosing() ? Optional.of(reason) : Optional.empty();
    }

    /** Returns the key of its round. */
    TimedSession roundKey() {
        return new TimedSession(round, owner, session);
    }

    /** Returns the key of the end of its age. */
    TimedSession dueKey() {
        return new TimedSession(dueMillis, owner, session);
    }

    void write(WireWriter out) {
        owner.write(out);
        key.write(out.i64(session).i64(lock));
        Lists.write(subtrees, out, Subtree::write);
        out.u8(stage.ordinal()).i64(dueMillis).i64(round);
        reason.write(out);
        out.i64(contended).bool(closing).i32(length).i32(executed);
    }

    static Holder read(WireReader in) {
        PrincipalId owner = PrincipalId.read(in);
        long session = in.nonNegative64();
        long lock = in.nonNegative64();
        PrincipalKey key = PrincipalKey.read(in);
        Holder holder = new Holder(owner, session, lock, key, Lists.read(in, LogLimits.SUBTREES_MAX, Subtree::read));
        holder.stage = Stage.read(in);
        holder.dueMillis = in.nonNegative64();
        holder.round = in.nonNegative64();
        holder.reason = RoundReason.read(in);
        holder.contended = in.i64();
        holder.closing = in.bool();
        holder.length = in.i32(0, LogLimits.ENTRIES_MAX);
        holder.executed = in.i32(0, LogLimits.ENTRIES_MAX);
        return holder;
    }
}

package io.bulwark.protocol.ordering.request;

import io.bulwark.protocol.effect.DistantPast;
import io.bulwark.protocol.ordering.driver.ReplicaConfig;
import io.bulwark.protocol.ordering.message.Request;
import io.bulwark.protocol.ordering.message.RequestId;
import org.jspecify.annotations.Nullable;

/** State of one request that is not executed yet. */
public final class PendingRequest {
    public final RequestId id;

    private final ReplicaConfig config;

    /** Counted in the client's room. */
    public @Nullable Request body;

    /** Came from the client itself. */
    boolean verified;

    /** Bit i: replica i vouches. */
    long vouchers;

    /** Bit i: replica i has said READY. */
    long saidReady;

    long seenMillis;

    long vouchedMillis;

    /** Time at which this replica last sent READY. */
    long saidMillis = DistantPast.MILLIS;

    /** Since when it may be proposed, once its body is here. */
    long readyMillis = -1;

    /** Counts what became ready, and what became due. */
    long readyOrder;

    /** Since when the primary is to give it a number. */
    public long dueMillis = -1;

    /** Time at which it first became due: vouches that are forgotten and repeated restart no timer. */
    public long sinceMillis = -1;

    long dueOrder;

    /** Time until which it stays due without further READY messages, where READY is used. */
    long dueUntilMillis = Long.MIN_VALUE;

    /** True if {@link #dueUntilMillis} must be recomputed: READY was sent or withdrawn, or this ceased to be ready. */
    boolean hasNews;

    /** The primary has it in a batch of its view that was accepted here, or that NEW-VIEW chose. */
    public boolean proposed;

    /** Number of batches of this view whose requests all became ready after this became due. */
    public int passedOver;

    PendingRequest(RequestId id, ReplicaConfig config) {
        this.id = id;
        this.config = config;
    }

    private long self() {
        return 1L << config.self();
    }

    /** Returns the number of other replicas that vouch. */
    int others() {
        return Long.bitCount(vouchers & ~self());
    }

    public boolean isVouchedHere() {
        return (vouchers & self()) != 0;
    }

    boolean hasQuorum() {
        return Long.bitCount(vouchers) >= config.quorum();
    }

    /** A correct replica has said READY, this one or one of f+1: it counted 2f+1 vouches, and has the body. */
    boolean isConfirmed() {
        return (saidReady & self()) != 0 || Long.bitCount(saidReady) >= config.weakQuorum();
    }

    /** A correct replica stands behind it. */
    boolean isBacked() {
        return others() >= config.weakQuorum() || isConfirmed();
    }

    /** The primary may propose it, once its body is here. */
    boolean isReady() {
        return hasQuorum() || (isVouchedHere() && isConfirmed());
    }

    /** It is ready, or will be as soon as its body is here. */
    boolean isReadyWithOwn() {
        return others() + 1 >= config.quorum() || isConfirmed();
    }

    /** Returns the replicas that may have the body. */
    long sources() {
        return isConfirmed() ? saidReady : vouchers;
    }
}

package io.bulwark.protocol.ordering.replica;

import io.bulwark.protocol.effect.LongAgo;
import io.bulwark.protocol.ordering.message.Request;
import io.bulwark.protocol.ordering.message.RequestId;
import org.jspecify.annotations.Nullable;

/** What is known of one request that is not executed yet. */
final class Pending {
    final RequestId id;

    private final ReplicaConfig config;

    /** Counted in the client's room. */
    @Nullable
    Request body;

    /** Came from the client itself. */
    boolean verified;

    /** Bit i: replica i vouches. */
    long vouchers;

    /** Bit i: replica i has said READY. */
    long saidReady;

    long seenMillis;

    long vouchedMillis;

    /** When this replica last said READY. */
    long saidMillis = LongAgo.MILLIS;

    /** Since when it may be proposed, once its body is here. */
    long readyMillis = -1;

    /** Counts what became ready, and what became due. */
    long readyOrder;

    /** Since when the primary is to give it a number. */
    long dueMillis = -1;

    /** When that was first so: words that are forgotten and come again restart no timer. */
    long sinceMillis = -1;

    long dueOrder;

    /** Where READY is said: without more of that it is due until then. */
    long dueUntilMillis = Long.MIN_VALUE;

    /** That is to be computed anew: READY was said or taken back, or this ceased to be ready. */
    boolean hasNews;

    /** The primary has it in a batch of its view that was accepted here, or that NEW-VIEW chose. */
    boolean proposed;

    /** How many batches of this view hold only what became ready later than this became due. */
    int passedOver;

    Pending(RequestId id, ReplicaConfig config) {
        this.id = id;
        this.config = config;
    }

    private long self() {
        return 1L << config.self();
    }

    /** So many other replicas vouch. */
    int others() {
        return Long.bitCount(vouchers & ~self());
    }

    boolean isVouchedHere() {
        return (vouchers & self()) != 0;
    }

    boolean hasQuorum() {
        return Long.bitCount(vouchers) >= config.quorum();
    }

    /** A correct replica has said READY, this one or one of f+1: it counted 2f+1 vouches, and has the body. */
    boolean isConfirmed() {
        return (saidReady & self()) != 0 || Long.bitCount(saidReady) >= config.oneCorrect();
    }

    /** A correct replica stands behind it. */
    boolean isBacked() {
        return others() >= config.oneCorrect() || isConfirmed();
    }

    /** The primary may propose it, once its body is here. */
    boolean isReady() {
        return hasQuorum() || (isVouchedHere() && isConfirmed());
    }

    /** It is ready, or will be as soon as its body is here. */
    boolean isReadyWithOwn() {
        return others() + 1 >= config.quorum() || isConfirmed();
    }

    /** Who may have the body. */
    long sources() {
        return isConfirmed() ? saidReady : vouchers;
    }
}

package io.bulwark.protocol.ordering.replica;

import io.bulwark.protocol.ordering.message.Request;
import io.bulwark.protocol.ordering.message.RequestId;
import org.jspecify.annotations.Nullable;

/** What is known of one request that is not executed yet. */
final class Pending {
    final RequestId id;

    private final int self;

    /** Counted in the client's room. */
    @Nullable
    Request body;

    /** Came from the client itself. */
    boolean verified;

    /** Bit i: replica i vouches. */
    long vouchers;

    long seenMillis;

    long vouchedMillis;

    /** Since when 2f+1 vouch for it. */
    long readyMillis = -1;

    /** When 2f+1 first did: vouches that are forgotten and come again restart no timer. */
    long sinceMillis = -1;

    /** Counts what became ready. */
    long readyOrder;

    /** The primary has it in a batch of its view that was accepted here, or that NEW-VIEW chose. */
    boolean proposed;

    /** How many batches of this view hold only what became ready later. */
    int passedOver;

    Pending(RequestId id, int self) {
        this.id = id;
        this.self = self;
    }

    /** So many other replicas vouch. */
    int others() {
        return Long.bitCount(vouchers & ~(1L << self));
    }

    boolean isVouchedHere() {
        return (vouchers >> self & 1) == 1;
    }
}

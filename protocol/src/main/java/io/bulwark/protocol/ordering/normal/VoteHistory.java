package io.bulwark.protocol.ordering.normal;

import io.bulwark.protocol.wire.Bytes;

/** Record of this replica's votes in all views, which later view changes need (4.5: P and Q). */
public interface VoteHistory {
    /** Returns whether this replica may accept a PRE-PREPARE that no NEW-VIEW has chosen. */
    boolean mayAcceptFresh(long sequence, Bytes digest);

    /** Returns whether this replica may accept the choice of a NEW-VIEW. */
    boolean mayAcceptChosen(long sequence, Bytes digest);

    /** Records that this replica accepted a batch. */
    void prePrepared(long sequence, Bytes digest, long view);

    /** Records that a batch prepared here. */
    void prepared(long sequence, Bytes digest, long view);
}

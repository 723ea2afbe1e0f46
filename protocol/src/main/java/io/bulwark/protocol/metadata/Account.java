package io.bulwark.protocol.metadata;

import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;

/** Resources of a principal, in numbers. */
final class Account {
    /** Weight as {@link Weight} counts it. */
    long weight;

    /** Part of its room for weight that its logs may draw. */
    long weightEscrow;

    /** The number of its last session. */
    long lastSession;

    int openSessions;
    int buckets;
    int uploads;

    /** Sessions that hold or held locks. */
    int holders;

    void write(WireWriter out) {
        out.i64(weight).i64(lastSession).i32(openSessions).i32(buckets).i32(uploads);
        out.i64(weightEscrow).i32(holders);
    }

    static Account read(WireReader in) {
        Account account = new Account();
        account.weight = in.nonNegative64();
        account.lastSession = in.nonNegative64();
        account.openSessions = in.i32(0, Integer.MAX_VALUE);
        account.buckets = in.i32(0, Integer.MAX_VALUE);
        account.uploads = in.i32(0, Integer.MAX_VALUE);
        account.weightEscrow = in.nonNegative64();
        account.holders = in.i32(0, Integer.MAX_VALUE);
        return account;
    }
}

package io.bulwark.protocol.locking;

import java.util.ArrayList;
import java.util.List;

/**
 * Pieces of a log in which the order gets its entries. All servers cut alike from entry 1 on, so that equal chains give
 * equal pieces.
 */
final class LogPieces {
    /** Maximum length of the entries of a piece on the wire. A submission has room for it, and one entry fits. */
    static final int BYTES_MAX = 62 << 10;

    private LogPieces() {}

    /** Returns the number of the last entry of each piece, in order. */
    static List<Integer> ends(List<LogEntry> entries) {
        List<Integer> ends = new ArrayList<>();
        int bytes = 0;
        for (int i = 0; i < entries.size(); i++) {
            int length = entries.get(i).length();
            if (bytes + length > BYTES_MAX) {
                ends.add(i);
                bytes = 0;
            }
            bytes += length;
        }
        if (!entries.isEmpty()) {
            ends.add(entries.size());
        }
        return ends;
    }
}

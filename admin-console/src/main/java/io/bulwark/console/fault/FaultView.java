package io.bulwark.console.fault;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A fault that f + 1 nodes have reported; so at least one correct node has seen it.
 *
 * @param id number of the record
 * @param about the node or client
 * @param verdict such as {@code corrupt}
 * @param meaning of the verdict, in words
 * @param by the reporters; null if they are not known here
 */
record FaultView(
        String id,
        String about,
        String block,
        String verdict,
        String meaning,
        Instant at,
        @Nullable List<String> by,
        String detail) {}

package io.bulwark.console.fault;

import io.bulwark.client.Faults;
import io.bulwark.protocol.id.PrincipalId;
import java.time.Instant;
import java.util.List;

/**
 * A fault that f + 1 nodes have reported: at least one correct node has seen it.
 *
 * @param about the accused node or client
 * @param verdict such as {@code corrupt}
 * @param meaning of the verdict, in words
 * @param by the reporters
 * @param detail of the first report
 */
record FaultView(
        long number,
        String about,
        String block,
        String verdict,
        String meaning,
        Instant at,
        List<String> by,
        String detail) {
    static FaultView of(Faults.Fault fault) {
        return new FaultView(
                fault.number(),
                fault.about().toString(),
                fault.block().toString(),
                fault.verdict().text(),
                VerdictText.meaning(fault.verdict()),
                fault.at(),
                fault.reporters().stream().map(PrincipalId::toString).toList(),
                fault.detail());
    }
}

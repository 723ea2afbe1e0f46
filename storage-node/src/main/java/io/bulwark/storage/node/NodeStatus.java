package io.bulwark.storage.node;

import io.bulwark.client.driver.EvidenceLog;
import io.bulwark.protocol.effect.Verdict;
import io.bulwark.protocol.id.PrincipalId;
import java.util.List;
import java.util.Map;

/**
 * The status of a node at one moment.
 *
 * @param requests requests in processing
 * @param requestBytes bytes that they hold
 * @param requestsServed requests that were processed since the start
 * @param requestsShed requests that were dropped under overload since the start
 * @param evidenceCounts number of occurrences of each verdict, by the accused
 * @param evidence the latest evidence, oldest first
 */
public record NodeStatus(
        int node,
        int connections,
        int requests,
        long requestBytes,
        long requestsServed,
        long requestsShed,
        Map<PrincipalId, Map<Verdict, Long>> evidenceCounts,
        List<EvidenceLog.Entry> evidence) {}

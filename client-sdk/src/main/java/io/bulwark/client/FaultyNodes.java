package io.bulwark.client;

import io.bulwark.protocol.metadata.FaultPolicy;
import io.bulwark.protocol.metadata.NodeFault;
import io.bulwark.protocol.metadata.Suspicion;
import java.util.List;

/**
 * Nodes that f+1 holders of one of their placement groups find faulty, by evidence or by statistics. The replicas remove
 * them if the policy allows it: others take their slots. Changes need the right to administer.
 */
public interface FaultyNodes {
    /**
     * Findings of the nodes.
     *
     * @param faults ascending by node
     * @param suspicions of single nodes, which name nobody
     */
    record Report(FaultPolicy policy, List<NodeFault> faults, List<Suspicion> suspicions) {
        public Report {
            faults = List.copyOf(faults);
            suspicions = List.copyOf(suspicions);
        }
    }

    Report report();

    /** Sets whether faulty nodes are removed, and how. */
    void set(FaultPolicy policy);

    /**
     * Takes a node off the list with all reports about it, and gives announced changes of its slots up. Slots that have
     * moved stay where they are.
     *
     * @throws io.bulwark.client.error.InvalidRequestException if nobody suspects it
     */
    void forgive(int node);
}

package io.bulwark.appliance.control;

import io.bulwark.console.StatusView;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The body of the answer to {@code status}.
 *
 * @param console the console's address
 * @param s3 the address of the S3 gateway; empty if none runs
 * @param cluster null while the cluster does not answer
 * @param problem why it does not, or empty
 * @param starting what its start or its end waits for; empty while it serves
 */
public record ApplianceStatus(
        String data,
        String console,
        String s3,
        List<Member> members,
        @Nullable StatusView cluster,
        String problem,
        String starting) {

    /**
     * A node or replica of this machine; a removed one is listed only while it still runs.
     *
     * @param ended how it ended without being stopped; empty if it runs or was stopped
     * @param removed whether it was removed from the cluster: nobody trusts it any more
     * @param pid its process; null inside the appliance's own
     * @param turnMillis when a replica is to recover next; null if it does not recover in turns
     * @param alarm what keeps a replica from recovering in its turns; empty if nothing does
     */
    public record Member(
            String name,
            String address,
            boolean running,
            String ended,
            boolean removed,
            @Nullable Long pid,
            @Nullable Long turnMillis,
            String alarm) {}
}

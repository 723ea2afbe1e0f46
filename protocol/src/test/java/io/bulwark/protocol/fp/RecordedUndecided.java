package io.bulwark.protocol.fp;

import io.bulwark.protocol.cluster.RevocationWatch;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.NullMarked;

/** LatestReports of one of the {@link LocalNodes} on revoked clients. */
@NullMarked
record RecordedUndecided(int node, Map<Integer, Integer> undecided, Set<BlockId> awaited) implements RevocationWatch {
    @Override
    public void refuses(PrincipalId revoked, int left) {
        undecided.put(node, left);
    }

    @Override
    public void waitsFor(BlockId block, long timestamp) {
        awaited.add(block);
    }
}

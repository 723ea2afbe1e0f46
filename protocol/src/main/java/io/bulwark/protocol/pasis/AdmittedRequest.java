package io.bulwark.protocol.pasis;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.kernel.PendingRequest;

/**
 * Admitted request.
 *
 * @param polled whether the others were asked whether its time is FAR
 * @param collected how far its node has gone to make room for it: 0 not at all, 1 verified, 2 repaired too
 */
record AdmittedRequest(PrincipalId from, long requestId, PasisMessage.Request request, boolean polled, int collected)
        implements PendingRequest {
    AdmittedRequest(PrincipalId from, long requestId, PasisMessage.Request request) {
        this(from, requestId, request, false, 0);
    }

    AdmittedRequest afterPoll() {
        return new AdmittedRequest(from, requestId, request, true, collected);
    }

    AdmittedRequest afterCollection(int how) {
        return new AdmittedRequest(from, requestId, request, polled, how);
    }

    @Override
    public long bytes() {
        return 1_024L
                + (request instanceof PasisMessage.Write write
                        ? write.fragment().length()
                        : 0);
    }
}

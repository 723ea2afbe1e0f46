package io.bulwark.protocol.fp;

import io.bulwark.protocol.fingerprint.Share;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.kernel.PendingRequest;
import org.jspecify.annotations.Nullable;

/**
 * Admitted request.
 *
 * @param judged whether a REPAIR has been run for it, or none is needed
 * @param accepted the share that a PREPARE brought, once it was checked
 */
record AdmittedRequest(
        PrincipalId from,
        long requestId,
        FpMessage.Request request,
        boolean judged,
        @Nullable Share accepted) implements PendingRequest {
    AdmittedRequest(PrincipalId from, long requestId, FpMessage.Request request) {
        this(from, requestId, request, false, null);
    }

    AdmittedRequest afterRepair() {
        return new AdmittedRequest(from, requestId, request, true, accepted);
    }

    AdmittedRequest with(Share share) {
        return new AdmittedRequest(from, requestId, request, judged, share);
    }

    @Override
    public long bytes() {
        return 1_024L
                + switch (request) {
                    case FpMessage.PrepareFragment prepare -> prepare.fragment().length();
                    case FpMessage.PrepareBlock prepare -> prepare.block().length();
                    default -> 0;
                };
    }
}

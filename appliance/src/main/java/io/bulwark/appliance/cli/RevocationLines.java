package io.bulwark.appliance.cli;

import io.bulwark.client.Principals.RevocationProgress;
import io.bulwark.protocol.id.PrincipalId;
import java.util.Optional;

/** Output of {@code bulwark principal revoke} while it waits for nodes, and at its end. */
final class RevocationLines {
    private final PrincipalId revoked;
    private String shown = "";
    private boolean nodesAsked;

    RevocationLines(PrincipalId revoked) {
        this.revoked = revoked;
    }

    /**
     * Returns the line for this progress if it differs from the previous one. A complete round has no line: it is one
     * of several, and the outcome reports it.
     */
    Optional<String> next(RevocationProgress progress) {
        nodesAsked |= progress.asked() > 0;
        String line = progress.done() + " of " + progress.asked() + " nodes have completed the revocation of " + revoked
                + ".";
        if (progress.complete() || line.equals(shown)) {
            return Optional.empty();
        }
        shown = line;
        return Optional.of(line);
    }

    /** Returns the result once all nodes have confirmed each time. */
    String outcome() {
        return nodesAsked ? "is revoked, and all nodes have completed the revocation" : "is revoked";
    }
}

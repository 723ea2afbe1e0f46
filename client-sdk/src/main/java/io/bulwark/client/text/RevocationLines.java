package io.bulwark.client.text;

import io.bulwark.client.Principals.RevocationProgress;
import io.bulwark.protocol.id.PrincipalId;
import java.util.Optional;

/** Lines that tell of a revocation: while it waits for nodes, and at its end. */
public final class RevocationLines {
    private final PrincipalId revoked;
    private String shown = "";
    private boolean nodesAsked;

    public RevocationLines(PrincipalId revoked) {
        this.revoked = revoked;
    }

    /**
     * Returns the line for this progress if it differs from the previous one. A complete round has no line: it is one
     * of several, and the outcome reports it.
     */
    public Optional<String> next(RevocationProgress progress) {
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
    public String outcome() {
        return nodesAsked ? "is revoked, and all nodes have completed the revocation" : "is revoked";
    }
}

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

    /** The line for this, if it differs from the one before. That all have said so is one time of several, and the outcome's to say. */
    Optional<String> next(RevocationProgress progress) {
        nodesAsked |= progress.asked() > 0;
        String line = progress.done() + " of " + progress.asked() + " nodes have nothing left of " + revoked + ".";
        if (progress.complete() || line.equals(shown)) {
            return Optional.empty();
        }
        shown = line;
        return Optional.of(line);
    }

    /** Returns the result once all nodes have confirmed each time. */
    String outcome() {
        return nodesAsked ? "is revoked, and all nodes that were asked have nothing left of it" : "is revoked";
    }
}

package io.bulwark.appliance.cli;

import io.bulwark.client.Principals.RevocationProgress;
import io.bulwark.protocol.id.PrincipalId;
import java.util.Optional;

/** What {@code bulwark principal revoke} says while it waits for nodes, and once it need not any more. */
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

    /** What is so once all have said so each time. */
    String outcome() {
        return nodesAsked ? "is revoked, and all nodes that were asked have nothing left of it" : "is revoked";
    }
}

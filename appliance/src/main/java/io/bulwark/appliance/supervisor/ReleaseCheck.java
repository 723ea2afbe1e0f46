package io.bulwark.appliance.supervisor;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether a recovering replica may be started from what is installed (4.4: it runs correct code): operators have allowed that
 * release in the replicated metadata. The last list that the replicas agreed on counts while they give none. Not thread-safe.
 */
final class ReleaseCheck {
    private static final Logger LOG = LoggerFactory.getLogger(ReleaseCheck.class);

    private final Release release;
    private final Group group;
    private @Nullable List<String> allowed;
    private boolean warned;

    ReleaseCheck(Release release, Group group) {
        this.release = release;
        this.group = group;
    }

    /** Why it may not be started; empty if it may. */
    Optional<String> problem() throws InterruptedException {
        try {
            allowed = List.copyOf(group.allowedReleases());
        } catch (IOException e) {
            LOG.warn("the replicas do not say which releases are allowed: {}", e.getMessage());
        }
        List<String> known = allowed;
        if (known == null) {
            return Optional.of("the replicas have never said which releases are allowed");
        }
        if (known.isEmpty()) {
            if (!warned) {
                LOG.warn("no release is allowed yet (`bulwark release allow`): what is started is not checked");
                warned = true;
            }
            return Optional.empty();
        }
        try {
            String hash = release.hash();
            return known.contains(hash)
                    ? Optional.empty()
                    : Optional.of("the installed release " + hash + " is not allowed (" + release.classPath() + ")");
        } catch (IOException e) {
            return Optional.of("the installed release cannot be read: " + e.getMessage());
        }
    }
}

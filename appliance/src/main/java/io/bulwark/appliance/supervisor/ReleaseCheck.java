package io.bulwark.appliance.supervisor;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Check whether a replica may be started from the installed files (4.4: it runs correct code). Operators must have
 * allowed the release in the replicated metadata. The files of this replica alone must be as they were when its
 * supervisor started. While the replicas give no list, the last one that they agreed on applies. Not thread-safe.
 */
final class ReleaseCheck {
    private static final Logger LOG = LoggerFactory.getLogger(ReleaseCheck.class);

    /** Decision whether a replica may be started. */
    sealed interface ReleaseDecision {
        record Allowed() implements ReleaseDecision {}

        /** The allowed releases are unknown: nobody has named them. */
        record Unknown(String why) implements ReleaseDecision {}

        /** It is not what it has to be. */
        record Refused(String why) implements ReleaseDecision {}
    }

    private final Installation installed;
    private final Map<String, String> marks;
    private final Group group;
    private @Nullable List<String> allowed;
    private boolean warned;
    private String silence = "";

    ReleaseCheck(Installation installed, Group group) {
        this.installed = installed;
        this.marks = installed.marks();
        this.group = group;
    }

    /** Asks the replicas, and looks: before a recovery. */
    ReleaseDecision ask() throws InterruptedException {
        learn();
        return judge();
    }

    /**
     * Checks the installed release, and asks the replicas only if it is not on the last list. It serves a start that
     * may have to wait for them. If no list was ever known, as after the death of all replicas, anything may be
     * started.
     *
     * @return the reason why it may not be started
     */
    Optional<String> restartRefusal() throws InterruptedException {
        ReleaseDecision verdict = judge();
        if (!(verdict instanceof ReleaseDecision.Allowed)) {
            verdict = ask();
        }
        return verdict instanceof ReleaseDecision.Refused refused ? Optional.of(refused.why()) : Optional.empty();
    }

    /** Returns whether the replicas have never returned a list. */
    boolean hasNoList() {
        return allowed == null;
    }

    /** Asks the replicas which releases are allowed. */
    void learn() throws InterruptedException {
        try {
            allowed = List.copyOf(group.allowedReleases());
            silence = "";
        } catch (IOException e) {
            String why = String.valueOf(e.getMessage());
            if (!why.equals(silence)) {
                silence = why;
                LOG.warn("the replicas do not report the allowed releases: {}", why);
            }
        }
    }

    private ReleaseDecision judge() {
        for (var now : installed.marks().entrySet()) {
            if (!now.getValue().equals(marks.get(now.getKey()))) {
                return new ReleaseDecision.Refused(
                        now.getKey() + " has changed since this supervisor started; restart the supervisor if the "
                                + "change was intended");
            }
        }
        List<String> known = allowed;
        if (known == null) {
            return new ReleaseDecision.Unknown("the replicas have never reported the allowed releases");
        }
        if (known.isEmpty()) {
            if (!warned) {
                LOG.warn("no release is allowed yet (`bulwark release allow`): the supervisor does not check the "
                        + "release");
                warned = true;
            }
            return new ReleaseDecision.Allowed();
        }
        try {
            String hash = installed.release().hash();
            return known.contains(hash)
                    ? new ReleaseDecision.Allowed()
                    : new ReleaseDecision.Refused("the installed release " + hash + " is not allowed ("
                            + installed.release().classPath() + ")");
        } catch (IOException e) {
            return new ReleaseDecision.Refused("the installed release cannot be read: " + e.getMessage());
        }
    }
}

package io.bulwark.protocol.pasis;

import io.bulwark.protocol.kernel.RetryTimer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** History that the node at one slot has reported to a reader, from the greatest version down to some point. */
final class SlotView {
    /** Report of a slot on a version. */
    enum VersionStatus {
        /** It has not answered. */
        SILENT,
        CLAIMS,
        /** It does not hold it, and has collected nothing that late. */
        DENIES,
        /** It may have held it, and has collected it or something later. */
        COLLECTED,
        /** Its history has not been read so far down. */
        UNKNOWN
    }

    private final TreeMap<ValidatingTimestamp, Boolean> claims = new TreeMap<>();
    /** Fragments asked for one by one. */
    private final Map<ValidatingTimestamp, RetryTimer> fragments = new HashMap<>();

    private @Nullable ValidatingTimestamp low;
    private boolean exhausted;
    private ValidatingTimestamp collected = ValidatingTimestamp.NONE;

    boolean answered() {
        return low != null || exhausted;
    }

    /** The point from which older versions are to be asked for. */
    ValidatingTimestamp low() {
        ValidatingTimestamp known = low;
        return known == null ? ValidatingTimestamp.NONE : known;
    }

    /** Takes the next unit; false if it is not the next one. The caller has checked its shape. */
    boolean take(PasisMessage.History history) {
        if (!history.before().equals(low()) || exhausted) {
            return false;
        }
        history.versions().forEach(entry -> claims.put(entry.timestamp(), entry.verified()));
        collect(history.collected());
        if (!history.versions().isEmpty()) {
            low = history.versions().getLast().timestamp();
        }
        exhausted = !history.more();
        return true;
    }

    /** Takes the complete history that the node holds itself. */
    void takeAll(List<PasisMessage.Entry> versions, ValidatingTimestamp ownCollected) {
        versions.forEach(entry -> claims.put(entry.timestamp(), entry.verified()));
        collected = ownCollected;
        exhausted = true;
    }

    void collect(ValidatingTimestamp to) {
        collected = to.isAfter(collected) ? to : collected;
    }

    /** It claimed a version and sent something else, or nothing, when it was asked for its fragment. */
    void withdraw(ValidatingTimestamp version) {
        claims.remove(version);
    }

    VersionStatus stand(ValidatingTimestamp version) {
        ValidatingTimestamp known = low;
        if (!answered()) {
            return VersionStatus.SILENT;
        }
        // This also holds for its earlier claims: it may hide a later version that it held then, and that nobody claims
        // any more.
        if (collected.isAfter(version)) {
            return VersionStatus.COLLECTED;
        }
        if (claims.containsKey(version)) {
            return VersionStatus.CLAIMS;
        }
        if (!exhausted && known != null && known.isAfter(version)) {
            return VersionStatus.UNKNOWN;
        }
        // Everybody holds the initial value who has not collected it.
        return version.isNone() ? VersionStatus.CLAIMS : VersionStatus.DENIES;
    }

    boolean verified(ValidatingTimestamp version) {
        return claims.getOrDefault(version, false);
    }

    /** Returns the versions that it claims, in descending order. */
    Iterable<ValidatingTimestamp> claimed() {
        return claims.descendingKeySet();
    }

    @Nullable
    RetryTimer fragment(ValidatingTimestamp version) {
        return fragments.get(version);
    }

    void ask(ValidatingTimestamp version, RetryTimer asking) {
        fragments.put(version, asking);
    }

    Map<ValidatingTimestamp, RetryTimer> asked() {
        return fragments;
    }
}

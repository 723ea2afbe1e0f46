package io.bulwark.transport;

import java.util.concurrent.TimeUnit;

/**
 * Consecutive attempts of a link that ended because one side does not trust the other. The distrusting side and this
 * side's certificate are the same in all of them. A refusal by the other side counts only after it has proved to be the
 * link's principal: nobody in between can refuse in a server's name.
 *
 * @param reason of the last of them
 * @param sinceNanos when the first ended, by {@link System#nanoTime()}
 * @param lastNanos when the last one did
 */
public record LinkRefusal(Reason reason, long sinceNanos, long lastNanos) {
    /** Side that rejects the other, and the reason. */
    public enum Reason {
        /** The other side reports that this principal was revoked, which is permanent. */
        REVOKED,
        /**
         * The other side does not know the key shown here. It has queried the current members since a peer showed it
         * that key before.
         */
        UNKNOWN_KEY,
        /**
         * The other side does not accept the certificate shown here, and may have yet to learn of its key; the JDK's
         * engine gives no detail.
         */
        UNKNOWN_YET,
        /** By its clock the certificate that is shown here is not valid. */
        EXPIRED,
        /** The other side presents no key of the wanted principal, as far as is known here. */
        THEIR_KEY_UNKNOWN,
        /** By the clock here the certificate of the other side is not valid. */
        THEIR_CERTIFICATE_EXPIRED;

        /**
         * Returns whether the other side reported it. Otherwise this side detected it on the party that answered, which
         * may be somebody in between.
         */
        public boolean isTheirWord() {
            return switch (this) {
                case REVOKED, UNKNOWN_KEY, UNKNOWN_YET, EXPIRED -> true;
                case THEIR_KEY_UNKNOWN, THEIR_CERTIFICATE_EXPIRED -> false;
            };
        }
    }

    /** Between the first and the last of them. */
    public long lastedMillis() {
        return TimeUnit.NANOSECONDS.toMillis(lastNanos - sinceNanos);
    }
}

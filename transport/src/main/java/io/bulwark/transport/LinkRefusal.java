package io.bulwark.transport;

import java.util.concurrent.TimeUnit;

/**
 * Attempts of a link in a row that ended since one side, the same in all of them, does not believe the other, under one certificate of
 * this side. That the other side refuses this one counts only from whoever has proved to be the link's principal: nobody in between can
 * say it for a server.
 *
 * @param reason of the last of them
 * @param sinceNanos when the first ended, by {@link System#nanoTime()}
 * @param lastNanos when the last one did
 */
public record LinkRefusal(Reason reason, long sinceNanos, long lastNanos) {
    /** Side that rejects the other, and the reason. */
    public enum Reason {
        /** The other side says that the principal of this one was revoked, which is for good. */
        REVOKED,
        /** The other side does not know the key that is shown here, and has asked who belongs since it was shown that key before, by whomever. */
        UNKNOWN_KEY,
        /**
         * The other side does not take the certificate that is shown here, and may have yet to learn of its key; the JDK's engine says no more.
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

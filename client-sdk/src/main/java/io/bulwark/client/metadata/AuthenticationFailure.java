package io.bulwark.client.metadata;

import io.bulwark.client.error.NotBelievedException;
import io.bulwark.client.error.NotBelievedException.Reason;
import io.bulwark.client.error.Subject;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.ReplicatedCall;
import io.bulwark.transport.LinkRefusal;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Lasting mutual distrust between this side and the replicas. It holds once f+1 of 3f+1 replicas deny this side: f
 * liars cannot, and the others alone are too few to agree with. It also holds once 2f+1 links are unusable and none
 * ever was usable. A man in the middle can make this side distrust the servers; from f+1 trusted replicas it may still
 * learn the current ones.
 *
 * @param reason the reason that f+1 agree on, else {@link Reason#NOT_KNOWN}
 * @param replicas those whose links report it
 */
record AuthenticationFailure(Reason reason, SortedMap<PrincipalId, LinkRefusal.Reason> replicas) {
    /**
     * Time for which two sides must have distrusted each other because of their clocks, or because of the keys known
     * here.
     */
    static final long LASTING_MILLIS = 1_500;

    /** Time that a replica has for learning of a new key. */
    static final long LEARNING_MILLIS = 10_000;

    /**
     * Returns the current denial, if any.
     *
     * @param replicas all 3f+1
     * @param refusals the refusal that the link to a replica reports
     * @param everUp whether any link of this process was up. Then its configuration is not another cluster's, its clock
     *     was right at the beginning, and distrust of the servers is a network problem
     */
    static Optional<AuthenticationFailure> of(
            List<PrincipalId> replicas, Function<PrincipalId, Optional<LinkRefusal>> refusals, boolean everUp) {
        int faulty = ReplicatedCall.faultyOf(replicas.size());
        SortedMap<PrincipalId, LinkRefusal.Reason> lasting = new TreeMap<>();
        for (PrincipalId replica : replicas) {
            refusals.apply(replica)
                    .filter(AuthenticationFailure::isLasting)
                    .filter(each -> each.reason().isTheirWord() || !everUp)
                    .ifPresent(each -> lasting.put(replica, each.reason()));
        }
        long words = lasting.values().stream()
                .filter(LinkRefusal.Reason::isTheirWord)
                .count();
        if (words <= faulty && lasting.size() <= 2 * faulty) {
            return Optional.empty();
        }
        Map<Reason, Integer> counts = new EnumMap<>(Reason.class);
        lasting.values().forEach(each -> counts.merge(reasonOf(each), 1, Integer::sum));
        Reason agreed = counts.entrySet().stream()
                .filter(each -> each.getValue() > faulty)
                .map(Map.Entry::getKey)
                .findFirst()
                .orElse(Reason.NOT_KNOWN);
        return Optional.of(new AuthenticationFailure(agreed, lasting));
    }

    /**
     * Returns whether the refusal is more than momentary. A replica is sure that it does not know a key once it has
     * asked since an earlier showing of that key. Two showings in one series of attempts prove that it has also asked
     * since this process began to try.
     */
    private static boolean isLasting(LinkRefusal refusal) {
        return switch (refusal.reason()) {
            case REVOKED -> true;
            case UNKNOWN_KEY -> refusal.lastNanos() != refusal.sinceNanos();
            case UNKNOWN_YET -> refusal.lastedMillis() >= LEARNING_MILLIS;
            case EXPIRED, THEIR_KEY_UNKNOWN, THEIR_CERTIFICATE_EXPIRED -> refusal.lastedMillis() >= LASTING_MILLIS;
        };
    }

    private static Reason reasonOf(LinkRefusal.Reason said) {
        return switch (said) {
            case REVOKED -> Reason.REVOKED;
            case UNKNOWN_KEY, UNKNOWN_YET -> Reason.NOT_KNOWN;
            case EXPIRED -> Reason.EXPIRED;
            case THEIR_KEY_UNKNOWN -> Reason.SERVERS_NOT_KNOWN;
            case THEIR_CERTIFICATE_EXPIRED -> Reason.SERVERS_EXPIRED;
        };
    }

    /** Returns the exception for the user of {@code self}. */
    NotBelievedException exception(PrincipalId self) {
        String what = switch (reason) {
            case REVOKED -> self + " was revoked permanently: ask an operator to add another principal";
            case NOT_KNOWN ->
                "the key of " + self + " is not trusted: it was never added, was replaced, or belongs to another "
                        + "cluster; an operator can check the registered keys and add this one, which takes some "
                        + "seconds";
            case EXPIRED ->
                "the certificate of " + self + " is not valid by the clocks of the replicas: compare the clocks, or "
                        + "rotate its key";
            case SERVERS_NOT_KNOWN ->
                "the servers do not have the keys of the genesis file and of the registry file beside the identity: "
                        + "this is the configuration of another cluster, or the replicas have new keys";
            case SERVERS_EXPIRED ->
                "the certificates of the replicas are not valid by the local clock: compare the clocks, or rotate "
                        + "their keys";
        };
        return new NotBelievedException(reason, what + " (" + seen() + ")", Subject.NONE);
    }

    private String seen() {
        return replicas.entrySet().stream()
                .map(each -> each.getKey()
                        + switch (each.getValue()) {
                            case REVOKED -> " reports that it was revoked";
                            case UNKNOWN_KEY -> " does not know the key";
                            case UNKNOWN_YET -> " refuses the certificate";
                            case EXPIRED -> " finds the certificate not valid";
                            case THEIR_KEY_UNKNOWN -> " shows another key";
                            case THEIR_CERTIFICATE_EXPIRED -> " shows a certificate that is not valid";
                        })
                .collect(Collectors.joining(", "));
    }
}

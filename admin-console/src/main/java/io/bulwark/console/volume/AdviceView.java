package io.bulwark.console.volume;

import io.bulwark.console.http.ApiException;
import io.bulwark.protocol.cluster.AvailabilityTarget;
import io.bulwark.protocol.cluster.ClassAdvice;
import io.bulwark.protocol.cluster.PolicyAdvice;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Costs and availability of each class of protection for objects, as {@code bulwark advise} shows them.
 *
 * @param choices one of each class that fits
 * @param refused sentences with the reasons for which classes are left out
 */
public record AdviceView(List<Choice> choices, List<String> refused) {
    /**
     * A policy.
     *
     * @param text protocol and numbers
     * @param storedPerByte bytes on disk for each byte of large objects
     * @param asked nodes that a read of a block asks
     * @param unreadableAfterWrite the probability that a block which was just written cannot be read now
     * @param unreadableLater the same once all slots hold their fragment
     * @param writeWaits the probability that a write has to wait for a node that is away
     * @param pricePerTbMonth price of one TB of objects; null if no price was given
     */
    public record Choice(
            String text,
            String protocol,
            int faults,
            int dataFragments,
            int fragments,
            int blockBytes,
            double storedPerByte,
            int asked,
            double unreadableAfterWrite,
            double unreadableLater,
            double writeWaits,
            @Nullable Double pricePerTbMonth) {}

    /**
     * Returns the advice.
     *
     * @throws ApiException if a number is impossible
     */
    static AdviceView of(int nodes, int faults, double availability, double target, @Nullable Double price) {
        if (price != null && !(price >= 0)) {
            throw ApiException.badField("price", "a price is at least 0");
        }
        ClassAdvice advice;
        try {
            advice = ClassAdvice.of(nodes, faults, new AvailabilityTarget(availability, target));
        } catch (IllegalArgumentException e) {
            throw ApiException.badField("advice", String.valueOf(e.getMessage()));
        }
        return new AdviceView(
                advice.choices().stream().map(each -> choice(each, price)).toList(), advice.refused());
    }

    private static Choice choice(PolicyAdvice advice, @Nullable Double price) {
        return new Choice(
                advice.policy().text(),
                advice.policy().protocol().text(),
                advice.policy().f(),
                advice.policy().m(),
                advice.policy().n(),
                advice.policy().blockBytes(),
                advice.storedPerByte(),
                advice.asked(),
                advice.afterWrite(),
                advice.whenComplete(),
                advice.writeWaits(),
                price == null ? null : (Double) (price * advice.storedPerByte()));
    }
}

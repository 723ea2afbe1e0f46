package io.bulwark.client.placement;

import java.util.Comparator;

/**
 * A slot that is to get another holder.
 *
 * @param group of the volume, counted from 0
 * @param from the node that holds the slot, or held it
 */
public record Move(String volume, int group, int from, int to) implements Comparable<Move> {
    private static final Comparator<Move> ORDER = Comparator.comparing(Move::volume)
            .thenComparingInt(Move::group)
            .thenComparingInt(Move::from)
            .thenComparingInt(Move::to);

    @Override
    public int compareTo(Move other) {
        return ORDER.compare(this, other);
    }

    /** Returns text for people. */
    String place() {
        return "group " + group + " of volume " + volume;
    }
}

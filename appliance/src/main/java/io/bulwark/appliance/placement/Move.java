package io.bulwark.appliance.placement;

/**
 * A slot that is to get another holder.
 *
 * @param group of the volume, counted from 0
 * @param from the node that holds the slot, or held it
 */
public record Move(String volume, int group, int from, int to) {
    /** For people. */
    String place() {
        return "group " + group + " of volume " + volume;
    }
}

package io.bulwark.client;

import io.bulwark.protocol.metadata.PartSelection;

/**
 * A part of an upload as {@link Uploads#complete} names it.
 *
 * @param number 1 to {@link #NUMBER_MAX}
 * @param id of just this content: another part of the same number has another one
 */
public record PartId(int number, long id) {
    public static final int NUMBER_MAX = PartSelection.NUMBER_MAX;
}

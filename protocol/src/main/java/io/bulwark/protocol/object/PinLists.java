package io.bulwark.protocol.object;

import io.bulwark.protocol.wire.Bytes;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * Pins of an object, as far as its pin lists have been read. To get the pin of an extent, read the extent that {@link
 * #missing} names (its own pin is known), pass it to {@link #loaded}, and ask again, at most {@link ObjectLayout#depth}
 * times. Not thread-safe.
 */
public final class PinLists {
    private final ObjectLayout layout;
    private final Map<Long, PinList> lists = new TreeMap<>();

    public PinLists(ObjectLayout layout) {
        this.layout = layout;
    }

    /** The pin of an extent, if the lists above it have been read. */
    public Optional<Bytes> pin(long extent) {
        long list = layout.listOf(extent);
        int position = layout.positionOf(extent);
        if (list < 0) {
            return Optional.of(layout.pins().slice(position * ObjectLayout.PIN_BYTES, ObjectLayout.PIN_BYTES));
        }
        return Optional.ofNullable(lists.get(list)).map(read -> read.pin(position));
    }

    /** The extent to read next on the way to the pin of this one; empty if the pin is known. */
    public OptionalLong missing(long extent) {
        long wanted = extent;
        if (pin(wanted).isPresent()) {
            return OptionalLong.empty();
        }
        do {
            wanted = layout.listOf(wanted);
        } while (pin(wanted).isEmpty());
        return OptionalLong.of(wanted);
    }

    /**
     * Takes the content of a pin-list extent, which the caller has checked against its pin.
     *
     * @throws io.bulwark.protocol.wire.MalformedException unless it is the list that the layout has at this place: level
     *     and count are checked
     */
    public void loaded(long listExtent, Bytes content) {
        lists.put(listExtent, PinList.read(content, layout.levelOf(listExtent), layout.pinsIn(listExtent)));
    }

    /** Drops a list that is no longer needed; readers of huge objects keep memory bounded so. */
    public void forget(long listExtent) {
        lists.remove(listExtent);
    }
}

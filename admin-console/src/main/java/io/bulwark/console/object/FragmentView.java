package io.bulwark.console.object;

import io.bulwark.client.FragmentMap;
import io.bulwark.protocol.extent.FragmentSurvey;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Location and state of an object's fragments, as this console saw them when it asked each node.
 *
 * @param volume the volume of its blocks
 * @param extentCount the number of all extents, pin lists included
 * @param next the first extent of the following part, as cursor; null at the end
 */
public record FragmentView(
        ObjectView object,
        String volume,
        String policy,
        int dataFragments,
        long extentCount,
        List<Extent> extents,
        @Nullable String next) {
    public FragmentView {
        extents = List.copyOf(extents);
    }

    /**
     * An extent.
     *
     * @param level 0 for data; else the level of the pin list
     * @param block its name in verdicts about nodes
     * @param state {@code readable}, {@code too few fragments} or {@code poisonous}
     * @param good the number of slots with a good fragment
     */
    public record Extent(
            long index,
            int level,
            int bytes,
            String block,
            int group,
            long epoch,
            String state,
            int good,
            List<Slot> slots) {
        public Extent {
            slots = List.copyOf(slots);
        }
    }

    /**
     * A slot of the extent's group.
     *
     * @param state {@code good}, {@code unchecked}, {@code missing}, {@code damaged}, {@code corrupt}, {@code
     *     unreachable}, {@code moved} or {@code refused}
     * @param sign how pages colour the state: {@code good}, {@code warn} or {@code bad}
     */
    public record Slot(int slot, int node, String state, String detail, String sign) {}

    static FragmentView of(FragmentMap map) {
        List<Extent> extents = map.extents().stream().map(FragmentView::extent).toList();
        long end = extents.isEmpty() ? map.extentCount() : extents.getLast().index() + 1;
        return new FragmentView(
                ObjectView.of(map.object()),
                map.volume(),
                map.policy().text(),
                map.policy().m(),
                map.extentCount(),
                extents,
                end < map.extentCount() ? Long.toString(end) : null);
    }

    private static Extent extent(FragmentMap.Extent extent) {
        return new Extent(
                extent.index(),
                extent.level(),
                extent.length(),
                extent.block(),
                extent.group(),
                extent.epoch(),
                extent.version().name().toLowerCase(Locale.ROOT).replace('_', ' '),
                extent.good(),
                extent.slots().stream().map(FragmentView::slot).toList());
    }

    private static Slot slot(FragmentSurvey.Slot slot) {
        String sign = switch (slot.state()) {
            case GOOD -> "good";
            case UNCHECKED, MISSING, EXCUSED, UNREACHABLE, MOVED, REFUSED -> "warn";
            case DAMAGED, CORRUPT -> "bad";
        };
        return new Slot(slot.slot(), slot.node(), slot.state().text(), slot.detail(), sign);
    }
}

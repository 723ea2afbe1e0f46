package io.bulwark.appliance.cli;

import io.bulwark.client.FragmentMap;
import io.bulwark.protocol.extent.FragmentSurvey;
import java.util.List;
import java.util.Locale;

/** The fragments of an object, for people and for scripts. */
final class FragmentText {
    private FragmentText() {}

    static String of(FragmentMap map) {
        StringBuilder text = new StringBuilder();
        text.append("object:  ").append(ObjectText.line(map.object())).append(System.lineSeparator());
        text.append("volume:  ")
                .append(map.volume())
                .append(" (")
                .append(map.policy().text());
        text.append(")").append(System.lineSeparator());
        text.append("extents: ").append(map.extentCount());
        text.append(isInline(map) ? ": the bytes stand in the metadata" : ", as this client saw them:");
        for (FragmentMap.Extent extent : map.extents()) {
            text.append(System.lineSeparator())
                    .append(String.format(
                            Locale.ROOT,
                            "extent %d%s, group %d, epoch %d: %d of %d fragments are good, %s",
                            extent.index(),
                            extent.level() == 0 ? "" : " (pin list of level " + extent.level() + ")",
                            extent.group(),
                            extent.epoch(),
                            extent.good(),
                            extent.slots().size(),
                            word(extent.version())));
            for (FragmentSurvey.Slot slot : extent.slots()) {
                text.append(System.lineSeparator())
                        .append(String.format(
                                Locale.ROOT,
                                "  slot %d  node-%d  %s: %s",
                                slot.slot(),
                                slot.node(),
                                slot.state().text(),
                                slot.detail()));
            }
        }
        return text.toString();
    }

    private static boolean isInline(FragmentMap map) {
        return map.extentCount() == 0 && map.object().length() > 0;
    }

    private static String word(FragmentSurvey.Version version) {
        return version.name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }

    /** The fragments of an object for scripts. */
    record MapView(
            ObjectText.ObjectView object, String volume, String policy, long extentCount, List<ExtentView> extents) {
        static MapView of(FragmentMap map) {
            return new MapView(
                    ObjectText.json(map.object()),
                    map.volume(),
                    map.policy().text(),
                    map.extentCount(),
                    map.extents().stream().map(ExtentView::of).toList());
        }
    }

    record ExtentView(
            long index,
            int level,
            int bytes,
            String block,
            int group,
            long epoch,
            String version,
            List<SlotView> slots) {
        static ExtentView of(FragmentMap.Extent extent) {
            return new ExtentView(
                    extent.index(),
                    extent.level(),
                    extent.length(),
                    extent.block(),
                    extent.group(),
                    extent.epoch(),
                    word(extent.version()),
                    extent.slots().stream().map(SlotView::of).toList());
        }
    }

    record SlotView(int slot, int node, String state, String detail) {
        static SlotView of(FragmentSurvey.Slot slot) {
            return new SlotView(slot.slot(), slot.node(), slot.state().text(), slot.detail());
        }
    }
}

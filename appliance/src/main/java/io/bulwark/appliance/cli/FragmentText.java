package io.bulwark.appliance.cli;

import io.bulwark.client.FragmentMap;
import io.bulwark.protocol.extent.FragmentSurvey;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The fragments of an object, for people and for scripts. */
final class FragmentText {
    private FragmentText() {}

    static Map<String, Object> json(FragmentMap map) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("object", ObjectText.json(map.object()));
        json.put("volume", map.volume());
        json.put("policy", map.policy().text());
        json.put("extentCount", map.extentCount());
        List<Map<String, Object>> extents = new ArrayList<>();
        for (FragmentMap.Extent extent : map.extents()) {
            Map<String, Object> each = new LinkedHashMap<>();
            each.put("index", extent.index());
            each.put("level", extent.level());
            each.put("bytes", extent.length());
            each.put("block", extent.block());
            each.put("group", extent.group());
            each.put("epoch", extent.epoch());
            each.put("version", word(extent.version()));
            each.put("slots", extent.slots().stream().map(FragmentText::json).toList());
            extents.add(each);
        }
        json.put("extents", extents);
        return json;
    }

    static String of(FragmentMap map) {
        StringBuilder text = new StringBuilder();
        text.append("object:  ").append(ObjectText.line(map.object())).append(System.lineSeparator());
        text.append("volume:  ")
                .append(map.volume())
                .append(" (")
                .append(map.policy().text());
        text.append(")").append(System.lineSeparator());
        text.append("extents: ").append(map.extentCount()).append(", as this client saw them:");
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

    private static Map<String, Object> json(FragmentSurvey.Slot slot) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("slot", slot.slot());
        json.put("node", slot.node());
        json.put("state", slot.state().text());
        json.put("detail", slot.detail());
        return json;
    }

    private static String word(FragmentSurvey.Version version) {
        return version.name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}

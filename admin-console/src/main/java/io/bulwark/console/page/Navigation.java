package io.bulwark.console.page;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The sections of the console. */
final class Navigation {
    private static final Map<String, String> TITLES = titles();

    private Navigation() {}

    /**
     * Entry of the navigation.
     *
     * @param current {@code page} if the shown page belongs to it, as the attribute {@code aria-current} wants; else {@code false}
     */
    public record Section(String title, String path, String current) {}

    /** Returns the sections, for a page with this path. */
    static List<Section> sections(String shown) {
        return TITLES.entrySet().stream()
                .map(section -> new Section(
                        section.getValue(), section.getKey(), isCurrent(section.getKey(), shown) ? "page" : "false"))
                .toList();
    }

    private static boolean isCurrent(String section, String shown) {
        return shown.equals(section) || (!section.equals("/") && shown.startsWith(section + "/"));
    }

    private static Map<String, String> titles() {
        Map<String, String> titles = new LinkedHashMap<>();
        titles.put("/", "Dashboard");
        titles.put("/topology", "Topology");
        titles.put("/nodes", "Nodes");
        titles.put("/replicas", "Replicas");
        titles.put("/volumes", "Volumes");
        titles.put("/buckets", "Buckets");
        titles.put("/locks", "Locks");
        titles.put("/faults", "Faults");
        titles.put("/work", "Background work");
        titles.put("/principals", "Principals");
        titles.put("/access-keys", "Access keys");
        titles.put("/webhooks", "Webhooks");
        titles.put("/audit", "Audit");
        titles.put("/jobs", "Jobs");
        titles.put("/releases", "Releases");
        titles.put("/configuration", "Configuration");
        return titles;
    }
}

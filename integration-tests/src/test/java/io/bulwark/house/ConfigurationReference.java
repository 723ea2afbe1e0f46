package io.bulwark.house;

import io.bulwark.appliance.boot.RoleSections;
import io.bulwark.client.config.ClientSetting;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.springframework.util.unit.DataSize;

/** Page of the keys of role files and of a client's file, from the declarations that the readers use. */
@NullMarked
final class ConfigurationReference {
    private ConfigurationReference() {}

    static String page() {
        StringBuilder page = new StringBuilder("""
            [Install](../how-to/install.md#configuration) says how a role file is written;
            [examples](../../docker/examples) have all keys. Keys without a default are required. Addresses are HOST:PORT;
            host names are resolved for each connection. Relative paths are relative to the file.
            """);
        RoleSections.all().forEach((role, keys) -> {
            page.append("\n## Role file: `").append(role).append("`\n").append("""
                | Key | Type | Default | Meaning |
                |---|---|---|---|
                """);
            keys.forEach(key ->
                    page.append(row("`" + key.name() + "`", type(key.type()), key.standard(), key.description())));
        });
        page.append("""

            ## Client file: `client.properties`
            | Key | Default | Meaning |
            |---|---|---|
            """);
        for (ClientSetting setting : ClientSetting.values()) {
            page.append(row("`" + setting.key() + "`", setting.standard(), setting.description()));
        }
        return page.toString();
    }

    private static String type(Class<?> type) {
        if (type == Integer.class) {
            return "number";
        }
        if (type == Boolean.class) {
            return "switch";
        }
        if (type == Duration.class) {
            return "time";
        }
        if (type == DataSize.class) {
            return "size";
        }
        return type == List.class ? "list" : "text";
    }

    private static String row(String... cells) {
        return ("| " + String.join(" | ", cells) + " |\n").replace("|  |", "| |");
    }
}

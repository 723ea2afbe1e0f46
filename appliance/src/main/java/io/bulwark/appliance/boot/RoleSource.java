package io.bulwark.appliance.boot;

import io.bulwark.client.error.ConfigException;
import io.bulwark.client.error.Subject;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.BindResult;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.handler.NoUnboundElementsBindHandler;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.core.io.FileSystemResource;
import org.yaml.snakeyaml.error.YAMLException;

/** Binds the section of a role to a record: from its file, and before that from the environment. */
final class RoleSource {
    private RoleSource() {}

    /** Reads it, or fails if the file has no such section. */
    static <T> T bind(Path file, Map<String, String> environment, String role, Class<T> type) throws IOException {
        return find(file, environment, role, type)
                .orElseThrow(() -> new ConfigException(file + " has no section bulwark." + role, Subject.NONE));
    }

    /**
     * Reads it, if it is there.
     *
     * @param environment variables; one that begins as those of this role do and is none of its keys is an error, an empty one
     *     counts as not given
     */
    static <T> Optional<T> find(Path file, Map<String, String> environment, String role, Class<T> type)
            throws IOException {
        if (!Files.isRegularFile(file)) {
            throw new ConfigException("there is no configuration file " + file, Subject.NONE);
        }
        MutablePropertySources sources = new MutablePropertySources();
        sources.addFirst(new MapPropertySource("environment", overrides(environment, role, type)));
        try {
            new YamlPropertySourceLoader()
                    .load(file.toString(), new FileSystemResource(file))
                    .forEach(sources::addLast);
            BindResult<T> bound = new Binder(ConfigurationPropertySources.from(sources))
                    .bind("bulwark." + role, Bindable.of(type), new NoUnboundElementsBindHandler(BindHandler.DEFAULT));
            return bound.isBound() ? Optional.of(bound.get()) : Optional.empty();
        } catch (BindException e) {
            Throwable root = e.getCause() == null ? e : e.getCause();
            throw new ConfigException(file + ": " + e.getName() + ": " + root.getMessage(), Subject.NONE, e);
        } catch (IllegalStateException | YAMLException e) {
            throw new ConfigException(file + " is not YAML: " + e.getMessage(), Subject.NONE, e);
        }
    }

    private static Map<String, Object> overrides(Map<String, String> environment, String role, Class<?> type) {
        Map<String, String> keys = new TreeMap<>();
        String prefix = variable(role) + "_";
        for (RecordComponent component : type.getRecordComponents()) {
            String key = component.getName().replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
            keys.put(prefix + key.replace('-', '_').toUpperCase(Locale.ROOT), "bulwark." + role + "." + key);
        }
        Map<String, Object> overrides = new HashMap<>();
        environment.forEach((variable, value) -> {
            if (variable.startsWith(prefix) && !value.isEmpty()) {
                String key = keys.get(variable);
                if (key == null) {
                    throw new ConfigException(
                            "the environment has " + variable + ", which is nothing that a " + role
                                    + " knows; there are " + String.join(", ", keys.keySet()),
                            Subject.NONE);
                }
                overrides.put(key, value);
            }
        });
        return overrides;
    }

    private static String variable(String role) {
        return "BULWARK_" + role.toUpperCase(Locale.ROOT);
    }
}

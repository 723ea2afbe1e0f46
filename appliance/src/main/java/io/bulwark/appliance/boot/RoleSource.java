package io.bulwark.appliance.boot;

import io.bulwark.client.config.ConfigurationFile;
import io.bulwark.client.error.ConfigException;
import io.bulwark.client.error.Subject;
import io.bulwark.transport.file.TextFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.BindResult;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.util.unit.DataSize;
import org.yaml.snakeyaml.error.YAMLException;

/** Binds the section of a role to a record: from its file, and before that from the environment. */
final class RoleSource {
    /** {@code bulwark} and the role. */
    private static final int SECTION_ELEMENTS = 2;

    private static final int FILE_BYTES_MAX = 1 << 20;

    private RoleSource() {}

    /**
     * Result of reading a section.
     *
     * @param keys null for each key that is missing or wrong
     * @param findings the problems found so far
     */
    record ReadKeys<T>(T keys, RoleFindings findings) {}

    /** Reads it, or fails if the file has no such section. */
    static <T> ReadKeys<T> bind(Path file, Map<String, String> environment, String role, Class<T> type)
            throws IOException {
        RoleFindings findings = new RoleFindings(file, role);
        Optional<T> keys = find(file, environment, role, type, findings);
        if (keys.isEmpty()) {
            findings.noteNoSection();
            findings.end();
        }
        return new ReadKeys<>(keys.orElseThrow(), findings);
    }

    /**
     * Reads it, if it is there.
     *
     * @param environment variables; one that begins as those of this role do and is none of its keys is an error, an empty one
     *     counts as not given
     */
    static <T> Optional<T> find(
            Path file, Map<String, String> environment, String role, Class<T> type, RoleFindings findings)
            throws IOException {
        String text;
        try {
            text = TextFile.read(file, FILE_BYTES_MAX);
        } catch (IOException e) {
            throw ConfigurationFile.failure(file, "configuration file", e);
        }
        MutablePropertySources sources = new MutablePropertySources();
        sources.addFirst(new MapPropertySource("environment", overrides(environment, role, type, findings)));
        try {
            new YamlPropertySourceLoader()
                    .load(file.toString(), new ByteArrayResource(text.getBytes(StandardCharsets.UTF_8)))
                    .forEach(sources::addLast);
        } catch (IllegalStateException | YAMLException e) {
            throw new ConfigException(file + " is not YAML: " + e.getMessage(), Subject.NONE, e);
        }
        var all = ConfigurationPropertySources.from(sources);
        ConfigurationPropertyName section = ConfigurationPropertyName.of("bulwark." + role);
        for (var source : all) {
            if (source instanceof IterableConfigurationPropertySource names) {
                names.stream()
                        .filter(section::isAncestorOf)
                        .filter(name -> !isKey(name, type))
                        .forEach(name ->
                                findings.note("there is no key " + name.subName(SECTION_ELEMENTS) + " in " + section));
            }
        }
        BindResult<T> bound = new Binder(all).bind(section, Bindable.of(type), new ErrorCollector(findings));
        return bound.isBound() ? Optional.of(bound.get()) : Optional.empty();
    }

    /** Notes each value that cannot be read, and goes on without it. */
    private record ErrorCollector(RoleFindings findings) implements BindHandler {
        @Override
        public @Nullable Object onFailure(
                ConfigurationPropertyName name, Bindable<?> target, BindContext context, Exception error) {
            if (name.getNumberOfElements() == SECTION_ELEMENTS) {
                findings.noteNoSection();
                return null;
            }
            var read = context.getConfigurationProperty();
            String key = name.subName(SECTION_ELEMENTS).toString();
            findings.note(key, "\"" + (read == null ? "" : read.getValue()) + "\" is not " + form(target));
            return null;
        }

        private static String form(Bindable<?> target) {
            Class<?> type = target.getType().toClass();
            if (type == Integer.class) {
                return "a whole number";
            }
            if (type == Boolean.class) {
                return "true or false";
            }
            if (type == Duration.class) {
                return "a time such as 2s or 10m";
            }
            return type == DataSize.class ? "a size such as 8MB" : "a valid value";
        }
    }

    /** Returns whether the name denotes a key of the section, or an element of a list. */
    private static boolean isKey(ConfigurationPropertyName name, Class<?> type) {
        String key = name.getElement(SECTION_ELEMENTS, ConfigurationPropertyName.Form.UNIFORM);
        for (RoleSections.DeclaredKey declared : RoleSections.keys(type)) {
            if (declared.name().replace("-", "").equals(key)) {
                int more = name.getNumberOfElements() - SECTION_ELEMENTS - 1;
                return more == 0 || (more == 1 && declared.type() == List.class && name.isLastElementIndexed());
            }
        }
        return false;
    }

    private static Map<String, Object> overrides(
            Map<String, String> environment, String role, Class<?> type, RoleFindings findings) {
        Map<String, String> keys = new TreeMap<>();
        String prefix = variable(role) + "_";
        for (RoleSections.DeclaredKey declared : RoleSections.keys(type)) {
            String key = declared.name();
            keys.put(prefix + key.replace('-', '_').toUpperCase(Locale.ROOT), "bulwark." + role + "." + key);
        }
        Map<String, Object> overrides = new HashMap<>();
        TreeSet<String> unknown = new TreeSet<>();
        environment.forEach((variable, value) -> {
            if (variable.startsWith(prefix) && !value.isEmpty()) {
                String key = keys.get(variable);
                if (key == null) {
                    unknown.add(variable);
                } else {
                    overrides.put(key, value);
                }
            }
        });
        if (!unknown.isEmpty()) {
            findings.note("the environment has " + String.join(", ", unknown) + ", unknown to the role " + role
                    + "; known variables: " + String.join(", ", keys.keySet()));
        }
        return overrides;
    }

    private static String variable(String role) {
        return "BULWARK_" + role.toUpperCase(Locale.ROOT);
    }
}

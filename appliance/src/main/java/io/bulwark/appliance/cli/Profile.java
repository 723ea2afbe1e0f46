package io.bulwark.appliance.cli;

import io.bulwark.client.config.ConfigurationFile;
import io.bulwark.client.error.ConfigException;
import io.bulwark.client.error.Subject;
import io.bulwark.protocol.id.TextPlace;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.IDefaultValueProvider;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Defaults of options under a name, for people who use several clusters. {@code --profile NAME} or {@code
 * BULWARK_PROFILE} names {@code $XDG_CONFIG_HOME/bulwark/NAME.properties}:
 *
 * <pre>
 * client=production/client.properties
 * encrypt-with=~/keys/photos.p12
 * parallel=32
 * </pre>
 *
 * <p>Paths are relative to the file, or begin with {@code ~/}. An option on the command line counts more than the
 * profile, and the profile more than {@code BULWARK_DATA}.
 *
 * @param values by the option's name without dashes
 */
record Profile(Map<String, String> values) implements IDefaultValueProvider {
    static final String OPTION = "--profile";

    /** The environment variable. */
    static final String VARIABLE = "BULWARK_PROFILE";

    private static final Set<String> PATHS = Set.of("data", "client", "encrypt-with", "encrypt-password-file");
    private static final Set<String> OTHERS = Set.of("encrypt-key", "parallel");

    /** Commands that must work whatever is in the environment. */
    private static final Set<String> WITHOUT = Set.of("help", "completion", "-h", "--help", "-V", "--version");

    private static final int FILE_BYTES_MAX = 64 << 10;
    private static final int NAME_LENGTH_MAX = 64;

    Profile {
        values = Map.copyOf(values);
    }

    /**
     * Reads the profile that a command line or its environment names; one without values if neither does.
     *
     * @throws ConfigException if there is no such profile, or it has a setting that is none
     */
    static Profile of(Map<String, String> environment, Path home, String... args) {
        Optional<String> name = name(environment, args);
        if (name.isEmpty()) {
            return new Profile(Map.of());
        }
        requireName(name.get());
        return load(directory(environment, home).resolve(name.get() + ".properties"), name.get(), home);
    }

    /** Returns the directory of all profiles. */
    static Path directory(Map<String, String> environment, Path home) {
        String set = environment.getOrDefault("XDG_CONFIG_HOME", "");
        // The specification has relative paths ignored.
        Path base = set.startsWith("/") ? Path.of(set) : home.resolve(".config");
        return base.resolve("bulwark");
    }

    @Override
    public @Nullable String defaultValue(ArgSpec argument) {
        return argument instanceof OptionSpec option && option.longestName().startsWith("--")
                ? values.get(option.longestName().substring(2))
                : null;
    }

    private static Optional<String> name(Map<String, String> environment, String... args) {
        if (args.length == 0 || WITHOUT.contains(args[0])) {
            return Optional.empty();
        }
        for (int i = 0; i < args.length; i++) {
            if (args[i].equals(OPTION)) {
                return i + 1 < args.length ? Optional.of(args[i + 1]) : Optional.empty();
            }
            if (args[i].startsWith(OPTION + "=")) {
                return Optional.of(args[i].substring(OPTION.length() + 1));
            }
        }
        return Optional.ofNullable(environment.get(VARIABLE)).filter(set -> !set.isEmpty());
    }

    private static void requireName(String name) {
        if (name.isEmpty() || name.length() > NAME_LENGTH_MAX) {
            throw new CommandFailure(
                    CommandFailure.USAGE,
                    "the name of a profile has 1 to " + NAME_LENGTH_MAX + " characters, this has " + name.length());
        }
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            boolean plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
            if (!plain && (i == 0 || (c != '-' && c != '_' && c != '.'))) {
                throw new CommandFailure(
                        CommandFailure.USAGE,
                        "the name of a profile has letters, digits, and behind the first '-', '_' and '.'; "
                                + TextPlace.of(name, i) + " is " + TextPlace.shown(name.codePointAt(i)));
            }
        }
    }

    private static Profile load(Path file, String name, Path home) {
        Properties properties = ConfigurationFile.properties(file, "profile " + name, FILE_BYTES_MAX);
        Map<String, String> values = new TreeMap<>();
        for (String key : properties.stringPropertyNames()) {
            String value = properties.getProperty(key).trim();
            if (PATHS.contains(key)) {
                values.put(key, path(value, file, home).toString());
            } else if (OTHERS.contains(key)) {
                values.put(key, value);
            } else {
                Set<String> known = new TreeSet<>(PATHS);
                known.addAll(OTHERS);
                throw new ConfigException(
                        file + ": unknown setting " + key + "; a profile has " + String.join(", ", known),
                        Subject.NONE);
            }
            if (value.isEmpty()) {
                throw new ConfigException(file + ": the setting " + key + " has no value", Subject.NONE);
            }
        }
        return new Profile(values);
    }

    private static Path path(String value, Path file, Path home) {
        return value.startsWith("~/")
                ? home.resolve(value.substring(2))
                : file.toAbsolutePath().resolveSibling(value).normalize();
    }
}

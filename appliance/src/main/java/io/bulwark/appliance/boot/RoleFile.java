package io.bulwark.appliance.boot;

import io.bulwark.appliance.cluster.ClusterShape;
import io.bulwark.appliance.cluster.NodeSetup;
import io.bulwark.appliance.cluster.ReplicaSetup;
import io.bulwark.client.config.ClientConfig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.handler.NoUnboundElementsBindHandler;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.core.io.FileSystemResource;
import org.yaml.snakeyaml.error.YAMLException;

/**
 * Reads and writes the YAML files of roles. An unknown key is an error; a relative path is relative to the file.
 *
 * <pre>
 * bulwark:
 *   node:                          # or replica:, or console:
 *     number: 0
 *     listen: 127.0.0.1:7410
 *     data: /data
 *     keys: keys/node-0.keys
 *     replicas: [127.0.0.1:7600, 127.0.0.1:7601, 127.0.0.1:7602, 127.0.0.1:7603]
 *     durability: sync
 * </pre>
 */
public final class RoleFile {
    private RoleFile() {}

    // Not private: Spring binds no record whose constructor is.
    record NodeKeys(
            @Nullable Integer number,
            @Nullable String listen,
            @Nullable String data,
            @Nullable String keys,
            @Nullable List<String> replicas,
            @Nullable String durability) {}

    record ReplicaKeys(
            @Nullable Integer number,
            @Nullable String data,
            @Nullable String keys,
            @Nullable List<String> replicas,
            @Nullable List<String> nodes,
            @Nullable Integer clients,
            @Nullable String ordering) {}

    record ConsoleKeys(@Nullable String listen, @Nullable String client) {}

    /**
     * How a console is set up.
     *
     * @param client a file as {@link ClientConfig#load} reads it
     */
    public record ConsoleSetup(InetSocketAddress listen, Path client) {}

    public static NodeSetup node(Path file) throws IOException {
        NodeKeys keys = bind(file, "node", NodeKeys.class);
        return checked(
                file,
                () -> new NodeSetup(
                        given("number", keys.number()),
                        address(given("listen", keys.listen())),
                        beside(file, given("data", keys.data())),
                        beside(file, given("keys", keys.keys())),
                        addresses(given("replicas", keys.replicas())),
                        keys.durability() == null ? "sync" : keys.durability()));
    }

    public static ReplicaSetup replica(Path file) throws IOException {
        ReplicaKeys keys = bind(file, "replica", ReplicaKeys.class);
        return checked(
                file,
                () -> new ReplicaSetup(
                        given("number", keys.number()),
                        addresses(given("replicas", keys.replicas())),
                        beside(file, given("data", keys.data())),
                        beside(file, given("keys", keys.keys())),
                        keys.ordering() == null ? ClusterShape.ORDERING_DEFAULT : keys.ordering(),
                        addresses(given("nodes", keys.nodes())),
                        given("clients", keys.clients())));
    }

    public static ConsoleSetup console(Path file) throws IOException {
        ConsoleKeys keys = bind(file, "console", ConsoleKeys.class);
        return checked(
                file,
                () -> new ConsoleSetup(
                        address(given("listen", keys.listen())), beside(file, given("client", keys.client()))));
    }

    public static void write(NodeSetup setup, Path file) throws IOException {
        Files.writeString(
                file,
                String.format(
                        Locale.ROOT,
                        """
                        bulwark:
                          node:
                            number: %d
                            listen: %s
                            data: "%s"
                            keys: "%s"
                            replicas: %s
                            durability: %s
                        """,
                        setup.number(),
                        text(setup.listen()),
                        setup.data(),
                        setup.keys(),
                        list(setup.replicas()),
                        setup.durability()));
    }

    public static void write(ReplicaSetup setup, Path file) throws IOException {
        Files.writeString(
                file,
                String.format(
                        Locale.ROOT,
                        """
                        bulwark:
                          replica:
                            number: %d
                            data: "%s"
                            keys: "%s"
                            replicas: %s
                            nodes: %s
                            clients: %d
                            ordering: %s
                        """,
                        setup.number(),
                        setup.data(),
                        setup.keys(),
                        list(setup.replicas()),
                        list(setup.nodes()),
                        setup.clients(),
                        setup.ordering()));
    }

    public static void write(ConsoleSetup setup, Path file) throws IOException {
        Files.writeString(file, String.format(Locale.ROOT, """
            bulwark:
              console:
                listen: %s
                client: "%s"
            """, text(setup.listen()), setup.client()));
    }

    private interface Making<T> {
        T make();
    }

    private static <T> T checked(Path file, Making<T> making) throws IOException {
        try {
            return making.make();
        } catch (IllegalArgumentException e) {
            throw new IOException(file + ": " + e.getMessage(), e);
        }
    }

    private static <T> T given(String name, @Nullable T value) {
        if (value == null) {
            throw new IllegalArgumentException("the key " + name + " is missing");
        }
        return value;
    }

    private static <T> T bind(Path file, String role, Class<T> type) throws IOException {
        if (!Files.isRegularFile(file)) {
            throw new IOException("there is no configuration file " + file);
        }
        MutablePropertySources sources = new MutablePropertySources();
        try {
            new YamlPropertySourceLoader()
                    .load(file.toString(), new FileSystemResource(file))
                    .forEach(sources::addLast);
            return new Binder(ConfigurationPropertySources.from(sources))
                    .bind("bulwark." + role, Bindable.of(type), new NoUnboundElementsBindHandler(BindHandler.DEFAULT))
                    .orElseThrow(() -> new IOException(file + " has no section bulwark." + role));
        } catch (BindException e) {
            Throwable root = e.getCause() == null ? e : e.getCause();
            throw new IOException(file + ": " + e.getName() + ": " + root.getMessage(), e);
        } catch (IllegalStateException | YAMLException e) {
            throw new IOException(file + " is not YAML: " + e.getMessage(), e);
        }
    }

    private static Path beside(Path file, String path) {
        return file.toAbsolutePath().resolveSibling(path).normalize();
    }

    private static List<InetSocketAddress> addresses(List<String> texts) {
        List<InetSocketAddress> all = new ArrayList<>();
        texts.forEach(text -> all.add(address(text)));
        return all;
    }

    private static InetSocketAddress address(String text) {
        int colon = text.lastIndexOf(':');
        try {
            int port = Integer.parseInt(text.substring(colon + 1));
            return new InetSocketAddress(InetAddress.getByName(text.substring(0, Math.max(0, colon))), port);
        } catch (NumberFormatException | UnknownHostException e) {
            throw new IllegalArgumentException("\"" + text + "\" is not HOST:PORT", e);
        }
    }

    private static String text(InetSocketAddress address) {
        return address.getAddress().getHostAddress() + ":" + address.getPort();
    }

    private static String list(List<InetSocketAddress> addresses) {
        return "[" + String.join(", ", addresses.stream().map(RoleFile::text).toList()) + "]";
    }
}

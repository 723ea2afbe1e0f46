package io.bulwark.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.id.PrincipalId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.NullMarked;
import tools.jackson.databind.JsonNode;

/**
 * Exchange of all keys of a {@link BridgedCluster}, as docs/security.md describes. Each key is made at its principal
 * and registered beside the old one. It takes the old one's place once all have learnt it, and then is the only one.
 */
@NullMarked
final class KeyRotation {
    private static final Pattern MADE = Pattern.compile("key\\.([a-z]+-\\d+)=(\\S+)");
    private static final PrincipalId CONSOLE = PrincipalId.client(1);
    private static final PrincipalId OPERATOR = PrincipalId.client(0);

    private final BridgedCluster cluster;
    private final OutsideOperator operator;
    private final List<PrincipalId> members;
    private final List<JoinedNode> joined;
    private final List<PrincipalId> clients;
    private final Map<PrincipalId, String> keys = new LinkedHashMap<>();

    /**
     * Nothing is done yet.
     *
     * @param members nodes and replicas of the cluster's own project
     * @param clients whose keys the operator's machine has, without the operator
     */
    KeyRotation(
            BridgedCluster cluster,
            OutsideOperator operator,
            List<PrincipalId> members,
            List<JoinedNode> joined,
            List<PrincipalId> clients) {
        this.cluster = cluster;
        this.operator = operator;
        this.members = List.copyOf(members);
        this.joined = List.copyOf(joined);
        this.clients = List.copyOf(clients);
    }

    List<PrincipalId> principals() {
        return List.copyOf(keys.keySet());
    }

    /** Makes all keys, and has all members know them. */
    void announce() throws IOException, InterruptedException {
        List<PrincipalId> inCluster = new ArrayList<>(members);
        inCluster.addAll(List.of(OPERATOR, CONSOLE));
        made(inDirectory(
                cluster.compose(),
                "init",
                inCluster.stream()
                        .map(each -> "bulwark keygen " + each + " --out /cluster/keys/" + each + ".fresh")
                        .collect(Collectors.joining(" && "))));
        for (JoinedNode node : joined) {
            made(inDirectory(
                    node.compose(),
                    "hand",
                    "bulwark keygen " + node.name() + " --out /cluster/" + node.name() + ".fresh"));
        }
        for (PrincipalId client : clients) {
            JsonNode made = operator.json(
                    "keygen", client.toString(), "--out", operator.fresh(client).toString());
            keys.put(client, made.get("key").asString());
        }
        operator.write(OPERATOR, inDirectory(cluster.compose(), "init", "cat /cluster/keys/" + OPERATOR + ".fresh"));
        keys.forEach((principal, key) -> operator.json("principal", "rotate", principal.toString(), "--key", key));
        for (PrincipalId member : members) {
            awaitLearnt(cluster.compose(), member.toString());
        }
        for (JoinedNode node : joined) {
            awaitLearnt(node.compose(), "node");
        }
    }

    private void made(String printed) {
        Matcher matcher = MADE.matcher(printed);
        while (matcher.find()) {
            keys.put(PrincipalId.parse(matcher.group(1)), matcher.group(2));
        }
    }

    /** Runs a script in the container that has the keys of a project's members and may change them. */
    private static String inDirectory(Compose compose, String hand, String script)
            throws IOException, InterruptedException {
        return compose.run("run", "--rm", "-T", "--entrypoint", "sh", hand, "-c", script);
    }

    /** The registry that a member keeps has every key. */
    private void awaitLearnt(Compose compose, String service) throws IOException, InterruptedException {
        long end = System.nanoTime() + Compose.READY_MILLIS_MAX * 1_000_000;
        while (true) {
            Compose.Outcome kept = compose.attempt("exec", "-T", service, "cat", "/data/registry");
            // As a properties file has it.
            String registry = kept.out().replace("\\", "");
            if (keys.values().stream().allMatch(registry::contains)) {
                return;
            }
            if (System.nanoTime() > end) {
                throw new AssertionError(
                        service + " has not learnt all keys: " + kept + compose.run("logs", "--tail=30", service));
            }
            Thread.sleep(500);
        }
    }

    /** Members are started anew under their new keys, and have no other any more. */
    void restart(List<PrincipalId> some) throws IOException, InterruptedException {
        String[] restart = {"restart", "--timeout", "20"};
        use(some);
        List<String> command = new ArrayList<>(List.of(restart));
        some.forEach(each -> command.add(each.toString()));
        cluster.compose().run(command.toArray(String[]::new));
        operator.awaitWhole("restarted: " + some);
        some.forEach(this::end);
    }

    /** Their files are the new ones, where all keys are and in the volumes that they have of their own. */
    private void use(List<PrincipalId> some) throws IOException, InterruptedException {
        inDirectory(
                cluster.compose(),
                "init",
                some.stream()
                        .map(each -> "mv /cluster/keys/" + each + ".fresh /cluster/keys/" + each + ".pem")
                        .collect(Collectors.joining(" && ")));
        cluster.compose().run("run", "--rm", "-T", "init");
    }

    /** Makes the others show their new certificates without a restart. */
    void useWithoutRestart() throws IOException, InterruptedException {
        for (JoinedNode node : joined) {
            inDirectory(
                    node.compose(), "hand", "mv /cluster/" + node.name() + ".fresh /cluster/" + node.name() + ".pem");
        }
        use(List.of(OPERATOR, CONSOLE));
        List<PrincipalId> here = new ArrayList<>(clients);
        here.add(OPERATOR);
        for (PrincipalId client : here) {
            Files.move(operator.fresh(client), operator.identity(client), StandardCopyOption.REPLACE_EXISTING);
        }
        for (JoinedNode node : joined) {
            awaitShown(node.compose(), "node");
        }
        awaitShown(cluster.compose(), "console");
        keys.keySet().stream().filter(each -> !members.contains(each)).forEach(this::end);
    }

    private static void awaitShown(Compose compose, String service) throws IOException, InterruptedException {
        long end = System.nanoTime() + Compose.READY_MILLIS_MAX * 1_000_000;
        String log = compose.run("logs", service);
        while (!log.contains("uses a new certificate")) {
            assertThat(System.nanoTime())
                    .as("%s shows its new certificate: %s", service, log)
                    .isLessThan(end);
            Thread.sleep(500);
            log = compose.run("logs", service);
        }
    }

    /** The key before is believed no more. */
    private void end(PrincipalId principal) {
        operator.json(
                "principal", "rotate", principal.toString(), "--key", keys.getOrDefault(principal, ""), "--final");
    }

    /**
     * Gives restarted clients the operator's registry. In directories that they cannot write, they know only the
     * genesis's keys, and all of these have been replaced. The operator puts his own registry beside the identities
     * there.
     */
    void tellWhoStartsAnew() throws IOException, InterruptedException {
        String kept = Files.readString(operator.identity(OPERATOR).resolveSibling(OPERATOR + ".pem.registry"));
        assertThat(kept.replace("\\", "")).as("the operator has followed").contains(keys.values());
        for (String identity : List.of("client/keys/" + OPERATOR, "console/keys/" + CONSOLE)) {
            inDirectory(
                    cluster.compose(),
                    "init",
                    "cat > /hosts/" + identity + ".pem.registry <<'END'\n" + kept + "\nEND\n");
        }
        cluster.compose().run("restart", "--timeout", "20", "console");
        cluster.compose().awaitHealth("console", "healthy");
    }

    /** The registry has one key of each: the new one. */
    void check() {
        Map<String, String> believed = new LinkedHashMap<>();
        for (JsonNode entry : operator.json("principal", "list")) {
            believed.put(
                    entry.get("principal").asString(),
                    entry.get("keys").valueStream().map(JsonNode::asString).collect(Collectors.joining(" ")));
        }
        keys.forEach((principal, key) -> assertThat(believed.get(principal.toString()))
                .as("%s", principal)
                .isEqualTo(key));
    }
}
